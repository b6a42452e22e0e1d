"""Reads a native trace file (.wmt, format 2): TRACE_FORMAT.md section 1 and
nothing else, short rather than fast.  read(bytes) yields in file order
    ("copy", kind, address, bytes)
    ("launch", the 15 numbers of LAUN behind its own, name)
    ("static", number, pc, line, kind, width, flags, opcode)
    ("cta", [x, y, z], [other, fp16, fp32, fp64, tensor], warps)
where a warp is a list of records, each a dict of SHAPE, "base" and "lanes",
the addresses of its active lanes.  python3 wmt_reader.py FILE prints them.
"""
import struct
import sys
import zlib

SHAPE = ("static kind width pattern flags mask stride wait head head_slots "
         "tail tail_slots").split()
M64 = 2 ** 64 - 1


class Column:  # a run of bytes, read from its front
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        self.at += n
        assert self.at <= len(self.data), "a column ends early"
        return self.data[self.at - n:self.at]

    def varint(self):
        byte, x, shift = 128, 0, 0
        while byte >= 128:
            byte = self.take(1)[0]
            x |= (byte & 127) << shift
            shift += 7
        return x

    def varints(self, n):
        return [self.varint() for _ in range(n)]

    def text(self):
        return self.take(self.varint())

    def signed(self, n):
        return [unzigzag(x) for x in self.varints(n)]


def unzigzag(x):
    return (x >> 1) ^ -(x & 1)


def chunks(data):
    magic, version, crc = struct.unpack_from("<8sII", data)
    assert magic == b"\x89WMT\r\n\x1a\n" and zlib.crc32(data[:12]) == crc
    assert version == 2, "byte 8: format %d, this reader knows 2" % version
    at, kind = 16, b""
    while at < len(data):
        kind, flags, n_raw, n, crc, head_crc = struct.unpack_from(
            "<4sIIIII", data, at)
        raw = stored = data[at + 24:at + 24 + n]
        assert zlib.crc32(data[at:at + 20]) == head_crc, "byte %d" % at
        assert len(stored) == n and zlib.crc32(stored) == crc, "byte %d" % at
        if flags == 0:
            raw = zlib.decompress(stored)
        elif flags == 2:
            n = 4 + struct.unpack_from("<I", stored)[0]
            raw = zlib.decompress(stored[4:n]) + stored[n:]
        assert flags in (0, 1, 2) and len(raw) == n_raw, "byte %d" % at
        group = Column(raw if kind == b"GRUP" else b"")
        while group.at < len(group.data):
            yield group.take(4).decode("ascii"), Column(group.text())
        yield kind.decode("ascii"), Column(raw)
        at += 24 + len(stored)
    assert kind == b"FOOT", "byte %d: the file ends without its footer" % at


def lane_addresses(s, base, lists, lanes):
    active = [lane for lane in range(64) if s["mask"] >> lane & 1]
    if s["pattern"] == 0:
        return [base + (lane - active[0]) * unzigzag(s["stride"]) & M64
                for lane in active]
    values, n = [], len(active)
    if n > 0:
        width, shift = lists.take(2)
        values = [] if shift & 64 else [0]
        n -= len(values)
        bits = int.from_bytes(lanes.take((n * width + 7) // 8), "little")
        for i in range(n):
            x = unzigzag(bits >> i * width & 2 ** width - 1) << (shift & 63)
            values.append(x + (values[-1] if values else 0))
    if s["pattern"] == 1:  # offsets of 32 bits with a sign
        values = [(v + 2 ** 31) % 2 ** 32 - 2 ** 31 for v in values]
    return [base + v & M64 for v in values]


def ctas(column):
    _, _, n_ctas, _, n_shapes, n_templates = column.varints(6)
    shapes, templates, heads, warps, moves, lists, lanes = columns = [
        Column(column.take(n)) for n in column.varints(7)]
    rows = zip(*[shapes.varints(n_shapes) for _ in SHAPE])
    shape = [dict(zip(SHAPE, row)) for row in rows]
    lengths, number, template = templates.varints(n_templates), 0, []
    for n in lengths:
        template.append([])
        for step in templates.signed(n):
            number += step
            template[-1].append(shape[number])
    last_base, last_move, bases, place, work = {}, {}, {}, [0] * 3, [0] * 5
    for _ in range(n_ctas):
        place = [a + b for a, b in zip(place, heads.signed(3))]
        n_warps, cta = heads.varint(), []
        work = [a + b & M64 for a, b in zip(work, heads.signed(5))]
        for name in warps.varints(n_warps):
            before, now = bases.get(name >> 1), []
            cta.append([])
            for i, s in enumerate(template[name >> 1]):
                key = -1 if s["kind"] == 12 else s["static"]  # 12: GAP
                move = moves.signed(1)[0] if name & 1 else 0
                if before is None:
                    base = last_base.get(key, 0) + move & M64
                else:
                    last_move[key] = last_move.get(key, 0) + move
                    base = before[i] + last_move[key] & M64
                last_base[key] = base
                now.append(base)
                cta[-1].append(dict(s, base=base, lanes=lane_addresses(
                    s, base, lists, lanes)))
            bases[name >> 1] = now
        yield "cta", place, work, cta
    assert all(c.at == len(c.data) for c in columns), "bytes are left over"


def read(data):
    for kind, column in chunks(data):
        if kind == "COPY":
            yield ("copy", *column.varints(3))
        elif kind == "LAUN":
            yield "launch", column.varints(16)[1:], column.text()
        elif kind == "STAT":
            _, first, n = column.varints(3)
            for number in range(first, first + n):
                yield ("static", number, *column.varints(5), column.text())
        elif kind == "CTAS":
            yield from ctas(column)


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        for what, *rest in read(file.read()):
            print(what, *rest[:2 if what == "cta" else None])
            for warp in rest[2] if what == "cta" else ():
                print("warp", *warp, sep="\n  ")
