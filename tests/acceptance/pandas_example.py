"""docs/examples/results.py runs on real results; skipped without pandas."""
import os
import shutil
import subprocess
import sys

import wm


def python_with_pandas():
    for name in (sys.executable, "/usr/bin/python3", shutil.which("python3")):
        if name and subprocess.run([name, "-c", "import pandas"],
                                   capture_output=True).returncode == 0:
            return name
    print("skipped: no python3 here has pandas (Debian: python3-pandas)")
    sys.exit(wm.SKIP)


@wm.in_folder
def example(folder):
    python = python_with_pandas()
    trace = os.path.join(wm.ROOT, "tests", "data", "golden_tiny.txt")
    names = [os.path.join(folder, name) for name in ("r.json", "r.csv")]
    for name in names:
        run = wm.Run(["run", "-q", "-c", wm.REF, "-f", name.split(".")[-1],
                      "--instructions", "--interval", "100ns", "-o", name,
                      trace])
        assert run.code == 0, run.err
    done = subprocess.run(
        [python, "-B", os.path.join(wm.ROOT, "docs", "examples",
                                    "results.py")] + names,
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "strided by 32 B" in done.stdout, done.stdout
    assert "CSV and JSON agree" in done.stdout, done.stdout
    assert not done.stderr, done.stderr
    print(done.stdout)


if __name__ == "__main__":
    example()
