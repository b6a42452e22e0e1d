"""Records per second of the built program on synthetic kernels of some shape.
Prints a table; decides nothing: machines differ and drift.

    bench.py [REPEATS]      the program is $WARPMEM or the release build's
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "..", "acceptance"))
import traceg  # noqa: E402
import wm      # noqa: E402

BASE = 0x7f0000000000
N_CTAS, N_WARPS, N_LOADS = 256, 8, 16


def kernel(address, stride):
    """Loads of N_CTAS x N_WARPS warps; address(n) of the n-th load."""
    ctas = []
    n = 0
    for _ in range(N_CTAS):
        warps = []
        for _ in range(N_WARPS):
            lines = []
            for step in range(N_LOADS):
                lines.append(traceg.line(
                    16 * step, "LDG.E", 4, (BASE + address(n), stride),
                    dst="R%d" % (4 + step)))
                n += 1
            warps.append(lines)
        ctas.append(warps)
    return traceg.text(ctas, sm=70)


SHAPES = (("l1 (2 KiB)", lambda n: n * 128 % 2048, 4),
          ("l2 (2 MiB)", lambda n: n * 128 % (2 << 20), 4),
          ("stream", lambda n: n * 128, 4),
          ("stride 32 B", lambda n: n * 1024, 32),
          ("stride 128 B", lambda n: n * 4096, 128))


def best_speed(path, mode, jobs, repeats):
    """Records per second of the simulation itself, best of some runs."""
    best = 0.0
    for _ in range(repeats):
        host = wm.run("run", "-c", "v100", "-m", mode, "-j", jobs, "-f",
                      "json", path).json()["host"]
        best = max(best, host["records_per_second"] or 0)
    return best


def main():
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print("%-14s %-7s %12s %12s" % ("loads", "mode", "-j 1 rec/s",
                                    "-j 2 rec/s"))
    with tempfile.TemporaryDirectory() as folder:
        for name, address, stride in SHAPES:
            text = traceg.write(folder, "k.traceg", kernel(address, stride))
            path = os.path.join(folder, "k.wmt")
            done = wm.run("trace", "convert", text, "-o", path)
            wm.check(done.code == 0, done.err)
            for mode in ("timing", "counts"):
                print("%-14s %-7s %12.0f %12.0f" % (
                    name, mode, best_speed(path, mode, 1, repeats),
                    best_speed(path, mode, 2, repeats)))


main()
