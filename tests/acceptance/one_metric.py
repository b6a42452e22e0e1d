"""One line of metrics.def is a metric everywhere: the dictionary, JSON, CSV,
HTML, METRICS.md.  And every metric of this program is in all of them.

The line is added to a copy of metrics.def; metrics.c, the only file that
reads it, is compiled with the copy and linked with the rest of this build.
"""
import json
import os
import re
import shlex
import subprocess
import sys

import wm

BUILD = os.path.dirname(os.path.dirname(os.path.abspath(wm.WARPMEM)))
TRACE = os.path.join(wm.ROOT, "tests", "data", "golden_tiny.txt")
LINE = ('WM_FORMULA("ratio.from_a_test", "fraction", "test__metric.sum", '
        '"a metric that only a test knows", '
        '"l2.read.sectors / (2 * l2.read.sectors)")\n')


def program_with_line(folder):
    """Builds warpmem with one metric more."""
    with open(os.path.join(BUILD, "compile_commands.json")) as source:
        entry = next(e for e in json.load(source)
                     if e["file"].endswith("sim/report/metrics.c"))
    os.makedirs(os.path.join(folder, "report"))
    with open(os.path.join(wm.ROOT, "sim", "report", "metrics.def")) as source:
        lines = source.read().replace("WM_BUSY(lsu", LINE + "WM_BUSY(lsu", 1)
    with open(os.path.join(folder, "report", "metrics.def"), "w") as out:
        out.write(lines)
    command = shlex.split(entry["command"])
    metrics_o = os.path.join(folder, "metrics.o")
    command[command.index("-o") + 1] = metrics_o
    command.insert(command.index("-o"), "-I" + folder)
    include = next(i for i, word in enumerate(command)
                   if word.startswith("-I") and word != "-I" + folder)
    command.remove("-I" + folder)
    command.insert(include, "-I" + folder)
    subprocess.run(command, cwd=entry["directory"], check=True)
    link_path = os.path.join(BUILD, "sim", "CMakeFiles", "warpmem.dir",
                             "link.txt")
    with open(link_path) as source:
        link = shlex.split(source.read())
    program = os.path.join(folder, "warpmem")
    link[link.index("-o") + 1] = program
    link.insert(link.index("-o"), metrics_o)
    subprocess.run(link, cwd=os.path.join(BUILD, "sim"), check=True)
    return program


def outputs(program, *options):
    """What a run prints in each format, and the dictionary's pages."""
    def ask(*args):
        run = wm.Run(args, program=program)
        assert run.code == 0, run.err
        return run.out.decode()
    run = ("run", "-q", "--no-host", "-c", wm.REF, TRACE) + options + ("-f",)
    return {"json": ask(*run, "json"), "csv": ask(*run, "csv"),
            "html": ask(*run, "html"), "list": ask("metrics"),
            "markdown": ask("metrics", "--markdown")}


def places(seen, metric):
    """Where the metric is found, by format."""
    result = json.loads(seen["json"])
    page = json.loads(re.search(r'id="data">(.*?)</script>', seen["html"],
                                re.S).group(1))
    assert metric in result["total"]["metrics"], metric
    for kernel in result["kernels"]:
        assert metric in kernel["metrics"], metric
    assert metric in seen["csv"].split("\n", 1)[0].split(","), metric
    assert metric in [m["id"] for m in page["metrics"]], metric
    assert page["results"][0]["total"][metric] == \
        result["total"]["metrics"][metric], metric
    assert "| `%s` |" % metric in seen["markdown"], metric
    return result["total"]["metrics"][metric]


@wm.in_folder
def one_metric(folder):
    seen = outputs(wm.WARPMEM)
    ids = [line for line in seen["list"].splitlines()
           if line and line[0] != " "]
    assert len(ids) > 150, len(ids)
    for metric in ids:
        places(seen, metric)
    with open(os.path.join(wm.ROOT, "docs", "METRICS.md")) as source:
        assert source.read() == seen["markdown"], "docs/METRICS.md is stale"

    program = program_with_line(folder)
    seen = outputs(program)
    assert places(seen, "ratio.from_a_test") == 0.5
    header = outputs(program, "--names", "nsight")["csv"].split("\n", 1)[0]
    assert "test__metric.sum" in header.split(",")
    print("%d metrics everywhere, and one more by one line" % len(ids))


if __name__ == "__main__":
    if not os.path.exists(os.path.join(BUILD, "compile_commands.json")):
        print("skipped: %s is no build folder" % BUILD)
        sys.exit(wm.SKIP)
    one_metric()
