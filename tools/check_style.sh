#!/usr/bin/env bash
# The rules of docs/HACKING.md that a machine can hold.  Offenders are printed
# as file:line.
#
#     tools/check_style.sh [ROOT]
set -euo pipefail

root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
here=$(cd "$(dirname "$0")" && pwd)
cd "$root"

mapfile -t formatted < <(find sim tests tools -type f \
    \( -name '*.c' -o -name '*.h' \) | LC_ALL=C sort)
mapfile -t sources < <(find sim tests tools -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.def' \) | LC_ALL=C sort)
failed=0

if command -v clang-format >/dev/null; then
    if ! layout=$(clang-format --dry-run -Werror "${formatted[@]}" 2>&1); then
        grep -E '^[^ ].*:[0-9]+:[0-9]+:' <<<"$layout" || echo "$layout"
        failed=1
    fi
else
    echo "check_style: no clang-format here, the layout is not checked"
fi

awk -f "$here/style.awk" "${sources[@]}" || failed=1

# One module, one name: a base name occurs once in sim/.
while read -r name; do
    failed=1
    find sim -name "$name" |
        sed "s|\$|:1: another file in sim/ is called $name too|"
done < <(find sim -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' \) |
    sed 's|.*/||' | LC_ALL=C sort | uniq -d)

for script in tools/*.sh .ci/run; do
    [ ! -e "$script" ] || bash -n "$script" || failed=1
    [ ! -e "$script" ] || [ -x "$script" ] || {
        echo "$script:1: not executable"
        failed=1
    }
done

if [ "$failed" -ne 0 ]; then
    echo "check_style: see above"
    exit 1
fi
echo "check_style: ${#sources[@]} files are in the house style"
