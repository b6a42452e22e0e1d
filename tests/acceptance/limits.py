"""The ends of what can be asked for: right, or refused with the reason, in
seconds and bounded memory.  Expected numbers follow from the few accesses."""
import os

import hostile
import traceg
import wm
from traceg import line
from wm import check, equal, in_folder


def text_trace(folder, body, grid="1,1,1", block="32,1,1", warp=32, name="k",
               statics=("global_load", "exit")):
    """A text trace of one launch; body: what follows its statics."""
    lines = ["warpmem-trace 1", "launch grid %s block %s shared 0 regs "
             "16 warp %d sm 70 stream 0 shared_base 0x0 local_base 0x0 name %s"
             % (grid, block, warp, name)]
    for number, kind in enumerate(statics):
        lines.append("static %d %s pc 0x%x%s opcode X" % (
            number, kind, 16 * number,
            " width 4" if "load" in kind or "store" in kind else ""))
    return hostile.put(folder, "t.txt",
                       ("\n".join(lines) + "\n" + body).encode())


def one_load(address, stride=4, mask="ffffffff", cta="0,0,0"):
    return ("cta %s warps 1 records 2\nwarp 0\n  0 %s 0x%x +%d\n  1 %s\n" % (
        cta, mask, address, stride, mask))


def total(*args, mebibytes=256):
    """The total of a run that needs no more memory than that."""
    done = wm.run("run", "-f", "json", *args)
    say = "exit %d from %s\n%s" % (done.code, " ".join(done.args), done.err)
    check(done.code == 0, say)
    result = done.json()
    peak = result["host"]["peak_bytes"] >> 20
    check(peak <= mebibytes or hostile.IS_SANITIZED, "%d MiB, wanted %d at most: %s" % (
        peak, mebibytes, say))
    return result["total"]["metrics"]


def both(path, *options):
    """The totals of both modes."""
    for mode in ("timing", "counts"):
        yield total("-c", wm.REF, "-m", mode, *options, path)


@in_folder
def addresses(folder):
    """57 bits, the last line of all, and one that wraps around."""
    for address in ((1 << 57) - 128, (1 << 57), 2**64 - 128):
        for total in both(text_trace(folder, one_load(address))):
            equal(total, l1__global_load__sectors=4, l1__global_load__lines=1,
                  l2__read__sectors=4, dram__read__sectors=4)
    # Lanes 0 to 15 in the last 64 bytes, 16 to 31 from address 0 on; then
    # all 32 lanes reach with two bytes of four beyond the last address.
    for address, stride, n_sectors in ((2**64 - 64, 4, 4), (2**64 - 2, 0, 2)):
        for total in both(text_trace(folder, one_load(address, stride))):
            equal(total, l1__global_load__sectors=n_sectors,
                  l1__global_load__lines=2)


@in_folder
def ctas_declared(folder):
    """2^32 of them, one there: incomplete, at once."""
    for grid in ("4294967295,1,1", "65536,65536,1", "2147483647,65535,65535"):
        path = text_trace(folder, one_load(1 << 40), grid=grid)
        hostile.bounded([1], ["the grid has"], "run", "-c", "v100", path)


@in_folder
def kernels_in_a_list(folder):
    """3,000 are replayed; of a million, the last is missing, which is said
    before the first is replayed."""
    traceg.kernel(folder, [line(0, "LDG.E", 4, (1 << 40, 4))])
    for n in (1, 3000):
        hostile.bounded([0], [], "run", "-c", wm.REF, traceg.write(
            folder, "short.g", "kernel-1.traceg\n" * n))
    path = traceg.write(folder, "kernelslist.g", "kernel-1.traceg\n" * 999999
                        + "kernel-2.traceg\n")
    hostile.bounded([1], ["kernelslist.g:1000000:"], "run", "-c", wm.REF,
                    path, kibibytes=256 * 1024)


@in_folder
def a_million_kernels(folder):
    """All replayed: a result is kept of each, so memory grows by 2 KiB a
    kernel at most, and with nothing else."""
    traceg.kernel(folder, [line(0, "LDG.E", 4, (1 << 40, 4))])
    path = traceg.write(folder, "kernelslist.g", "kernel-1.traceg\n" * 10**6)
    for mode in ("counts", "timing"):
        out = os.path.join(folder, "out.txt")
        hostile.bounded([0], [], "run", "-c", wm.REF, "-m", mode, "-o", out,
                        path, kibibytes=64 * 1024 + 2 * 10**6)
        with open(out) as report:
            check("1000000" in report.read().replace(",", ""),
                  "not a million launches")


@in_folder
def names(folder):
    name = "k" * 1000000
    path = text_trace(folder, one_load(1 << 40), name=name)
    result = wm.result("-c", wm.REF, path)
    check(result["kernels"][0]["name"] == name, "another name")
    for form in ("text", "csv", "html"):
        hostile.bounded([0], [], "run", "-c", wm.REF, "-f", form, path)
    native = os.path.join(folder, "t.wmt")
    check(wm.run("trace", "convert", "-q", path, "-o", native).code == 0, "")
    check(wm.result("-c", wm.REF, native)["kernels"][0]["name"] == name,
          "another name in a .wmt")


@in_folder
def static_instructions(folder):
    """10^5 of them, each executed once."""
    n = 100000
    body = "cta 0,0,0 warps 1 records %d\nwarp 0\n" % (n + 1)
    body += "".join("  %d ffffffff 0x%x +4\n" % (i, (1 << 40) + 128 * i)
                    for i in range(n)) + "  %d ffffffff\n" % n
    path = text_trace(folder, body, statics=["global_load"] * n + ["exit"])
    for total in both(path):
        equal(total, instructions__global_load=n, l1__global_load__sectors=4 * n)
    rows = wm.result("-c", wm.REF, "-m", "counts", "--instructions", path)
    check(len(rows["kernels"][0]["instructions"]) == n + 1, "%d rows" % len(
        rows["kernels"][0]["instructions"]))


@in_folder
def warps_of_64(folder):
    path = text_trace(folder, one_load(1 << 40, mask="f" * 16), warp=64,
                      block="64,1,1")
    for total in both(path):
        equal(total, l1__global_load__lanes=64, l1__global_load__sectors=8,
              l1__global_load__lines=2)
    path = text_trace(folder, one_load(1 << 40), warp=65)
    hostile.bounded([1], ["neither 32 nor 64"], "run", "-c", wm.REF, path)


def machine(folder, *sets, codes=(0, 2)):
    """Runs one load on a changed machine; its total, or None when refused
    with a reason."""
    path = text_trace(folder, one_load(1 << 40))
    options = [word for one in sets for word in ("-s", one)]
    done = wm.run("run", "-c", wm.REF, "-f", "json", *options, path)
    say = "%s: exit %d, %s" % (sets, done.code, done.err)
    check(done.code in codes, say)
    if done.code != 0:
        check("wanted" in done.err, say)
        return None
    result = done.json()
    peak = result["host"]["peak_bytes"] >> 20
    check(peak <= 512 or hostile.IS_SANITIZED, "%s: %d MiB" % (sets, peak))
    total = result["total"]["metrics"]
    equal(total, l1__global_load__sectors=4, l2__read__sectors=4,
          dram__read__sectors=4)
    return total


@in_folder
def machines(folder):
    for n in (1, 2, 3, 1023, 1024):
        machine(folder, "sm.count=%d" % n, codes=[0])
    for n in (1, 2, 7, 500, 512):
        machine(folder, "dram.channels=%d" % n, "l2.slices=%d" % n,
                "l2.size=%d KiB" % (64 * n), codes=[0])
    for key in ("sm.count", "dram.channels", "l2.slices"):
        for value in ("0", "-1", "18446744073709551616", "1e3", "x"):
            check(machine(folder, "%s=%s" % (key, value)) is None,
                  "%s=%s is taken" % (key, value))


@in_folder
def caches(folder):
    """One line, and 16 GiB, which is refused or fits: nothing is allocated
    for lines that no access touches, or the message says why not."""
    machine(folder, "l1.size=128 B", "l1.ways=1", codes=[0])
    machine(folder, "l2.size=128 B", "l2.ways=1", codes=[0])
    path = text_trace(folder, one_load(1 << 40))
    for size in ("1 GiB", "16 GiB", "64 GiB", "1 TiB"):
        hostile.bounded([0, 2, 3], [], "run", "-c", wm.REF, "-s",
                        "l2.size=" + size, path, kibibytes=4 << 20)


@in_folder
def latencies(folder):
    """None where none is allowed, else as long as it says."""
    for key in ("l1.latency", "l2.latency"):
        check(machine(folder, key + "=0") is None, key + "=0 is taken")
    none = machine(folder, "dram.latency=0 ns", "dram.row_miss=0 ns",
                   codes=[0])
    check(none["time.cycles"] > 0, "no time at all")
    million = 1000000
    for sets in (["l2.latency=%d" % million],
                 ["l1.latency=%d" % million, "l2.latency=%d" % (2 * million)],
                 ["dram.latency=1000000 ns"]):
        total = machine(folder, *sets, codes=[0])
        check(million <= total["time.cycles"] < 3 * million,
              "%s: %d cycles" % (sets, total["time.cycles"]))
    check(machine(folder, "l1.latency=%d" % (million + 1)) is None, "taken")


@in_folder
def slow_memory(folder):
    """Cycles in which every warp waits cost nothing: 40,960 random sectors at
    1 MB/s take 1.3 s of a GPU, two thousand million windows of one cycle.
    Where more is in flight, so that replies are further away than can be
    told, that is said."""
    few, many = (os.path.join(folder, name) for name in ("few", "many"))
    for path, n_ctas in ((few, 4), (many, 640)):
        hostile.bounded([0], [], "trace", "gen", "gather", "--ctas", n_ctas,
                        "--accesses", 160 // n_ctas + 1, "--span", "64M", "-o",
                        path)
    slow = ("-c", wm.REF, "-s", "dram.bandwidth=1MB/s", "-s")
    for cta_latency in (1, 200):
        hostile.bounded([0], [], "run", *slow,
                        "kernel.cta_latency=%d" % cta_latency, few)
    hostile.bounded([2], ["dram.bandwidth: 1000000 B/s are too few"], "run",
                    *slow, "sm.count=80", many)


TESTS = {test.__name__: test for test in (
    addresses, ctas_declared, kernels_in_a_list, a_million_kernels, names,
    static_instructions, warps_of_64, machines, caches, latencies, slow_memory)}

if __name__ == "__main__":
    wm.main(TESTS)
