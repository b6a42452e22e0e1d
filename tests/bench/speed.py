"""CPU time of whole processes: medians of rounds that take every workload in
turn, so that a busy spell of the machine meets all of them alike."""
import json
import os
import statistics
import subprocess
import time

import wm
import workloads

N_COLD = 20  # cold chips more, to tell a chip's cost from the program's


class Job:
    """One command line, measured some times."""

    def __init__(self, workload, mode, jobs, paths, options=()):
        self.workload = workload
        self.mode = mode
        self.jobs = jobs
        self.n_chips = len(paths)
        self.args = [wm.WARPMEM, "run", "-q", "-c", "v100", "-m", mode, "-j",
                     str(jobs), *options, *paths]
        self.cpu, self.wall = [], []
        self.peak_mib = None

    def metrics(self):
        """The warm-up run: its JSON totals.  The shell between keeps this
        interpreter's size out of the program's peak."""
        out = subprocess.run(
            ["sh", "-c", '"$@"; exit $?', "sh", *self.args, "-f", "json"],
            check=True, stdin=subprocess.DEVNULL, capture_output=True)
        result = json.loads(out.stdout)
        self.peak_mib = result["host"]["peak_bytes"] / 2**20
        return result["total"]["metrics"]

    def measure(self):
        start = time.monotonic()
        process = subprocess.Popen(self.args + ["-o", os.devnull],
                                   stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wm.check(process.returncode == 0, "exit %d from %s" % (
            process.returncode, " ".join(self.args)))
        self.wall.append(time.monotonic() - start)
        self.cpu.append(usage.ru_utime + usage.ru_stime)


def rounds(jobs, n):
    for _ in range(n):
        for job in jobs:
            job.measure()


# Below this share of the whole, what is left is the start-up's noise.
LEAST_SHARE = 0.2


def result(job, n_records, n_sectors, startup):
    """A row of the table; the start-up is taken off.  Rates are None where
    it is nearly all."""
    program, chip = startup
    cpu = statistics.median(job.cpu)
    net = cpu - program - job.n_chips * chip
    is_told = net >= LEAST_SHARE * cpu
    return {"workload": job.workload.name, "mode": job.mode,
            "threads": job.jobs, "records": n_records, "sectors": n_sectors,
            "cpu_s": cpu, "wall_s": min(job.wall),
            "net_cpu_s": net,
            "records_per_s": n_records / net if is_told else None,
            "sectors_per_s": n_sectors / net if is_told else None,
            "peak_mib": job.peak_mib}


def startup_costs(one, many):
    """CPU seconds of the program itself, and of each cold chip."""
    cpu = statistics.median(one.cpu)
    chip = max(statistics.median(many.cpu) - cpu, 0) / N_COLD
    return cpu - chip, chip


def measure(folder, size, n_rounds, threads):
    """All workloads, modes and thread counts; a list of rows."""
    jobs, facts, ends = [], {}, {}
    tiny = workloads.TINY.make("small", folder)
    for jobs_n in threads:
        for mode in workloads.MODES:
            ends[mode, jobs_n] = [
                Job(workloads.TINY, mode, jobs_n, [tiny] * n)
                for n in (1, 1 + N_COLD)]
            jobs += ends[mode, jobs_n]
    for workload in workloads.here():
        path = workload.make(size, folder)
        n_records = workload.times * workloads.records(path)
        for mode in workloads.MODES:
            for jobs_n in threads:
                job = Job(workload, mode, jobs_n, [path] * workload.times)
                metrics = job.metrics()
                workload.check(metrics, mode)
                facts[job] = n_records, workloads.moved(metrics, "sectors")
                jobs.append(job)
    rounds(jobs, n_rounds)
    rows = [result(job, *fact, startup_costs(*ends[job.mode, job.jobs]))
            for job, fact in facts.items()]
    starts = []
    for (mode, jobs_n), pair in ends.items():
        program, chip = startup_costs(*pair)
        starts.append({"mode": mode, "threads": jobs_n, "program_s": program,
                       "chip_s": chip})
    return rows, starts
