#!/usr/bin/env bash
# Installs what is missing, builds, and runs the test suite (all but the tests
# labelled slow).  The last line is "N passed, N failed".
set -euo pipefail

cd "$(dirname "$0")/.."
tools/install_deps.sh test
tools/build.sh release

# CMake leaves the unit tests out without Criterion; that must not look green.
listed=$(ctest --test-dir build/release -N)
case $listed in
*unit.*) ;;
*)
    echo "No unit tests were built: is Criterion (libcriterion-dev) there?" >&2
    echo "0 passed, 1 failed"
    exit 1
    ;;
esac
tools/run_ctest.sh build/release -LE slow
