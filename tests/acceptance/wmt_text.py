"""What docs/wmt_reader.py yields, printed as `warpmem trace cat` prints."""

KINDS = ("global_load global_store global_atomic global_reduction local_load "
         "local_store async_copy shared_load shared_store shared_atomic "
         "barrier exit gap").split()
COPIES = ("HtoD", "DtoH", "DtoD", "set")
FLAGS = ("bypass_l1", "continued", "evict_first")


def name_text(raw):
    """Bytes that would break a line as \\xNN."""
    return b"".join(
        b"\\x%02x" % c if c < 32 or c in (127, 92) or
        (c == 32 and i in (0, len(raw) - 1)) else bytes([c])
        for i, c in enumerate(raw))


def flag_words(flags):
    if flags == 0 or flags >> 3:
        return "0x%x" % flags if flags else "-"
    return ",".join(w for i, w in enumerate(FLAGS) if flags >> i & 1)


def launch_line(v, name):
    line = ("launch grid %d,%d,%d block %d,%d,%d shared %d regs %d warp %d sm "
            "%d stream %d shared_base 0x%x local_base 0x%x" % tuple(v[:13]))
    if v[13] != v[0] * v[1] * v[2]:
        line += " ctas %d" % v[13]
    if v[14] != -(-v[3] * v[4] * v[5] // v[8]):
        line += " warps %d" % v[14]
    return line.encode() + b" name " + name_text(name)


def static_line(number, pc, line, kind, width, flags, opcode):
    text = "static %d %s pc 0x%x" % (number, KINDS[kind], pc)
    text += " line %d" % line if line else ""
    text += " width %d" % width if width else ""
    text += " flags " + flag_words(flags) if flags else ""
    return text.encode() + b" opcode " + name_text(opcode)


def signed(x, bits):
    return (x + 2 ** (bits - 1)) % 2 ** bits - 2 ** (bits - 1)


def address(record):
    base, lanes = record["base"], record["lanes"]
    if record["pattern"] == 1:
        return " list 0x%x" % base + "".join(
            " %+d" % signed(lane - base, 64) for lane in lanes)
    if record["pattern"] == 2:
        return " list64 0x%x" % base + "".join(" 0x%x" % a for a in lanes)
    stride = record["stride"] >> 1 ^ -(record["stride"] & 1)
    text = " 0x%x" % base if base or stride else ""
    return text + (" %+d" % stride if stride else "")


def record_line(record, warp_size, statics):
    usual = statics.get(record["static"], (len(KINDS), 0, 0))
    text = "  %d %0*x" % (record["static"], warp_size // 4, record["mask"])
    text += address(record)
    for part, form in (("head", " head %d/%d"), ("tail", " tail %d/%d")):
        if part == "tail" and record["wait"]:
            text += " wait 0x%x" % record["wait"]
        if record[part]:
            text += form % (record[part], record[part + "_slots"])
    if record["kind"] != usual[0]:
        text += " kind " + KINDS[record["kind"]]
    if record["width"] != usual[1]:
        text += " width %d" % record["width"]
    if record["flags"] != usual[2]:
        text += " flags " + flag_words(record["flags"])
    return text.encode()


def cta_lines(place, work, warps, warp_size, statics):
    yield ("cta %d,%d,%d warps %d records %d other %d flops %d,%d,%d,%d" % (
        *place, len(warps), sum(map(len, warps)), *work)).encode()
    for number, warp in enumerate(warps):
        if warp:
            yield b"warp %d" % number
        for record in warp:
            yield record_line(record, warp_size, statics)


def lines(items):
    """The text, line by line, of what read() yields."""
    yield b"warpmem-trace 1"
    warp_size, statics = 32, {}
    for what, *rest in items:
        if what == "copy":
            yield ("copy %s 0x%x %d" % (COPIES[rest[0]], *rest[1:])).encode()
        elif what == "launch":
            warp_size, statics = rest[0][8], {}
            yield launch_line(*rest)
        elif what == "static":
            number, _, _, kind, width, flags, _ = rest
            statics[number] = (kind, width, flags)
            yield static_line(*rest)
        else:
            yield from cta_lines(*rest, warp_size, statics)
