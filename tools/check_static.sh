#!/usr/bin/env bash
# Static analysis of sim/ and tools/: cppcheck, clang-tidy, gcc -fanalyzer.  Any
# finding fails.  What is silenced is so with a reason: in .clang-tidy, below,
# or beside the line.
#
#     tools/check_static.sh [--deep]      --deep: clang's analyzer too (slow)
#
# A tool that is not here is named and left out.
set -euo pipefail

cd "$(dirname "$0")/.."
jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
build=build/release
if [ ! -f $build/compile_commands.json ]; then
    cmake --preset release >/dev/null
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# The files of the build, once each, and how the build compiles each.
python3 - $build/compile_commands.json "$PWD" >"$out/files" <<'END'
import json
import sys

root = sys.argv[2]
names = {entry["file"] for entry in json.load(open(sys.argv[1]))}
print("\n".join(sorted(name for name in names if name.startswith(
    (root + "/sim/", root + "/tools/")))))
END
python3 - $build/compile_commands.json "$out" <<'END'
import json
import shlex
import sys

known = set(open(sys.argv[2] + "/files").read().split())
with open(sys.argv[2] + "/commands", "w") as commands:
    for entry in json.load(open(sys.argv[1])):
        if entry["file"] not in known:
            continue
        known.remove(entry["file"])
        words = [w for w in shlex.split(entry["command"])
                 if w.startswith(("-D", "-I", "-std")) and w != "-DNDEBUG"]
        if not entry["file"].endswith("/base/status.c"):  # defines them
            words += ["-Isim", "-include", "tools/analyzer_hints.h"]
        commands.write(shlex.join(words + [entry["file"]]) + "\n")
END
failed=0

# findings NAME: fails when the file out/NAME names any.
findings()
{
    if grep -E '^[^ ]+:[0-9]+:' "$out/$1"; then
        failed=1
    fi
}

if command -v cppcheck >/dev/null; then
    cppcheck -q --project=$build/compile_commands.json -j "$jobs" \
        --enable=warning,performance,portability --inline-suppr --std=c11 \
        --file-filter="$PWD/sim/*" --file-filter="$PWD/tools/*" \
        --template='{file}:{line}: {message} [cppcheck {id}]' \
        >"$out/cppcheck" 2>&1 || true
    findings cppcheck
else
    echo "check_static: no cppcheck here"
fi

if command -v clang-tidy >/dev/null; then
    checks=-clang-analyzer-*
    if [ "${1:-}" = --deep ]; then
        checks=clang-analyzer-core*
    fi
    xargs -P "$jobs" -n 4 clang-tidy --quiet --checks="$checks" -p $build \
        <"$out/files" >"$out/tidy" 2>/dev/null || true
    grep -E ' (warning|error): ' "$out/tidy" | sort -u >"$out/tidied" || true
    findings tidied
else
    echo "check_static: no clang-tidy here"
fi

if gcc -fanalyzer -E -x c /dev/null >/dev/null 2>&1; then
    # No leaks: gcc 12 loses track of arrays that grow.  The sanitizers, tests
    # that fail every allocation (tests/faults) and valgrind look for those.
    # wmt_encode.c: a template of no records comes with no records.  counts.c:
    # the loop before fills as many of `ref` as the loop after reads.
    # coalesce_list.c: an entry that is found was set in its own turn.
    xargs -P "$jobs" -L 1 gcc -O1 -fanalyzer -Wno-analyzer-malloc-leak \
        -fdiagnostics-path-format=none -S -o /dev/null \
        <"$out/commands" >"$out/fanalyzer" 2>&1 || true
    grep -E '^[^ ]+: (warning|error):' "$out/fanalyzer" | sort -u |
        grep -v -e '/wmt_encode.c:.* NULL .records\?.' \
            -e '/counts.c:.* uninitialized value .ref\[' \
            -e '/coalesce_list.c:.* uninitialized value .n_lanes_at\[' \
            >"$out/analyzed" || true
    findings analyzed
else
    echo "check_static: no gcc with -fanalyzer here"
fi

if [ $failed -ne 0 ]; then
    exit 1
fi
echo "check_static: nothing found in $(wc -l <"$out/files") files"
