#!/usr/bin/env bash
# Builds warpmem, replays a bundled trace on a default GPU and
# prints the report.  Works from any directory, as often as you like.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

tools/install_deps.sh build
tools/build.sh release warpmem

# The first bundled trace by name.
trace=$(find traces -name '*.wmt' | LC_ALL=C sort | head -n 1)
if [ -z "$trace" ]; then
    echo "quickstart: no .wmt trace in $root/traces" >&2
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
