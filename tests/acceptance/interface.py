"""The names that scripts and papers may rely on: commands, options,
configuration keys, metric ids, members of the result, exit codes.

A name may be added here, never taken away while results say format 1.
"""
import csv
import io
import json
import os
import subprocess

import traceg
import wm
from traceg import line
from wm import check, in_folder

LINES = [line(0, "LDG.E", 4, (0x7f2000000000, 4)),
         line(16, "STG.E", 4, (0x7f2000001000, 4), dst=None, src=("R2", "R4")),
         line(32, "LDS", 4, (0x7f0000000000, 4))]
TINY = os.path.join(wm.ROOT, "tests", "data", "golden_tiny.txt")
CUT = os.path.join(wm.ROOT, "tests", "data", "golden_cut.txt")

RUN_OPTIONS = """--config --set --mode --jobs --output --format --names
    --kernel-name --launch-skip --launch-count --instructions --keep-going
    --strict --no-host --progress --quiet --help""".split()
SHORT_OPTIONS = "-c -s -m -j -o -f -q -h".split()
COMMANDS = {
    "": ["run", "trace", "config", "metrics"],
    "trace": ["info", "check", "cat", "convert", "slice", "gen"],
    "config": ["list", "show", "explain", "check", "diff"],
}
PRESETS = ["a100", "h100", "rtx3090", "rtx4090", "t4", "v100"]

KEYS = {
    "sm": "count clock max_warps max_ctas max_threads registers schedulers "
          "lsu_lanes",
    "l1": "enabled size ways sets line sector latency mshrs policy hash "
          "tag_banks write",
    "shared": "size banks bank_width latency",
    "l2": "size slices ways line sector latency interleave hash policy mshrs "
          "bandwidth fetch partitions",
    "fabric": "request_latency response_latency sm_bandwidth",
    "dram": "model channels bandwidth latency",
    "kernel": "l1_between l2_between launch_latency",
    "memcpy": "l2",
    "coalescer": "mode",
}
CHOICES = {
    "l2.hash": ["none"],
    "dram.model": ["simple"],
    "kernel.l1_between": ["invalidate", "keep"],
    "kernel.l2_between": ["keep", "invalidate", "flush"],
    "memcpy.l2": ["fill", "ignore"],
    "coalescer.mode": ["sector", "line", "segment"],
}
BOUNDS = "lsu l1 shared fabric l2 dram latency launch".split()


def metric_ids():
    ids = ["instructions." + kind for kind in wm.KINDS + (
        "shared_load", "shared_store", "barrier", "other")]
    for kind in wm.KINDS:
        ids += ["l1.%s.%s" % (kind, field) for field in (
            "requests", "sectors", "lines", "lanes", "requested_bytes",
            "hit_sectors", "pending_sectors", "miss_sectors", "wavefronts")]
    for op in ("load", "store", "atomic"):
        ids += ["shared.%s.%s" % (op, field) for field in (
            "requests", "wavefronts", "ideal_wavefronts")]
    for op in ("read", "write", "atomic"):
        ids += ["l2.%s.%s" % (op, field) for field in (
            "requests", "sectors", "hit_sectors", "pending_sectors",
            "miss_sectors")]
    ids += ("dram.read.sectors dram.write.sectors dram.read.bytes "
            "dram.write.bytes dram.row_hits dram.row_misses dram.activates "
            "l2.dirty_bytes_left ratio.l1_hit ratio.l2_hit "
            "ratio.global_load_efficiency ratio.global_store_efficiency "
            "ratio.dram_utilization ratio.sectors_per_request.global_load "
            "time.cycles time.ns bound.name").split()
    return ids + ["bound." + name for name in BOUNDS]


def succeeds(*args, **keywords):
    done = wm.run(*args, **keywords)
    check(done.code == 0, "exit %d from %s\n%s" % (
        done.code, " ".join(done.args), done.err))
    return done.out.decode()


def exits(code, *args):
    done = wm.run(*args)
    check(done.code == code, "exit %d, wanted %d, from %s\n%s" % (
        done.code, code, " ".join(done.args), done.err))


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def has_members(where, value, members):
    missing = [name for name in members if name not in value]
    check(not missing, "%s lacks %s" % (where, ", ".join(missing)))


def commands_are_there():
    for group, names in COMMANDS.items():
        words = [group] if group else []
        listed = succeeds(*words, "-h").split()
        for name in names:
            check(name in listed, "%s is not in the help of warpmem %s" % (
                name, group))
            succeeds(*words, name, "-h")
            succeeds(*words, name, "--help")


def help_fits_eighty_columns():
    for group, names in COMMANDS.items():
        for name in names + ([] if group else [None]):
            words = [w for w in (group, name) if w]
            for text in succeeds(*words, "-h").splitlines():
                check(len(text) <= 80, "%s -h: %s" % (" ".join(words), text))


def run_options_are_there():
    words = succeeds("run", "-h").replace(",", " ").split()
    for option in RUN_OPTIONS + SHORT_OPTIONS:
        check(option in words, "run -h lacks " + option)
    succeeds("run", "-c", "v100", "-s", "l2.ways=16", "-m", "counts", "-j", "2",
             "-o", "-", "-f", "csv", "--names", "nsight", "--kernel-name", ".",
             "--launch-skip", "0", "--launch-count", "9", "--keep-going",
             "--strict", "--no-host", "--progress", "never", "-q", TINY)
    succeeds("run", "--config=v100", "--set=l2.ways=16", "--mode=timing",
             "--jobs=1", "--output=-", "--format=json", "--instructions",
             "--progress=always", "--quiet", TINY)


def presets_are_there():
    listed = [text.split()[0] for text in succeeds("config", "list")
              .splitlines() if text[:1].strip()]
    has_members("config list", listed, PRESETS)
    for name in PRESETS:
        succeeds("config", "check", name)


def keys_are_there():
    values = wm.result("-c", "v100", TINY)["config"]["values"]
    for section, fields in KEYS.items():
        for field in fields.split():
            key = "%s.%s" % (section, field)
            check(key in values, "config.values lacks " + key)
            check(key in succeeds("config", "explain", key),
                  "config explain does not know " + key)
    for key, choices in CHOICES.items():
        for choice in choices:
            succeeds("config", "show", "v100", "-s", "%s=%s" % (key, choice))


@in_folder
def a_file_inherits_and_origins_say_so(folder):
    path = traceg.write(folder, "mine.yaml", "base: v100\nl2: {ways: 32}\n")
    config = wm.result("-c", path, "-s", "l2.latency=300", TINY)["config"]
    check(config["values"]["l2.ways"] == 32, "l2.ways is not inherited")
    check(config["values"]["l2.latency"] == 300, "--set is not taken")
    check(config["origin"]["l2.ways"].endswith("mine.yaml:2"),
          "origin of l2.ways: " + config["origin"]["l2.ways"])
    check("v100.yaml:" in config["origin"]["sm.count"],
          "origin of sm.count: " + config["origin"]["sm.count"])
    check("--set" in config["origin"]["l2.latency"],
          "origin of l2.latency: " + config["origin"]["l2.latency"])


@in_folder
def the_result_has_its_members(folder):
    path = traceg.kernel(folder, LINES)
    done = wm.run("run", "-f", "json", "--instructions", "-c", "v100", path)
    result = done.json()
    has_members("the result", result, "warpmem complete mode traces config "
                "warnings kernels total host".split())
    has_members("warpmem", result["warpmem"], ["version", "format"])
    check(result["warpmem"]["format"] == 1, "format is not 1")
    check(result["complete"] is True, "complete is not true")
    check(result["mode"] == "timing", "mode is not timing")
    has_members("traces[0]", result["traces"][0], ["path", "format", "digest"])
    has_members("config", result["config"], "name digest values origin".split())
    check(set(result["config"]["values"]) == set(result["config"]["origin"]),
          "values and origins name different keys")
    kernel = result["kernels"][0]
    has_members("kernels[0]", kernel, "launch name grid block metrics "
                "instructions".split())
    check(kernel["launch"] == 1, "the first launch is not 1")
    check(kernel["grid"] == [1, 1, 1] and kernel["block"] == [32, 1, 1],
          "grid %s, block %s" % (kernel["grid"], kernel["block"]))
    check(len(kernel["instructions"]) >= 3, "fewer than 3 instruction rows")
    has_members("host", result["host"], "seconds records_per_second "
                "peak_bytes".split())
    check("host" not in wm.result("-c", "v100", path), "--no-host leaves host")


@in_folder
def a_warning_has_its_members(folder):
    path = traceg.kernel(folder, [line(0, "LDG.E", 4, (0x7f2000000002, 4))])
    warnings = wm.result("-c", "v100", path)["warnings"]
    check(warnings, "misaligned lanes give no warning")
    has_members("warnings[0]", warnings[0], "code count message first".split())
    check(warnings[0]["first"].startswith(path + ":"),
          "first is no file:line: " + warnings[0]["first"])


@in_folder
def every_metric_is_in_every_place(folder):
    path = traceg.kernel(folder, LINES)
    for mode in ("timing", "counts"):
        result = wm.result("-c", "v100", "-m", mode, path)
        for where, metrics in (("kernels[0]", result["kernels"][0]["metrics"]),
                               ("total", result["total"]["metrics"])):
            has_members("%s in %s mode" % (where, mode), metrics, metric_ids())
            for name, value in metrics.items():
                check(value is None or name == "bound.name" or
                      is_number(value), "%s is %r" % (name, value))
            check(metrics["bound.name"] in BOUNDS,
                  "bound.name is %s" % metrics["bound.name"])
    rows = list(csv.reader(io.StringIO(
        succeeds("run", "-c", "v100", "-f", "csv", path))))
    has_members("the CSV header", rows[0], metric_ids())
    check(len(rows) == 2 and len(rows[0]) == len(rows[1]),
          "CSV is not a header and one row")
    for name in metric_ids():
        check(succeeds("metrics", name).startswith(name),
              "metrics %s explains something else" % name)


@in_folder
def total_is_the_sum_of_the_kernels(folder):
    traceg.kernel(folder, LINES, name="kernel-1.traceg")
    traceg.kernel(folder, LINES[:1], name="kernel-2.traceg", id=2)
    path = traceg.write(folder, "kernelslist.g",
                        "kernel-1.traceg\nkernel-2.traceg\n")
    result = wm.result("-c", "v100", path)
    for name in metric_ids():
        if name.split(".")[0] in ("instructions", "l1", "l2", "dram",
                                  "shared") and name != "l2.dirty_bytes_left":
            parts = [k["metrics"][name] for k in result["kernels"]]
            check(sum(parts) == result["total"]["metrics"][name],
                  "%s: the total is not the sum of %s" % (name, parts))


def nsight_names_are_aliases():
    own = succeeds("run", "-c", "v100", "-f", "csv", TINY).splitlines()
    names = succeeds("run", "-c", "v100", "-f", "csv", "--names", "nsight",
                     TINY).splitlines()
    check(own[1:] == names[1:], "--names changes values")
    name = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    check(name in names[0].split(","), "no column " + name)
    check(succeeds("metrics", name).startswith("l1.global_load.sectors"),
          "metrics does not know " + name)


@in_folder
def exit_codes(folder):
    path = traceg.kernel(folder, LINES)
    exits(0, "run", "-c", "v100", path)
    exits(1, "run", "-c", "v100", CUT)
    exits(1, "run", "-c", "v100", "--keep-going", CUT)
    exits(1, "run", "-c", "v100", os.path.join(folder, "none.traceg"))
    odd = traceg.kernel(folder, [line(0, "LDG.E", 4, (0x7f2000000002, 4))],
                        name="odd.traceg")
    exits(0, "run", "-c", "v100", odd)
    exits(1, "run", "-c", "v100", "--strict", odd)
    exits(2, "run")
    exits(2, "run", "--no-such-option", path)
    exits(2, "run", "-c", "no-such-preset", path)
    exits(2, "run", "-c", folder, path)
    exits(2, "run", "-c", "v100", "-s", "l2.sise=6MiB", path)
    exits(2, "run", "-c", "v100", "-s", "l2.size=6", path)
    exits(2, "run", "-c", "v100", "-j", "0", path)
    exits(3, "run", "-c", "v100", "-o", os.path.join(folder, "no", "r"), path)


@in_folder
def an_incomplete_result_says_so(folder):
    done = wm.run("run", "-c", "v100", "--keep-going", "-f", "json", CUT)
    check(done.json()["complete"] is False, "complete is not false")


@in_folder
def traces_are_found_from_anywhere(folder):
    inner = os.path.join(folder, "inner")
    os.mkdir(inner)
    traceg.kernel(inner, LINES)
    traceg.write(inner, "kernelslist.g", "kernel-1.traceg\n")
    wanted = wm.result("-c", "v100", inner)["total"]
    for where, path in ((folder, "inner"), (folder, "inner/kernelslist.g"),
                        (inner, "."), (inner, "../inner/"),
                        ("/", os.path.join(inner, "kernelslist.g"))):
        check(wm.result("-c", "v100", path, cwd=where)["total"] == wanted,
              "%s from %s gives another total" % (path, where))


def pipes_are_read_once():
    with open(TINY, "rb") as trace:
        content = trace.read()

    def piped(*args):
        return subprocess.run([wm.WARPMEM, *args, "/dev/stdin"], input=content,
                              capture_output=True, timeout=60)
    done = piped("run", "-c", "v100", "-f", "json", "--no-host")
    check(done.returncode == 0, done.stderr.decode())
    check(json.loads(done.stdout)["total"] ==
          wm.result("-c", "v100", TINY)["total"], "a pipe gives another total")
    done = piped("run")
    check(done.returncode == 2 and b"config" in done.stderr,
          "--config auto on a pipe: exit %d, %s" % (
              done.returncode, done.stderr.decode()))


def a_reader_that_leaves_is_no_news():
    """warpmem ... | head: it ends without a word."""
    ends = os.pipe()
    os.close(ends[0])
    try:
        done = subprocess.run([wm.WARPMEM, "trace", "cat", TINY],
                              stdout=ends[1], stderr=subprocess.PIPE,
                              timeout=60)
    finally:
        os.close(ends[1])
    check(done.returncode == 3, "exit %d, wanted 3" % done.returncode)
    check(done.stderr == b"", "it says " + done.stderr.decode())


if __name__ == "__main__":
    wm.main({test.__name__: test for test in (
        commands_are_there, help_fits_eighty_columns, run_options_are_there,
        presets_are_there, keys_are_there, a_file_inherits_and_origins_say_so,
        the_result_has_its_members, a_warning_has_its_members,
        every_metric_is_in_every_place, total_is_the_sum_of_the_kernels,
        nsight_names_are_aliases, exit_codes, an_incomplete_result_says_so,
        traces_are_found_from_anywhere, pipes_are_read_once,
        a_reader_that_leaves_is_no_news)})
