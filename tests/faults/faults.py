"""Each call of the system that can fail is made to fail, one at a time, while
the program replays, converts, checks, compares.

    faults.py KIND RUNS [CASE...]

KIND and RUNS are those of fault_main.c: alloc, write, read, open, eintr or
short, and how many calls at most are made to fail for each case.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), "acceptance"))
import wm  # noqa: E402

FAULTS = os.environ.get("FAULTS", os.path.join(
    wm.ROOT, "build", "release", "tests", "faults", "faults"))
TINY = os.path.join(wm.ROOT, "tests", "data", "golden_tiny.txt")
STUDY = """traces: [tiny.wmt]
configs: [%s]
axes: {l2.latency: [200, 300]}
""" % wm.REF

# name: (files that the command writes, arguments).  -k: it starts processes.
CASES = {
    "run": ([], ["run", "-c", wm.REF, "--no-host", "-f", "json",
                 "--instructions", "tiny.wmt"]),
    "counts": ([], ["run", "-m", "counts", "-j", "1", "-c", wm.REF,
                    "--no-host", "-f", "csv", "tiny.txt.gz"]),
    "html": (["out.html"], ["run", "-c", wm.REF, "--no-host", "-f", "html",
                            "-o", "out.html", "tiny.txt.xz"]),
    "list": ([], ["run", "-c", wm.REF, "--no-host", "-f", "text",
                  "list"]),
    "convert": (["out.wmt"], ["trace", "convert", "-q", "list", "-o",
                              "out.wmt"]),
    "accelsim": (["out/kernelslist.g"],
                 ["trace", "convert", "-q", "--to", "accelsim", "tiny.wmt",
                  "-o", "out"]),
    "slice": (["out.txt"], ["trace", "slice", "-q", "--launch-count", "1",
                            "tiny.wmt", "--to", "text", "-o", "out.txt"]),
    "check": ([], ["trace", "check", "tiny.wmt"]),
    "info": ([], ["trace", "info", "-f", "json", "tiny.txt.gz"]),
    "cat": ([], ["trace", "cat", "tiny.wmt"]),
    "gen": (["out.wmt"], ["trace", "gen", "copy", "--ctas", "4", "-o",
                          "out.wmt"]),
    "compare": ([], ["compare", "a.json", "b.json"]),
    "report": (["out.html"], ["report", "a.json", "b.json", "-o",
                              "out.html"]),
    "mrc": ([], ["mrc", "-f", "json", "tiny.wmt"]),
    "config": ([], ["config", "show", "v100"]),
    "diff": ([], ["config", "diff", "v100", wm.REF]),
    "explain": ([], ["config", "explain", "l2.size"]),
    "dram": (["out.json"], ["dram", "--gen", "seq", "--count", "200", "-f", "json",
                            "-o", "out.json"]),
    "study": ([], ["study", "run", "-q", "-j", "1", "-d", "st",
                           "study.yaml"]),
    "collect": (["st.csv"], ["study", "collect", "-d", "done",
                             "study.yaml", "-o", "st.csv"]),
}
FOLDERS = {"accelsim": "out", "study": "st"}


def make(folder):
    """What the cases read, in folder."""
    def do(*args):
        done = wm.run(*args, cwd=folder)
        wm.check(done.code == 0, done.err)

    do("trace", "convert", "-q", TINY, "-o", "tiny.wmt")
    do("trace", "convert", "-q", "--to", "accelsim", TINY, "-o", "list")
    with open(os.path.join(folder, "study.yaml"), "w") as out:
        out.write(STUDY)
    with open(TINY, "rb") as source:
        text = source.read()
    import gzip
    import lzma
    with open(os.path.join(folder, "tiny.txt.gz"), "wb") as out:
        out.write(gzip.compress(text))
    with open(os.path.join(folder, "tiny.txt.xz"), "wb") as out:
        out.write(lzma.compress(text))
    for name, latency in (("a.json", 200), ("b.json", 300)):
        do("run", "-c", wm.REF, "--no-host", "-f", "json", "-o", name, "-s",
           "l2.latency=%d" % latency, "tiny.wmt")
    do("study", "run", "-q", "-d", "done", "study.yaml")


def one(kind, n_runs, case, folder):
    files, args = CASES[case]
    options = [word for path in files for word in ("-w", path)]
    if case in FOLDERS:
        options += ["-d", FOLDERS[case]]
    if case == "study":
        options.append("-k")
        for name in os.listdir(os.path.join(folder, "done", "results")):
            options += ["-w", os.path.join("st", "results", name)]
    done = subprocess.run([FAULTS, kind, n_runs] + options + ["--"] + args,
                          cwd=folder, capture_output=True, text=True)
    wm.check(done.returncode == 0, "exit %d\n%s%s" % (
        done.returncode, done.stdout, done.stderr))
    print("        %s" % done.stdout.strip())


def main():
    kind, n_runs = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        tests = {case: lambda case=case: one(kind, n_runs, case, folder)
                 for case in CASES}
        sys.argv[1:] = sys.argv[3:]
        wm.main(tests)


if __name__ == "__main__":
    main()
