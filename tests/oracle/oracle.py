"""A naive model of coalescer, L1, L2 and DRAM traffic against counts mode.

    oracle.py [CASES [SEED]]

Random traces of one warp on random small configurations.  The model below
uses sets of bytes, lists in order of use and no cleverness; every counter of
hits, misses, fetches, write-backs and dirty bytes must be equal.  A failure
prints the seed of its case: oracle.py 1 SEED repeats it.
"""
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "acceptance"))
import wm  # noqa: E402

BASE = 0x7f2000000000
KINDS = ("global_load", "global_store", "global_atomic", "global_reduction")


class Set:
    """Lines of one set, the last used at the end."""

    def __init__(self, ways):
        self.ways, self.lines = ways, []

    def find(self, line):
        for entry in self.lines:
            if entry["line"] == line:
                return entry
        return None

    def use(self, entry):
        self.lines.remove(entry)
        self.lines.append(entry)

    def make_room(self, line):
        """A fresh entry for the line, and who left (None: nobody)."""
        gone = self.lines.pop(0) if len(self.lines) == self.ways else None
        entry = {"line": line, "valid": set(), "dirty": set(), "bytes": {}}
        self.lines.append(entry)
        return entry, gone


class Cache:
    def __init__(self, n_sets, ways):
        self.sets = [Set(ways) for _ in range(n_sets)]

    def at(self, number):
        return self.sets[number % len(self.sets)]


class Model:
    def __init__(self, c):
        self.c, self.n = c, {}
        self.l1 = Cache(c["l1.sets"], c["l1.ways"])
        self.slices = [Cache(c["l2.sets"], c["l2.ways"])
                       for _ in range(c["l2.slices"])]

    def count(self, name, n):
        self.n[name] = self.n.get(name, 0) + n

    def write_dram(self, n):
        self.count("dram.write.sectors", n)

    def l2_line(self, line, found):
        """The L2 entry of the line; found tells whether it was there."""
        per_chunk = self.c["l2.interleave"] // self.c["line"]
        chunk, within = divmod(line, per_chunk)
        rank, number = divmod(chunk, self.c["l2.slices"])
        place = self.slices[number].at(rank * per_chunk + within)
        entry = place.find(line)
        found.append(entry is not None)
        if entry is not None:
            place.use(entry)
            return entry
        entry, gone = place.make_room(line)
        if gone is not None:
            self.write_dram(len(gone["dirty"]))
        return entry

    def l2_need(self, entry, sectors, op):
        miss = sectors - entry["valid"]
        self.count("l2.%s.hit_sectors" % op, len(sectors) - len(miss))
        self.count("l2.%s.miss_sectors" % op, len(miss))
        group = self.c["l2.fetch"]
        wanted = {s for s in range(self.c["line"] // self.c["sector"])
                  if any(m // group == s // group for m in miss)}
        wanted -= entry["valid"]
        wanted = {s for s in wanted if s in miss or s not in entry["bytes"]}
        self.count("dram.read.sectors", len(wanted))
        entry["valid"] |= wanted
        for s in wanted:
            entry["bytes"].pop(s, None)

    def l2_dirty(self, entry, sectors):
        if self.c["l2.write"] == "through":
            self.write_dram(len(sectors))
        else:
            entry["dirty"] |= sectors

    def l2_write(self, line, bytes_by_sector):
        sectors = set(bytes_by_sector)
        entry = self.l2_line(line, [])
        before = set(entry["valid"])
        self.count("l2.write.hit_sectors", len(sectors & before))
        self.count("l2.write.miss_sectors", len(sectors - before))
        for s, written in bytes_by_sector.items():
            if len(written) == self.c["sector"]:
                entry["valid"].add(s)
                entry["bytes"].pop(s, None)
            elif s not in before and self.c["l2.write"] == "back":
                have = entry["bytes"].setdefault(s, set())
                have |= written
                if len(have) == self.c["sector"]:
                    entry["valid"].add(s)
                    del entry["bytes"][s]
        self.l2_dirty(entry, sectors)

    def l1_load(self, line, sectors, is_bypass):
        miss = set(sectors)
        if not is_bypass:
            place = self.l1.at(line)
            entry = place.find(line)
            if entry is None:
                entry, _ = place.make_room(line)
            else:
                place.use(entry)
            miss = sectors - entry["valid"]
            entry["valid"] |= miss
        self.count("l1.global_load.hit_sectors", len(sectors) - len(miss))
        self.count("l1.global_load.miss_sectors", len(miss))
        if miss:
            self.l2_need(self.l2_line(line, []), miss, "read")

    def l1_store(self, line, bytes_by_sector):
        sectors = set(bytes_by_sector)
        full = {s for s, b in bytes_by_sector.items()
                if len(b) == self.c["sector"]}
        place = self.l1.at(line)
        entry = place.find(line)
        hit = sectors & entry["valid"] if entry else set()
        if entry and self.c["l1.write"] == "evict":
            place.lines.remove(entry)
        elif entry:
            place.use(entry)
        if self.c["l1.write"] == "allocate" and full:
            if entry is None:
                entry, _ = place.make_room(line)
            entry["valid"] |= full
        self.count("l1.global_store.hit_sectors", len(hit))
        self.count("l1.global_store.miss_sectors", len(sectors - hit))
        self.l2_write(line, bytes_by_sector)

    def access(self, kind, lanes, width, is_bypass):
        lines = {}
        for address in lanes:
            for byte in range(address, address + width):
                line, offset = divmod(byte, self.c["line"])
                sectors = lines.setdefault(line, {})
                sectors.setdefault(offset // self.c["sector"],
                                   set()).add(byte)
        for line, found in lines.items():
            if kind == "global_load":
                self.l1_load(line, set(found), is_bypass)
            elif kind == "global_store":
                self.l1_store(line, found)
            else:
                entry = self.l2_line(line, [])
                self.l2_need(entry, set(found), "atomic")
                self.l2_dirty(entry, set(found))

    def finish(self):
        dirty = sum(len(entry["dirty"]) for cache in self.slices
                    for place in cache.sets for entry in place.lines)
        self.n["l2.dirty_bytes_left"] = dirty * self.c["sector"]
        return self.n


def make_config(rng):
    line = rng.choice((32, 64, 128))
    sector = rng.choice([s for s in (32, 64, 128) if s <= line])
    per_line = line // sector
    return {"line": line, "sector": sector,
            "l1.sets": rng.randint(1, 6), "l1.ways": rng.randint(1, 20),
            "l1.write": rng.choice(("through", "allocate", "evict")),
            "l2.sets": rng.randint(1, 5), "l2.ways": rng.randint(1, 18),
            "l2.slices": rng.randint(1, 5),
            "l2.interleave": line * rng.randint(1, 4),
            "l2.write": rng.choice(("back", "back", "through")),
            "l2.fetch": rng.choice([f for f in (1, 2, 4) if f <= per_line])}


def write_config(c, path):
    with open(path, "w") as out:
        out.write("sm: {count: 1}\n"
                  "l1: {sets: %d, ways: %d, line: %d B, sector: %d B, "
                  "hash: none, write: %s}\n" % (
                      c["l1.sets"], c["l1.ways"], c["line"], c["sector"],
                      c["l1.write"]))
        out.write("l2: {sets: %d, ways: %d, slices: %d, line: %d B, "
                  "sector: %d B, interleave: %d B, hash: none, write: %s, "
                  "fetch: %d}\n" % (
                      c["l2.sets"], c["l2.ways"], c["l2.slices"], c["line"],
                      c["sector"], c["l2.interleave"], c["l2.write"],
                      c["l2.fetch"]))
        out.write("coalescer: {segment: %d B}\n"
                  "dram: {channels: %d, row: 1 KiB}\n" % (
                      c["line"], 1 + c["l2.slices"] % 3))


def make_access(rng, span):
    kind = rng.choice(KINDS[:2] * 3 + KINDS[2:])
    width = rng.choice((1, 2, 4, 4, 8, 16))
    n = rng.choice((1, 3, 8, 32, 32))
    start = rng.randrange(span // width) * width
    if rng.random() < 0.5:
        stride = rng.choice((0, width, width, 2 * width, 32, 36, 128))
        lanes = [start + i * stride for i in range(n)]
    else:
        lanes = [rng.randrange(span // width) * width for _ in range(n)]
    return kind, width, [BASE + a for a in lanes]


def write_trace(accesses, path):
    statics, rows = {}, []
    for kind, width, lanes, is_bypass in accesses:
        key = (kind, width, is_bypass)
        number = statics.setdefault(key, len(statics))
        mask = (1 << len(lanes)) - 1
        rows.append("  %d %08x at %s" % (
            number, mask, " ".join("0x%x" % a for a in lanes)))
    with open(path, "w") as out:
        out.write("warpmem-trace 1\nlaunch grid 1,1,1 block 32,1,1 shared 0 "
                  "regs 16 warp 32 sm 70 stream 0 shared_base 0x0 local_base "
                  "0x0 name oracle\n")
        for (kind, width, is_bypass), number in statics.items():
            out.write("static %d %s pc 0x%x width %d%s opcode X\n" % (
                number, kind, 16 * number, width,
                " flags bypass_l1" if is_bypass else ""))
        out.write("static %d exit pc 0xff0 opcode EXIT\n" % len(statics))
        out.write("cta 0,0,0 warps 1 records %d other 0 flops 0,0,0,0\n"
                  "warp 0\n%s\n  %d ffffffff\n" % (
                      len(rows) + 1, "\n".join(rows), len(statics)))


def run_case(seed, folder):
    rng = random.Random(seed)
    c = make_config(rng)
    model = Model(c)
    span = rng.choice((512, 4096, 65536))
    accesses = []
    for _ in range(rng.randint(1, 120)):
        kind, width, lanes = make_access(rng, span)
        is_bypass = kind == "global_load" and rng.random() < 0.1
        accesses.append((kind, width, lanes, is_bypass))
        model.access(kind, lanes, width, is_bypass)
    config = os.path.join(folder, "c.yaml")
    trace = os.path.join(folder, "t.txt")
    write_config(c, config)
    write_trace(accesses, trace)
    ours = wm.total("-c", config, "-m", "counts", trace)
    wrong = ["%s is %s, the model says %s" % (name, ours[name], n)
             for name, n in model.finish().items() if ours[name] != n]
    if wrong:
        print("seed %d, %s:" % (seed, c))
        print("    " + "\n    ".join(wrong))
    return not wrong


def main():
    n_cases = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 20261130
    with tempfile.TemporaryDirectory() as folder:
        n_equal = sum(run_case(first + i, folder) for i in range(n_cases))
    print("%d of %d cases equal" % (n_equal, n_cases))
    sys.exit(n_equal != n_cases)


main()
