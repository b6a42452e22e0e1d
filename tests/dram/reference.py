"""The reference controller and the streams are what they claim to be.

golden     the reference reproduces the golden rows at full rate, digit for digit
           (golden:1: at every rate)
streams    check values of the streams
lawful     its commands break no rule, for any standard (lawful:N requests)
"""
import csv
import os
import struct
import tempfile

from dram import (STANDARDS, audit, check, main, path_of, reference, stream,
                  tests_of)

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


def test_golden(all_rates=0):
    for row in golden_rows():
        if not all_rates and row["rate"] in ("2048", "4096"):
            continue
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


def test_lawful(n=1000):
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


main(tests_of(globals()))
