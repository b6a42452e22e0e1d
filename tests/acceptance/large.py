"""A generated trace of any length is made, converted, checked and replayed in
flat memory.

    large.py [RECORDS]      default 4,000,000; the issue's figure is 1e9

Each step runs in a process of its own; what it took is printed.
"""
import filecmp
import os
import subprocess
import sys
import tempfile
import time

import wm
from wm import check

LIMIT_MIB = 300
N_WARPS, N_LOADS = 8, 249  # a warp: so many loads and an exit
N_RECORDS = 4000000


def step(what, *args):
    """Peak memory and output of `warpmem ARGS`; the shell keeps this
    interpreter's size out of it."""
    start = time.monotonic()
    process = subprocess.Popen(
        ["sh", "-c", '"$@"; exit $?', "sh", wm.WARPMEM] +
        [str(a) for a in args],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    out = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    peak = usage.ru_maxrss / 1024
    print("%-8s %8.1f s wall %8.1f s CPU %7.1f MiB" % (
        what, time.monotonic() - start, usage.ru_utime + usage.ru_stime,
        peak), flush=True)
    check(process.returncode == 0, "%s: exit %d" % (what, process.returncode))
    check(peak < LIMIT_MIB, "%s: %.0f MiB, wanted under %d" % (
        what, peak, LIMIT_MIB))
    return out


def flat_memory(n_records):
    n_ctas = max(1, n_records // (N_WARPS * (N_LOADS + 1)))
    with tempfile.TemporaryDirectory() as folder:
        first, second = (os.path.join(folder, name)
                         for name in ("a.wmt", "b.wmt"))
        step("gen", "trace", "gen", "read", "--span", 127 * 128, "--ctas",
             n_ctas, "--warps", N_WARPS, "--accesses", N_LOADS, "-o", first)
        step("convert", "trace", "convert", "-q", first, "-o", second)
        check(filecmp.cmp(first, second, shallow=False),
              "converting it gives other bytes")
        print("%d bytes" % os.path.getsize(first))
        said = step("check", "trace", "check", second)
        wanted = n_ctas * N_WARPS * (N_LOADS + 1)
        check("records %d," % wanted in said, "%d records, not: %s" % (
            wanted, said))
        step("run", "run", "-q", "-m", "counts", "-c", "v100", "-f", "csv",
             second)


if __name__ == "__main__":
    count = int(float(sys.argv[1])) if len(sys.argv) > 1 else N_RECORDS
    flat_memory(count)
    print("%d records: flat" % count)
