"""Every request reaches its own cell: the column commands of a run are those
that a second reader of the mapping language works out from the stream.

    addresses.py [CASES [SEED]]
"""
import collections
import os
import random
import sys
import tempfile

from dram import STANDARDS, check, commands_of, model, path_of, stream
from standards import load

FIELDS = ("column", "pc", "sid", "bg", "bank", "row")


def bits_of(name):
    """Bits of each field but the row's, and of an atom."""
    keys = load(name)
    size = {"B": 1, "KiB": 1024}
    row, atom = (int(t.split()[0]) * size[t.split()[1]] for t in (
        keys["organisation.row"], keys["organisation.atom"]))
    n = {"column": row // atom}
    for field, key in (("pc", "pseudo_channels"), ("sid", "stack_ids"),
                       ("bg", "bank_groups"), ("bank", "banks")):
        n[field] = int(keys["organisation." + key])
    return {f: k.bit_length() - 1 for f, k in n.items()}, \
        atom.bit_length() - 1


class Mapping:
    """docs/DRAM.md, section 3: fields of bits, each an xor of address bits."""

    def __init__(self, text):
        self.fields = {}
        for part in text.split(";"):
            name, *words = part.split()
            self.fields[name] = [b for w in words for b in self.bits(w)]

    @staticmethod
    def bits(word):
        if "-" in word:
            first, last = word.split("-")
            return [[b] for b in range(int(first), int(last or 63) + 1)]
        return [[int(b) for b in word.split("^")]]

    def place(self, address):
        return tuple(sum((sum(address >> b for b in xor) & 1) << i
                         for i, xor in enumerate(self.fields.get(f, ())))
                     for f in FIELDS)


def random_text(rng, name):
    """A text that is one to one: fields in any order, bits folded with those
    of the row."""
    n_bits, at = bits_of(name)
    fields = [f for f in FIELDS[:-1] for _ in range(n_bits[f])]
    rng.shuffle(fields)
    row = at + len(fields)
    text = collections.defaultdict(list)
    for bit, field in enumerate(fields, at):
        fold = rng.choice(("", "", "^%d" % (row + rng.randrange(12))))
        text[field].append("%d%s" % (bit, fold))
    text["row"].append("%d-" % row)
    return "; ".join("%s %s" % (f, " ".join(text[f])) for f in text)


def cells(path):
    """Read and written cells of a command trace, each as often as used."""
    found = collections.Counter()
    for line in commands_of(path):
        _, kind, pc, sid, bg, ba, row, column = line.split()
        if kind[:2] in ("RD", "WR"):
            found[(kind[0], int(column), int(pc), int(sid), int(bg), int(ba),
                   int(row))] += 1
    return found


def run_case(seed, folder):
    rng = random.Random(seed)
    name = STANDARDS[seed % len(STANDARDS)]
    text = rng.choice(("mop4clxor", "robaracoch", "gpu", "standard",
                       random_text(rng, name), random_text(rng, name)))
    pattern = rng.choice(("rand", "gpu", "copy", "stride"))
    records = stream(pattern, 2000, rng.randrange(1, 10**6))
    path = os.path.join(folder, "c.txt")
    options = [] if text == "standard" else ["--mapping", text]
    result = model(path_of(name), records, "--commands", path, *options)
    mapping = Mapping(result["mapping"])
    wanted = collections.Counter(
        ("RW"[line[0] == "W"], *mapping.place(int(line[2:], 16)))
        for line in records.decode().splitlines())
    found = cells(path)
    where = "seed %d, %s, %s, %s:" % (seed, name, pattern, text)
    extra = found - wanted
    check(not extra, where, "commands to cells nobody asked for", extra)
    n_missing = sum(c for k, c in (wanted - found).items() if k[0] == "R")
    check(n_missing == result["forwarded"], where, n_missing,
          "reads without a command, forwarded", result["forwarded"])


def main():
    n_cases = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + n_cases):
            run_case(seed, folder)
    print("%d streams, every request at its own cell" % n_cases)


main()
