"""How near the hardware is: every published figure of hardware.csv beside
ours.

    fidelity.py [--only REGEX] [--all] [--write] [--summary] [--jobs N]

Each case's trace is made from its formula (patterns.py), run with the preset
of its GPU as it is, and compared.  results.csv holds the last figures; a run
fails when a row of it got worse.  --write renews the rows that were run,
--all runs every row instead of the quick ones, --only picks cases.
"""
import argparse
import concurrent.futures
import csv
import functools
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

import patterns

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WARPMEM = os.environ.get(
    "WARPMEM", os.path.join(ROOT, "build", "release", "bin", "warpmem"))
RESULTS = os.path.join(HERE, "results.csv")
HARDWARE = os.path.join(HERE, "hardware.csv")
COLUMNS = ("id", "case", "metric", "bar", "hardware", "ours", "error_pct",
           "seconds")
# An error may grow by so many points before a row counts as worse.
SLACK = 0.25
# Cases cheaper than this many seconds belong to the quick run.
QUICK_SECONDS = 0.4

# bar -> (what is judged, limits).  mean, worst, median: of |error| in percent;
# points: hit rates, of the difference in percentage points.
BARS = {
    "exact": {"worst": 0.0},
    "tag_wavefronts": {"mean": 3, "worst": 15},
    "l1_cycles": {"mean": 3, "worst": 15},
    "traffic": {"median": 2, "worst": 10},
    "hit_rate": {"median": 2, "worst": 6},
    "latency": {"median": 5},
    "edge": {"worst": 15},
    "plateau": {"worst": 5},
    "streaming": {"worst": 5},
    "sweep": {"mean": 10},
    "kernel_time": {"mean": 15, "correlation": 0.98},
    "geometry": {"worst": 15},
    "throughput": {},
}


def run_json(args):
    done = subprocess.run([WARPMEM, *args], capture_output=True,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise RuntimeError("%s\n%s" % (" ".join(args),
                                       done.stderr.decode()[-600:]))
    return json.loads(done.stdout)


TINY = """warpmem-trace 1
launch grid 1,1,1 block 32,1,1 regs 16 warp 32 sm 0 name tiny
static 0 exit opcode EXIT
cta 0,0,0 warps 1
warp 0
0 ffffffff
"""


@functools.lru_cache(None)
def configuration(preset):
    """The values of a preset, in the units of results."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(TINY)
        file.flush()
        values = run_json(["run", "-q", "--no-host", "-f", "json", "-c",
                           preset, file.name])["config"]["values"]
    values["warp"] = 64 if preset.startswith("mi") else 32
    return values


def arguments(words):
    found = {}
    for word in words:
        name, value = word.split("=")
        try:
            found[name] = int(value)
        except ValueError:
            try:
                found[name] = float(value)
            except ValueError:
                found[name] = value
    return found


def percent(part, whole):
    return 100.0 * part / whole if whole else 0.0


def add_rates(metrics):
    """Hit rates as the tables have them; pending counts as hit."""
    def hits(name):
        return metrics.get(name + ".hit_sectors", 0) + \
            metrics.get(name + ".pending_sectors", 0)
    if "l2.read.sectors" not in metrics:
        return metrics
    metrics["l1_hit_pct"] = percent(hits("l1.global_load"),
                                    metrics["l1.global_load.sectors"])
    metrics["l2_read_hit_pct"] = percent(hits("l2.read"),
                                         metrics["l2.read.sectors"])
    metrics["l2_write_hit_pct"] = percent(hits("l2.write"),
                                          metrics["l2.write.sectors"])
    metrics["l2_hit_pct"] = percent(
        hits("l2.read") + hits("l2.write"),
        metrics["l2.read.sectors"] + metrics["l2.write.sectors"])
    return metrics


def simulate(case):
    """All metrics of a case, and the CPU seconds it took."""
    preset, family, *words = case.split(" ")
    pattern = patterns.FAMILIES[family](configuration(preset),
                                        **arguments(words))
    before = os.times()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.txt")
        with open(path, "w") as file:
            pattern.write(file)
        result = run_json(["run", "-q", "--no-host", "-j", "1", "-f", "json",
                           "-c", preset, *pattern.options, path])
    after = os.times()
    kernels = [kernel["metrics"] for kernel in result["kernels"]]
    seconds = sum(after[:4]) - sum(before[:4])
    return add_rates(pattern.read(kernels)), seconds


def error_of(row, ours):
    """In percent; of hit rates in percentage points."""
    hardware = float(row["hardware"])
    if row["bar"] == "hit_rate":
        return ours - hardware
    if hardware == 0:
        return 0.0 if ours == 0 else 100.0
    return 100.0 * (ours / hardware - 1)


def rounds_to(ours, text):
    """True when ours, printed with the hardware figure's digits, is it."""
    digits = len(text.split(".")[1]) if "." in text else 0
    return abs(ours - float(text)) <= 0.5001 * 10 ** -digits


def finish(row, metrics, seconds):
    ours = metrics.get(row["metric"])
    if ours is None:
        raise RuntimeError("%s has no %s" % (row["case"], row["metric"]))
    error = error_of(row, ours)
    if row["bar"] == "exact" and rounds_to(ours, row["hardware"]):
        error = 0.0
    return {"id": row["id"], "case": row["case"], "metric": row["metric"],
            "bar": row["bar"], "hardware": row["hardware"],
            "ours": "%.6g" % ours if isinstance(ours, float) else str(ours),
            "error_pct": "%.2f" % error, "seconds": "%.1f" % seconds}


def read_csv(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write_results(rows):
    with open(RESULTS, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


# --- judging --------------------------------------------------------------
def correlation(rows):
    """Of the logarithms, since rows of several GPUs and units are compared."""
    pairs = [(math.log(float(row["hardware"])), math.log(float(row["ours"])))
             for row in rows
             if float(row["hardware"]) > 0 and float(row["ours"]) > 0]
    if len(pairs) < 3:
        return 1.0
    return statistics.correlation(*zip(*pairs))


def judge(name, rows):
    """What is printed of a bar's rows, and whether it holds."""
    sizes = [abs(float(row["error_pct"])) for row in rows]
    found = {"mean": statistics.fmean(sizes), "worst": max(sizes),
             "median": statistics.median(sizes)}
    limits = BARS.get(name, {})
    if "correlation" in limits:
        found["correlation"] = correlation(rows)
    holds = all(found[what] >= limit if what == "correlation" else
                found[what] <= limit + 1e-9 for what, limit in limits.items())
    return found, limits, holds


def summary(rows, say=print):
    """One line a bar and GPU."""
    groups = {}
    for row in rows:
        preset = row["case"].split(" ")[0]
        for key in ((row["bar"], "all"), (row["bar"], preset)):
            groups.setdefault(key, []).append(row)
    say("%-15s %-14s %5s %8s %8s %8s  %s" % (
        "bar", "GPU", "rows", "median", "mean", "worst", "limit"))
    for (bar, preset), members in sorted(groups.items()):
        found, limits, holds = judge(bar, members)
        say("%-15s %-14s %5d %8.2f %8.2f %8.2f  %s %s" % (
            bar, preset, len(members), found["median"], found["mean"],
            found["worst"], " ".join(
                "%s %.4f of %g" % (what, found[what], limit)
                if what == "correlation" else "%s %g" % (what, limit)
                for what, limit in limits.items()),
            ("holds" if holds else "MISSED") if limits else ""))


# --- running --------------------------------------------------------------
def available():
    done = subprocess.run([WARPMEM, "config", "list"], capture_output=True,
                          text=True, check=True)
    return {line.split()[0] for line in done.stdout.splitlines()
            if line and not line[0].isspace()}


def chosen(options, hardware, old):
    """Cases to run, each with its rows."""
    presets = available()
    known = {(row["case"], row["metric"]): row for row in old}
    cases = {}
    for row in hardware:
        if row["case"].split(" ")[0] not in presets:
            continue
        if options.only and not re.search(options.only, row["case"]):
            continue
        cases.setdefault(row["case"], []).append(row)
    if options.all or options.only:
        return cases
    return {case: rows for case, rows in cases.items()
            if all((case, row["metric"]) in known and
                   float(known[case, row["metric"]]["seconds"]) <=
                   QUICK_SECONDS for row in rows)}


def attempt(case):
    try:
        return case, simulate(case), None
    except (RuntimeError, KeyError, TypeError, ZeroDivisionError) as problem:
        return case, None, "%s: %s" % (type(problem).__name__, problem)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", metavar="REGEX")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--summary", action="store_true",
                        help="of results.csv, nothing is run")
    parser.add_argument("--rows", action="store_true", help="print each row")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    old = read_csv(RESULTS)
    if options.summary:
        summary(old)
        return
    cases = chosen(options, read_csv(HARDWARE), old)
    known = {(row["case"], row["metric"]): row for row in old}
    worse, failed = [], 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for case, found, problem in pool.map(attempt, cases):
            if options.write:
                write_results(known.values())
            if problem:
                failed += 1
                print("FAILED  %s: %s" % (case, problem))
                continue
            for row in cases[case]:
                done = finish(row, *found)
                before = known.get((case, row["metric"]))
                if before and abs(float(done["error_pct"])) > \
                        abs(float(before["error_pct"])) + SLACK:
                    worse.append((before, done))
                known[case, row["metric"]] = done
                if options.rows:
                    print("%-58s %-22s %12s %12s %8s" % (
                        case, row["metric"], done["hardware"], done["ours"],
                        done["error_pct"]), flush=True)
    for before, done in worse:
        print("worse   %s %s: %s, was %s, hardware %s" % (
            done["case"], done["metric"], done["ours"], before["ours"],
            done["hardware"]))
    ran = [row for (case, _), row in known.items() if case in cases]
    if ran:
        summary(ran)
    if options.write:
        write_results(known.values())
        worse = []
    print("%d cases, %d failed, %d rows worse" % (
        len(cases), failed, len(worse)))
    sys.exit(bool(failed or worse))


if __name__ == "__main__":
    main()
