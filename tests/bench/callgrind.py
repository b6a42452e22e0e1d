"""Instructions of one-threaded runs, counted by valgrind's callgrind: the
same from run to run, on a busy machine too.

Rows of baseline.csv: workload, mode, records, instructions per record.  The
start-up (a trace of one access) is a row of its own and taken off the others.
"""
import csv
import os
import re
import shutil
import subprocess

import wm
import workloads

BASELINE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "baseline.csv")
HEADER = ("workload", "mode", "records", "instructions_per_record")
LOSS = 0.10

# The first that matches a function's name has its instructions; those of a
# function that none matches belong to its callers.
STAGES = (
    ("decode", r"wm_trace_(open|next_.*|launch|digest|close)|wm_wmt_.*"),
    ("dispatch", r"(wm_)?dispatch_.*"),
    ("SM issue", r"(wm_)?(sm|counts)_.*"),
    ("coalescing", r"(wm_)?(front|coalesce|bank|banks)_?.*|gather_.*|"
                   r"count_.*|wm_tag_wavefronts.*|wm_same_address_lanes|"
                   r"wm_access_.*"),
    ("replies", r"wm_lsu_pass|wm_warp_.*|(wm_)?receive_?.*|"
                r"partition_(post|reply|file|refile)"),
    ("LSU and L1", r"(wm_)?(lsu|l1)_.*"),
    ("mailboxes", r"(wm_)?mailbox_.*"),
    ("partition order", r"(wm_)?partition_.*"),
    ("L2", r"(wm_)?l2_.*"),
    ("DRAM", r"(wm_)?dram_.*"),
)
REST = "rest"


def is_here():
    return shutil.which("valgrind") is not None


def profile(folder, mode, path):
    """Runs the program on a trace; returns the path of the profile."""
    out = os.path.join(folder, "callgrind.out")
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out,
         wm.WARPMEM, "run", "-q", "--no-host", "-c", "v100", "-m", mode,
         "-j", "1", "-o", os.devnull, path],
        stdin=subprocess.DEVNULL, capture_output=True)
    wm.check(done.returncode == 0, "callgrind: exit %d\n%s" % (
        done.returncode, done.stderr.decode("utf-8", "replace")))
    return out


def n_instructions(out):
    with open(out) as lines:
        for line in lines:
            if line.startswith(("totals:", "summary:")):
                return int(line.split()[1])
    raise AssertionError("no total in " + out)


def functions(out):
    """Own cost of each function, and {callee: {caller: cost}}."""
    names, own, callers = {}, {}, {}

    def name_of(text):
        number, _, name = text.partition(" ")
        if name:
            names[number] = re.split(r"[.']", name)[0]
        return names[number]

    here = callee = None
    with open(out) as lines:
        for line in lines:
            line = line.rstrip("\n")
            if line.startswith("fn="):
                here = name_of(line[3:])
            elif line.startswith("cfn="):
                callee = name_of(line[4:])
            elif line[:1] in "+-*0123456789" and line and here:
                words = line.split()
                cost = int(words[1]) if len(words) > 1 else 0
                if callee is None:
                    own[here] = own.get(here, 0) + cost
                elif callee != here:
                    of = callers.setdefault(callee, {})
                    of[here] = of.get(here, 0) + cost
                if callee is not None:
                    callee = None
    return own, callers


def stage_of(name):
    for stage, pattern in STAGES:
        if re.fullmatch(pattern, name):
            return stage
    return None


def shares(name, callers, known, open_names):
    """{stage: part} of a function, through its callers where needed."""
    if name in known:
        return known[name]
    stage = stage_of(name)
    if stage is not None:
        known[name] = {stage: 1.0}
        return known[name]
    of = {c: n for c, n in callers.get(name, {}).items()
          if c not in open_names and n > 0}
    total = sum(of.values())
    if total == 0:
        return {REST: 1.0}
    parts = {}
    for caller, cost in of.items():
        for stage, share in shares(caller, callers, known,
                                   open_names | {name}).items():
            parts[stage] = parts.get(stage, 0) + share * cost / total
    if not open_names:
        known[name] = parts
    return parts


def by_stage(out):
    """Instructions of each stage."""
    own, callers = functions(out)
    known, total = {}, {}
    for name, cost in own.items():
        for stage, share in shares(name, callers, known,
                                   frozenset()).items():
            total[stage] = total.get(stage, 0) + share * cost
    return total


def measure(folder, with_stages):
    """Rows as in baseline.csv, with the parts of the stages if wanted."""
    rows = []
    tiny = workloads.TINY.make("small", folder)
    start, start_stages = {}, {}
    for mode in workloads.MODES:
        out = profile(folder, mode, tiny)
        start[mode] = n_instructions(out)
        start_stages[mode] = by_stage(out)
        rows.append({"workload": workloads.TINY.name, "mode": mode,
                     "records": 1, "lines": 0,
                     "instructions_per_record": start[mode]})
    for workload in workloads.here():
        path = workload.make("small", folder)
        n_records = workloads.records(path)
        for mode in workloads.MODES:
            out = profile(folder, mode, path)
            net = n_instructions(out) - start[mode]
            n_lines = workloads.moved(wm.total(
                "-c", "v100", "-m", mode, path), "lines")
            row = {"workload": workload.name, "mode": mode,
                   "records": n_records, "lines": n_lines,
                   "instructions_per_record": round(net / n_records, 1)}
            if with_stages:
                row["stages"] = {
                    stage: (n - start_stages[mode].get(stage, 0)) / net
                    for stage, n in by_stage(out).items()}
            rows.append(row)
    return rows


def compiler():
    """What made the program, from the note that compilers leave in it.  The
    C library's start files leave one of GCC in every program."""
    with open(wm.WARPMEM, "rb") as program:
        content = program.read()
    for name, pattern in (("clang", rb"clang version (\d+)"),
                          ("gcc", rb"GCC: \([^)]*\) (\d+)")):
        found = re.search(pattern, content)
        if found:
            return "%s %s" % (name, found.group(1).decode())
    return "unknown"


def read_baseline():
    """The compiler, and {(workload, mode): row}."""
    if not os.path.exists(BASELINE):
        return None, {}
    with open(BASELINE, newline="") as lines:
        made_by = lines.readline()[2:].split(",")[0]
        return made_by, {(row["workload"], row["mode"]): row
                         for row in csv.DictReader(lines)}


def write_baseline(rows):
    """Rows of real traces that are not here stay as they are."""
    made_by, old = read_baseline()
    absent = {w.name for w in workloads.WORKLOADS if not w.is_here()}
    kept = [row for row in old.values()
            if row["workload"] in absent and made_by == compiler()]
    with open(BASELINE, "w", newline="") as out:
        out.write("# %s, Release; renew with bench.py --update\n" %
                  compiler())
        table = csv.DictWriter(out, HEADER, extrasaction="ignore",
                               lineterminator="\n")
        table.writeheader()
        table.writerows(rows + kept)


def compare(rows):
    """Prints each row beside its baseline; returns how many lost."""
    _, baseline = read_baseline()
    n_lost = 0
    print("%-20s %-7s %12s %12s %8s" % (
        "workload", "mode", "instr/record", "baseline", "change"))
    for row in rows:
        found = row["instructions_per_record"]
        old = baseline.get((row["workload"], row["mode"]))
        if old is None:
            n_lost += 1
            say = "not in baseline.csv: bench.py --update"
            print("%-20s %-7s %12.1f %s" % (
                row["workload"], row["mode"], found, say))
            continue
        wanted = float(old["instructions_per_record"])
        change = found / wanted - 1
        n_lost += change > LOSS
        print("%-20s %-7s %12.1f %12.1f %+7.1f %%%s" % (
            row["workload"], row["mode"], found, wanted, 100 * change,
            "  LOST" if change > LOSS else
            "  better: bench.py --update" if change < -LOSS else ""))
    print("%d of %d rows within %g %% of baseline.csv" % (
        len(rows) - n_lost, len(rows), 100 * LOSS))
    return n_lost
