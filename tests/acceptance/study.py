"""`warpmem study` from outside.

killed   kill -9 at 20 random moments, then the same command: the same table,
         and no finished point ran again
sweep    16 cache sizes cost no more than 16 runs, and 10 %; one decoding
preset   a changed preset runs again only what it touches
split    parts of a trace, joined, and how far they are from the whole
parallel any number of processes, the same bytes
"""
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time

import wm

TINY = os.path.join(wm.ROOT, "tests", "data", "golden_tiny.txt")


def write(path, text):
    with open(path, "w") as stream:
        stream.write(text)
    return path


def study(folder, traces, axes, more=""):
    return write(os.path.join(folder, "s.yaml"),
                 "traces: [%s]\nconfigs: [%s]\naxes:\n%s%s" % (
                     ", ".join('"%s"' % t for t in traces), wm.REF,
                     "".join("  %s: %s\n" % a for a in axes), more))


def good(*args, **keywords):
    done = wm.run("study", *args, **keywords)
    wm.check(done.code == 0, "exit %d: %s\n%s" % (
        done.code, " ".join(done.args), done.err))
    return done.out


def journal(folder):
    events = []
    for line in open(os.path.join(folder, "journal.jsonl")):
        events.append(json.loads(line))
    return events


def no_point_ran_twice(folder):
    done = set()
    for event in journal(folder):
        if event["event"] == "done":
            wm.check(event["point"] not in done, "ran twice: %s" % event)
            done.add(event["point"])
        elif event["event"] == "start":
            wm.check(event["point"] not in done,
                     "started though finished: %s" % event)
    return done


def make_trace(folder, name, *args):
    path = os.path.join(folder, name)
    done = wm.run("trace", "gen", "gather", "-o", path, "--span", "1M", *args)
    wm.check(done.code == 0, done.err)
    return path


@wm.in_folder
def killed(folder):
    seed = int(os.environ.get("SEED", "1"))
    rng = random.Random(seed)
    traces = [make_trace(folder, "a.wmt", "--seed", 1, "--ctas", 16),
              make_trace(folder, "b.wmt", "--seed", 2, "--ctas", 16)]
    path = study(folder, traces, [("l2.latency", "200..500 step 50"),
                                  ("l1.size", "[32 KiB, 64 KiB, 128 KiB]")])
    whole = os.path.join(folder, "whole")
    results = os.path.join(folder, "s.results")
    start = time.time()
    good("run", "-q", "-j", 1, "-d", whole, path)
    wanted = good("collect", "-d", whole, path)
    length = time.time() - start
    n_killed = 0
    for _ in range(20):
        process = subprocess.Popen(
            [wm.WARPMEM, "study", "run", "-q", "-j", "2", path],
            start_new_session=True, stderr=subprocess.DEVNULL)
        try:
            process.wait(rng.uniform(0, length / 25))
        except subprocess.TimeoutExpired:
            pass
        n_killed += process.poll() is None
        # The parent alone, or the children with it.
        try:
            if rng.random() < 0.5:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    try:
        n_before = sum(name.endswith(".json") for name in
                       os.listdir(os.path.join(results, "results")))
    except FileNotFoundError:
        n_before = 0
    good("run", "-q", "-j", 2, path)
    wm.check(good("collect", path) == wanted, "another table, seed %d" % seed)
    done = no_point_ran_twice(results)
    print("seed %d: %d points, %d of them before the last of %d kills, %d "
          "runs noted" % (seed, wanted.count(b"\n") - 1, n_before, n_killed,
                          len(done)))


def cpu(*args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = wm.run(*args)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    wm.check(done.code == 0, done.err)
    return (after.ru_utime + after.ru_stime - before.ru_utime -
            before.ru_stime)


@wm.in_folder
def sweep(folder):
    trace = wm.need_shared("traces", "rodinia-bfs")
    sizes = ["%d KiB" % (512 * n) for n in range(1, 17)]
    path = study(folder, [trace], [("l2.size", json.dumps(sizes))])
    best = None
    for _ in range(3):
        shutil.rmtree(os.path.join(folder, "s.results"), ignore_errors=True)
        single = sum(cpu("run", "-q", "-j", 1, "--no-host", "-f", "json", "-c",
                         wm.REF, "-s", "l2.size=" + size, "-o",
                         os.path.join(folder, "o.json"), trace)
                     for size in sizes)
        swept = cpu("study", "run", "-q", "-j", 2, path)
        ratio = swept / single
        best = ratio if best is None else min(best, ratio)
    print("16 runs %.2f s of CPU, the study %.2f s: %.2f" % (
        single, swept, best))
    wm.check(best < 1.1, "a study costs %.2f of its runs" % best)
    # The program reads the trace's files once, whatever the points.
    try:
        log = os.path.join(folder, "strace")
        shutil.rmtree(os.path.join(folder, "s.results"))
        subprocess.run(["strace", "-f", "-e", "trace=openat,open", "-o", log,
                        wm.WARPMEM, "study", "run", "-q", path], check=True)
        opened = open(log).read().count("kernel-9.traceg")
        wm.check(opened <= 2, "opened %d times" % opened)  # its size, its text
        print("kernel-9.traceg opened %d times for 16 points" % opened)
    except FileNotFoundError:
        print("no strace: opens not counted")


@wm.in_folder
def preset(folder):
    write(os.path.join(folder, "one.yaml"), "base: %s\nl2:\n  latency: 200\n"
          % wm.REF)
    write(os.path.join(folder, "two.yaml"), "base: %s\nl2:\n  latency: 300\n"
          % wm.REF)
    path = write(os.path.join(folder, "s.yaml"),
                 "traces: [%s]\nconfigs: [./one.yaml, ./two.yaml]\n"
                 "axes:\n  l1.size: [64 KiB, 128 KiB]\n" % TINY)
    good("run", "-q", path)
    write(os.path.join(folder, "two.yaml"), "base: %s\nl2:\n  latency: 400\n"
          % wm.REF)
    plan = good("plan", path).decode()
    wm.check("finished 2, to run 2" in plan, plan)
    # A comment changes nothing that a result depends on.
    write(os.path.join(folder, "one.yaml"),
          "# the same\nbase: %s\nl2:\n  latency: 200 # cycles\n" % wm.REF)
    wm.check("finished 2, to run 2" in good("plan", path).decode(), plan)
    good("run", "-q", path)
    wm.check("to run 0" in good("plan", path).decode(), "not all ran")
    # Another trace under the same name is another point.
    text = open(TINY).read()
    trace = write(os.path.join(folder, "t.txt"), text)
    path = study(folder, [trace], [("l1.size", "[64 KiB]")])
    good("run", "-q", path)
    write(trace, text.replace("0x7f2000001000", "0x7f2000101000"))
    wm.check("to run 1" in good("plan", path).decode(), "trace not noticed")


def by_launch(table):
    rows = {}
    for row in map(json.loads, table.decode().splitlines()):
        rows[row["launch"]] = row
    return rows


@wm.in_folder
def split(folder):
    trace = wm.need_shared("traces", "rodinia-bfs")
    keep = ("metrics: [time.ns, l2.read.miss_sectors, dram.read.bytes, "
            "l1.global_load.sectors]\nrows: kernels\n")
    tables = {}
    for name, more in (("whole", ""), ("0", "split: {kernels: 1}\n"),
                       ("1", "split: {kernels: 1, warmup: 1}\n"),
                       ("all", "split: {kernels: 1, warmup: all}\n")):
        path = study(folder, [trace], [("memcpy.l2", "[ignore]")], keep + more)
        good("run", "-q", path)
        tables[name] = by_launch(good("collect", "-f", "jsonl", path))
    whole = tables["whole"]
    wm.check(len(whole) == 16, "%d launches" % len(whole))
    for name, rows in tables.items():
        wm.check(sorted(rows) == sorted(whole), "launches of warmup %s" % name)
        error = {}
        for metric in ("time.ns", "dram.read.bytes"):
            total = sum(r[metric] for r in rows.values())
            wanted = sum(r[metric] for r in whole.values())
            error[metric] = total / wanted - 1
        for launch, row in rows.items():
            wm.check(row["l1.global_load.sectors"] ==
                     whole[launch]["l1.global_load.sectors"], "sectors differ")
        print("warm-up %-5s time %+.2f %%, bytes read %+.2f %%" % (
            name, 100 * error["time.ns"], 100 * error["dram.read.bytes"]))
        if name == "all":
            wm.check(abs(error["time.ns"]) < 0.001 and
                     error["dram.read.bytes"] == 0, "all is not all: %s" % error)
    # Totals of the joined parts are those of the whole.
    path = study(folder, [trace], [("memcpy.l2", "[ignore]")],
                 "split: {kernels: 5, warmup: all}\n"
                 "metrics: [l1.global_load.sectors, launch.records]\n")
    good("run", "-q", path)
    row = json.loads(good("collect", "-f", "jsonl", path))
    wm.check(row["launch.records"] == 40632, "records: %s" % row)


@wm.in_folder
def parallel(folder):
    trace = make_trace(folder, "a.wmt", "--ctas", 8)
    path = study(folder, [trace, TINY], [("l2.latency", "[200, 300, 400]")])
    tables = set()
    for jobs, memory in ((1, "1G"), (2, "1G"), (7, "1G"), (2, 0), (2, 5000)):
        where = os.path.join(folder, "r%d_%s" % (jobs, memory))
        good("run", "-q", "-j", jobs, "--memory", memory, "-d", where, path)
        for name in sorted(os.listdir(os.path.join(where, "results"))):
            tables.add((name, open(os.path.join(where, "results", name),
                                   "rb").read()))
    wm.check(len(tables) == 6, "%d different results" % len(tables))
    # In pieces, by two at the same time, into one folder.
    where = os.path.join(folder, "pieces")
    run = [wm.WARPMEM, "study", "run", "-q", "-d", where, "--chunks", "3"]
    processes = [subprocess.Popen(run + ["--chunk", str(i % 3), path])
                 for i in range(6)]
    wm.check(all(p.wait() == 0 for p in processes), "a piece failed")
    wm.check(len(no_point_ran_twice(where)) == 6, "pieces")
    # The stored result is what `run` prints.
    name, stored = sorted(tables)[0]
    loaded = json.loads(stored)
    again = wm.run("run", "-q", "--no-host", "-f", "json", "-c", wm.REF, "-s",
                   "l2.latency=%d" % loaded["config"]["values"]["l2.latency"],
                   loaded["traces"][0]["path"])
    wm.check(again.out == stored, "the stored result is another")


if __name__ == "__main__":
    wm.main({"killed": killed, "sweep": sweep, "preset": preset,
             "split": split, "parallel": parallel})
