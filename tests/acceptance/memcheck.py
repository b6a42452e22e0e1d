"""valgrind memcheck on three replays: no error, and not a byte left at the end.

    memcheck.py

They differ in format, mode, threads, DRAM model and report.
"""
import os
import shutil
import sys

import cases
import wm
from wm import check, in_folder

VALGRIND = ("--quiet", "--error-exitcode=99", "--leak-check=full",
            "--show-leak-kinds=all", "--errors-for-leak-kinds=all",
            "--track-fds=yes")


def clean(*args):
    done = wm.run(*VALGRIND, wm.WARPMEM, *args, program=shutil.which(
        "valgrind"), timeout=600)
    check(done.code == 0, "%s\nexit %d\n%s" % (" ".join(done.args), done.code,
                                               done.err))
    check("==" not in done.err, done.err)
    return done.out


@in_folder
def replays(folder):
    native = os.path.join(folder, "gather.wmt")
    made = wm.run("trace", "gen", "gather", "--ctas", 8, "--accesses", 4, "-o",
                  native)
    check(made.code == 0, made.err)
    check(b'"complete":true' in clean(
        "run", "-c", wm.REF, "-m", "timing", "-j", 2, "-f", "json",
        "-s", "dram.model=banked", "--instructions", "--no-host",
        native).replace(b" ", b""), "incomplete")
    clean("run", "-c", wm.REF, "-m", "counts", "-j", 1, "-f", "html", "-o",
          os.path.join(folder, "report.html"), native)
    clean("run", "-c", wm.REF, "--advise", "--interval", "1us", "--series",
          os.path.join(folder, "series.csv"), "--timeline",
          os.path.join(folder, "timeline.json"),
          cases.mixed_kernel(folder, "mixed.traceg"))


if __name__ == "__main__":
    if shutil.which("valgrind") is None:
        print("skipped: no valgrind here (tools/install_deps.sh lint)")
        sys.exit(wm.SKIP)
    wm.main({"replays": replays})
