"""Replays of 10^7, 10^8, 10^9 records: memory stays as it was after the first
tenth.

    soak.py [RECORDS [PATTERN:MODE...]]     default 1e8, all four

Prints what each replay took.  A replay of all the records may take at most 8
MiB more than one of a tenth of them.
"""
import os
import sys
import tempfile
import time

import wm
from wm import check

RUNS = ("vecadd:counts", "stride:counts", "vecadd:timing", "stride:timing")
GROWTH_MIB = 8
# Rounds of a pattern per warp, and the records that 8 warps make of them.
ROUNDS = 16


def made(folder, pattern, n_records):
    """A trace of at least n_records, and how many it has."""
    path = os.path.join(folder, "%s-%d.wmt" % (pattern, n_records))
    per_cta = 8 * ((3 if pattern == "vecadd" else 1) * ROUNDS + 1)
    n_ctas = -(-n_records // per_cta)
    done = wm.run("trace", "gen", pattern, "--ctas", n_ctas, "--accesses",
                  ROUNDS, "-o", path, timeout=3000)
    check(done.code == 0, done.err)
    return path, n_ctas * per_cta


def peak_mib(pattern, mode, path, n_records):
    start = time.monotonic()
    before = os.times()
    result = wm.run("run", "-q", "-c", "v100", "-m", mode, "-j", 1, "-f",
                    "json", path, timeout=6000).json()
    after = os.times()
    check(result["complete"], "incomplete")
    check(result["total"]["metrics"]["launch.records"] == n_records,
          "%s has other records" % path)
    peak = result["host"]["peak_bytes"] / 2**20
    print("%-8s %-7s %11d records %7.1f s wall %7.1f s CPU %6.1f MiB" % (
        pattern, mode, n_records, time.monotonic() - start,
        after.children_user + after.children_system - before.children_user -
        before.children_system, peak), flush=True)
    return peak


def soak(n_records, runs):
    with tempfile.TemporaryDirectory() as folder:
        for run in runs:
            pattern, mode = run.split(":")
            tenth = peak_mib(pattern, mode, *made(folder, pattern,
                                                  n_records // 10))
            whole = peak_mib(pattern, mode, *made(folder, pattern, n_records))
            check(whole <= tenth + GROWTH_MIB, "%s: %.1f MiB grew to %.1f" % (
                run, tenth, whole))


if __name__ == "__main__":
    soak(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**8,
         sys.argv[2:] or RUNS)
    print("flat")
