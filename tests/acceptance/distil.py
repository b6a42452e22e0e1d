"""Does folding the instructions between the accesses keep the time?

    distil.py [WARPMEM]

- `trace convert`, then `run`: the same bytes as `run` of the text.
- `trace convert --distil none` keeps a record for every instruction.  The
  folded trace's cycles are within 1 % of the full one's, on every real trace
  and on random programs: where warps do not compete for issue ports (16
  schedulers, at most 16 warps) and where they do.
"""
import glob
import os
import random
import sys
import tempfile

import traceg
import wm

BOUND = 0.01
ALONE = ("-s", "sm.schedulers=16", "-s", "sm.max_warps=16")
N_PROGRAMS = 8


def instruction(rng, pc):
    """One line; registers 8 to 23 hold values, 2 an address, 3 an offset."""
    reg = lambda: "R%d" % rng.randrange(8, 24)
    kind = rng.choices(("alu", "slow", "load", "store", "shared", "copy",
                        "commit", "await", "barrier"),
                       (60, 4, 8, 4, 6, 3, 2, 1, 1))[0]
    at = 0x7f0000000000 + 128 * rng.randrange(1 << 14)
    if kind == "load":
        return traceg.line(pc, "LDG.E", 4, (at, 4), dst=reg())
    if kind == "store":
        return traceg.line(pc, "STG.E", 4, (at, 4), dst=None,
                           src=("R2", reg()))
    if kind == "shared":
        return traceg.line(pc, "LDS", 4, (128 * rng.randrange(64), 4),
                           dst=reg(), src=("R3",))
    if kind == "copy":
        return traceg.line(pc, "LDGSTS.E.BYPASS.128", 16, (at, 16), dst=None,
                           src=("R3", "R2"))
    text = {"alu": "1 %s IADD3 2 %s %s 0 0" % (reg(), reg(), reg()),
            "slow": "1 %s MUFU.RCP 1 %s 0 0" % (reg(), reg()),
            "commit": "0 LDGDEPBAR 0 0 0",
            "await": "0 DEPBAR.LE 0 0 %d" % rng.randrange(3),
            "barrier": "0 BAR.SYNC 0 0 0"}[kind]
    return "%04x ffffffff %s" % (pc, text)


def program(seed, n_warps, folder):
    """8 CTAs of n_warps warps that run the same random instructions."""
    rng = random.Random(seed)
    lines = [instruction(rng, 16 * i) for i in range(300)]
    lines.append("%04x ffffffff 0 EXIT 0 0 0" % (16 * 300))
    return traceg.write(folder, "program-%d.traceg" % seed,
                        traceg.text([[lines] * n_warps] * 8, sm=80))


def convert(source, how, folder):
    path = os.path.join(folder, how + ".wmt")
    done = wm.run("trace", "convert", "-q", "--keep-going", "--distil", how,
                  source, "-o", path)
    wm.check(os.path.exists(path), "%s: %s" % (source, done.err))
    return path


def simulate(path, *options):
    done = wm.run("run", "-q", "-f", "json", "--no-host", "--keep-going",
                  *options, path)
    wm.check(done.out.startswith(b"{"), "%s: %s" % (path, done.err))
    return done.json()


def cycles(path, *options):
    return simulate(path, *options)["total"]["metrics"]["time.cycles"]


def check_same(source, folded):
    text, native = simulate(source), simulate(folded)
    wm.check(text["kernels"] == native["kernels"] and
             text["total"] == native["total"],
             "%s: results of the text and of its .wmt differ" % source)


def check(name, source, folder):
    """Prints a row; true when the bound holds."""
    folded = convert(source, "memory", folder)
    full = convert(source, "none", folder)
    check_same(source, folded)
    alone = cycles(folded, *ALONE) / cycles(full, *ALONE) - 1
    usual = cycles(folded) / cycles(full) - 1
    print("%-20s ports not shared %+7.3f %%, shared %+7.3f %%" % (
        name, 100 * alone, 100 * usual), flush=True)
    return abs(alone) <= BOUND and abs(usual) <= BOUND


def real_traces():
    """(name, path) of every Accel-Sim trace at hand."""
    root = os.path.join(wm.SHARED, "traces")
    for folder in sorted(glob.glob(os.path.join(root, "*", ""))):
        name = os.path.basename(folder[:-1])
        lists = glob.glob(folder + "kernelslist*")
        files = glob.glob(folder + "*.trace*")
        if lists or files:
            yield name, folder[:-1] if lists else files[0]


def main():
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(N_PROGRAMS):
            name = "random program %d" % seed
            n_warps = (4, 8, 16, 32)[seed % 4]
            if not check(name, program(seed, n_warps, folder), folder):
                bad.append(name)
        if not os.path.isdir(os.path.join(wm.SHARED, "traces")):
            print("skipped: no real traces here (set WM_SHARED)")
        for name, path in real_traces():
            if not check(name, path, folder):
                bad.append(name)
    for name in bad:
        print("FAIL %s: over %g %%" % (name, 100 * BOUND))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
