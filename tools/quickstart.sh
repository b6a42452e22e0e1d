#!/usr/bin/env bash
# Builds warpmem, replays a bundled trace on a default GPU and
# prints the report.  Works from any directory, as often as you like.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

tools/install_deps.sh build
tools/build.sh release warpmem

# The one that README.md shows.
trace=traces/sgemm_128.wmt
if [ ! -e "$trace" ]; then
    echo "quickstart: $root/$trace is missing" >&2
    exit 1
fi
echo
build/release/bin/warpmem run "$trace"
report=build/quickstart.html
build/release/bin/warpmem run -q -f html -o "$report" "$trace"

echo
echo "Ready: the report above came from"
echo "    $root/build/release/bin/warpmem run $root/$trace"
echo "The same with charts, for a browser:"
echo "    $root/$report"
