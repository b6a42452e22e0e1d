"""How fast native traces are read and written, without any simulation: CPU
time of `trace check` and `trace convert`, medians of rounds.

check counts CTAs, so what it takes is reading, checking and decoding.  Writing
is a .wmt converted to .wmt, less the reading.
"""
import os
import statistics
import subprocess
import time

import wm

# name, pattern and options, CTAs: full and quick
MADE = (
    ("strided", ("stride", "--accesses", 64), 200000, 50000),
    ("vecadd", ("vecadd", "--accesses", 1), 1000000, 250000),
    ("gather-64M", ("gather", "--span", "64M"), 20000, 5000),
    ("histogram", ("histogram",), 20000, 5000),
)
REAL = ("rodinia-bfs", "pytorch-train")
TIMES = 20  # small real traces are read this often in one process


def ok(*args):
    done = wm.run(*args)
    wm.check(done.code == 0, done.err)


def main_thread_cpu(pid):
    """CPU seconds of the first thread of a process that has ended and that
    nobody has waited for; None where the host does not say."""
    try:
        with open("/proc/%d/task/%d/schedstat" % (pid, pid)) as text:
            return int(text.read().split()[0]) / 1e9
    except (OSError, ValueError, IndexError):
        return None


def timed(args):
    """Seconds of one process: CPU, wall, and the CPU of its first thread."""
    start = time.monotonic()
    process = subprocess.Popen([wm.WARPMEM] + [str(a) for a in args],
                               stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    wall = time.monotonic() - start
    first = main_thread_cpu(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wm.check(process.returncode == 0, "exit %d from %s" % (
        process.returncode, " ".join(map(str, args))))
    return usage.ru_utime + usage.ru_stime, wall, first


def make(folder, is_quick):
    """(name, path, times) of each trace."""
    for name, pattern, full, quick in MADE:
        path = os.path.join(folder, name + ".wmt")
        ok("trace", "gen", *pattern, "--ctas", quick if is_quick else full,
           "-o", path)
        yield name, path, 1
    for name in REAL:
        source = os.path.join(wm.SHARED, "traces", name)
        path = os.path.join(folder, name + ".wmt")
        if os.path.isdir(source):
            ok("trace", "convert", "-q", source, "-o", path)
            yield name, path, TIMES
        else:
            print("skipped: %s is not here (set WM_SHARED)" % name)


def median_cpu(runs):
    return statistics.median(cpu for cpu, _, _ in runs)


def best_wall(runs):
    return min(wall for _, wall, _ in runs)


def bound(one, two):
    """What two threads can gain by their CPU time, were both never to wait:
    one thread's to the busier one's of two.  Other work on the machine does
    not change it."""
    busier = [max(first, cpu - first) for cpu, _, first in two
              if first is not None]
    return median_cpu(one) / statistics.median(busier) if busier else None


def measure(folder, is_quick, n_rounds):
    rows = []
    tiny = os.path.join(folder, "tiny.wmt")
    ok("trace", "gen", "read", "--ctas", 1, "-o", tiny)
    for name, path, times in make(folder, is_quick):
        done = wm.run("trace", "info", "-f", "json", path)
        n_records = done.json()["total"]["records"]
        copy = os.path.join(folder, "copy.wmt")
        runs = {"start": [], "one": [], "two": [], "write": []}
        for _ in range(n_rounds):
            runs["start"].append(timed(("trace", "check", tiny)))
            for key, jobs in (("one", 1), ("two", 2)):
                runs[key].append(timed(("trace", "check", "-j", jobs) +
                                       (path,) * times))
            runs["write"].append(timed(("trace", "convert", "-q", path, "-o",
                                        copy)))
        start = median_cpu(runs["start"])
        read = max((median_cpu(runs["one"]) - start) / times, 1e-6)
        write = max(median_cpu(runs["write"]) - start - read, 1e-6)
        rows.append({
            "trace": name, "records": n_records,
            "bytes_per_record": os.path.getsize(path) / n_records,
            "read_per_s": n_records / read, "write_per_s": n_records / write,
            "cpu_two": median_cpu(runs["two"]) / median_cpu(runs["one"]),
            "speed_up": best_wall(runs["one"]) / best_wall(runs["two"]),
            "bound": bound(runs["one"], runs["two"])})
        os.unlink(path)
    return rows
