"""Against Accel-Sim 1.x (its SM7_QV100 configuration) on synthetic kernels:
L1 sector accesses equal, DRAM reads within 1 %, cycles within 20 % of its
cycles without the 5,000 of launch latency, with the v100 preset as it is.

The preset runs at 1380 MHz, where V100 latencies were measured; the peer at
1132 MHz over the same DRAM, so cycles of DRAM-bound kernels differ by the
ratio of the clocks.

Where a copy precedes the kernel, Accel-Sim keeps 32 bits of its address and
so fills the wrong lines; it is compared with memcpy.l2=ignore, and its run
with low addresses (sweep4_memcpy_lo) with the default fill.
"""
import csv
import importlib.util
import os
import sys
import tempfile

import wm

LAUNCH_CYCLES = 5000
CYCLES_WITHIN = 0.2
# A known miss: an L2-resident sweep is bound by the port on which an SM
# receives, 22.1 B/clk as measured on hardware; the peer behaves as if it had
# fewer (docs/DEVIATIONS.md).
KNOWN_MISS = {"sweep4_memcpy_lo": 0.22}
# row of the table, trace, options
RUNS = (("mm_naive", "mm_naive", ()),
        ("stride32", "stride32", ()),
        ("sweep4", "sweep4", ()),
        ("sweep4_memcpy", "sweep4_memcpy", ("-s", "memcpy.l2=ignore")),
        ("sweep4_memcpy_lo", "sweep4_memcpy", ()),
        ("vecadd", "vecadd", ()),
        ("vecadd_L", "vecadd_L", ()))


def load_generator():
    path = wm.need_shared("tools", "gen_accelsim_traces.py")
    spec = importlib.util.spec_from_file_location("generator", path)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def make_trace(generator, name, folder):
    makers = {"mm_naive": generator.mm_naive, "sweep4": generator.sweep4,
              "vecadd": generator.vecadd,
              "stride32": lambda d, b: generator.strided(d, b, 32),
              "sweep4_memcpy": lambda d, b: generator.sweep4(d, b, True),
              "vecadd_L": lambda d, b: generator.vecadd(d, b, 16384)}
    if not os.path.isdir(folder):
        os.makedirs(folder)
        makers[name](folder, 70)
    return os.path.join(folder, "kernelslist.g")


def compare(name, row, metrics):
    """A line of the table, and what is wrong in it."""
    wrong = []
    exact = (("l1.global_load.sectors", "L1R_TOTAL_ACCESS"),
             ("l1.global_store.sectors", "L1W_TOTAL_ACCESS"))
    for ours, theirs in exact:
        if metrics[ours] != int(row[theirs]):
            wrong.append("%s is %s, theirs %s" % (ours, metrics[ours],
                                                  row[theirs]))
    reads, their_reads = metrics["dram.read.sectors"], \
        int(row["dram_read_sectors"])
    if abs(reads - their_reads) > 0.01 * their_reads:
        wrong.append("DRAM reads differ by more than 1 %")
    cycles, their_cycles = metrics["time.cycles"], \
        int(row["cycles"]) - LAUNCH_CYCLES
    error = cycles / their_cycles - 1
    allowed = KNOWN_MISS.get(name, CYCLES_WITHIN)
    if abs(error) > allowed:
        wrong.append("cycles differ by more than %g %%" % (100 * allowed))
    print("%-17s %9d %9d %9d %9d %8d %8d %+6.1f %%  %s" % (
        name, metrics["l1.global_load.sectors"],
        metrics["l1.global_store.sectors"], reads, their_reads, cycles,
        their_cycles, 100 * error, "; ".join(wrong) or
        ("ok" if abs(error) <= CYCLES_WITHIN else "known miss")))
    return wrong


def main():
    with open(wm.need_shared("truth", "accelsim_1x.csv"), newline="") as lines:
        rows = {row["run"]: row for row in csv.DictReader(lines)
                if row["config"] == "SM7_QV100"}
    generator = load_generator()
    n_wrong = 0
    print("%-17s %9s %9s %9s %9s %8s %8s %8s" % (
        "trace", "L1 reads", "L1 writes", "DRAM rd", "theirs", "cycles",
        "theirs", "error"))
    with tempfile.TemporaryDirectory() as folder:
        for name, trace, options in RUNS:
            path = make_trace(generator, trace, os.path.join(folder, trace))
            metrics = wm.total("-c", "v100", *options, path)
            n_wrong += bool(compare(name, rows[name], metrics))
    print("%d of %d rows hold" % (len(RUNS) - n_wrong, len(RUNS)))
    sys.exit(n_wrong > 0)


main()
