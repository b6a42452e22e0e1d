#!/usr/bin/env bash
# Traces the kernels of traces/kernels again, each into traces/NAME.wmt or the
# folder given.  Needs clang and a release build (or WARPMEM_TRACE).
#
#     traces/rebuild.sh [FOLDER] [NAME...]
set -euo pipefail

cd "$(dirname "$0")/.."
tracer=${WARPMEM_TRACE:-build/release/bin/warpmem-trace}
folder=${1:-traces}
[ $# -eq 0 ] || shift
if [ $# -eq 0 ]; then
    mapfile -t names < <(cd traces/kernels && ls ./*.yaml | sed 's|^./||; s|.yaml$||')
    set -- "${names[@]}"
fi
for name in "$@"; do
    "$tracer" "traces/kernels/$name.yaml" -o "$folder/$name.wmt"
done
