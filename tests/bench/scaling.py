"""How cost grows: with the trace's length, the number of SMs, and threads."""
import os
import statistics
import subprocess
import time

import wm
import workloads

LENGTHS = (10**6, 10**7, 10**8)  # records
SMS = (16, 80, 132)
THREADS = (1, 2, 8)
LONG = ("copy", "l1", "stride32", "gather-256M")  # over a second each


def once(path, mode, jobs, *options):
    """CPU and wall seconds, peak MiB of one run."""
    start = time.monotonic()
    process = subprocess.Popen(
        [wm.WARPMEM, "run", "-q", "-c", "v100", "-m", mode, "-j", str(jobs),
         *options, "-o", os.devnull, path], stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wm.check(process.returncode == 0, "exit %d" % process.returncode)
    return (usage.ru_utime + usage.ru_stime, time.monotonic() - start,
            usage.ru_maxrss / 1024)


def generate(folder, name, pattern, n_ctas, n_rounds):
    path = os.path.join(folder, name + ".wmt")
    done = wm.run("trace", "gen", *pattern, "--ctas", n_ctas, "--accesses",
                  n_rounds, "-o", path)
    wm.check(done.code == 0, done.err)
    return path


def lengths(folder, mode):
    """Nanoseconds of CPU per record of `copy` at each length."""
    rows = []
    for n in LENGTHS:
        # 8 warps of 64 rounds of a load and a store, and their exits
        path = generate(folder, "length", ("copy",), n // (8 * 129), 64)
        n_records = workloads.records(path)
        repeats = 3 if n < 10**7 else 1
        runs = [once(path, mode, 1) for _ in range(repeats)]
        cpu = statistics.median(run[0] for run in runs)
        rows.append({"mode": mode, "records": n_records,
                     "ns_per_record": 1e9 * cpu / n_records,
                     "peak_mib": runs[0][2]})
        os.remove(path)
    return rows


def sms(folder, mode):
    """CPU seconds of the same work on chips of different size."""
    rows = []
    for name in ("copy", "l1", "stride32"):
        workload = next(w for w in workloads.WORKLOADS if w.name == name)
        path = workload.make("quick", folder)
        cpu = {n: [] for n in SMS}
        for _ in range(3):
            for n in SMS:
                cpu[n].append(once(path, mode, 1, "-s",
                                   "sm.count=%d" % n)[0])
        rows.append({"workload": name, "mode": mode,
                     "cpu_s": {n: statistics.median(cpu[n]) for n in SMS}})
    return rows


def threads(folder, mode):
    """Wall seconds, the best of 3, by number of threads."""
    rows = []
    for name in LONG:
        workload = next(w for w in workloads.WORKLOADS if w.name == name)
        n_ctas, n_rounds = workload.size["full"]
        path = generate(folder, "long", workload.pattern, 4 * n_ctas,
                        n_rounds)
        wall = {n: [] for n in THREADS}
        for _ in range(3):
            for n in THREADS:
                wall[n].append(once(path, mode, n)[1])
        rows.append({"workload": name, "mode": mode,
                     "wall_s": {n: min(wall[n]) for n in THREADS}})
        os.remove(path)
    return rows


def measure(folder):
    result = {"lengths": [], "sms": [], "threads": []}
    for mode in workloads.MODES:
        result["lengths"] += lengths(folder, mode)
        result["sms"] += sms(folder, mode)
        result["threads"] += threads(folder, mode)
    return result
