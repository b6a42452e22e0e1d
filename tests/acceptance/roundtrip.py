"""Does a trace survive from one format to the next and back?

    roundtrip.py

Every real trace -> .wmt -> text -> .wmt: the second .wmt has the bytes of the
first, and all three give the same results.  Every trace -> a folder of
Accel-Sim text -> back: the same accesses, and cycles within 1.5 %; those of
SAME give the same results to the last number.  Real traces are those of the
shared folder, others come with the program.
"""
import glob
import os
import re
import sys
import tempfile

import wm

CYCLES_BOUND = 0.015
# Groups of copies, chains and pauses: where each is said in the text as the
# trace has it.
SAME = ("flashinfer-prefill", "flashinfer-gemm", "hopper-ffma", "raw-v3",
        "vectoradd-v5", "wmma-v4")
TIMING = re.compile(rb" (?:head|tail) \d+/\d+| wait 0x[0-9a-f]+")


def traces():
    """(name, path) of every trace at hand."""
    bundled = glob.glob(os.path.join(wm.ROOT, "traces", "*.wmt"))
    for path in bundled:
        yield os.path.basename(path), path
    root = os.path.join(wm.SHARED, "traces")
    if not os.path.isdir(root):
        print("skipped: no real traces here (set WM_SHARED)")
        return
    for folder in sorted(glob.glob(os.path.join(root, "*", ""))):
        name = os.path.basename(folder[:-1])
        if glob.glob(folder + "kernelslist*"):
            yield name, folder[:-1]
            continue
        for path in sorted(glob.glob(folder + "*")):
            yield name + "/" + os.path.basename(path), path


def convert(source, to, path):
    done = wm.run("trace", "convert", "-q", "--keep-going", "--to", to,
                  source, "-o", path)
    wm.check(os.path.exists(path), "%s to %s: %s" % (source, to, done.err))
    return path


def results(path):
    done = wm.run("run", "-q", "-f", "json", "--no-host", "--keep-going",
                  path).json()
    return done["kernels"], done["total"]


def content(path):
    with open(path, "rb") as lines:
        return lines.read()


def accesses(path):
    """The memory accesses of a trace, launch by launch and warp by warp: the
    lines of `trace cat` without times, static ids replaced by opcodes."""
    out, statics = [], {}
    for line in wm.run("trace", "cat", "--keep-going", path).out.split(b"\n"):
        if line.startswith(b"launch"):
            statics = {}
        if line.startswith(b"static "):
            words = line.split(b" ")
            statics[words[1]] = words[2], line.split(b" opcode ")[1]
        elif line.startswith((b"launch", b"warp ")):
            out.append(re.sub(rb" ctas \d+| warps \d+", b"", line))
        elif line.startswith(b"  "):
            words = TIMING.sub(b"", line).split()
            kind, opcode = statics.get(words[0], (b"gap", b""))
            if kind not in (b"gap", b"exit") and b"gap" not in words:
                out.append(b" ".join([kind, opcode] + words[1:]))
    return out


def check_exact(name, source, folder):
    first = convert(source, "wmt", os.path.join(folder, "a.wmt"))
    text = convert(first, "text", os.path.join(folder, "b.txt"))
    second = convert(text, "wmt", os.path.join(folder, "c.wmt"))
    wm.check(content(first) == content(second),
             "%s: the .wmt after text is another" % name)
    found = [results(path) for path in (source, first, text, second)]
    wm.check(all(one == found[0] for one in found),
             "%s: results differ between formats" % name)
    return first


def check_info(name, native):
    """`trace info` predicts the sectors that a run counts."""
    info = wm.run("trace", "info", "-f", "json", "--keep-going",
                  native).json()["total"]["sectors_by_kind"]
    metrics = results(native)[1]["metrics"]
    for kind, n_sectors in info.items():
        wm.check(metrics["l1.%s.sectors" % kind] == n_sectors,
                 "%s: %s sectors, info says %d, run %s" % (
                     name, kind, n_sectors,
                     metrics["l1.%s.sectors" % kind]))


def check_accelsim(name, native, folder):
    back = convert(native, "accelsim",
                   os.path.join(folder, "text of " + name.replace("/", "_")))
    wm.check(accesses(native) == accesses(back),
             "%s: other accesses after Accel-Sim text" % name)
    totals = [results(path)[1]["metrics"] for path in (native, back)]
    before, after = (total["time.cycles"] for total in totals)
    change = after / before - 1 if before else 0
    print("ok      %-36s through Accel-Sim text: cycles %+.3f %%" % (
        name, 100 * change), flush=True)
    wm.check(abs(change) <= CYCLES_BOUND,
             "%s: over %g %%" % (name, 100 * CYCLES_BOUND))
    if name in SAME:
        other = [key for key in totals[0] if totals[0][key] != totals[1][key]]
        wm.check(not other, "%s: other %s" % (name, ", ".join(other)))


def main():
    failed = 0
    for name, path in traces():
        with tempfile.TemporaryDirectory() as folder:
            try:
                native = check_exact(name, path, folder)
                check_info(name, native)
                check_accelsim(name, native, folder)
            except AssertionError as error:
                print("FAIL    %s" % error)
                failed += 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
