#!/usr/bin/env bash
# Holds the documents to the program and to each other: generated pages are
# what the program prints, links lead somewhere, the README is short, every
# registered name is documented.
#
#     tools/check_docs.sh        the program is $WARPMEM or the release build's
set -euo pipefail

cd "$(dirname "$0")/.."
warpmem=${WARPMEM:-build/release/bin/warpmem}
failed=0
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT

say()
{
    echo "$1"
    failed=1
}

# generated FILE COMMAND...: FILE is what the program prints.
generated()
{
    local file=$1
    shift
    if ! "$warpmem" "$@" >"$printed" 2>&1; then
        echo "$file: not compared, this program has no \"$*\""
    elif [ ! -e "$file" ]; then
        say "$file: missing; make it with: warpmem $* > $file"
    elif ! cmp -s "$printed" "$file"; then
        say "$file:1: stale; renew it with: warpmem $* > $file"
    fi
}

if [ -x "$warpmem" ]; then
    generated docs/METRICS.md metrics --markdown
    generated docs/CONFIG.md config explain --all
else
    say "check_docs: no program at $warpmem (build it, or set WARPMEM)"
fi

mapfile -t pages < <(find . -name '*.md' -not -path './build/*' \
    -not -path './.git/*' | LC_ALL=C sort)

# [text](path#anchor): the path exists, the anchor is a heading of it.
while IFS=: read -r page line link; do
    target=${link%%#*}
    anchor=
    [ "$link" = "$target" ] || anchor=${link#*#}
    file=$page
    [ -z "$target" ] || file=$(dirname "$page")/$target
    if [ ! -e "$file" ]; then
        say "$page:$line: $link leads nowhere"
    elif [ -n "$anchor" ] && ! grep '^#' "$file" | tr 'A-Z ' 'a-z-' |
        sed 's/^#*-//; s/[^a-z0-9_-]//g' | grep -x -- "$anchor" >/dev/null; then
        say "$page:$line: $file has no heading #$anchor"
    fi
done < <(awk '
    FNR == 1 { in_code = 0 }
    /^ *```/ { in_code = !in_code }
    in_code || /^    / { next }
    {
        text = $0
        gsub(/`[^`]*`/, "", text)
        while (match(text, /\]\([^)]*\)/)) {
            link = substr(text, RSTART + 2, RLENGTH - 3)
            text = substr(text, RSTART + RLENGTH)
            if (link !~ /^[a-z]+:/) {
                print FILENAME ":" FNR ":" link
            }
        }
    }' "${pages[@]}")

n_lines=$(wc -l <README.md)
[ "$n_lines" -lt 150 ] || say "README.md:$n_lines: $n_lines lines, below 150"

# Every line of a registry is a word of some page.
words=$(cat "${pages[@]}" | tr -cs 'a-zA-Z0-9_' '\n' | LC_ALL=C sort -u)
while IFS=: read -r def line id; do
    grep -qx -- "$id" <<<"$words" ||
        say "$def:$line: $id is in no document"
done < <(find sim -name '*.def' -exec awk '
    match($0, /^WM_(POLICY|FORMAT|WRITER|COMMAND|TRACE|CONFIG|STUDY)\([a-z0-9_]+/) {
        id = substr($0, RSTART, RLENGTH)
        sub(/.*\(/, "", id)
        print FILENAME ":" FNR ":" id
    }' {} +)

[ "$failed" -eq 0 ] || exit 1
echo "check_docs: ${#pages[@]} pages agree with the program"
