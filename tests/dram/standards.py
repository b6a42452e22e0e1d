"""The files of configs/dram: complete, consistent, and true to their headline.

    standards.py [TEST...]        the auditor is $AUDIT, the program $WARPMEM

Each file is read here once more, with exact fractions and no shared code.
"""
import fractions
import os
import re
import subprocess

from dram import AUDIT, FOLDER, STANDARDS as NAMES, check, main, tests_of

# GB/s of one channel: bits x Gb/s per pin / 8, from the first line of a file.
PEAK = {"hbm2": "128 2.0", "hbm2e": "128 3.2", "hbm3": "64 6.4",
        "hbm3e": "64 9.6", "gddr5": "32 8", "gddr6": "16 14",
        "gddr6x": "16 19.5", "lpddr5": "16 6.4", "ddr4": "64 3.2",
        "ddr5": "32 4.8"}
NUMBER = re.compile(r"\d")


def split_line(line):
    text, _, comment = line.partition("#")
    return text.rstrip(), comment.strip()


def entries(name):
    """(section.key, value, comment) of one file, without its base."""
    section = ""
    with open(os.path.join(FOLDER, name + ".yaml")) as lines:
        for line in lines:
            text, comment = split_line(line.rstrip("\n"))
            if not text.strip():
                continue
            key, _, value = text.strip().partition(":")
            if not text.startswith(" "):
                section = key + "." if not value.strip() else ""
                if not value.strip():
                    continue
            yield section + key, value.strip(), comment


def load(name):
    keys = {}
    own = list(entries(name))
    for key, value, _ in own:
        if key == "base":
            keys = load(value)
    keys.update((key, value) for key, value, _ in own)
    return keys


class Standard:
    """Timings in CK, as exact fractions."""

    def __init__(self, name):
        self.name, self.keys = name, load(name)
        self.ck_ps = self.plain_ps(self.keys["clock.ck"])
        self.t = {}
        for key in self.keys:
            if key.startswith("timing."):
                self.t[key[8:]] = self.value(key)
        t = self.t
        t.setdefault("RP_AB", t["RP"])
        t.setdefault("RTW", t["CL"] + t["BL"] + 2 - t["CWL"])
        self.banks = 1
        for part in ("stack_ids", "bank_groups", "banks"):
            self.banks *= int(self.keys["organisation." + part])
        self.pcs = int(self.keys["organisation.pseudo_channels"])
        self.atom = int(self.keys["organisation.atom"].split()[0])

    @staticmethod
    def plain_ps(text):
        number, unit = text.split()
        return fractions.Fraction(number) * {"ps": 1, "ns": 1000}[unit]

    def value(self, key):
        rounds_down = key in ("timing.tREFI", "timing.tREFI_PB")
        text = self.keys[key]

        def quantity(match):
            number, unit = fractions.Fraction(match[1]), match[2]
            if unit == "ck":
                return "F('%s')" % number
            ck = number * {"ps": 1, "ns": 1000, "us": 10**6}[unit] / self.ck_ps
            return str(ck // 1 if rounds_down else -(-ck // 1))

        text = re.sub(r"([0-9.]+) (ck|ps|ns|us)\b", quantity, text)
        text = re.sub(r"\bt([A-Z][A-Za-z_]*)",
                      lambda m: "(%s)" % self.value("timing.t" + m[1]), text)
        assert re.fullmatch(r"[-+0-9 ()F',./max]*", text), text
        return eval(text.replace("F('", "frac('"),
                    {"frac": fractions.Fraction, "max": max})

    def peak_gbps(self):
        """Of all pseudo-channels of one channel."""
        ns = self.t["CCD_S"] * self.ck_ps / 1000
        return self.pcs * self.atom / ns


def test_sources():
    """Every number has its source on its line, or is one of plain 1."""
    for name in NAMES:
        with open(os.path.join(FOLDER, name + ".yaml")) as lines:
            head = lines.readline()
        check(head.startswith("# "), name, "does not say what it is")
        for key, value, comment in entries(name):
            if key in ("mapping", "standard", "base"):
                continue
            is_plain = value in ("1", "any")
            check(comment or is_plain, "%s: %s: %s has no source" % (
                name, key, value))
            check(len(comment) != 1 or comment.isalpha(), name, key)


def test_consistent():
    """What must hold between the numbers of any device."""
    for name in NAMES:
        s = Standard(name)
        t = s.t

        def holds(what, is_so):
            check(is_so, "%s: %s does not hold: %s" % (
                name, what, {k: str(v) for k, v in t.items()}))

        # Each is rounded up by itself, so that RC may be one CK below.
        holds("RC >= RAS + RP", t["RC"] >= t["RAS"] + t["RP"] - 1)
        holds("RP_AB >= RP", t["RP_AB"] >= t["RP"])
        holds("CCD_S >= BL: bursts meet", t["CCD_S"] >= t["BL"])
        holds("CCD_L >= CCD_S", t["CCD_L"] >= t["CCD_S"])
        holds("CCD_WR >= CCD_L", t.get("CCD_WR", t["CCD_L"]) >= t["CCD_L"])
        holds("CCD_R >= CCD_S", t.get("CCD_R", t["CCD_S"]) >= t["CCD_S"])
        holds("RRD_L >= RRD_S", t["RRD_L"] >= t["RRD_S"])
        holds("WTR_L >= WTR_S", t["WTR_L"] >= t["WTR_S"])
        holds("RTW keeps bursts apart",
              t["RTW"] >= t["CL"] + t["BL"] - t["CWL"])
        holds("RAS >= RCD_RD", t["RAS"] >= t["RCD_RD"])
        holds("CL > CWL - BL", t["CL"] > t["CWL"] - t["BL"])
        holds("FAW < RC", 0 < t["FAW"] < t["RC"])
        holds("FAW > 3 RRD_S", t["FAW"] > 3 * t["RRD_S"])
        holds("RFC_AB < REFI / 2", t["RFC_AB"] < t["REFI"] / 2)
        holds("RFC_AB > RC", t["RFC_AB"] > t["RC"])
        if "RFC_PB" in t:
            pb = t.get("REFI_PB", t["REFI"] // s.banks)
            holds("RC < RFC_PB <= RFC_AB",
                  t["RC"] < t["RFC_PB"] <= t["RFC_AB"])
            holds("banks x REFI_PB <= REFI", pb * s.banks <= t["REFI"])
            holds("RREFD <= REFI_PB", t["RREFD"] <= pb)
        holds("a power of two of banks", s.banks & (s.banks - 1) == 0)
        holds("at most 64 banks in a channel", s.banks * s.pcs <= 64)


def comment_of(name, key):
    """Of a file's line, or of the base's where it has none."""
    found, base = None, None
    for entry, value, comment in entries(name):
        found = comment if entry == key else found
        base = value if entry == "base" else base
    return comment_of(base, key) if found is None and base else found


def test_window():
    """A four-activate window that tRRD_S already keeps says so."""
    for name in NAMES:
        t = Standard(name).t
        says = "never binds" in comment_of(name, "timing.tFAW")
        check(says == (t["FAW"] <= 4 * t["RRD_S"]), name, "tFAW", t["FAW"],
              "CK, 4 tRRD_S", 4 * t["RRD_S"], "CK: never binds?")


def test_peak():
    """A column command per CCD_S fills the wires at the headline's rate."""
    for name in NAMES:
        check(name in PEAK, name, "has no headline rate here")
        bits, rate = (fractions.Fraction(w) for w in PEAK[name].split())
        wanted = bits * rate / 8
        found = Standard(name).peak_gbps()
        check(abs(found / wanted - 1) < fractions.Fraction(3, 1000),
              "%s: %.3f GB/s, the headline says %.3f" % (
                  name, found, wanted))


def test_auditor():
    """The auditor, which rounds for itself, arrives at the same ticks."""
    n = 0
    for name in NAMES:
        s = Standard(name)
        path = os.path.join(FOLDER, name + ".yaml")
        trace = ("# warpmem dram commands 1\n# standard: %s\n"
                 "1 ACT 0 0 0 0 5 -\n" % path)
        done = subprocess.run([AUDIT, "--rules", "-"], input=trace.encode(),
                              capture_output=True)
        check(done.returncode == 0, name, done.stderr.decode())
        ticks = int(s.keys["clock.ticks"])
        length = {k: s.value("command." + k) for k in ("act", "pre", "ref",
                                                       "column")}
        kinds = {"ACT": "act", "PRE": "pre", "PREA": "pre", "REFA": "ref",
                 "REFP": "ref", "RD": "column", "WR": "column",
                 "RDA": "column", "WRA": "column"}
        for line in done.stdout.decode().splitlines():
            word = line.split()
            if word[0] != "rule" or word[1] not in s.t or (
                    not word[5].isdigit()):
                continue
            _, rule, _, before, after, found = word[:6]
            wanted = {"WR": s.t["CWL"] + s.t["BL"] + s.t["WR"],
                      "WTR_S": s.t["CWL"] + s.t["BL"] + s.t["WTR_S"],
                      "WTR_L": s.t["CWL"] + s.t["BL"] + s.t["WTR_L"],
                      "RP": None}.get(rule, s.t[rule])
            if wanted is None:
                continue
            wanted += length[kinds[before]] - length[kinds[after]]
            check(int(found) == wanted * ticks, name, line, wanted * ticks)
            n += 1
    print("%d intervals of %d standards" % (n, len(NAMES)))
    check(n > 50 * len(NAMES), n)


if __name__ == "__main__":
    main(tests_of(globals()))
