"""Kernels replayed with dram.model: banked: the commands of every channel break
no rule, and are as many as the counters say.

    replays.py           the bundled trace and made ones, on presets in turn
    replays.py all       on every preset, with every setting
    replays.py shared    real traces ($WM_SHARED, else ../shared)
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

from dram import AUDIT, HERE, ROOT, SKIP, WARPMEM, check, run

REPLAY = os.environ.get("REPLAY", os.path.join(HERE, "replay_commands"))
SHARED = os.environ.get("WM_SHARED", os.path.join(os.path.dirname(ROOT),
                                                  "shared"))
PRESETS = ("v100", "a100", "h100", "t4", "rtx3090", "rtx4090")
# Where the paths between engine and channels differ: small caches send more,
# one channel is always full, policies and refresh as they come.
SETTINGS = ((),
            ("l2.size=64KiB", "l2.ways=16", "l2.slices=4",
             "dram.channels=2", "dram.bandwidth=64 GB/s"),
            ("dram.page=closed", "dram.refresh=per_bank"),
            ("dram.page=timeout", "dram.scheduler=frfcfs_rowhit",
             "dram.hit_cap=4"),
            ("dram.read_queue=8", "dram.write_queue=8", "dram.write_high=6",
             "dram.write_low=2", "dram.mapping=mop4clxor"),
            ("dram.standard=hbm3e", "dram.mapping=robaracoch"),
            ("dram.standard=lpddr5", "l2.write=through"))
PATTERNS = ("copy", "write", "gather", "histogram", "vecadd", "stride")


def replay(trace, preset, settings):
    """The number of commands, all of them lawful."""
    where = "%s on %s %s:" % (trace, preset, " ".join(settings))
    with tempfile.TemporaryFile() as err:
        made = subprocess.Popen([REPLAY, preset, trace, *settings],
                                stdout=subprocess.PIPE, stderr=err)
        # The program names its own standards from its own folder.
        done = subprocess.run([AUDIT, "-"], stdin=made.stdout,
                              capture_output=True, cwd=ROOT)
        made.stdout.close()
        code = made.wait()
        err.seek(0)
        said = err.read().decode()
    out = (done.stdout + done.stderr).decode()
    check(code == 0, where, said)
    check(done.returncode == 0, where, out)
    c = {m[1]: int(m[2]) for m in re.finditer(r"^commands (\w+) (\d+)", out,
                                              re.M)}
    words = said.split()
    n = dict(zip(words[::2], map(int, words[1::2])))
    check(c["RD"] + c["RDA"] <= n["reads"], where, c, n)
    check(n["forwarded"] or c["RD"] + c["RDA"] == n["reads"], where, c, n)
    check(c["WR"] + c["WRA"] <= n["writes"], where, c, n)
    return sum(c.values())


def made_traces(folder):
    listed = run(WARPMEM, "trace", "gen", "--list").decode()
    for pattern in PATTERNS:
        if re.search(r"^\s*%s\b" % pattern, listed, re.M):
            path = os.path.join(folder, pattern + ".wmt")
            run(WARPMEM, "trace", "gen", pattern, "--ctas", 24, "-o", path)
            yield path


def shared_traces():
    root = os.path.join(SHARED, "traces")
    if not os.path.isdir(root):
        print("skipped: %s is not here (set WM_SHARED)" % root)
        sys.exit(SKIP)
    for name in ("rodinia-bfs", "vectoradd-v5", "hopper-ffma", "wmma-v4",
                 "flashinfer-prefill", "nn-onestep", "pytorch-train"):
        for path in sorted(glob.glob(os.path.join(root, name,
                                                  "kernelslist*")))[:1]:
            yield path


def main():
    n, n_runs = 0, 0
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory() as folder:
        traces = list(shared_traces()) if what == "shared" else [
            *sorted(glob.glob(os.path.join(ROOT, "traces", "*.wmt"))),
            *made_traces(folder)]
        for i, trace in enumerate(traces):
            for j, preset in enumerate(PRESETS):
                turn = [SETTINGS[(i + j) % len(SETTINGS)]]
                if what == "" and (i + j) % 2:
                    continue
                for settings in SETTINGS if what == "all" else turn:
                    n += replay(trace, preset, settings)
                    n_runs += 1
    print("%d commands of %d replays, lawful" % (n, n_runs))


main()
