#!/usr/bin/env python3
"""Makes the manual pages from what the program says of itself.

    gen_man.py WARPMEM FOLDER     writes FOLDER/warpmem.1, warpmem-run.1 ...

Each page is the command's own -h, so that a page cannot say what the program
does not; docs/man holds the pages, tools/check_docs.sh holds them to this.
"""
import os
import re
import subprocess
import sys

EXITS = (("0", "done, and the result is complete"),
         ("1", "a bad trace, or an incomplete result"),
         ("2", "a wrong command line or configuration"),
         ("3", "out of memory, or input or output failed"))


def ask(program, words):
    return subprocess.run([program] + words, capture_output=True, text=True,
                          check=True).stdout


def safe(text):
    """Text that troff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def joined(lines):
    return safe(" ".join(line.strip() for line in lines))


def parse(text):
    """(summary, usage, entries, notes) of a -h page."""
    parts = text.rstrip("\n").split("\n\n")
    usage = next(p for p in parts if p.startswith("Usage: "))
    after = parts[parts.index(usage) + 1:]
    entries, notes = [], []
    for part in after:
        lines = part.split("\n")
        if not re.match(r"  ( {4})?(-|[a-z])", lines[0]):
            notes.append(lines)
            continue
        for line in lines:
            if re.match(r" {2,6}[^ ]", line):
                entries.append([line])
            else:
                entries[-1].append(line)
    return parts[0], usage[len("Usage: "):], entries, notes


def entry(lines):
    """A term and its sentence, the sentence from column 28 or 38 on."""
    match = re.match(r" +((?:\S+ )*\S+)(?: {2,}|$)(.*)", lines[0])
    term, rest = match.group(1), match.group(2)
    if re.match(r"[a-z]+ {2,}", lines[0].strip()):  # command, arguments
        term, rest = re.match(r" +(\S+(?: {2,}\S.*?)?) {2,}(\S.*)",
                              lines[0]).groups()
        term = re.sub(" {2,}", " ", term)
    return ".TP\n.B %s\n%s\n" % (safe(term), joined([rest] + lines[1:]))


def page(program, words, version, pages):
    name = "-".join(["warpmem"] + words)
    summary, usage, entries, notes = parse(ask(program, words + ["-h"]))
    out = ['.TH %s 1 "" "warpmem %s" "User Commands"\n' %
           (name.upper(), version),
           ".SH NAME\n%s \\- %s\n" % (safe(name), safe(summary.rstrip("."))),
           ".SH SYNOPSIS\n.B %s\n" % safe(usage)]
    if entries:
        is_options = entries[0][0].lstrip().startswith("-")
        out.append(".SH %s\n" % ("OPTIONS" if is_options else "COMMANDS"))
        out += [entry(lines) for lines in entries]
    if notes:
        out.append(".SH NOTES\n")
        for lines in notes:
            out.append(".P\n" + joined(lines) + "\n")
    out.append(".SH EXIT STATUS\n")
    out += [".TP\n.B %s\n%s\n" % row for row in EXITS]
    others = [other for other in pages if other != words]
    out.append(".SH SEE ALSO\n" + ",\n".join(
        ".BR %s (1)" % safe("-".join(["warpmem"] + other))
        for other in others if len(other) < 2).replace(",\n.BR", " ,\n.BR") +
        "\n")
    return name, "".join(out)


def commands(program, words):
    """The commands a group lists."""
    found = []
    for lines in parse(ask(program, words + ["-h"]))[2]:
        match = re.match(r" {2}([a-z]+) {2,}", lines[0])
        if match:
            found.append(words + [match.group(1)])
    return found


def main():
    program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    version = ask(program, ["--version"]).split()[1]
    pages = [[]]
    for words in commands(program, []):
        pages += [words] + commands(program, words)
    os.makedirs(folder, exist_ok=True)
    for words in pages:
        name, text = page(program, words, version, pages)
        with open(os.path.join(folder, name + ".1"), "w") as out:
            out.write(text)


if __name__ == "__main__":
    main()
