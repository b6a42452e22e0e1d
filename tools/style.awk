# style.awk -- what clang-format does not see: comments, lengths, calls that
# only the command line may make.  Reads .c, .h and .def files.

function offend(line, what) {
    printf "%s:%d: %s\n", FILENAME, line, what
    n_offences++
}

# The line without its strings, characters and block comments; in_comment
# lasts from line to line.  Line comments are kept for the caller to find.
function code_of(text,    out, c, two, i, n, quote) {
    out = ""
    quote = ""
    n = length(text)
    for (i = 1; i <= n; i++) {
        c = substr(text, i, 1)
        two = substr(text, i, 2)
        if (in_comment) {
            if (two == "*/") {
                in_comment = 0
                i++
            }
        } else if (quote != "") {
            if (c == "\\") {
                i++
            } else if (c == quote) {
                quote = ""
                out = out c
            }
        } else if (two == "/*") {
            in_comment = 1
            i++
        } else if (c == "\"" || c == "'") {
            quote = c
            out = out c
        } else {
            out = out c
        }
    }
    return out
}

function end_of_file() {
    if (name ~ /\.h$/ && n_lines > 200) {
        printf "%s:%d: a header of %d lines, at most 200\n", name, n_lines,
               n_lines
        n_offences++
    } else if (name ~ /\.c$/ && n_lines > 600) {
        printf "%s:%d: a file of %d lines, at most 600\n", name, n_lines,
               n_lines
        n_offences++
    }
}

FNR == 1 {
    if (name != "") {
        end_of_file()
    }
    name = FILENAME
    in_comment = 0
    body_start = 0
    is_library = name ~ /^sim\// && name !~ /^sim\/cli\//
}
{
    n_lines = FNR
    code = code_of($0)
}
code ~ /\/\// {
    offend(FNR, "a // comment; write /* */")
}
/TODO|FIXME/ && !/(TODO|FIXME)\(#[0-9]+\)/ {
    offend(FNR, "an open point without its issue: TODO(#12)")
}
length($0) > 80 && name ~ /\.[ch]$/ && name !~ /^tests\// {
    offend(FNR, "a line of " length($0) " columns, at most 80")
}
code == "{" {
    body_start = FNR
}
code == "}" && body_start != 0 {
    if (FNR - body_start - 1 > 80) {
        offend(body_start, "a function of " (FNR - body_start - 1) \
               " lines, at most 80")
    }
    body_start = 0
}
is_library && code ~ /(^|[^A-Za-z0-9_])(v?f?printf|f?puts|f?putc|putchar|perror|_?exit|abort|s?rand|time)[ ]*\(/ {
    offend(FNR, "the library does not print, exit, abort, or ask the clock")
}
is_library && code ~ /(^|[^A-Za-z0-9_])(stdout|stderr)([^A-Za-z0-9_]|$)/ {
    offend(FNR, "only the command line knows stdout and stderr")
}
END {
    end_of_file()
    exit n_offences > 0
}
