"""The reference controller and the streams are what they claim to be.

golden     the reference reproduces every golden row, digit for digit
streams    check values of the streams
lawful     its commands break no rule, for any standard (lawful:N requests)
broken     with any timing one CK too short it is caught: exactly that rule
           (broken:1 tries every standard)
"""
import csv
import os
import struct
import tempfile

from dram import (STANDARDS, audit, check, main, path_of, reference, stream,
                  tests_of, variant)

HERE = os.path.dirname(os.path.abspath(__file__))

# FNV-1a-64 over the first 1,000 and 40,000 records: 64 bits, little-endian, an
# address with its lowest bit set for a write.
FNV = {"rand": "ae1f108506ad42fd 4119bc99602370a6",
       "gpu": "ef7291c75c5a83f5 328f36241b8a501d",
       "copy": "0ab86a4663c75595 f066f0b3b25b6a25",
       "stride": "a32df4e243df9f25 9e1846f9cce29225",
       "seq": "2cea90086cea7b25 6e887b2a65f88ee5",
       "rmix": "116f1b4a3974e0d8 78201f12cfaf456e"}


def golden_rows():
    with open(os.path.join(HERE, "golden.csv")) as lines:
        return list(csv.DictReader(line for line in lines
                                   if not line.startswith("#")))


def test_streams():
    for pattern, wanted in FNV.items():
        digest, found = 0xcbf29ce484222325, []
        lines = stream(pattern, 40000).decode().splitlines()
        for i, line in enumerate(lines, 1):
            record = int(line[2:], 16) | (line[0] == "W")
            for byte in struct.pack("<Q", record):
                digest = (digest ^ byte) * 0x100000001b3 % 2**64
            if i in (1000, 40000):
                found.append("%016x" % digest)
        check(found == wanted.split(), pattern, found)


def test_golden():
    for row in golden_rows():
        options = ["--rate", row["rate"]]
        options += ["--row-hit"] if row["scheduler"] == "rowhit" else []
        found = reference(path_of(row["standard"]),
                          stream(row["stream"], row["requests"]), *options)
        n = found["reads"]
        e2e = "latency_sum" if row["rate"] == "0" else "late_sum"
        found = ["%d" % found["cycles"], "%.2f" % (found["latency_sum"] / n),
                 "%.2f" % (found[e2e] / n), *("%d" % found[k] for k in (
                     "hits", "misses", "conflicts"))]
        wanted = [row[k] for k in ("cycles", "latency", "e2e", "hits",
                                   "misses", "conflicts")]
        check(found == wanted, row["standard"], row["stream"], row["rate"],
              row["scheduler"], "gives", found, "wanted", wanted)


def test_lawful(n=3000):
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "c.txt")
        for standard in STANDARDS:
            for pattern in ("hot", "rmix", "gpu", "copy", "seq"):
                reference(path_of(standard), stream(pattern, n),
                          "--commands", trace)
                found = audit(trace)
                check(not found.broken, standard, pattern, found.out)
                total += found.n_commands
    print("%d commands" % total)


# What the auditor asks for: the standard's value and so much more, so that
# the rule is the one that binds.  The simulator gets one CK less than that.
MORE = {"tRCD_RD": 0, "tRCD_WR": 0, "tRP": 0, "tRAS": 20, "tRC": 12,
        "tRRD_S": 1, "tRRD_L": 4, "tFAW": 24, "tCCD_S": 2, "tCCD_L": 2,
        "tCCD_WR": 3, "tRTW": 2, "tWTR_S": 2, "tWTR_L": 8, "tRTP": 30,
        "tWR": 4, "tRFC_AB": 0, "tPPD": 6}


def in_ck(timings):
    return {"timing__t" + k: "%s ck" % v for k, v in timings.items()}


def broken_by(folder, standard, timing, more):
    """The rules found broken where the simulator's timing is a CK short."""
    from standards import Standard
    s = Standard(standard)
    # All are given as numbers, so that none follows another.
    t = dict(s.t)
    t.setdefault("CCD_WR", t["CCD_L"])
    t[timing[1:]] = t.get(timing[1:], 0) + more
    if timing == "tRAS":
        t["RC"] = max(t["RC"], t["RAS"] + t["RP"])
    if timing == "tRRD_S":  # the group's may not be the stricter one
        t["RRD_S"] = t["RRD_L"] + more
    asked = variant(folder, "asked", standard, **in_ck(t))
    t[timing[1:]] -= 1
    given = variant(folder, "given", standard, **in_ck(t))
    trace = os.path.join(folder, "c.txt")
    broken = set()
    for pattern in ("hot", "rmix", "gpu", "seq"):
        reference(given, stream(pattern, 2000), "--commands", trace)
        check(not audit(trace, "--standard", given).broken, standard, timing)
        broken |= audit(trace, "--standard", asked).broken
    return broken


def test_broken(all_standards=0):
    n = 0
    with tempfile.TemporaryDirectory() as folder:
        for standard in STANDARDS if all_standards else (
                "hbm2", "hbm3", "gddr6"):
            for timing, more in MORE.items():
                found = broken_by(folder, standard, timing, more)
                check(found == {timing[1:]}, standard, timing,
                      "one CK short breaks", found or "nothing")
                n += 1
    print("%d timings of one CK too little, each caught by its rule" % n)


main(tests_of(globals()))
