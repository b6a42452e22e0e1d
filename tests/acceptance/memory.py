"""Memory does not grow with the trace: the same kernel with 16 times the CTAs
raises host.peak_bytes by at most 12 MiB, whatever the format: the ring of CTAs read
ahead fills, and the heap grows by large pages of 2 MiB.

The smaller kernel has enough CTAs to fill the chip.
"""
import os

import traceg
import wm
from traceg import line
from wm import check, in_folder

SMALL = 1024
GROWTH = 16
LIMIT_BYTES = 12 << 20
BASE = 0x7f2000000000


def peak(path, *options):
    done = wm.run("run", "-f", "json", "-c", "v100", "-j", "2", *options, path)
    check(done.code == 0, done.err)
    return done.json()["host"]["peak_bytes"]


def does_not_grow(small, large):
    for mode in ("timing", "counts"):
        sizes = [peak(path, "-m", mode) for path in (small, large)]
        print("        %s: %.1f MiB with %d CTAs, %.1f MiB with %d" % (
            mode, sizes[0] / 2**20, SMALL, sizes[1] / 2**20, SMALL * GROWTH))
        check(sizes[1] - sizes[0] <= LIMIT_BYTES,
              "%s mode: %d bytes for %d CTAs, %d for %d" % (
                  mode, sizes[0], SMALL, sizes[1], SMALL * GROWTH))


def made(folder, pattern, n_ctas):
    path = os.path.join(folder, "%s-%d.wmt" % (pattern, n_ctas))
    done = wm.run("trace", "gen", pattern, "--ctas", n_ctas, "--warps", 4,
                  "--accesses", 4, "--span", "16M", "-o", path)
    check(done.code == 0, done.err)
    return path


@in_folder
def wmt(folder):
    does_not_grow(made(folder, "copy", SMALL),
                  made(folder, "copy", SMALL * GROWTH))


@in_folder
def wmt_that_does_not_pack(folder):
    """Random addresses: long lists, many chunks."""
    does_not_grow(made(folder, "gather", SMALL),
                  made(folder, "gather", SMALL * GROWTH))


@in_folder
def text(folder):
    paths = []
    for n_ctas in (SMALL, SMALL * GROWTH):
        paths.append(os.path.join(folder, "%d.txt" % n_ctas))
        done = wm.run("trace", "cat", made(folder, "gather", n_ctas),
                      "-o", paths[-1])
        check(done.code == 0, done.err)
    does_not_grow(*paths)


def cta_lines(number):
    at = BASE + 128 * (number * 2654435761 % (1 << 20))
    return [line(0, "LDG.E", 4, (at, 4)),
            line(16, "LDG.E", 4, (at + 128, 4), dst="R5"),
            line(32, "STG.E", 4, (at, 4), dst=None, src=("R2", "R4"))]


def write_grouped(folder, n_ctas):
    return traceg.write(folder, "%d.traceg" % n_ctas, traceg.text(
        [[cta_lines(number)] for number in range(n_ctas)]))


def write_raw(folder, n_ctas):
    """Lines of 64 CTAs at a time in turns."""
    out = [traceg.HEADER.format(name="k", id=1, grid=n_ctas, block=32, shmem=0,
                                sm=80)]
    for first in range(0, n_ctas, 64):
        group = [cta_lines(number) for number in range(first, first + 64)]
        for lines in zip(*group):
            out += ["%d 0 0 0 %s\n" % (first + i, one)
                    for i, one in enumerate(lines)]
    return traceg.write(folder, "%d.trace" % n_ctas, "".join(out))


@in_folder
def accelsim(folder):
    does_not_grow(write_grouped(folder, SMALL),
                  write_grouped(folder, SMALL * GROWTH))


@in_folder
def accelsim_raw(folder):
    does_not_grow(write_raw(folder, SMALL), write_raw(folder, SMALL * GROWTH))


def the_parent_does_not_count():
    """A fat process that starts warpmem is no part of its peak."""
    held = bytearray(256 << 20)
    held[::4096] = b"x" * len(held[::4096])
    tiny = os.path.join(wm.ROOT, "tests", "data", "golden_tiny.txt")
    check(peak(tiny) < len(held) // 2,
          "host.peak_bytes counts the parent's memory")


if __name__ == "__main__":
    wm.main({test.__name__: test for test in (
        wmt, wmt_that_does_not_pack, text, accelsim, accelsim_raw,
        the_parent_does_not_count)})
