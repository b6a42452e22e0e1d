#!/usr/bin/env bash
# run.sh -- compares what warpmem prints with what it printed before.
#
#   run.sh [--update] WARPMEM [CASE...]
#
# A case is a folder:
#   args     command lines after `warpmem`, one a line, run in order in an
#            empty folder where data/ is tests/data; they stop at a failure
#   stdout   what all of them print
#   stderr
#   exit     the code of the last one that ran
# --update writes the last three from the present program: review the diff.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=$(cd "$here/../.." && pwd)
update=0
if [ "${1:-}" = "--update" ]; then
    update=1
    shift
fi
if [ $# -lt 1 ]; then
    echo "usage: run.sh [--update] WARPMEM [CASE...]" >&2
    exit 2
fi
warpmem=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
if [ ! -x "$warpmem" ]; then
    echo "run.sh: $warpmem: no such program" >&2
    exit 2
fi
cases=("$@")
if [ ${#cases[@]} -eq 0 ]; then
    for folder in "$here"/*/; do
        cases+=("$(basename "$folder")")
    done
fi

version=$("$warpmem" --version | sed -e 's/^warpmem //' -e 's/\./\\./g')
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset NO_COLOR
# v100 is a stand-in here: tuning the real one does not change these cases.
export WARPMEM_CONFIG_PATH=$source_dir/tests/data/presets

# Makes output independent of the checkout's place, the version and the pid.
neutral() {
    sed -e "s|$source_dir|@SOURCE@|g" -e "s|$version|@VERSION@|g" \
        -e 's|\.tmp-[0-9][0-9]*|.tmp-@PID@|g' "$1"
}

run_case() {
    local folder=$here/$1 work=$scratch/$1 line code=0
    mkdir -p "$work/in"
    ln -s "$source_dir/tests/data" "$work/in/data"
    : >"$work/stdout.raw"
    : >"$work/stderr.raw"
    while IFS= read -r line || [ -n "$line" ]; do
        (cd "$work/in" && eval "\"\$warpmem\" $line") \
            >>"$work/stdout.raw" 2>>"$work/stderr.raw" </dev/null
        code=$?
        [ $code -eq 0 ] || break
    done <"$folder/args"
    neutral "$work/stdout.raw" >"$work/stdout"
    neutral "$work/stderr.raw" >"$work/stderr"
    echo "$code" >"$work/exit"
}

failed=0
for name in "${cases[@]}"; do
    if [ ! -f "$here/$name/args" ]; then
        echo "run.sh: $name: no such case" >&2
        exit 2
    fi
    run_case "$name"
    for part in stdout stderr exit; do
        if [ $update -eq 1 ]; then
            cp "$scratch/$name/$part" "$here/$name/$part"
        elif ! diff -u "$here/$name/$part" "$scratch/$name/$part"; then
            echo "FAIL $name: $part differs" >&2
            failed=$((failed + 1))
        fi
    done
done
echo "${#cases[@]} cases, $failed differences"
[ $failed -eq 0 ]
