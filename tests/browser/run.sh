#!/usr/bin/env bash
# Opens reports in headless Chromium (check.mjs): a real run, a real run of
# many launches, and one of 10,000.  Screenshots stay in SHOTS for people.
#
#     run.sh WARPMEM SHOTS
#
# Needs node, chromium and the npm package playwright-core (PLAYWRIGHT names
# the folder that holds it); exits 77 without them.
set -euo pipefail

warpmem=$(realpath "$1")
mkdir -p "$2"
shots=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
shared=${WM_SHARED:-$root/../shared}
export PLAYWRIGHT=${PLAYWRIGHT:-$root/build/browser/node_modules}
CHROMIUM=$(command -v chromium || command -v chromium-browser || true)
export CHROMIUM
if ! command -v node >/dev/null || [ -z "$CHROMIUM" ] ||
    [ ! -d "$PLAYWRIGHT/playwright-core" ]; then
    echo "skipped: needs node, chromium and playwright-core in $PLAYWRIGHT"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check NAME RUN_ARGUMENT...: the report of one run, against its JSON.
check()
{
    local name=$1
    shift
    echo "$name"
    "$warpmem" run -q --no-host --instructions -f json -o "$work/$name.json" \
        "$@"
    "$warpmem" report "$work/$name.json" -o "$work/$name.html"
    node "$here/check.mjs" "$work/$name.html" "$work/$name.json" "$shots/$name"
}

check bundled "$root/traces/sgemm_128.wmt"
for trace in rodinia-bfs pytorch-train; do
    if [ -e "$shared/traces/$trace" ]; then
        check "$trace" "$shared/traces/$trace"
    fi
done

# Two small launches, five thousand times over.
"$warpmem" trace convert "$root/tests/data/golden_tiny.txt" -o "$work/t.wmt"
"$warpmem" trace cat "$work/t.wmt" >"$work/t.txt"
{
    head -n 1 "$work/t.txt"
    tail -n +2 "$work/t.txt" >"$work/body"
    for ((i = 0; i < 5000; i++)); do
        cat "$work/body"
    done
} >"$work/many.txt"
check many -m counts -c "$root/tests/data/ref.yaml" "$work/many.txt"

echo studies
"$warpmem" mrc --optimal -f json -o "$work/mrc.json" "$root/traces/sgemm_128.wmt"
"$warpmem" study sensitivity --progress never -m counts -k 'l1.*' -f json \
    -d "$work/points" -o "$work/sensitivity.json" "$root/traces/sgemm_128.wmt"
"$warpmem" report "$work/mrc.json" "$work/sensitivity.json" \
    "$work/bundled.json" -o "$work/studies.html"
node "$here/studies.mjs" "$work/studies.html" "$work/mrc.json" \
    "$shots/studies.png"

# The page without its data is small.
"$warpmem" run -q --no-host -c "$root/tests/data/ref.yaml" -f html \
    -o "$work/small.html" "$root/tests/data/golden_tiny.txt"
size=$(stat -c %s "$work/small.html")
echo "page of two launches: $size bytes"
[ "$size" -le $((300 * 1024)) ]
