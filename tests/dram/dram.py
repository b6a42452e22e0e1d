"""What the DRAM tests share: streams, the reference, the model, the auditor.

$STREAMS, $REFERENCE and $AUDIT are built from this folder, $WARPMEM is the
program under test.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "release")
HERE = os.path.join(BUILD, "tests", "dram")
STREAMS = os.environ.get("STREAMS", os.path.join(HERE, "streams"))
REFERENCE = os.environ.get("REFERENCE", os.path.join(HERE, "reference"))
AUDIT = os.environ.get("AUDIT", os.path.join(HERE, "audit"))
WARPMEM = os.environ.get("WARPMEM", os.path.join(BUILD, "bin", "warpmem"))
FOLDER = os.path.join(ROOT, "configs", "dram")
STANDARDS = sorted(name[:-5] for name in os.listdir(FOLDER)
                   if name.endswith(".yaml"))
SKIP = 77

Audit = collections.namedtuple("Audit", "code broken n_commands out")


def path_of(standard):
    return os.path.join(FOLDER, standard + ".yaml")


def check(holds, *what):
    if not holds:
        raise AssertionError(" ".join(str(w) for w in what))


def run(*args, stdin=None):
    done = subprocess.run([str(a) for a in args], input=stdin,
                          capture_output=True, timeout=300)
    check(done.returncode == 0, " ".join(str(a) for a in args), "ends with",
          done.returncode, done.stderr.decode("utf-8", "replace"))
    return done.stdout


def stream(pattern, n, seed=0):
    return run(STREAMS, pattern, n, seed)


def reference(standard_path, records, *options):
    """The line of results as a dictionary."""
    words = run(REFERENCE, *options, standard_path,
                stdin=records).decode().split()
    return dict(zip(words[::2], map(int, words[1::2])))


def model(standard_path, records, *options):
    """The JSON of `warpmem dram`; records: of stream(), or None with --gen."""
    with tempfile.NamedTemporaryFile(suffix=".stream") as file:
        if records is not None:
            file.write(records)
            file.flush()
            options += (file.name,)
        return json.loads(run(WARPMEM, "dram", "-c", standard_path, "-f",
                              "json", *options))


def queues(n):
    """The options of two queues of n entries, drained at 0.8 and 0.2."""
    return ("--read-queue", n, "--write-queue", n, "--write-high", 8 * n // 10,
            "--write-low", -(-2 * n // 10))


def commands_of(path):
    with open(path) as lines:
        return [line for line in lines if not line.startswith("#")]


def audit(trace, *options):
    """The verdict on a command trace: a path, or the text itself."""
    is_text = isinstance(trace, bytes)
    done = subprocess.run([AUDIT, *options, "-" if is_text else trace],
                          input=trace if is_text else None,
                          stdin=None if is_text else subprocess.DEVNULL,
                          capture_output=True)
    out = (done.stdout + done.stderr).decode("utf-8", "replace")
    check(done.returncode in (0, 1), "the auditor says:", out)
    last = re.search(r"^audit: (\d+) commands", out, re.M)
    broken = {line.split()[1] for line in out.splitlines()
              if line.startswith("violated ")}
    return Audit(done.returncode, broken, int(last[1]), out)


def variant(folder, name, base, **values):
    """A file that takes over `base` but for values: timing__tRC="50 ns"."""
    path = os.path.join(folder, name + ".yaml")
    with open(path, "w") as out:
        out.write("base: %s\n" % path_of(base))
        for key, value in values.items():
            out.write("%s: %s\n" % (key.replace("__", "."), value))
    return path


def main(tests, usual=()):
    """Runs the functions named on the command line (name:NUMBER... calls with
    numbers), or the usual ones, or all of them."""
    names = sys.argv[1:] or list(usual) or list(tests)
    failed = 0
    for name in names:
        word, *arguments = name.split(":")
        try:
            tests[word](*(int(a) for a in arguments))
            print("ok      %s" % name)
        except AssertionError as problem:
            failed += 1
            print("FAILED  %s: %s" % (name, problem))
    print("%d of %d hold" % (len(names) - failed, len(names)))
    sys.exit(failed > 0)


def tests_of(names):
    return {name[5:]: test for name, test in list(names.items())
            if name.startswith("test_")}
