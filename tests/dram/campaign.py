"""The banked model on random machines, held to the reference and the auditor.

    campaign.py [TEST[:CASES[:SEED]]...]     all but long by default

equal      random standards and streams: every command and every count is that
           of the reference controller, which looks at every tick
policies   row policies, caps, per-bank refresh, channels, mappings: no rule is
           broken
shipped    the same for the standards in configs/dram
long       MILLIONS of commands (long:100) of the standards in configs/dram, all
           policies and clocks in turn: no rule is broken

A failure prints its seed: campaign.py equal:1:SEED repeats it.
"""
import json
import os
import random
import subprocess
import tempfile

import random_standard
from dram import (AUDIT, STANDARDS, WARPMEM, audit, check, commands_of, main,
                  model, path_of, queues, reference, stream, tests_of)

PATTERNS = ("seq", "stride", "rand", "copy", "rmix", "gpu", "hot", "hot")
# Ours and the reference's words for the same.
SAME = {"ticks": "cycles", "requests": "requests", "completed_reads": "reads",
        "latency_sum_ticks": "latency_sum", "row_hits": "hits",
        "row_misses": "misses", "row_conflicts": "conflicts",
        "forwarded": "forwarded", "merged": "merged"}


class Case:
    """A stream and the controller it meets."""

    def __init__(self, rng, n_most):
        self.n_queue = rng.choice((2, 3, 5, 8, 16, 32, 32, 64, 128))
        self.rate = rng.choice((0, 0, 512, 1024, 2048, 4096, 10000, 60000))
        self.pattern = rng.choice(PATTERNS)
        self.n = rng.choice((n_most // 10, n_most // 2, n_most))
        self.records = stream(self.pattern, self.n, rng.randrange(1, 10**6))
        self.is_row_hit = rng.random() < 0.3
        self.has_refresh = rng.random() < 0.85

    def ours(self, sizes=None):
        rate = "1024/%d" % self.rate if self.rate else "max"
        options = [*(sizes or queues(self.n_queue)), "--rate", rate]
        options += ["--scheduler", "frfcfs_rowhit"] if self.is_row_hit else []
        return options

    def theirs(self):
        options = ["--rate", self.rate, "--queue", self.n_queue]
        options += ["--row-hit"] if self.is_row_hit else []
        return options + ([] if self.has_refresh else ["--no-refresh"])

    def audit_options(self):
        return [] if self.has_refresh else ["--no-refresh"]


def uneven_queues(rng):
    reads, writes = rng.choice((1, 2, 7, 40, 512)), rng.choice((1, 3, 20, 512))
    high = rng.randint(1, writes)
    return ("--read-queue", reads, "--write-queue", writes, "--write-high",
            high, "--write-low", rng.randint(1, high))


def policies(rng, case, has_per_bank, atom):
    options = ["--page", rng.choice(("open", "closed", "timeout")),
               "--timeout", rng.choice((1, 10, 50, 200, 1000)),
               "--cap", rng.choice((0, 0, 1, 2, 4, 16)),
               "--offers", rng.choice((1, 4, 4, 16)),
               "--bytes", atom * rng.choice((1, 1, 1, 2, 4, 8)),
               "--interleave", rng.choice((512, 1024)),
               "--mapping", rng.choice(("mop4clxor", "robaracoch", "gpu"))]
    if rng.random() < 0.3:
        options += ["--channels", rng.choice((2, 3, 5)), "-j",
                    rng.choice((1, 2))]
    refresh = "none"
    if case.has_refresh:
        refresh = "per_bank" if has_per_bank and rng.random() < 0.5 else (
            "all_bank")
    return options + ["--refresh", refresh]


def atom_of(path):
    with open(path) as lines:
        for line in lines:
            if line.startswith("base:"):
                return atom_of(path_of(line.split()[1]))
            if line.strip().startswith("atom:"):
                return int(line.split()[1])
    return 32


def differences(found, wanted):
    return ["%s is %s, ticking gives %s" % (ours, found[ours], wanted[theirs])
            for ours, theirs in SAME.items()
            if found[ours] != wanted[theirs]]


def compare(folder, standard, case, name):
    """Our commands and counts with the reference's."""
    ours, theirs = (os.path.join(folder, f) for f in ("ours", "theirs"))
    refresh = "all_bank" if case.has_refresh else "none"
    found = model(standard, case.records, *case.ours(), "--refresh", refresh,
                  "--mapping", "mop4clxor", "--commands", ours)
    wanted = reference(standard, case.records, *case.theirs(), "--commands",
                       theirs)
    a, b = commands_of(ours), commands_of(theirs)
    # Both end with the last read; what follows in that tick may differ.
    for i in range(min(len(a), len(b))):
        check(a[i] == b[i], name, "command", i, "is", a[i].strip(),
              "ticking gives", b[i].strip())
    check(abs(len(a) - len(b)) <= 2 * case.n_queue, name, len(a), "commands,",
          "ticking gives", len(b))
    check(not differences(found, wanted), name,
          "; ".join(differences(found, wanted)))
    verdict = audit(ours, *case.audit_options())
    check(not verdict.broken, name, verdict.out)
    return verdict.n_commands


def test_equal(n_cases=40, first=1):
    n = 0
    with tempfile.TemporaryDirectory() as folder:
        standard = os.path.join(folder, "s.yaml")
        for seed in range(first, first + n_cases):
            rng = random.Random(seed)
            random_standard.write(rng, standard)
            n += compare(folder, standard, Case(rng, 2000), "seed %d" % seed)
    print("%d commands of %d random machines, equal to the tick" % (n, n_cases))


def test_shipped(n_cases=20, first=1):
    n = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + n_cases):
            rng = random.Random(seed)
            standard = STANDARDS[seed % len(STANDARDS)]
            n += compare(folder, path_of(standard), Case(rng, 2000),
                         "seed %d, %s" % (seed, standard))
    print("%d commands, equal to the tick" % n)


def test_policies(n_cases=40, first=1):
    n = 0
    with tempfile.TemporaryDirectory() as folder:
        standard, ours = (os.path.join(folder, f) for f in ("s.yaml", "ours"))
        for seed in range(first, first + n_cases):
            rng = random.Random(seed)
            has_per_bank = random_standard.write(rng, standard)
            case = Case(rng, 3000)
            sizes = uneven_queues(rng) if rng.random() < 0.4 else None
            options = [*case.ours(sizes), *policies(
                rng, case, has_per_bank, atom_of(standard))]
            model(standard, case.records, *options, "--commands", ours)
            verdict = audit(ours, *case.audit_options())
            check(not verdict.broken, "seed %d, %s: %s" % (
                seed, " ".join(str(o) for o in options), verdict.out))
            n += verdict.n_commands
    print("%d commands, lawful" % n)


def audit_through_pipe(standard, options):
    """Commands pass from the program to the auditor without being stored."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        made = subprocess.Popen(
            [WARPMEM, "dram", "-c", standard, "-f", "json", "-o", report,
             "--commands", "-", *(str(o) for o in options)],
            stdout=subprocess.PIPE)
        done = subprocess.run([AUDIT, "-"], stdin=made.stdout,
                              capture_output=True)
        made.stdout.close()
        code = made.wait()
        out = (done.stdout + done.stderr).decode()
        check(code == 0 and done.returncode == 0, standard, options, code, out)
        with open(report) as file:
            counts = json.load(file)["commands"]
    found = {w[1]: int(w[2]) for w in map(str.split, out.splitlines())
             if w[0] == "commands"}
    check(found == counts, standard, options, "audited", found, "reported",
          counts)
    return sum(found.values())


def test_long(millions=100, first=1):
    """Every standard, pattern and policy in turn until enough was audited."""
    n, seed = 0, first
    while n < millions * 10**6:
        rng = random.Random(seed)
        standard = STANDARDS[seed % len(STANDARDS)]
        has_per_bank = standard not in ("ddr4", "ddr5")
        case = Case(rng, 20)
        case.has_refresh = True
        options = [*case.ours(), *policies(
            rng, case, has_per_bank, atom_of(path_of(standard))), "--gen",
                   rng.choice(PATTERNS[:6]), "--count", 500000]
        if rng.random() < 0.3:
            options += ["--ck", "%dps" % rng.randrange(400, 1500)]
        got = audit_through_pipe(path_of(standard), options)
        n += got
        print("%s, seed %d: %d commands" % (standard, seed, got), flush=True)
        seed += 1
    print("%d commands, lawful" % n)


main(tests_of(globals()), ("equal", "shipped", "policies"))
