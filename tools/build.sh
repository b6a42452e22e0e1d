#!/usr/bin/env bash
# Configures and builds one preset in build/PRESET; silent unless it fails.
#
#     tools/build.sh PRESET [TARGET]
set -euo pipefail

preset=$1
target=${2:-all}
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
echo "Building build/$preset ..."
if ! { cmake --preset "$preset" && cmake --build "build/$preset" \
    --parallel "$jobs" --target "$target"; } </dev/null >"$log" 2>&1; then
    cat "$log" >&2
    echo "The build failed. It needs, by Debian names: gcc cmake (3.21 or" \
        "later) make zlib1g-dev libyaml-dev liblzma-dev libjansson-dev; for the tests" \
        "libcriterion-dev python3" >&2
    exit 1
fi
