"""CPU time of whole processes beside Accel-Sim's, on the same traces: every
SM7_QV100 row of the shared table, from text and from .wmt."""
import csv
import importlib.util
import os
import statistics
import sys

import speed
import wm

TABLE = os.path.join(wm.SHARED, "truth", "accelsim_1x.csv")
GENERATOR = os.path.join(wm.SHARED, "tools", "gen_accelsim_traces.py")
SM = 70
# Where a row's name is not the trace's, or the run has options.
TRACES = {"sweep4_memcpy_lo": "sweep4_memcpy"}
OPTIONS = {"sweep4_memcpy": ("-s", "memcpy.l2=ignore")}


class Row:
    """Stands where a workload stands in speed.Job."""

    def __init__(self, name, user_s):
        self.name = name
        self.user_s = user_s


def is_here():
    return os.path.exists(TABLE) and os.path.exists(GENERATOR)


def load_generator():
    spec = importlib.util.spec_from_file_location("generator", GENERATOR)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def make_text(generator, name, folder):
    makers = {"stride32": lambda d, sm: generator.strided(d, sm, 32),
              "stride128": lambda d, sm: generator.strided(d, sm, 128, 100),
              "sweep4_memcpy": lambda d, sm: generator.sweep4(d, sm, True),
              "vecadd_L": lambda d, sm: generator.vecadd(d, sm, 16384)}
    if not os.path.isdir(folder):
        os.makedirs(folder)
        makers.get(name, getattr(generator, name, None))(folder, SM)
    return os.path.join(folder, "kernelslist.g")


def measure(folder, n_rounds):
    with open(TABLE, newline="") as lines:
        table = [Row(row["run"], float(row["user_s"]))
                 for row in csv.DictReader(lines)
                 if row["config"] == "SM7_QV100"]
    generator = load_generator()
    jobs = {}
    for row in table:
        name = TRACES.get(row.name, row.name)
        text = make_text(generator, name, os.path.join(folder, name))
        native = os.path.join(folder, name + ".wmt")
        if not os.path.exists(native):
            done = wm.run("trace", "convert", text, "-o", native)
            wm.check(done.code == 0, done.err)
        options = OPTIONS.get(row.name, ())
        jobs[row] = {
            (form, mode): speed.Job(row, mode, 1, [path], options)
            for form, path in (("text", text), ("wmt", native))
            for mode in ("timing", "counts")}
    every = [job for of_row in jobs.values() for job in of_row.values()]
    speed.rounds(every, 1 + n_rounds)
    rows = []
    for row, of_row in jobs.items():
        cpu = {"%s_%s_s" % key: statistics.median(job.cpu[1:])
               for key, job in of_row.items()}
        rows.append({"run": row.name, "theirs_s": row.user_s, **cpu})
    return rows
