"""Every standard of configs/dram, run by `warpmem dram`, arrives at what can be
worked out by hand from its numbers.

idle       an idle miss takes 1 + tRCD + tCL + tBL, a hit that without tRCD
conflict   one bank, always another row: one request per row cycle, exactly
peak       hits spread over the groups fill the data bus, but for what a change
           of stack or an ACT on the one bus takes
refresh    and lose what refresh takes: tRFC, tRP and tRCD of every tREFI
activates  always another row, banks in turn: as many activates as tRRD, tFAW
           and the command bus let pass
random     as many of these at most with random rows
slower     a longer tRC, tRP, tCL or tRFC never makes the mean latency shorter
adds_up    requests, commands and shares of the bus are conserved

peak, refresh and activates hold to half a percent; docs/DRAM.md, section 6, has
the same forms.
"""
import math
import tempfile

from dram import STANDARDS, check, main, model, path_of, stream, tests_of, \
    variant
from standards import Standard


class Ticks:
    """A standard's timings in ticks, start to start."""

    def __init__(self, name):
        s = Standard(name)
        self.ticks = int(s.keys["clock.ticks"])
        self.has_edges = s.keys["command.edges"] == "hbm3"
        self.s, self.t = s, {k: int(v * self.ticks) for k, v in s.t.items()}
        self.act, self.pre, self.column, self.ref = (
            int(s.value("command." + k) * self.ticks)
            for k in ("act", "pre", "column", "ref"))
        self.is_single = s.keys["command.bus"] == "single"
        self.groups, self.banks, self.sids = (
            int(s.keys["organisation." + k])
            for k in ("bank_groups", "banks", "stack_ids"))
        self.row = {"KiB": 1024, "B": 1}[
            s.keys["organisation.row"].split()[1]] * int(
                s.keys["organisation.row"].split()[0])

    def rising(self, ticks):
        """From one rising edge to the next that is at least so far away."""
        return ticks + (ticks % 2 if self.has_edges else 0)

    @property
    def act_to_read(self):
        return self.rising(self.t["RCD_RD"] + self.act - self.column)

    @property
    def data(self):
        return self.t["CL"] + self.t["BL"]

    @property
    def row_cycle(self):
        """Between two activates of a bank that is read once per row."""
        t = self.t
        to_pre = max(self.act_to_read + t["RTP"] + self.column - self.pre,
                     t["RAS"] + self.act - self.pre)
        return max(self.rising(to_pre + t["RP"] + self.pre - self.act),
                   self.rising(t["RC"]))


def bits(n):
    return n.bit_length() - 1


def mapping(k, *fields):
    """Bits for these fields, lowest first, the row above them."""
    at, parts = bits(k.s.atom), []
    for field, n in fields:
        if bits(n):
            parts.append("%s %d-%d" % (field, at, at + bits(n) - 1))
            at += bits(n)
    return "; ".join(parts + ["row %d-" % at])


def columns(k):
    """Of a row."""
    return k.row // k.s.atom


def spread(name):
    """A mapping with the bank groups lowest, then pseudo-channels, columns."""
    k = Ticks(name)
    return mapping(k, ("bg", k.groups), ("pc", k.s.pcs),
                   ("column", columns(k)), ("bank", k.banks), ("sid", k.sids))


def in_turn(k):
    """Consecutive atoms lie in banks in turn and then in their next rows: all
    pseudo-channels, their groups, their banks; the column never changes."""
    text = mapping(k, ("pc", k.s.pcs), ("bg", k.groups), ("bank", k.banks),
                   ("sid", k.sids))
    first = int(text.split()[-1][:-1])
    unused = first + 20
    return "%s%d %d-; column %d-%d" % (
        text, unused - 1, unused + bits(columns(k)), unused,
        unused + bits(columns(k)) - 1)


def reads(addresses, gap=None):
    lines = ("R 0x%x%s" % (a, "" if gap is None else " %d" % (i * gap))
             for i, a in enumerate(addresses))
    return ("\n".join(lines) + "\n").encode()


def test_idle():
    for name in STANDARDS:
        k = Ticks(name)
        found = model(path_of(name), reads([0]), "--refresh", "none")
        wanted = 1 + k.act_to_read + k.data
        check(found["latency_sum_ticks"] == wanted, name, "a miss takes",
              found["latency_sum_ticks"], "wanted", wanted)
        found = model(path_of(name), reads([0, 0], 100000), "--refresh", "none")
        hit = 1 + k.data
        check(found["latency_sum_ticks"] == wanted + hit, name, "a hit takes",
              found["latency_sum_ticks"] - wanted, "wanted", hit)


def test_conflict():
    n = 500
    for name in STANDARDS:
        k = Ticks(name)
        rows = reads(i << 26 for i in range(n))
        found = model(path_of(name), rows, "--mapping", spread(name),
                      "--refresh", "none")
        wanted = 1 + (n - 1) * k.row_cycle + k.act_to_read + k.data
        check(found["ticks"] == wanted and found["row_hits"] == 0, name,
              found["ticks"], "ticks, wanted", wanted)


HALF_PERCENT = 0.005


def check_form(name, what, found, wanted):
    check(abs(found / wanted - 1) <= HALF_PERCENT, name, what,
          "%.5f, the closed form says %.5f" % (found, wanted))


def share_of_peak(name, records, *options):
    """The queue is deep enough to open the next rows while these ones last."""
    found = model(path_of(name), records, "--mapping", spread(name),
                  "--read-queue", 128, *options)
    return found["share_of_peak"]


def test_peak():
    """A row of each group is read, then the next bank's, then the next
    stack's.  The column slots are full but for
    - the first data, 1 + tRCD + tCL + tBL after the start;
    - tCCD_R instead of tCCD_S where the stack changes;
    - on a single bus, an ACT that is longer than the gap between columns: what
      it takes of the next column's slot, once per row."""
    n = 200000
    for name in STANDARDS:
        k = Ticks(name)
        t, slot = k.t, k.t["CCD_S"]
        found = share_of_peak(name, None, "--gen", "seq", "--count", n,
                              "--bytes", k.s.atom, "--refresh", "none")
        per_pc = n // k.s.pcs
        rows = per_pc / columns(k)
        ticks = per_pc * slot + 1 + k.act_to_read + k.data
        if k.sids > 1:
            changes = rows / (k.banks * k.groups)
            ticks += changes * (t["CCD_R"] - slot)
        if k.is_single:
            ticks += rows * max(0, k.act - (slot - k.column))
        check_form(name, "reads this share of its peak:", found,
                   per_pc * slot / ticks)


def refresh_loss(k):
    """Ticks without data per tREFI, the mean of the pseudo-channels, when all
    requests are hits.

    At tREFI no new column goes.  PREA waits tRTP for the last one, REFA tRP_AB
    for PREA, ACT tRFC_AB for REFA, the first column tRCD for ACT.  The head of
    the refreshes is all that may use the row commands, so that the second
    pseudo-channel's PREA follows the first one's REFA: it stands still for
    another tRP_AB.  While rows are opened again, every tRRD_S, j groups give
    only j columns per tCCD_L."""
    t, ask, lost = k.t, 0, 0
    for pc in range(k.s.pcs):
        last = -1 - pc * k.column
        prea = max(ask, last + t["RTP"] + k.column - k.pre)
        refa = k.rising(prea + t["RP_AB"] + k.pre - k.ref)
        ask = refa + k.ref
        act = k.rising(refa + t["RFC_AB"] + k.ref - k.act)
        opening = sum(
            t["RRD_S"] * max(0, 1 - j * t["CCD_S"] / t["CCD_L"])
            for j in range(1, k.groups))
        lost += act + k.act_to_read - last - t["CCD_S"] + opening
    return lost / k.s.pcs


def test_refresh():
    """Again and again the same rows, one per group."""
    for name in STANDARDS:
        k = Ticks(name)
        around = columns(k) * k.groups * k.s.pcs
        found = share_of_peak(
            name, reads(i % around * k.s.atom for i in range(200000)))
        check_form(name, "keeps of its peak", found,
                   1 - refresh_loss(k) / k.t["REFI"])


def activate_interval(k, is_closed):
    """Ticks from ACT to ACT of a pseudo-channel, when each row is read once
    and its bank's turn comes after tRC.

    tRRD_S each and tFAW for four.  On a split bus every request takes the row
    commands' bus for ACT and, unless the row closes by itself, PRE; the
    pseudo-channels share it.  On a single bus columns whose rows are open go
    first: with four ACTs per period at tRRD_S, columns come tRCD after them,
    and when one needs the tick of an ACT the whole period gets longer, until
    none does."""
    t, rrd = k.t, k.rising(k.t["RRD_S"])
    period = max(4 * rrd, t["FAW"])
    if not k.is_single:
        bus = k.s.pcs * k.rising(k.act + (0 if is_closed else k.pre))
        return max(period / 4, bus)

    def collides(p):
        return any(0 <= (a * rrd - c * rrd - k.act_to_read) % p < k.column
                   for a in range(4) for c in range(4))

    while collides(period):
        period += 1
    return period / 4


def test_activates():
    n = 20000
    for name in STANDARDS:
        k = Ticks(name)
        records = reads(i * k.s.atom for i in range(n))
        for page in ("open", "closed"):
            wanted = activate_interval(k, page == "closed")
            check(wanted * k.s.banks > k.row_cycle, name, "tRC binds")
            found = model(path_of(name), records, "--mapping", in_turn(k),
                          "--refresh", "none", "--page", page, "--read-queue",
                          256, "--offers", 16)
            check(found["commands"]["ACT"] == n, name, found["commands"])
            check_form(name, page + " pages, an ACT in so many ticks:",
                       found["ticks"] / n * k.s.pcs, wanted)


def test_random():
    """Random rows meet tRC of their bank by chance, which more queued requests
    hide: never faster than in turn, and with 256 of them at most 4 % slower
    (HBM3: 64 banks)."""
    for name in STANDARDS:
        k = Ticks(name)
        found = model(path_of(name), None, "--gen", "rand", "--count", 40000,
                      "--bytes", k.s.atom, "--refresh", "none",
                      "--read-queue", 256)
        interval = found["ticks"] / found["commands"]["ACT"] * k.s.pcs
        least = activate_interval(k, False)
        check(0.999 * least <= interval <= 1.04 * least, name,
              "an ACT in %.4f ticks, in turn in %.4f" % (interval, least))


def mean_latency(path):
    found = model(path, stream("gpu", 8000), "--mapping", "mop4clxor")
    return found["latency_mean_ticks"]


def test_slower():
    """In CK: a step of 20 % is more than scheduling luck."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("hbm2", "hbm3", "gddr6", "ddr5"):
            t = Standard(name).t
            base = mean_latency(path_of(name))
            for timing in ("RC", "RP", "CL", "RFC_AB"):
                values = {"timing__t" + timing: "%d ck" % math.ceil(
                    1.2 * t[timing])}
                slower = mean_latency(variant(folder, "v", name, **values))
                check(slower >= base, name, timing, slower, "after", base)


def test_adds_up():
    for name in STANDARDS:
        for pattern in ("hot", "rmix", "gpu"):
            for page in ("open", "closed", "timeout"):
                s = model(path_of(name), stream(pattern, 5000), "--page", page)
                c = s["commands"]
                where = (name, pattern, page)
                check(s["reads"] + s["writes"] == s["requests"] == 5000, where)
                check(s["completed_reads"] == s["reads"], where)
                check(c["RD"] + c["RDA"] == s["reads"] - s["forwarded"], where)
                check(c["WR"] + c["WRA"] <= s["writes"] - s["merged"], where)
                check(c["PRE"] + c["RDA"] + c["WRA"] <= c["ACT"], where)
                outcomes = (s["row_hits"] + s["row_misses"] +
                            s["row_conflicts"])
                check(outcomes <= 5000 - s["forwarded"] - s["merged"], where)
                check(abs(sum(s["data_bus"].values()) - 1) < 1e-4, where,
                      s["data_bus"])
                check(s["latency_mean_ticks"] <= s["latency_from_due_ticks"] +
                      1e-9, where)


main(tests_of(globals()))
