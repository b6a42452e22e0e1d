"""Every standard of configs/dram, run by `warpmem dram`, arrives at what can be
worked out by hand from its numbers.

idle       an idle miss takes 1 + tRCD + tCL + tBL, a hit that without tRCD
conflict   one bank, always another row: one request per row cycle, exactly
peak       hits spread over the groups fill the data bus to 99 %
refresh    and lose what refresh takes, tRFC of every tREFI at least
random     no more activates than tRRD and tFAW let pass
slower     a longer tRC, tRP, tCL or tRFC never makes the mean latency shorter
adds_up    requests, commands and shares of the bus are conserved
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
        self.act, self.pre, self.column = (
            int(s.value("command." + k) * self.ticks)
            for k in ("act", "pre", "column"))
        self.groups = int(s.keys["organisation.bank_groups"])
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


def spread(name):
    """A mapping with the bank groups lowest, then pseudo-channels, columns."""
    k = Ticks(name)
    keys = k.s.keys
    at, parts = bits(k.s.atom), []
    fields = (("bg", k.groups), ("pc", k.s.pcs),
              ("column", k.row // k.s.atom),
              ("bank", int(keys["organisation.banks"])),
              ("sid", int(keys["organisation.stack_ids"])))
    for field, n in fields:
        if bits(n):
            parts.append("%s %d-%d" % (field, at, at + bits(n) - 1))
            at += bits(n)
    return "; ".join(parts + ["row %d-" % at])


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


def peak_share(name, *options):
    """Of the peak, over row hits that visit every group.  The queue is deep
    enough to open the next rows while these ones last."""
    found = model(path_of(name), None, "--gen", "seq", "--count", 200000,
                  "--bytes", Standard(name).atom, "--mapping", spread(name),
                  "--read-queue", 128, *options)
    return found["share_of_peak"]


def test_peak():
    for name in STANDARDS:
        share = peak_share(name, "--refresh", "none")
        check(0.99 <= share <= 1, name, "reads %.4f of its peak" % share)


def test_refresh():
    for name in STANDARDS:
        t = Ticks(name).t
        without = peak_share(name, "--refresh", "none")
        share = peak_share(name, "--refresh", "all_bank") / without
        most = 1 - t["RFC_AB"] / t["REFI"]
        # Pseudo-channels that share their buses refresh one after the other.
        pcs = Standard(name).pcs
        least = 1 - pcs * (t["RFC_AB"] + 4 * t["RC"]) / t["REFI"]
        check(least <= share <= most + 0.002, name, "keeps %.4f," % share,
              "wanted %.4f to %.4f" % (least, most))


def test_random():
    for name in STANDARDS:
        k = Ticks(name)
        found = model(path_of(name), None, "--gen", "rand", "--count", 40000,
                      "--bytes", k.s.atom, "--refresh", "none")
        t = k.t
        interval = max(k.rising(t["RRD_S"]), t["FAW"] / 4)
        most = min(k.s.pcs / interval, k.s.pcs * k.s.banks / k.row_cycle)
        rate = found["commands"]["ACT"] / found["ticks"]
        check(rate <= most, name, "activates %.4f a tick, at most %.4f" % (
            rate, most))
        check(rate >= 0.5 * most, name, "activates %.4f of %.4f a tick" % (
            rate, most))


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
