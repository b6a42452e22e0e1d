#!/usr/bin/env bash
# What `cmake --install` puts where: the program with its presets, manual pages
# that man can show, completion that completes.
#
#     install.sh BUILD_FOLDER
set -euo pipefail

prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix" >/dev/null
warpmem=$prefix/bin/warpmem
"$warpmem" --version >/dev/null

fail()
{
    echo "install.sh: $1" >&2
    exit 1
}

for command in "" $("$warpmem" -h | sed -n 's/^  \([a-z]\+\)  .*/-\1/p'); do
    page=$prefix/share/man/man1/warpmem$command.1
    [ -s "$page" ] || fail "$page is missing"
    grep -q '^\.SH SYNOPSIS' "$page" || fail "$page has no synopsis"
    if command -v groff >/dev/null; then
        said=$(groff -man -Tascii -ww "$page" 2>&1 >/dev/null)
        [ -z "$said" ] || fail "$page: $said"
    fi
done
grep -q 'instructions' "$prefix/share/man/man1/warpmem-run.1" ||
    fail "warpmem-run.1 lacks an option"

# complete WORD...: what bash would offer for the last word.
source "$prefix/share/bash-completion/completions/warpmem"
offers()
{
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _warpmem
    echo "${COMPREPLY[*]}"
}
expect()
{
    [ "$1" = "$2" ] || fail "completion offers \"$1\", wanted \"$2\""
}
expect "$(offers "$warpmem" ru)" run
expect "$(offers "$warpmem" trace conv)" convert
expect "$(offers "$warpmem" run --inst)" --instructions
expect "$(offers "$warpmem" run --mode c)" counts
expect "$(offers "$warpmem" run -c v1)" v100
expect "$(offers "$warpmem" run -f ht)" html
expect "$(offers "$warpmem" metrics ratio.l1_)" ratio.l1_hit
echo "installed, with $(ls "$prefix/share/man/man1" | wc -l) manual pages"
