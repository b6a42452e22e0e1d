"""What the acceptance tests share: the program, its results, real traces.

The program under test is $WARPMEM, else build/release/bin/warpmem.  The real
traces and reference numbers lie outside the repository, in $WM_SHARED, else
../shared; tests that need them are skipped (exit 77) where they are absent.
"""
import functools
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
WARPMEM = os.environ.get(
    "WARPMEM", os.path.join(ROOT, "build", "release", "bin", "warpmem"))
SHARED = os.environ.get(
    "WM_SHARED", os.path.join(os.path.dirname(ROOT), "shared"))
REF = os.path.join(ROOT, "tests", "data", "ref.yaml")
SKIP = 77
KINDS = ("global_load", "global_store", "global_atomic", "global_reduction",
         "local_load", "local_store", "async_copy")


def need_shared(*parts):
    """The path of something in the shared folder; skips the test without."""
    path = os.path.join(SHARED, *parts)
    if not os.path.exists(path):
        print("skipped: %s is not here (set WM_SHARED)" % path)
        sys.exit(SKIP)
    return path


def in_folder(test):
    """Makes of test(folder) a test that gets a fresh folder."""
    @functools.wraps(test)
    def wrapped():
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
    return wrapped


class EndlessTrace:
    """A text trace that never ends, in a pipe with a name: whoever reads it
    is in the middle of it however slow or fast the machine is.  wait() returns
    when the reader has taken `n_ctas` of them, or gave up."""

    def __init__(self, path, n_ctas=2000):
        self.path = path
        self.n_ctas = n_ctas
        self.is_under_way = threading.Event()
        os.mkfifo(path)
        threading.Thread(target=self._feed, daemon=True).start()

    def wait(self, seconds=60):
        check(self.is_under_way.wait(seconds), "nobody reads " + self.path)

    def _feed(self):
        head = ("warpmem-trace 1\nlaunch grid 1000000000,1,1 block 32,1,1 "
                "shared 0 regs 16 warp 32 sm 70 stream 0 shared_base 0x0 "
                "local_base 0x0 name endless\n"
                "static 0 global_load pc 0x10 width 4\n"
                "static 1 exit pc 0x20\n")
        try:
            with open(self.path, "w", encoding="ascii") as pipe:
                pipe.write(head)
                for number in itertools.count():
                    pipe.write("cta %d,0,0 warps 1 records 2\nwarp 0\n"
                               "  0 ffffffff 0x%x +4\n  1 ffffffff\n" % (
                                   number, 0x10000000 + 128 * number))
                    if number == self.n_ctas:
                        pipe.flush()
                        self.is_under_way.set()
        except BrokenPipeError:
            self.is_under_way.set()


class Run:
    """One finished process."""

    def __init__(self, args, cwd=None, program=None, timeout=240):
        self.args = [program or WARPMEM] + [str(a) for a in args]
        done = subprocess.run(self.args, cwd=cwd, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=timeout)
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr.decode("utf-8", "replace")

    def json(self):
        try:
            return json.loads(self.out)
        except ValueError:
            raise AssertionError("no JSON from %s\nexit %d\n%s%s" % (
                " ".join(self.args), self.code,
                self.out[:400].decode("utf-8", "replace"), self.err))


def run(*args, **keywords):
    return Run(args, **keywords)


def result(*args, codes=(0,), **keywords):
    """The JSON of `warpmem run ARGS`, checked for its exit code."""
    done = run("run", "--no-host", "-f", "json", *args, **keywords)
    check(done.code in codes, "exit %d, wanted one of %s, from %s\n%s" % (
        done.code, list(codes), " ".join(done.args), done.err))
    return done.json()


def total(*args, **keywords):
    return result(*args, **keywords)["total"]["metrics"]


def check(holds, message):
    if not holds:
        raise AssertionError(message)


def equal(metrics, **wanted):
    """Metrics are named with __ for the dot: l2__read__sectors=128."""
    wrong = []
    for name, value in wanted.items():
        name = name.replace("__", ".")
        if name not in metrics:
            wrong.append("%s is not in the result" % name)
        elif metrics[name] != value:
            wrong.append("%s is %s, wanted %s" % (name, metrics[name], value))
    check(not wrong, "; ".join(wrong))


def refuses(code, parts, *args, **keywords):
    """`warpmem ARGS` exits with code, names every part on stderr, and leaves
    nothing on stdout that could pass for a complete result."""
    done = run(*args, **keywords)
    say = "%s\nexit %d\n%s" % (" ".join(done.args), done.code, done.err)
    check(done.code == code, "wanted exit %d: %s" % (code, say))
    check(done.err.startswith("warpmem: ") or "\nwarpmem: " in done.err,
          "no message starts with \"warpmem: \": " + say)
    for part in parts:
        check(part.lower() in done.err.lower(),
              "the message lacks \"%s\": %s" % (part, say))
    if done.out.lstrip().startswith(b"{"):
        check(done.json()["complete"] is False, "looks complete: " + say)
    return done


def main(tests):
    """Runs the functions named on the command line, or all of them."""
    names = sys.argv[1:] or list(tests)
    failed = 0
    for name in names:
        try:
            tests[name]()
            print("ok      %s" % name)
        except (AssertionError, subprocess.TimeoutExpired) as problem:
            failed += 1
            print("FAILED  %s: %s" % (name, problem))
    print("%d of %d hold" % (len(names) - failed, len(names)))
    sys.exit(failed > 0)
