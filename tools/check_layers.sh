#!/usr/bin/env bash
# Holds every #include in sim/ to the table of floors below, and
# sim/CMakeLists.txt to the same table.  Offenders are printed as file:line.
#
#     tools/check_layers.sh [ROOT]
set -euo pipefail

root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root"

# Which floors each floor may include, besides itself.
table='
base
trace  base
config base
model  base config
engine base trace config model
report base config model
study  base trace config model engine report
cli    base trace config model engine report study
'

mapfile -t files < <(find sim -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.def' -o -name '*.inc' \) |
    LC_ALL=C sort)

includes=$(awk -v table="$table" '
function offend(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what
    n_offences++
}
# The component of a path below sim/: the folder inside model/, else "".
function component(path,    part) {
    return split(path, part, "/") > 2 && part[1] == "model" ? part[2] : ""
}
function folder(path) {
    sub(/\/[^\/]*$/, "", path)
    return path
}
BEGIN {
    n_rows = split(table, row, "\n")
    for (i = 1; i <= n_rows; i++) {
        n_words = split(row[i], word, " ")
        for (w = 1; w <= n_words; w++) {
            may[word[1], word[w]] = 1
        }
    }
    only["zlib.h"] = only["lzma.h"] = only["libdeflate.h"] = "trace"
    only["yaml.h"] = "config"
    only["jansson.h"] = "report"
    only["sqlite3.h"] = "study"
}
FNR == 1 {
    from = FILENAME
    sub(/^sim\//, "", from)
    floor = from
    sub(/\/.*/, "", floor)
}
/^[ \t]*#[ \t]*include[ \t]*</ {
    name = $0
    sub(/^[^<]*</, "", name)
    sub(/>.*/, "", name)
    if (name in only && floor != only[name]) {
        offend("<" name "> belongs to " only[name] " alone")
    }
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    to = $0
    sub(/^[^"]*"/, "", to)
    sub(/".*/, "", to)
    target = to
    if (sub(/\/.*/, "", target) == 0) {
        offend("\"" to "\" is not written from sim/ (\"floor/file.h\")")
        next
    }
    if (!((floor, target) in may)) {
        offend(floor " may not include " target " (\"" to "\")")
        next
    }
    if (target == "model" && component(to) != "" && floor == "model" &&
        component(to) != component(from)) {
        offend((component(from) == "" ? "the top of model" : component(from)) \
               " may not include its neighbour " component(to))
    }
    if (to ~ /_internal\.h$/ && folder(to) != folder(from)) {
        offend("\"" to "\" is private to " folder(to))
    }
    if ((getline line < ("sim/" to)) < 0) {
        offend("\"" to "\" does not exist")
    }
    close("sim/" to)
}
END { exit n_offences > 0 }
' "${files[@]}") && includes_rc=0 || includes_rc=$?
[ -z "$includes" ] || echo "$includes"

# wm_floor(<name> USES <floor>... SOURCES ...) lines say the same; cli is the
# program itself, which links what it needs.
links=$(awk -v table="$table" '
BEGIN {
    n_rows = split(table, row, "\n")
    for (i = 1; i <= n_rows; i++) {
        name = row[i]
        sub(/ .*/, "", name)
        uses = row[i]
        sub(/^[^ ]+ */, "", uses)
        if (name != "" && name != "cli") {
            wanted[name] = name == uses ? "" : uses
        }
    }
}
/^wm_floor\(/ {
    name = $1
    sub(/^wm_floor\(/, "", name)
    uses = ""
    if (match($0, /USES .* SOURCES/)) {
        uses = substr($0, RSTART + 5, RLENGTH - 13)
    }
    if (!(name in wanted) || wanted[name] != uses) {
        printf "%s:%d: floor %s uses \"%s\", wanted \"%s\"\n", FILENAME, FNR,
               name, uses, wanted[name]
        n_offences++
    }
    delete wanted[name]
}
END {
    for (name in wanted) {
        printf "%s: no wm_floor line for %s\n", FILENAME, name
        n_offences++
    }
    exit n_offences > 0
}' sim/CMakeLists.txt) && links_rc=0 || links_rc=$?
[ -z "$links" ] || echo "$links"

if [ "$includes_rc" -ne 0 ] || [ "$links_rc" -ne 0 ]; then
    echo "check_layers: the floors of docs/ARCHITECTURE.md do not hold"
    exit 1
fi
echo "check_layers: ${#files[@]} files, every include inside its floor's table"
