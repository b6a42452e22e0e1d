"""The auditor finds each broken rule, and nothing where none is broken.

    rules.py [TEST...]        the auditor is $AUDIT

probes     two commands at exactly the ticks of facts.py: no violation; one
           earlier: that rule
random     random traces and mutations of them: the same rules are found
           broken as by the naive check, none where it finds none
states     what banks, refreshes, order and places allow
refuses    traces and standards that cannot be used
"""
import os
import random
import subprocess
import tempfile

import facts
from dram import AUDIT, main, path_of, tests_of
from naive import COLUMNS, WHOLE, Command, Naive, legal_trace, text

START = 20001


def file_of(standard):
    return path_of(standard.name)


def audit(trace, *options):
    """Exit code, the set of violated rules, all output."""
    done = subprocess.run([AUDIT, *options, "-"], input=trace.encode(),
                          capture_output=True)
    out = done.stdout.decode() + done.stderr.decode()
    broken = {line.split()[1] for line in out.splitlines()
              if line.startswith("violated ")}
    assert done.returncode in (0, 1, 2), out
    assert (done.returncode == 1) == bool(broken), out
    return done.returncode, broken, out


def broken_rules(standard, commands, *options):
    trace = text(file_of(standard), commands)
    code, broken, out = audit(trace, *(options or ("--no-refresh",)))
    assert code != 2, out
    return broken


def places(standard, scope):
    """Two places that share the scope and as little as possible below it."""
    a = (0, 0, 0, 0)
    far = (0, 0, 1 % standard.bgs, 0)
    return a, {"channel": (standard.pcs - 1, 0, 1, 0), "pc": far,
               "othersid": (0, standard.sids - 1, 0, 0),
               "bg": (0, 0, 0, 1), "bank": a}[scope]


def command(kind, place, tick):
    if kind in WHOLE:
        return Command(tick, kind, place[0], -1, -1, -1, -1)
    return Command(tick, kind, *place, 7)


def probe(standard, scope, before, after, ticks):
    """before at some tick, after so many ticks later, and what they need."""
    a, b = places(standard, scope)
    is_even = standard.edges and before in ("PRE", "PREA") and (
        after not in ("PRE", "PREA")) and ticks % 2
    at = START + (1 if is_even else 0)
    setup, opened = [], set()

    def need_open(place, kind):
        if kind in COLUMNS + ("PRE",) and place not in opened:
            opened.add(place)
            setup.append(command("ACT", place, 1001 + 400 * len(opened)))

    need_open(a, before)
    if not (before == "ACT" and a == b) and before != "REFA":
        need_open(b, after)
    body = [command(before, a, at), command(after, b, at + ticks)]
    needs_closed = after == "REFA" or (after in ("ACT", "REFP") and a == b)
    if needs_closed and before in ("ACT", "RD", "WR"):
        body.insert(1, command("PRE", a, at + ticks - 1))
    return setup + body


def probe_row(standard, scope, before, after, ticks, rule):
    # An open bank is closed in between, which breaks rules of its own.
    is_closed = before in ("ACT", "RD", "WR") and after in (
        "ACT", "REFP", "REFA") and (scope == "bank" or after == "REFA")
    allowed = {"RAS", "RP", "RTP", "WR", "ROW_BUS", "PPD", "EDGE",
               "PAIR"} if is_closed else set()
    step = 2 if standard.edges and after not in ("PRE", "PREA") else 1
    late = ticks
    if step == 2 and before not in ("PRE", "PREA"):
        late += ticks % 2
    good = broken_rules(standard, probe(standard, scope, before, after, late))
    early = late - step
    bad = broken_rules(standard, probe(standard, scope, before, after, early))
    name = "%s: %s %s -> %s %d %s" % (standard.name, scope, before, after,
                                      ticks, rule)
    naive = Naive(standard).check(
        probe(standard, scope, before, after, early))
    assert good <= allowed, "%s: at %d breaks %s" % (name, late, good)
    assert rule in bad, "%s: at %d breaks only %s" % (name, early, bad)
    assert bad == naive, "%s: at %d breaks %s, naive %s" % (
        name, early, bad, naive)


def test_probes():
    n = 0
    for standard in facts.ALL:
        for scope, befores, afters, ticks, rule in standard.rows:
            for before in befores:
                for after in afters:
                    if standard.name == "gddr6" and scope == "channel":
                        continue # one tick: the order of lines already says it
                    if ticks == 1 and scope == "channel" and (
                            standard.name == "hbm3"):
                        continue # the same tick is on another edge
                    probe_row(standard, scope, before, after, ticks, rule)
                    n += 1
    print("%d pairs of commands, at and below their distance" % n)


def test_faw():
    for standard in facts.ALL:
        rrd = max(t for _, b, a, t, r in standard.rows if r.startswith("RRD")
                  and b == ["ACT"] and a == ["ACT"])
        rrd += standard.edges and rrd % 2
        for early, wanted in ((0, set()), (2, {"FAW"})):
            ticks = [START + i * rrd for i in range(4)]
            ticks.append(START + max(standard.faw, 0) - early)
            commands = [command("ACT", (0, 0, i % 4, i // 4), t)
                        for i, t in enumerate(ticks)]
            expected = Naive(standard).check(commands)
            found = broken_rules(standard, commands)
            assert found == expected, (standard.name, early, found, expected)
            assert wanted <= found, (standard.name, found)


def mutate(rng, commands):
    """One command some ticks earlier, in order still."""
    i = rng.randrange(1, len(commands))
    by = rng.choice((1, 1, 1, 2, 3, 5))
    moved = commands[i]._replace(tick=max(1, commands[i].tick - by))
    rest = commands[:i] + commands[i + 1:]
    at = i
    while at > 0 and rest[at - 1].tick > moved.tick:
        at -= 1
    return rest[:at] + [moved] + rest[at:]


def test_random(n_traces=2, n_mutations=16, first=1):
    n_broken, seen = 0, set()
    for standard in facts.ALL:
        naive = Naive(standard)
        for seed in range(first, first + n_traces):
            trace = legal_trace(standard, seed, 160)
            found = broken_rules(standard, trace)
            assert not found, "%s seed %d: legal, yet %s" % (
                standard.name, seed, found)
            rng = random.Random(seed)
            for i in range(n_mutations):
                changed = mutate(rng, trace)
                wanted = naive.check(changed)
                found = broken_rules(standard, changed)
                assert found == wanted, (
                    "%s seed %d mutation %d: %s, the naive check says %s" % (
                        standard.name, seed, i, found, wanted))
                n_broken += bool(wanted)
                seen |= wanted
    total = len(facts.ALL) * n_traces * n_mutations
    print("%d mutations, %d of them illegal; rules broken: %s" % (
        total, n_broken, " ".join(sorted(seen))))
    assert n_broken > total // 2


def test_states():
    s, p, q = facts.HBM2, (0, 0, 0, 0), (0, 0, 1, 0)
    act, read = command("ACT", p, 100), command("RD", p, 200)

    def expect(wanted, *commands, options=()):
        found = broken_rules(s, commands, *options)
        assert found == wanted, (found, wanted)

    expect(set(), act, read)
    expect({"CLOSED"}, act, command("RD", q, 200))
    expect({"CLOSED"}, act, command("PRE", p, 200), command("WR", p, 300))
    expect({"CLOSED"}, act, command("RDA", p, 200), command("RD", p, 300))
    expect({"WRONG_ROW"}, act, read._replace(row=8))
    expect({"ACT_OPEN"}, act, command("ACT", p, 500)._replace(row=9))
    expect({"REF_OPEN"}, act, command("REFA", p, 500))
    expect({"REF_OPEN"}, act, command("REFP", p, 500))
    expect(set(), act, command("PREA", p, 300), command("REFA", p, 500))
    expect(set(), act, command("REFP", q, 500))
    expect({"ORDER", "ROW_BUS"}, command("ACT", p, 500), command("ACT", (1, 0, 0, 0), 400))
    expect({"PLACE"}, command("ACT", (2, 0, 0, 0), 500))
    expect({"PLACE"}, command("ACT", (0, 0, 4, 0), 500))
    expect({"PLACE"}, command("PRE", (0, 1, 0, 0), 500))
    # A read's data may not meet those of a write that the rules let pass.
    expect({"DATA_BUS", "RTW"}, act, command("ACT", q, 120),
           command("RD", p, 200), command("WR", q, 209))


def refreshes(ticks, pcs=(0, 1)):
    return [command("REFA", (pc, 0, 0, 0), t + pc) for t in ticks for pc in pcs]


def test_refresh():
    s = facts.HBM2
    act = command("ACT", (0, 0, 0, 0), 20000)
    due = [3900 * n for n in range(1, 6)]

    def expect(wanted, commands, *options):
        found = broken_rules(s, commands, *(options or ("--show", "3")))
        assert found == wanted, (found, wanted)

    expect(set(), refreshes([t + 60 for t in due]) + [act])
    expect(set(), refreshes(due) + [act])
    expect({"REFI_EARLY"}, refreshes([due[0] - 2] + due[1:]) + [act])
    expect({"REFI_LATE"}, refreshes(due[:3]) + [act._replace(tick=19500)])
    expect(set(), refreshes(due[:4]) + [act._replace(tick=19600)])
    expect({"REFI_LATE"}, refreshes(due, pcs=(0,)) + [act])
    expect({"REFI_LATE"}, refreshes(due[1:]) + [act])
    expect(set(), refreshes(due[1:]) + [act], "--postponed", "2")
    expect({"REFI_LATE"}, [act])
    expect(set(), [act], "--no-refresh")


def test_scaling(tmp=None):
    """Another CK rounds the ns up and leaves the ck alone: 14 ns at .8 ns are
    18 CK, BL stays 2 CK."""
    p = (0, 0, 0, 0)
    for ticks, wanted in ((19, set()), (18, {"RCD_RD"})):
        trace = text(file_of(facts.HBM2), [command("ACT", p, 100),
                                           command("RD", p, 100 + ticks)])
        trace = trace.replace("# standard", "# ck_ps: 800\n# standard")
        found = audit(trace, "--no-refresh")[1]
        assert found == wanted, (ticks, found)


def variant(folder, lines):
    path = os.path.join(folder, "v.yaml")
    with open(path, "w") as out:
        out.write("base: %s\n%s\n" % (file_of(facts.HBM2), lines))
    return path


def test_refuses():
    head = "# warpmem dram commands 1\n# standard: %s\n" % file_of(facts.HBM2)
    line = "1 ACT 0 0 0 0 5 -\n"
    bad = ["", "hello\n", head + "1 ACT 0 0 0 0\n", head + "1 NOP 0 0 0 0 - -\n",
           head + "x ACT 0 0 0 0 5 -\n", head + line + "1 2 3\n",
           head + line + "2 RD 0 0 0 0 5 4 9\n",
           head + "99999999999999999999 ACT 0 0 0 0 5 -\n",
           head.replace("# standard", "# nothing") + line,
           head.replace("hbm2", "no_such") + line,
           head + "# tick_ps: 400\n# ck_ps: 800\n" + line]
    for trace in bad:
        code, _, out = audit(trace)
        assert code == 2 and "audit: " in out, (trace, code, out)
    assert audit(head + line[:-1])[0] == 0 # no newline at the end
    with tempfile.TemporaryDirectory() as folder:
        for lines in ("timing.tNEW: 3 ns", "timing.tRC: 3 furlongs",
                      "timing.tRC: tRCX", "timing.tRC: 48", "clock.ticks: 0",
                      "timing.tRC: max(3 ns)", "timing.tRC: tRC + 1 ck",
                      "timing.tRC: 1.5 ck", "command.bus: both",
                      "timing: [1, 2]"):
            path = variant(folder, lines)
            code, _, out = audit(head + line, "--standard", path)
            assert code == 2 and "audit: " in out, (lines, code, out)


if __name__ == "__main__":
    main(tests_of(globals()))
