"""A naive check of command lists: every pair of commands against every row of
facts.py, plus what the state of the banks and the data wires allow.

Quadratic and plain; the auditor has to find the same rules broken.
"""
import collections
import random

Command = collections.namedtuple("Command", "tick kind pc sid bg ba row")
WHOLE = ("PREA", "REFA")
ROWS = ("ACT", "PRE", "PREA", "REFA", "REFP")
COLUMNS = ("RD", "WR", "RDA", "WRA")
DATA = {"hbm2": (14, 5, 2), "hbm3": (40, 20, 4), "gddr6": (24, 6, 2)}


def pair_table(standard):
    table = {}
    for scope, before, after, ticks, rule in standard.rows:
        for b in before:
            for a in after:
                table.setdefault((b, a), []).append((scope, ticks, rule))
    return table


def share(scope, a, b):
    """Whether two commands lie in the same instance of a scope."""
    if scope == "channel":
        return True
    if a.pc != b.pc:
        return False
    if scope == "pc":
        return True
    if a.kind in WHOLE or b.kind in WHOLE:
        return False
    if scope == "othersid":
        return a.sid != b.sid
    n = {"sid": 1, "bg": 2, "bank": 3}[scope]
    return (a.sid, a.bg, a.ba)[:n] == (b.sid, b.bg, b.ba)[:n]


def length(standard, kind):
    if standard.name == "hbm3":
        return {"ACT": 3}.get(kind, 2 if kind in COLUMNS else 1)
    return 2 if standard.name == "hbm2" and kind == "ACT" else 1


class Naive:
    def __init__(self, standard):
        self.s = standard
        self.table = pair_table(standard)

    def in_window(self, kind):
        return kind == "ACT" or (kind == "REFP" and self.s.refp_in_faw)

    def window_ticks(self, before, after):
        """FAW is given between activates; other lengths shift it."""
        return (self.s.faw + length(self.s, before.kind) -
                length(self.s, after.kind) if before.kind != after.kind
                else self.s.faw)

    def earliest(self, history, c):
        """The first tick at which c breaks no rule between commands."""
        t = 0
        for b in history:
            for scope, ticks, _ in self.table.get((b.kind, c.kind), ()):
                if share(scope, b, c):
                    t = max(t, b.tick + ticks)
        if self.in_window(c.kind):
            acts = [b for b in history
                    if b.pc == c.pc and self.in_window(b.kind)]
            if len(acts) >= 4:
                t = max(t, acts[-4].tick + self.window_ticks(acts[-4], c))
        return t

    def pair_rules(self, history, c):
        broken = set()
        for b in history:
            for scope, ticks, rule in self.table.get((b.kind, c.kind), ()):
                if share(scope, b, c) and c.tick < b.tick + ticks:
                    broken.add(rule)
        if self.in_window(c.kind):
            acts = [b for b in history
                    if b.pc == c.pc and self.in_window(b.kind)]
            if len(acts) >= 4 and c.tick < (
                    acts[-4].tick + self.window_ticks(acts[-4], c)):
                broken.add("FAW")
        return broken

    def edge_rules(self, history, c):
        broken = set()
        if c.kind not in ("PRE", "PREA"):
            if c.tick % 2 == 0:
                broken.add("EDGE")
            return broken
        rising = [b for b in history if b.kind in ROWS and b.tick % 2]
        if c.tick % 2 == 0 and rising:
            r = rising[-1]
            if r.pc == c.pc and c.tick == r.tick + length(self.s, r.kind) and (
                    c.kind == "PREA" or r.kind in WHOLE or
                    share("bank", r, c)):
                broken.add("PAIR")
        return broken

    def check(self, commands):
        """The names of all broken rules."""
        broken, rows, data_end = set(), {}, {}
        cl, cwl, bl = DATA[self.s.name]
        for i, c in enumerate(commands):
            broken |= self.pair_rules(commands[:i], c)
            if self.s.edges:
                broken |= self.edge_rules(commands[:i], c)
            bank = (c.pc, c.sid, c.bg, c.ba)
            if c.kind in COLUMNS:
                start = c.tick + (cl if c.kind[0] == "R" else cwl)
                if start < data_end.get(c.pc, 0):
                    broken.add("DATA_BUS")
                data_end[c.pc] = start + bl
                if bank not in rows:
                    broken.add("CLOSED")
                elif rows[bank] != c.row:
                    broken.add("WRONG_ROW")
                if c.kind in ("RDA", "WRA"):
                    rows.pop(bank, None)
            elif c.kind == "ACT":
                if bank in rows:
                    broken.add("ACT_OPEN")
                rows[bank] = c.row
            elif c.kind == "PRE":
                rows.pop(bank, None)
            elif c.kind == "REFP" and bank in rows:
                broken.add("REF_OPEN")
            elif c.kind in WHOLE:
                mine = [b for b in rows if b[0] == c.pc]
                if c.kind == "REFA" and mine:
                    broken.add("REF_OPEN")
                for b in mine if c.kind == "PREA" else ():
                    del rows[b]
        return broken


def candidates(standard, rng, rows):
    """A few commands that the state of the banks allows."""
    found = []
    for _ in range(6):
        bank = (rng.randrange(standard.pcs), rng.randrange(standard.sids),
                rng.randrange(standard.bgs), rng.randrange(standard.bas))
        if rows and rng.random() < 0.7:
            bank = rng.choice(sorted(rows))
        if bank in rows:
            kind = rng.choice(("RD", "RD", "WR", "WR", "RDA", "WRA", "PRE"))
            found.append(Command(0, kind, *bank, rows[bank]))
        else:
            kind = "REFP" if rng.random() < 0.05 else "ACT"
            found.append(Command(0, kind, *bank, rng.randrange(100)))
    if rng.random() < 0.02:
        pc = rng.randrange(standard.pcs)
        has_open = any(b[0] == pc for b in rows)
        found = [Command(0, "PREA" if has_open else "REFA", pc, -1, -1, -1,
                         -1)]
    return found


def step(rows, c):
    bank = (c.pc, c.sid, c.bg, c.ba)
    if c.kind == "ACT":
        rows[bank] = c.row
    elif c.kind in ("PRE", "RDA", "WRA"):
        rows.pop(bank, None)
    elif c.kind == "PREA":
        for b in [b for b in rows if b[0] == c.pc]:
            del rows[b]


def legal_trace(standard, seed, n):
    """Random commands, each at its earliest legal tick or a little later."""
    rng = random.Random(seed)
    naive = Naive(standard)
    history, rows, now = [], {}, 1
    while len(history) < n:
        best = None
        for c in candidates(standard, rng, rows):
            t = max(now, naive.earliest(history[-400:], c))
            c = c._replace(tick=t)
            while standard.edges and naive.edge_rules(history[-400:], c):
                c = c._replace(tick=c.tick + 1)
            if best is None or c.tick < best.tick:
                best = c
        if rng.random() < 0.1:
            best = best._replace(tick=best.tick + 2 * rng.randrange(4))
        now = best.tick
        history.append(best)
        step(rows, best)
    return history


def text(standard_file, commands):
    """The command trace as `warpmem dram` writes it."""
    lines = ["# warpmem dram commands 1", "# standard: " + standard_file]
    for c in commands:
        bank = ["-"] * 3 if c.kind in WHOLE else [c.sid, c.bg, c.ba]
        row = c.row if c.kind == "ACT" or c.kind in COLUMNS else "-"
        column = 0 if c.kind in COLUMNS else "-"
        lines.append(" ".join(str(f) for f in (
            c.tick, c.kind, c.pc, *bank, row, column)))
    return "\n".join(lines) + "\n"
