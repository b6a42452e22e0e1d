"""Twelve inputs that are known, from public bug reports of other simulators,
to give wrong numbers, crashes or misleading messages.  Each function says
where its input comes from.

    cases.py [S01 ...]
"""
import hashlib
import os
import resource

import traceg
import wm
from traceg import FULL, line
from wm import in_folder

BASE = 0x7f2000000000


def loads(path, *args):
    """Metrics of one trace on the reference machine, in both modes."""
    timing = wm.total("-c", wm.REF, *args, path)
    counts = wm.total("-c", wm.REF, "-m", "counts", *args, path)
    for name in ("sectors", "lines", "requests", "lanes"):
        name = "l1.global_load." + name
        wm.check(timing[name] == counts[name],
                 "%s differs between the modes" % name)
    return timing


def no_nan(*args):
    for form in ("text", "json", "csv"):
        done = wm.run("run", "--no-host", "-f", form, *args)
        words = done.out.lower().replace(b"nan", b"\0").replace(
            b"inf,", b"\0").replace(b": inf", b"\0")
        wm.check(b"\0" not in words, "nan or inf in the %s report" % form)


@in_folder
def S01(folder):
    """Accel-Sim #152: a load whose lanes are all off."""
    path = traceg.kernel(folder, ["c3c0 00000000 1 R28 LD.E.64 1 R24 8 1 0x0 0"])
    metrics = loads(path)
    wm.equal(metrics, instructions__global_load=1, instructions__total=1,
             l1__global_load__requests=1, l1__global_load__active_requests=0,
             l1__global_load__sectors=0, l1__global_load__lines=0,
             l1__global_load__requested_bytes=0, l2__read__sectors=0,
             l2__read__requests=0, dram__read__sectors=0)
    wm.check(metrics["ratio.sectors_per_request.global_load"] in (0, None),
             "sectors per request is neither 0 nor null")
    no_nan("-c", wm.REF, path)


MEM_TRACE = """\
------------- NVBit (NVidia Binary Instrumentation Tool v1.5.5) Loaded --------
MEMTRACE: CTX 0x000055e4486faf10 - LAUNCH - Kernel pc 0x00007f2746fa0f00 - \
Kernel name k(float*, int) - grid launch id 1 - grid size 1,1,1 - \
block size 32,1,1 - nregs 12 - shmem 0 - cuda stream id 0
MEMTRACE: CTX 0x000055e4486faf10 - grid_launch_id 0 - CTA 0,0,0 - warp 0 - \
LDG.E - %s
"""


@in_folder
def S02(folder):
    """NVBit #130 and #63: lanes printed as 0x0 are off, lanes repeat."""
    offsets = ("890 894 898 89c 850 854 858 85c 860 864 868 86c 870 874 878 "
               "87c 880 884 888 88c 890 894 898 89c 850 854 858 85c 860 864 "
               "868 86c")
    a = [0x7ff412a00000 + int(x, 16) for x in offsets.split()]
    b = [0x7ff412a00860 + 4 * i for i in range(16)] + [0] * 16
    for lanes, wanted in ((a, (32, 3, 2, 128)), (b, (16, 2, 2, 64))):
        path = traceg.write(folder, "trace.txt", MEM_TRACE % " ".join(
            "0x%016x" % address for address in lanes))
        wm.equal(loads(path), l1__global_load__requests=1,
                 l1__global_load__lanes=wanted[0],
                 l1__global_load__sectors=wanted[1],
                 l1__global_load__lines=wanted[2],
                 l1__global_load__requested_bytes=wanted[3])


def config_value(report, key):
    values = report["config"]["values"]
    section, field = key.split(".")
    return values[key] if key in values else values[section][field]


@in_folder
def S03(folder):
    """GPGPU-Sim #300, Accel-Sim #201: copies, cache state between kernels,
    counters per kernel."""
    ctas = [[[line(0, "LDG.E", 4, (BASE + 128 * w, 4))] for w in range(32)]]
    for n in (1, 2):
        traceg.write(folder, "kernel-%d.traceg" % n, traceg.text(ctas, id=n))
    trace = traceg.write(folder, "kernelslist.g",
                         "MemcpyHtoD,0x%016x,4096\n"
                         "kernel-1.traceg\nkernel-2.traceg\n" % BASE)
    # choices, then L2 hits and DRAM reads of kernel 1 and of kernel 2
    for sets, wanted in ((("memcpy.l2=ignore", "kernel.l2_between=keep"),
                          ((0, 128), (128, 0))),
                         (("memcpy.l2=fill", "kernel.l2_between=keep"),
                          ((128, 0), (128, 0))),
                         (("memcpy.l2=ignore", "kernel.l2_between=flush"),
                          ((0, 128), (0, 128)))):
        report = wm.result("-c", wm.REF, "-s", sets[0], "-s", sets[1], trace)
        for kernel, (hits, reads) in zip(report["kernels"], wanted):
            wm.equal(kernel["metrics"], l1__global_load__miss_sectors=128,
                     l2__read__sectors=128, l2__read__hit_sectors=hits,
                     dram__read__sectors=reads)
        wm.check(len(report["kernels"]) == 2, "not two kernels")
        for name in ("l2.read.sectors", "l2.read.hit_sectors",
                     "dram.read.sectors", "time.cycles"):
            rows = sum(k["metrics"][name] for k in report["kernels"])
            wm.check(report["total"]["metrics"][name] == rows,
                     "%s of the total is not the sum" % name)
        for choice in sets:
            key, value = choice.split("=")
            wm.check(config_value(report, key) == value,
                     "%s is not shown in the result" % choice)


@in_folder
def S04(folder):
    """Accel-Sim #469: one delta fewer than lanes, with and without the
    number that ends the line."""
    deltas = "0100 0000000f 1 R4 LDG.E 1 R2 4 2 0x7f2000000000 128 -128 256"
    follower = line(0x200, "LDG.E", 4, (BASE + 0x10000, 4))
    for first in (deltas + " 64", deltas):
        path = traceg.kernel(folder, [first, follower])
        wm.equal(loads(path), l1__global_load__requests=2,
                 l1__global_load__lanes=4 + 32,
                 l1__global_load__sectors=3 + 4, l1__global_load__lines=3 + 1)
    path = traceg.kernel(
        folder, ["0110 ffffffff 1 R252 LDG.E 1 R1 4 1 0x7f2000001000 4"])
    wm.equal(loads(path), l1__global_load__sectors=4, l1__global_load__lines=1)
    short = "0100 0000000f 1 R4 LDG.E 1 R2 4 2 0x7f2000000000 128 -128"
    path = traceg.kernel(folder, [short])
    number = traceg.line_number(path, short)
    wm.refuses(1, ["kernel-1.traceg:%d:" % number, "3 deltas"],
               "run", "-c", wm.REF, "-m", "counts", path)


@in_folder
def S05(folder):
    """GPGPU-Sim #251 and PR 80: wide and misaligned accesses."""
    cases = ((".128", 16, [0x1078], 1, 2, 2, True),
             (".128", 16, (0x1008, 16), FULL, 17, 5, True),
             ("", 4, (0x1004, 4), FULL, 5, 2, False),
             (".U8", 1, (0x1000, 1), FULL, 1, 1, False))
    for suffix, width, where, mask, sectors, lines, is_illegal in cases:
        path = traceg.kernel(
            folder, [line(0, "LDG.E" + suffix, width, where, mask=mask)])
        wm.equal(loads(path), l1__global_load__sectors=sectors,
                 l1__global_load__lines=lines)
        report = wm.result("-c", wm.REF, path)
        found = [w for w in report["warnings"] if "align" in w["code"] + w["message"]]
        wm.check(len(found) == is_illegal,
                 "%d warnings about alignment" % len(found))
        wm.check(all(w["count"] == 1 for w in found), "a count is not 1")


@in_folder
def S06(folder):
    """Accel-Sim #8 and #66, DRAMSys #41: a list names what is not there."""
    one = [line(0, "LDG.E", 4, (BASE, 4))]
    traceg.kernel(folder, one)
    traceg.write(folder, "kernel-3.traceg",
                 "version https://git-lfs.github.com/spec/v1\n"
                 "oid sha256:%s\nsize 123\n" % ("0" * 64))
    trace = traceg.write(folder, "kernelslist.g",
                         "kernel-1.traceg\nkernel-2.traceg\nkernel-3.traceg\n")
    wm.refuses(1, ["kernelslist.g:2:", "kernel-2.traceg",
                   "No such file or directory"],
               "run", "-c", wm.REF, "-f", "json", trace)
    report = wm.result("-c", wm.REF, "--keep-going", trace, codes=(1,))
    wm.check(report["complete"] is False, "--keep-going looks complete")
    wm.check(len(report["kernels"]) >= 1, "kernel 1 is not in the result")
    trace = traceg.write(folder, "kernelslist.g",
                         "kernel-1.traceg\nkernel-3.traceg\n")
    wm.refuses(1, ["kernel-3.traceg:1:", "Git LFS pointer"],
               "run", "-c", wm.REF, "-f", "json", trace)


@in_folder
def S07(folder):
    """Accel-Sim #496, #447, #22: other commands, no newline at the end."""
    traceg.kernel(folder, [line(0, "LDG.E", 4, (BASE, 4))],
                  name="kernel-1-ctx_0x21440c40.traceg")
    trace = traceg.write(
        folder, "kernelslist.g",
        "cudaMalloc,0x00007fb50a800000,8000000\n"
        "MemcpyHtoD,0x00007fb50a800000,8000000\n\n"
        "kernel-1-ctx_0x21440c40.traceg\n"
        "cudaMemcpyAsyncHtoD,0x00007f227a000000\n"
        "MemcpyDtoH,0x00007fb50a800000,8000000")
    report = wm.result("-c", wm.REF, trace)
    wm.check(len(report["kernels"]) == 1, "not one kernel")
    wm.check(report["complete"] is True, "not complete")
    told = " | ".join("%s: %d x %s (%s)" % (w["code"], w["count"],
                                            w["message"], w["first"])
                      for w in report["warnings"])
    for name in ("cudaMalloc", "cudaMemcpyAsyncHtoD", "MemcpyDtoH"):
        wm.check(name in told, "nothing said of %s: %s" % (name, told))
    wm.check("kernelslist.g:5" in told, "line 5 is not named: " + told)


@in_folder
def S08(folder):
    """Accel-Sim #24: addresses 4 GiB apart do not alias."""
    far = BASE + (1 << 32)
    path = traceg.kernel(folder, [
        line(0x00, "LDG.E", 4, [BASE, far], mask=3, dst="R4"),
        line(0x10, "LDG.E", 4, [BASE], mask=1, dst="R6", src=("R4",)),
        line(0x20, "LDG.E", 4, [far], mask=1, dst="R8", src=("R6",))])
    wm.equal(loads(path), l1__global_load__sectors=4,
             l1__global_load__lines=4, l1__global_load__hit_sectors=2,
             l1__global_load__pending_sectors=0,
             l1__global_load__miss_sectors=2, l2__read__sectors=2,
             dram__read__sectors=2)


def in_l1(old, new):
    """An edit of the reference file, inside its l1 section."""
    def edit(text):
        start = text.index("l1:")
        return text[:start] + text[start:].replace(old, new, 1)
    return edit


def append(more):
    return lambda text: text + more


# What is wrong, an edit that makes it so, parts of the message.
BAD_CONFIGS = (
    ("line 0", in_l1("line: 128 B", "line: 0 B"), ["l1.line", "0 B", "128"]),
    ("line 48", in_l1("line: 128 B", "line: 48 B"), ["l1.line", "48", "64"]),
    ("ways 0", in_l1("ways: 16", "ways: 0"), ["l1.ways", "0", "1024"]),
    ("less than a set", in_l1("size: 128 KiB", "size: 1 KiB"),
     ["l1.size", "1 KiB"]),
    ("sets -1", in_l1("ways: 16", "ways: 16\n  sets: -1"),
     ["l1.sets", "-1"]),
    ("latency -5", in_l1("ways: 16", "ways: 16\n  latency: -5"),
     ["l1.latency", "-5"]),
    ("size without unit", in_l1("size: 128 KiB", "size: 128"),
     ["l1.size", "128", "unit"]),
    ("misspelt key", in_l1("size: 128 KiB", "sise: 128 KiB"),
     ["l1.sise", "l1.size"]),
    ("misspelt section", append("l2_sise: 4 MiB\n"),
     ["l2_sise", "l2.size"]),
    ("key twice", in_l1("ways: 16", "ways: 16\n  ways: 16"), ["l1.ways"]),
    ("section twice", append("l1:\n  ways: 16\n"), ["l1"]),
    ("tab indent", in_l1("  ways: 16", "\tways: 16"), ["tab"]),
    ("empty file", lambda text: "", ["empty"]),
)


@in_folder
def S09(folder):
    """Ramulator 2 #162, Accel-Sim #137, #209, #293: bad configurations are
    refused before any trace is read (the trace here does not exist)."""
    with open(wm.REF) as source:
        reference = source.read()
    for what, edit, parts in BAD_CONFIGS:
        text = edit(reference)
        wm.check(text != reference, "the edit \"%s\" changed nothing" % what)
        path = traceg.write(folder, "bad.yaml", text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            wm.refuses(2, ["bad.yaml:"] + parts, "run", "-c", path,
                       os.path.join(folder, "absent.traceg"), timeout=20)
        except AssertionError as problem:
            raise AssertionError("%s: %s" % (what, problem))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime - before.ru_utime
        wm.check(spent < 1, "%s: %.1f s of CPU time" % (what, spent))
    # Sectors of 64 bytes work: they are not taken for 32.
    path = traceg.kernel(folder, [line(0, "LDG.E", 4, (BASE, 4))])
    metrics = wm.total("-c", wm.REF, "-s", "l1.sector=64B", "-s",
                       "l2.sector=64B", path)
    wm.equal(metrics, l1__global_load__sectors=2)
    wm.refuses(2, ["l2.sector"], "run", "-c", wm.REF, "-s", "l1.sector=64B",
               os.path.join(folder, "absent.traceg"))


@in_folder
def S10(folder):
    """Ramulator #112: files with CRLF ends, a BOM in the configuration."""
    lines = [line(0, "LDG.E", 4, (BASE, 4)),
             line(16, "STG.E", 4, (BASE + 4096, 8), dst=None)]
    results = []
    for end, bom in (("\n", ""), ("\r\n", "\ufeff")):
        def put(name, content):
            path = os.path.join(folder, name)
            with open(path, "w", newline="", encoding="utf-8") as out:
                out.write(content.replace("\n", end))
            return path
        put("kernel-1.traceg", traceg.text([[lines]], name="a_kernel"))
        trace = put("kernelslist.g", "MemcpyHtoD,0x%x,128\n"
                    "kernel-1.traceg\n" % BASE)
        with open(wm.REF) as source:
            config = put("config.yaml", bom + source.read())
        report = wm.result("-c", config, trace)
        csv = wm.run("run", "--no-host", "-f", "csv", "-c", config, trace).out
        results.append((report["kernels"], report["total"],
                        report["config"], csv.replace(b"\r\n", b"\n")))
    wm.check(results[0] == results[1], "CRLF changes the result")
    wm.check(b"\r" not in results[1][3], "a carriage return inside the CSV")


@in_folder
def S11(folder):
    """ramulator-pim #26, Accel-Sim #226: only shared memory, bank
    conflicts, nothing divided by zero."""
    shared = [(0, 4), (0, 8), (0, 128), (64, 0), (0, 132)]
    path = traceg.kernel(folder, [
        line(16 * n, "LDS", 4, where) for n, where in enumerate(shared)],
        shmem=8192)
    metrics = wm.total("-c", wm.REF, path)
    wm.equal(metrics, shared__load__requests=5, shared__load__wavefronts=37,
             shared__load__ideal_wavefronts=5, shared__load__conflicts=32,
             instructions__shared_load=5)
    wrong = [name for name, value in metrics.items() if value not in (0, None)
             and name.startswith(("l1.", "l2.", "dram."))]
    wm.check(not wrong, "not 0: " + " ".join(wrong))
    for name in ("l1_hit", "l2_hit", "global_load_efficiency",
                 "global_store_efficiency", "sectors_per_request.global_load"):
        wm.check(metrics["ratio." + name] is None,
                 "ratio.%s is %s, wanted null" % (name,
                                                  metrics["ratio." + name]))
    wm.check(metrics["time.cycles"] > 0, "no time passed")
    no_nan("-c", wm.REF, path)


def mixed_kernel(folder, name, n_ctas=64, seed=1):
    """Loads, stores, atomics, shared and local memory, barriers; more data
    than the caches hold, many equal times."""
    ctas = []
    state = seed
    for cta in range(n_ctas):
        warps = []
        for warp in range(4):
            lines = []
            first = BASE + (cta * 4 + warp) * 128
            for step in range(8):
                state = (state * 1103515245 + 12345) & 0x7fffffff
                far = BASE + 0x1000000 + state % 4096 * 128
                pc = step * 0x100
                lines += [
                    line(pc, "LDG.E", 4, (first + step * 0x8000, 4)),
                    line(pc + 0x10, "LDG.E", 4, (far, 36), dst="R6"),
                    line(pc + 0x20, "STS", 4, (0, 8), dst=None),
                    line(pc + 0x30, "LDS", 4, (0, 132), dst="R8"),
                    line(pc + 0x40, "RED.E.ADD", 4, (BASE, 4), dst=None),
                    line(pc + 0x50, "STG.E", 4, (far + 0x2000000, 4),
                         dst=None, src=("R4", "R6")),
                    "%04x ffffffff 0 BAR.SYNC 0 0 0" % (pc + 0x60)]
            lines.append("0900 ffffffff 0 EXIT 0 0 0")
            warps.append(lines)
        ctas.append(warps)
    return traceg.write(folder, name, traceg.text(ctas, shmem=8192, sm=70))


@in_folder
def S12(folder):
    """Accel-Sim #60, MGPUSim #17 and #32: the same bytes every time."""
    one = mixed_kernel(folder, "one.traceg")
    two = mixed_kernel(folder, "two.traceg", seed=7)
    digests = {}
    for mode in ("timing", "counts"):
        for jobs, repeats in (("1", 4), ("2", 8), ("8", 8)):
            for _ in range(repeats):
                done = wm.run("run", "-c", "v100", "-s", "sm.count=8", "-m",
                              mode, "-j", jobs, "--no-host", "-f", "json",
                              "--instructions", one)
                wm.check(done.code == 0, done.err)
                digest = hashlib.sha256(done.out).hexdigest()
                digests.setdefault(mode, digest)
                wm.check(digest == digests[mode],
                         "-m %s -j %s differs" % (mode, jobs))
    # Each trace starts on a chip that has run nothing.
    for mode in ("timing", "counts"):
        sets = ("-c", "v100", "-m", mode)
        together = wm.result(*sets, one, two)["kernels"]
        for kernel, path in zip(together, (one, two)):
            alone = wm.result(*sets, path)["kernels"][0]
            wm.check(alone["metrics"] == kernel["metrics"],
                     "-m %s: one process and two differ" % mode)


CASES = {name: test for name, test in sorted(globals().items())
         if len(name) == 3 and name[0] == "S" and name[1:].isdigit()}

if __name__ == "__main__":
    wm.main(CASES)
