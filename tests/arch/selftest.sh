#!/usr/bin/env bash
# Proves that the source gates can fail: each line below breaks one rule in a
# copy of the tree, and the gate must name the file and line.
#
#     selftest.sh layers|style
set -euo pipefail

gate=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failed=0

fresh()
{
    rm -rf "$copy/sim" "$copy/tests" "$copy/tools"
    mkdir -p "$copy/tests"
    cp -r "$root/sim" "$root/tools" "$root/.clang-format" "$copy/"
}

# catches FILE LINES WANTED: LINES put at the top of FILE give an offence at
# FILE that contains WANTED.
catches()
{
    local file=$1 lines=$2 wanted=$3 output
    fresh
    mkdir -p "$(dirname "$copy/$file")"
    touch "$copy/$file"
    printf '%s\n' "$lines" | cat - "$copy/$file" >"$copy/new"
    mv "$copy/new" "$copy/$file"
    if output=$("$root/tools/check_$gate.sh" "$copy" 2>&1); then
        echo "not caught: $file: $lines"
        failed=1
    elif ! grep -qE "$file:[0-9]+:.*$wanted" <<<"$output"; then
        echo "caught without saying \"$wanted\": $file: ${lines:0:60}"
        grep -F "$file:" <<<"$output" || true
        failed=1
    fi
}

repeat()
{
    for ((i = 0; i < $1; i++)); do
        echo "$2"
    done
}

if [ "$gate" = layers ]; then
    catches sim/base/status.c '#include "trace/reader.h"' \
        "base may not include trace"
    catches sim/report/zz.c '#include "engine/engine.h"' \
        "report may not include engine"
    catches sim/model/counters.def '#include "trace/record.h"' \
        "model may not include trace"
    catches sim/model/cache/zz.c '#include "model/dram/dram.h"' \
        "may not include its neighbour dram"
    catches sim/model/zz.c '#include "model/cache/cache.h"' \
        "the top of model may not include its neighbour cache"
    catches sim/engine/zz.c '#include "cli/options.h"' \
        "engine may not include cli"
    catches sim/engine/zz.c '#include "model/cache/zz_internal.h"' \
        "is private to model/cache"
    catches sim/engine/zz.c '#include "engine.h"' "is not written from sim/"
    catches sim/engine/zz.c '#include "engine/none.h"' "does not exist"
    catches sim/engine/zz.c '#include <zlib.h>' "belongs to trace alone"
    fresh
    sed -i 's/^wm_floor(trace USES base /wm_floor(trace USES base config /' \
        "$copy/sim/CMakeLists.txt"
    if "$root/tools/check_layers.sh" "$copy" >/dev/null 2>&1; then
        echo "not caught: trace linked against config"
        failed=1
    fi
else
    catches sim/base/zz.c 'int x; // why' "a // comment"
    # Split, so that this file holds no open point itself.
    catches sim/base/zz.c '/* TO''DO: later */' "without its issue"
    catches sim/base/zz.c "$(printf '/* %090d */' 0)" "columns, at most 80"
    catches sim/base/zz.c 'void f(void) { printf("x"); }' "does not print"
    catches sim/engine/zz.c 'void f(void) { exit(1); }' "does not print, exit"
    catches sim/engine/zz.c 'void *f(void) { return stderr; }' "only the command"
    catches sim/base/zz.c "$(echo 'void f(void)' && echo '{' &&
        repeat 81 '    g();' && echo '}')" "a function of 81 lines"
    catches sim/base/zz.c "$(repeat 601 '/* x */')" "a file of 601 lines"
    catches sim/base/zz.h "$(repeat 201 '/* x */')" "a header of 201 lines"
    catches sim/engine/status.c '/* twice */' "is called status.c too"
    if command -v clang-format >/dev/null; then
        catches sim/base/zz.c 'int   x;' "clang-formatted"
    fi
fi
[ "$failed" -eq 0 ] && echo "every broken rule was caught"
exit "$failed"
