#!/usr/bin/env bash
# Opens timelines of real runs with programs that others wrote (timeline.mjs).
#
#     timeline.sh WARPMEM
#
# Needs what run.sh needs, and the npm packages @tracerbench/trace-model and
# speedscope beside playwright-core; exits 77 without them.
set -euo pipefail

warpmem=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export PLAYWRIGHT=${PLAYWRIGHT:-$root/build/browser/node_modules}
CHROMIUM=$(command -v chromium || command -v chromium-browser || true)
export CHROMIUM
if ! command -v node >/dev/null || [ -z "$CHROMIUM" ]; then
    echo "skipped: needs node and chromium"
    exit 77
fi
for package in playwright-core @tracerbench/trace-model speedscope; do
    if [ ! -d "$PLAYWRIGHT/$package" ]; then
        echo "skipped: needs $package in $PLAYWRIGHT"
        exit 77
    fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$warpmem" trace gen copy --ctas 300 -o "$work/copy.wmt"
"$warpmem" run -q --no-host -f json -o "$work/r.json" --interval 200ns \
    --timeline "$work/t.json" "$root/traces/transpose_naive.wmt" \
    "$work/copy.wmt" "$root/traces/sgemm_128.wmt"
node "$here/timeline.mjs" "$work/t.json" "$work/r.json" "$work"
