"""`warpmem mrc` against runs with fully associative caches, one per size.

equal    the curve is the miss ratio of ten runs, L1 and L2, to the last digit
stores   L1 stores, which a stack cannot follow, change it by little
sampled  a sampled curve is within the error it prints
cost     a curve costs less than three runs (in CPU time, best of five)
"""
import os
import resource

import wm

LOADS = ("global_load", "local_load", "async_copy")
BASE = ["-s", "l1.unified=0", "-s", "l1.hash=none", "-s", "l2.hash=none",
        "-s", "l1.policy=lru", "-s", "l2.policy=lru", "-s", "l2.fetch=1"]
LINES = [2 ** i for i in range(1, 11)]
SLICES = 4
L1_SMALL = ["-s", "l1.size=16KiB", "-s", "l1.ways=4"]
L2_FEW = ["-s", "l2.slices=%d" % SLICES, "-s", "dram.channels=4"]


def curve(level, trace, *args):
    unit = 128 if level == "l1" else 128 * SLICES
    sizes = []
    for n in LINES:
        sizes += ["--size", "%dB" % (n * unit)]
    done = wm.run("mrc", "-f", "json", "-c", "v100", "-l", level, *BASE, *sizes,
                  *args, trace)
    wm.check(done.code == 0, done.err)
    return done.json()


def simulated(level, lines, trace):
    if level == "l1":
        sets = ["-s", "l1.size=%dB" % (lines * 128), "-s", "l1.ways=%d" % lines]
        part = ["l1." + kind for kind in LOADS]
    else:
        sets = L1_SMALL + L2_FEW + [
            "-s", "l2.size=%dB" % (lines * 128 * SLICES),
            "-s", "l2.ways=%d" % lines]
        part = ["l2.read", "l2.write", "l2.atomic"]
    m = wm.total("-m", "counts", "-q", "-c", "v100", *BASE, *sets, trace)
    accesses = sum(m[p + ".sectors"] for p in part)
    hits = sum(m[p + ".hit_sectors"] + m[p + ".pending_sectors"] for p in part)
    return accesses, accesses - hits


def compare(level, trace, tolerance=0.0):
    args = ["-s", "l1.size=128KiB"] if level == "l1" else L1_SMALL + L2_FEW
    found = curve(level, trace, *args)
    worst = 0.0
    for lines, point in zip(LINES, found["curve"]):
        accesses, misses = simulated(level, lines, trace)
        wm.check(accesses == found["accesses"], "%s: %d accesses, the run has "
                 "%d" % (trace, found["accesses"], accesses))
        # Six digits are printed: compare what would be printed.
        wanted = misses / accesses if accesses else 0
        off = abs(point["lru_miss_ratio"] - float("%.6g" % wanted))
        worst = max(worst, off)
        wm.check(off <= tolerance, "%s, %s, %d lines: %s, simulated %.6g" % (
            trace, level, lines, point["lru_miss_ratio"], wanted))
    return worst


@wm.in_folder
def equal(folder):
    made = []
    for pattern in ("gather", "histogram", "gemm", "copy"):
        trace = os.path.join(folder, pattern + ".wmt")
        done = wm.run("trace", "gen", pattern, "-o", trace, "--size", 64)
        wm.check(done.code == 0, done.err)
        made.append(trace)
    for trace in made:
        compare("l2", trace)
    for name in ("vectoradd-v5", "flashinfer-prefill"):
        path = os.path.join(wm.SHARED, "traces", name)
        if os.path.exists(path):
            compare("l1", path)
            compare("l2", path)


def stores():
    trace = wm.need_shared("traces", "rodinia-bfs")
    print("largest difference: L1 %.6f, L2 %.6f" % (
        compare("l1", trace, 0.002), compare("l2", trace, 0.001)))


def sampled():
    trace = wm.need_shared("traces", "rodinia-bfs")
    for level in ("l1", "l2"):
        args = ["-s", "l1.size=128KiB"] if level == "l1" else L1_SMALL + L2_FEW
        exact = curve(level, trace, *args)["curve"]
        some = curve(level, trace, "--sample", 2, *args)["curve"]
        for a, b in zip(exact, some):
            wm.check(abs(a["lru_miss_ratio"] - b["lru_miss_ratio"]) <=
                     b["lru_error"] + 1e-6, "%s: %s against %s" % (level, a, b))


def cpu(*args):
    best = None
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        wm.check(wm.run(*args).code == 0, " ".join(str(a) for a in args))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = (after.ru_utime + after.ru_stime -
                 before.ru_utime - before.ru_stime)
        best = spent if best is None else min(best, spent)
    return best


def cost():
    trace = wm.need_shared("traces", "rodinia-bfs")
    once = cpu("run", "-q", "-c", "v100", "-j", 1, trace)
    for level in ("l1", "l2"):
        spent = cpu("mrc", "-c", "v100", "-l", level, trace)
        print("%s: %.3f s, a run %.3f s" % (level, spent, once))
        wm.check(spent < 3 * once, "%s: %.3f s against %.3f s" % (
            level, spent, once))


if __name__ == "__main__":
    wm.main({"equal": equal, "stores": stores, "sampled": sampled,
             "cost": cost})
