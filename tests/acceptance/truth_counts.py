"""Every real trace file against independent counts: instructions, requests,
lanes, bytes, sectors, lines, shared-memory wavefronts, per kind."""
import concurrent.futures
import csv
import os
import sys

import wm

# Column of the table -> field of the metric family.
L1_FIELDS = {"requests_with_active_lanes": "active_requests",
             "active_lanes": "lanes", "requested_bytes": "requested_bytes",
             "sectors": "sectors", "lines": "lines"}
SHARED_FIELDS = {"requests_with_active_lanes": "active_requests",
                 "active_lanes": "lanes",
                 "requested_bytes": "requested_bytes",
                 "shared_wavefronts": "wavefronts",
                 "shared_ideal_wavefronts": "ideal_wavefronts"}
KINDS = wm.KINDS + ("shared_load", "shared_store", "shared_atomic")
# A kernel's head, cut short on purpose: reported, but never as complete.
CUT_SHORT = {"lud-v2/kernel-8.head.traceg"}


def metrics_of(name):
    path = wm.need_shared("traces", name)
    is_cut = name in CUT_SHORT
    report = wm.result("-m", "counts", "-c", "v100", "-j", "1", path,
                       codes=(1,) if is_cut else (0,))
    wm.check(report["complete"] is not is_cut,
             "%s: complete is %s" % (name, report["complete"]))
    return report["total"]["metrics"]


def expected_of(row):
    kind = row["kind"]
    wanted = {"instructions." + kind: row["instructions"]}
    if kind.startswith("shared_"):
        for column, field in SHARED_FIELDS.items():
            wanted["shared.%s.%s" % (kind[7:], field)] = row[column]
    else:
        for column, field in L1_FIELDS.items():
            wanted["l1.%s.%s" % (kind, field)] = row[column]
    return {name: int(value) for name, value in wanted.items()}


def check_file(name, rows):
    """Returns (rows that hold, messages)."""
    try:
        metrics = metrics_of(name)
    except AssertionError as problem:
        return 0, ["%s: %s" % (name, problem)]
    messages = []
    n_equal = 0
    seen = {row["kind"] for row in rows}
    for row in rows:
        if row["kind"] == "none":
            wanted = {}
        else:
            wanted = expected_of(row)
        # What the table does not list did not happen.
        for kind in KINDS:
            if kind not in seen:
                wanted.setdefault("instructions." + kind, 0)
        wrong = ["%s: %s is %s, wanted %d" % (name, metric,
                                               metrics.get(metric), value)
                 for metric, value in wanted.items()
                 if metrics.get(metric) != value]
        n_equal += not wrong
        messages += wrong
    return n_equal, messages


def main():
    table = wm.need_shared("truth", "trace_counts.csv")
    files = {}
    with open(table, newline="") as lines:
        for row in csv.DictReader(lines):
            files.setdefault(row["file"], []).append(row)
    n_rows = sum(len(rows) for rows in files.values())
    n_equal = 0
    with concurrent.futures.ThreadPoolExecutor(
            max_workers=os.cpu_count() or 1) as pool:
        for n, messages in pool.map(check_file, files, files.values()):
            n_equal += n
            for message in messages:
                print(message)
    print("rows equal: %d of %d, in %d files" % (n_equal, n_rows, len(files)))
    sys.exit(n_equal != n_rows)


main()
