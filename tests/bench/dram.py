"""How fast is the banked DRAM model?  CPU time of the program, best of several.

    dram.py [--runs N] [WARPMEM]

Rates are millions of requests per CPU second of the whole program, making the
stream included; atoms where a request has several.  Then two channels on two
threads against one (wall time: only a quiet machine says anything), and what
`run` costs with banked channels against simple ones.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MOP = ["--mapping", "mop4clxor"]
STREAMS = [
    ("random", ["--gen", "rand"] + MOP, 1, 6),
    ("GPU-like", ["--gen", "gpu"] + MOP, 1, 6),
    ("GPU-like, 128 B", ["--gen", "gpu", "--bytes", "128", "--mapping", "gpu"],
     4, 6),
    ("streaming", ["--gen", "seq"] + MOP, 1, 20),
    ("random, half writes", ["--gen", "rmix"] + MOP, 1, None),
    ("copy", ["--gen", "copy"] + MOP, 1, None),
]


def best(runs, command):
    """Least (CPU, wall) seconds of a command."""
    cpu, wall = [], []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        wall.append(time.monotonic() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime -
                   before.ru_stime)
    return min(cpu), min(wall)


def streams(program, runs):
    print("%-22s %10s %6s" % ("stream", "M/s of CPU", "bar"))
    for name, arguments, atoms, bar in STREAMS:
        count = 2000000 // atoms
        cpu, _ = best(runs, [program, "dram", "--count", str(count)] +
                      arguments)
        print("%-22s %10.2f %6s" % (name, count * atoms / cpu / 1e6,
                                    bar or ""))


def threads(program, runs):
    base = [program, "dram", "--gen", "rand", "--count", "2000000",
            "--channels", "2"]
    _, one = best(runs, base + ["-j", "1"])
    _, two = best(runs, base + ["-j", "2"])
    print("two channels on two threads: %.2f times one (bar 1.8)" %
          (one / two))


def run_cost(program, runs):
    shared = os.environ.get("WM_SHARED", os.path.join(ROOT, "..", "shared"))
    bfs = os.path.join(shared, "traces", "rodinia-bfs")
    with tempfile.TemporaryDirectory() as folder:
        traces = []
        for pattern in ("gather", "stride"):
            path = os.path.join(folder, pattern + ".wmt")
            subprocess.run([program, "trace", "gen", pattern, "-o", path,
                            "--ctas", "128", "--accesses", "32", "--span",
                            "64M"], check=True)
            traces.append((pattern, path))
        if os.path.isdir(bfs):
            traces.append(("rodinia-bfs", bfs))
        for name, path in traces:
            cpu = {}
            for model in ("simple", "banked"):
                cpu[model], _ = best(runs, [
                    program, "run", "-q", "-j", "1", "-c", "v100", "-s",
                    "dram.model=" + model, path])
            print("run %-12s banked / simple %.2f (bar 2)" %
                  (name, cpu["banked"] / cpu["simple"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("program", nargs="?", default=os.environ.get(
        "WARPMEM", os.path.join(ROOT, "build", "release", "bin", "warpmem")))
    chosen = parser.parse_args()
    streams(chosen.program, chosen.runs)
    threads(chosen.program, chosen.runs)
    run_cost(chosen.program, chosen.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
