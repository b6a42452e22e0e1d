#!/usr/bin/env bash
# Runs ctest in a build folder and closes with the line "N passed, N failed",
# counted over its tests; skipped ones are named before it.  Fails when a test
# fails or when there is none.
#
#     tools/run_ctest.sh BUILD_FOLDER [CTEST_OPTION...]
set -euo pipefail

build=$1
shift
jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
results=$(mktemp)
trap 'rm -f "$results"' EXIT
ctest --test-dir "$build" --output-on-failure --parallel "$jobs" \
    --output-junit "$results" "$@" </dev/null || true

python3 - "$results" <<'END'
import sys
import xml.etree.ElementTree as tree

try:
    cases = tree.parse(sys.argv[1]).getroot().findall("testcase")
except tree.ParseError:
    cases = []
skipped = [c.get("name") for c in cases if c.find("skipped") is not None]
failed = [c.get("name") for c in cases
          if c.find("failure") is not None or c.get("status") == "fail"]
failed = [name for name in failed if name not in skipped]
print()
if skipped:
    print("skipped: " + " ".join(skipped))
if failed:
    print("failed: " + " ".join(failed))
if not cases:
    print("no test ran", file=sys.stderr)
print("%d passed, %d failed"
      % (len(cases) - len(skipped) - len(failed), len(failed)))
sys.exit(bool(failed) or not cases)
END
