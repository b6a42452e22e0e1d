"""What the benchmarks simulate, and the check that each workload is what its
name says.

Synthetic workloads come from `warpmem trace gen` in three sizes: `full` and
`quick` (half of it) for times, `small` for instruction counts.  Real traces
are taken from the shared folder where it is there (../acceptance/wm.py).
"""
import os

import traceg
import wm



def part(metrics, some, all_of):
    return metrics[some] / metrics[all_of] if metrics[all_of] else 0.0


def loads(what):
    """A check's value: `what` of global loads to their requests."""
    return lambda m: part(m, "l1.global_load." + what,
                          "l1.global_load.requests")


def l1_hits(m):
    return part(m, "l1.global_load.hit_sectors", "l1.global_load.sectors")


def l2_hits(m):
    return part(m, "l2.read.hit_sectors", "l2.read.sectors")


class Workload:
    """name        as in the tables and in baseline.csv
    pattern     arguments of `trace gen`
    full, small (CTAs, rounds per warp)
    checks      (what, value of the metrics, least, most)
    bar         (unit, timing, counts): millions a second of CPU, to reach
    folder      a real trace instead, replayed `times` times
    """

    def __init__(self, name, pattern=(), full=None, small=None, checks=(),
                 bar=None, folder=None, times=1):
        self.name = name
        self.pattern = pattern
        self.size = {"full": full, "small": small}
        if full:
            self.size["quick"] = (full[0] // 2, full[1])
        self.checks = checks
        self.bar = bar
        self.folder = folder
        self.times = times

    def is_here(self):
        return self.folder is None or os.path.isdir(
            os.path.join(wm.SHARED, "traces", self.folder))

    def make(self, size, folder):
        """Writes the trace; returns its path."""
        path = os.path.join(folder, "%s-%s.wmt" % (
            self.name.replace(" ", "_"), size))
        if self.folder is not None:
            source = os.path.join(wm.SHARED, "traces", self.folder)
            done = wm.run("trace", "convert", source, "-o", path)
        else:
            n_ctas, n_rounds = self.size[size]
            done = wm.run("trace", "gen", *self.pattern, "--ctas", n_ctas,
                          "--accesses", n_rounds, "-o", path)
        wm.check(done.code == 0, "%s: %s" % (self.name, done.err))
        return path

    def check(self, metrics, mode):
        """Raises where the workload is not what its name says."""
        for what, value, least, most in self.checks:
            found = value(metrics)
            wm.check(least <= found <= most,
                     "workload %s (%s): %s is %g, wanted %g to %g" % (
                         self.name, mode, what, found, least, most))


class Text(Workload):
    """Coalesced loads as an Accel-Sim text trace: mostly parsing."""

    def make(self, size, folder):
        n_ctas, n_rounds = self.size[size]
        ctas = []
        at = 0x7f0000000000
        for _ in range(n_ctas):
            warps = []
            for _ in range(8):
                lines = []
                for step in range(n_rounds):
                    lines.append(traceg.line(
                        32 * step, "LDG.E", 4, (at, 4),
                        dst="R%d" % (4 + step % 16)))
                    lines.append("%04x ffffffff 1 R2 IADD 2 R2 R3 0 0" %
                                 (32 * step + 16))
                    at += 128
                warps.append(lines)
            ctas.append(warps)
        return traceg.write(folder, "text-%s.traceg" % size,
                            traceg.text(ctas, sm=70))


WHOLE_SECTORS = ("sectors per load", loads("sectors"), 4, 4)
NO_L1_HITS = ("L1 hit rate", l1_hits, 0, 0.05)
GATHERED = ("sectors per load", loads("sectors"), 31.5, 32)

WORKLOADS = (
    Workload("copy", ("copy",), (2560, 64), (640, 8),
             (WHOLE_SECTORS, NO_L1_HITS,
              ("stores per load", lambda m: part(
                  m, "l1.global_store.requests",
                  "l1.global_load.requests"), 1, 1)),
             ("records", 5, 25)),
    Workload("read", ("read",), (2560, 64), (640, 8),
             (WHOLE_SECTORS, NO_L1_HITS)),
    # 127 and 32,749 tiles are primes: each warp moves through all of them.
    Workload("l1", ("read", "--span", 127 * 128), (2560, 256), (640, 32),
             (WHOLE_SECTORS, ("L1 hit rate", l1_hits, 0.95, 1)),
             ("records", 14, 50)),
    Workload("l2", ("read", "--span", 32749 * 128), (1280, 128), (640, 64),
             (WHOLE_SECTORS, NO_L1_HITS,
              ("L2 hit rate", l2_hits, 0.9, 1)),
             ("records", 8, 30)),
    Workload("stride32", ("stride", "--stride", 32), (1280, 32), (320, 4),
             (("sectors per load", loads("sectors"), 32, 32),
              ("lines per load", loads("lines"), 8, 8), NO_L1_HITS),
             ("sectors", 20, 120)),
    Workload("stride128", ("stride", "--stride", 128), (640, 16), (80, 4),
             (("sectors per load", loads("sectors"), 32, 32),
              ("lines per load", loads("lines"), 32, 32), NO_L1_HITS)),
    Workload("gather-256M", ("gather", "--span", "256M"), (640, 16), (80, 4),
             (GATHERED, NO_L1_HITS, ("L2 hit rate", l2_hits, 0, 0.05)),
             ("sectors", 8, 30)),
    Workload("gather-8M", ("gather", "--span", "8M"), (640, 16), (80, 4),
             (GATHERED, NO_L1_HITS, ("L2 hit rate", l2_hits, 0.3, 1))),
    Workload("shared", ("shared",), (2560, 256), (640, 32),
             (("wavefronts to the least possible", lambda m: part(
                 m, "shared.load.wavefronts", "shared.load.ideal_wavefronts"),
               1, 1),
              ("shared loads to all loads", lambda m:
               m["instructions.shared_load"] /
               (m["instructions.shared_load"] +
                m["instructions.global_load"]), 1, 1)),
             ("records", 15, 40)),
    Workload("histogram", ("histogram",), (1280, 16), (160, 4),
             (WHOLE_SECTORS,
              ("reductions per load", lambda m: part(
                  m, "instructions.global_reduction",
                  "instructions.global_load"), 1, 1))),
    Text("text", (), (640, 32), (160, 8), (WHOLE_SECTORS,)),
    Workload("rodinia-bfs", folder="rodinia-bfs", times=10),
    Workload("pytorch-train", folder="pytorch-train", times=10),
    Workload("flashinfer-prefill", folder="flashinfer-prefill", times=40),
)
TINY = Workload("start-up", ("read",), (1, 1), (1, 1))
MODES = ("timing", "counts")


def here():
    """The workloads that can be made on this machine."""
    found = []
    for workload in WORKLOADS:
        if workload.is_here():
            found.append(workload)
        else:
            print("skipped: %s is not here (set WM_SHARED)" % workload.name)
    return found


def moved(metrics, what):
    """Sectors or lines of all L1 requests, shared memory left out."""
    return sum(metrics["l1.%s.%s" % (kind, what)] or 0 for kind in wm.KINDS)


def records(path):
    done = wm.run("trace", "info", "-f", "json", path)
    wm.check(done.code == 0, done.err)
    return done.json()["total"]["records"]
