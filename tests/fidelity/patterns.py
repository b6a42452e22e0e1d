"""Kernels whose access pattern is published as a formula, as traces in the
readable form (docs/TRACE_FORMAT.md, section 2).

A family is a function of its arguments that returns a Pattern: how to write
the trace, how to run it, and how to read the figures out of the kernels'
metrics.  Nothing here knows a GPU by name: what depends on the GPU (SMs,
cache sizes) comes from its configuration.
"""
import random

A = 0x7f0000000000
FULL = 0xffffffff
KIB = 1024


class Pattern:
    """write(out)      writes the trace
    read(kernels)      metrics of each launch -> {metric: value}
    options            further arguments of `warpmem run`
    """

    def __init__(self, write, read=None, options=()):
        self.write = write
        self.read = read or (lambda kernels: kernels[-1])
        self.options = options


# --- writing --------------------------------------------------------------
class Out:
    """The statements of the readable form."""

    def __init__(self, file):
        self.file = file
        self.say("warpmem-trace 1")

    def say(self, line):
        self.file.write(line + "\n")

    def copy(self, address, size, kind="HtoD"):
        self.say("copy %s %#x %d" % (kind, address, size))

    def launch(self, name, ctas, warps, statics, shared=0, regs=32, lanes=32):
        self.ctas, self.warps, self.cta_number = ctas, warps, 0
        self.full = (1 << lanes) - 1
        self.say("launch grid %d,1,1 block %d,1,1 shared %d regs %d warp %d "
                 "sm 0 name %s" % (ctas, lanes * warps, shared, regs, lanes,
                                   name))
        for static in statics:
            self.say("static " + static)
        self.exit = len(statics)
        self.say("static exit opcode EXIT".replace(
            "static", "static %d" % self.exit, 1))

    def cta(self, bodies, other=0):
        """A CTA from the records of its warps; the exit is added."""
        lines = ["cta %d,0,0 warps %d other %d" % (
            self.cta_number, len(bodies), other)]
        self.cta_number += 1
        for number, body in enumerate(bodies):
            lines.append("warp %d" % number)
            lines += body
            lines.append("%d %x wait 0xffffffff" % (self.exit, self.full))
        self.say("\n".join(lines))


LOAD = "%d global_load width %d opcode LDG"
LOAD_L2 = "%d global_load width %d flags bypass_l1 opcode LDG.STRONG.GPU"
SHARED = "%d shared_load width %d opcode LDS"
STORE = "%d global_store width %d opcode STG"


def low_mask(lanes):
    return (1 << lanes) - 1 if lanes > 0 else 0


def affine(static, base, stride, mask=FULL, time=""):
    return "%d %08x %#x +%d %s" % (static, mask, base, stride, time)


def lanes_at(static, addresses, time=""):
    """A record from one address per lane; None = lane off."""
    mask = 0
    for lane, address in enumerate(addresses):
        if address is not None:
            mask |= 1 << lane
    return "%d %08x at %s %s" % (static, mask, " ".join(
        "%#x" % address for address in addresses if address is not None), time)


def aligned(size, unit=512):
    return (size + unit - 1) // unit * unit


# --- streams --------------------------------------------------------------
def vecadd(config, n, width, block=1024):
    """c[i] = a[i] + b[i], one element a thread; a, b and c copied before."""
    size = aligned(n * width)
    ctas = (n + block - 1) // block

    def write(file):
        out = Out(file)
        for array in range(3):
            out.copy(A + array * size, n * width)
        for _ in range(2):
            out.launch("vecadd", ctas, block // 32,
                       (LOAD % (0, width), STORE % (1, width)))
            for cta in range(ctas):
                bodies = []
                for warp in range(block // 32):
                    first = cta * block + warp * 32
                    mask = low_mask(min(32, n - first))
                    body = []
                    if mask:
                        at = A + first * width
                        body = [
                            affine(0, at, width, mask, "head 110/18"),
                            affine(0, at + size, width, mask, "head 12/2"),
                            affine(1, at + 2 * size, width, mask,
                                   "head 12/2 wait 0x3 tail 6/1")]
                    bodies.append(body)
                out.cta(bodies)
    return Pattern(write, first_and_replay)


def first_and_replay(kernels):
    """The first launch after the copies; DRAM writes of a second, as a profiler
    runs a kernel once for every group of counters and they are what earlier
    runs left dirty."""
    found = dict(kernels[0])
    for name, value in kernels[1].items():
        if name.startswith("dram.write."):
            found[name] = value
    return found


def stream(config, kind, block, ctas_per_sm=2, mib=0):
    """gpu-stream: one 8-byte element a thread; init, read, scale, triad."""
    shape = {"init": (0, 1), "read": (1, 0), "scale": (1, 1), "triad": (2, 1)}
    loads, stores = shape[kind]
    array = 1 << 32
    per_cta = block * 8
    resident = config["sm.count"] * ctas_per_sm
    # Long enough for many waves; with stores, for the dirty data left in the L2,
    # which a wave more or less moves by its size, not to matter.
    mib = mib or (80 if stores else 24)
    ctas = max(4 * resident, mib * KIB * KIB // (per_cta * (loads + stores)))
    # Stores meet an L2 full of what was written before.
    fill = config["l2.size"] * 5 // 4 // per_cta if stores else 1
    lanes = config["warp"]
    warps = (block + lanes - 1) // lanes
    shared = config["shared.size"] // ctas_per_sm - 2048

    def write(file):
        out = Out(file)
        first = 0
        # The second launch is twice as long: their difference is the steady
        # state.
        for n in (fill, ctas, 2 * ctas):
            out.launch(kind, n, warps, (LOAD % (0, 8), STORE % (1, 8)),
                       shared=shared, regs=16, lanes=lanes)
            for _ in range(n):
                bodies = []
                for warp in range(warps):
                    mask = low_mask(min(lanes, block - warp * lanes))
                    at = A + first + warp * lanes * 8
                    body = [affine(0, at + array * (1 + k), 8, mask,
                                   "head 40/8" if k == 0 else "head 1/1")
                            for k in range(loads)]
                    if stores:
                        body.append(affine(
                            1, at, 8, mask,
                            "wait 0x3 tail 12/2" if loads else "head 40/8"))
                    bodies.append(body)
                out.cta(bodies)
                first += aligned(per_cta, 256)

    def read(kernels):
        ns = kernels[2]["time.ns"] - kernels[1]["time.ns"]
        return {"gbs": ctas * per_cta * (loads + stores) / ns}
    return Pattern(write, read)


def read_stride(config, stride_words, offset_words=0, mib=12, width=4):
    """x[i * stride] over a large buffer, one load a thread."""
    ctas = 8 * config["sm.count"] * 8
    span = 32 * stride_words * width

    def write(file):
        out = Out(file)
        first = 0
        for n in (ctas, 2 * ctas):
            out.launch("stride", n, 8, (LOAD % (0, width),), regs=16)
            for _ in range(n):
                out.cta([[affine(0, A + offset_words * width + first +
                                 warp * span, stride_words * width,
                                 FULL, "head 40/8")] for warp in range(8)])
                first += 8 * span

    def read(kernels):
        ns = kernels[1]["time.ns"] - kernels[0]["time.ns"]
        return {"gbs": ctas * 8 * 32 * width / ns}
    return Pattern(write, read)


def copy_offset(config, offset_words):
    """out[i] = in[i + offset], floats (BPG offset copy)."""
    ctas = 8 * config["sm.count"] * 10

    def write(file):
        out = Out(file)
        first = 0
        for n in (config["l2.size"] // 1024, ctas, 2 * ctas):
            out.launch("offset", n, 8, (LOAD % (0, 4), STORE % (1, 4)),
                       regs=16)
            for _ in range(n):
                out.cta([[affine(0, A + first + warp * 128 +
                                 4 * offset_words, 4, FULL, "head 40/8"),
                          affine(1, A + (1 << 32) + first + warp * 128, 4,
                                 FULL, "wait 0x1 tail 6/1")]
                         for warp in range(8)])
                first += 1024

    def read(kernels):
        ns = kernels[2]["time.ns"] - kernels[1]["time.ns"]
        return {"gbs": 2 * ctas * 1024 / ns}
    return Pattern(write, read)


def gather(config, mib):
    """x[random] of floats over a large buffer."""
    ctas = 8 * config["sm.count"]
    draw = random.Random(1)

    def write(file):
        out = Out(file)
        for n in (ctas, 3 * ctas):
            out.launch("gather", n, 8, (LOAD % (0, 4),), regs=16)
            for _ in range(n):
                out.cta([[lanes_at(0, [A + 4 * draw.randrange(mib << 18)
                                       for _ in range(32)], "head 40/8")]
                         for _ in range(8)])

    def read(kernels):
        ns = kernels[1]["time.ns"] - kernels[0]["time.ns"]
        return {"gbs": 2 * ctas * 8 * 128 / ns}
    return Pattern(write, read)


def coalescing(config, offset=0, stride=1, mib=4):
    """NVIDIA's coalescing.cu: a[i] += 1 over 4 MiB, i moved by an offset or
    spread by a stride; the first of two launches goes unseen."""
    n = mib << 18

    def write(file):
        out = Out(file)
        for _ in range(2):
            out.launch("coalescing", n // 256, 8,
                       (LOAD % (0, 4), STORE % (1, 4)), regs=16)
            for cta in range(n // 256):
                bodies = []
                for warp in range(8):
                    first = cta * 256 + warp * 32
                    at = A + 4 * (first * stride + offset)
                    bodies.append([
                        affine(0, at, 4 * stride, FULL, "head 40/8"),
                        affine(1, at, 4 * stride, FULL, "wait 0x1 tail 6/1")])
                out.cta(bodies)

    def read(kernels):
        return {"gbs": 2 * n * 4 / kernels[1]["time.ns"]}
    return Pattern(write, read)


# --- matrices -------------------------------------------------------------
def matmul_tiled(config, n, tile=32):
    """The CUDA samples' tiled product, 32 x 32 tiles in shared memory."""
    size = n * n * 4
    blocks = n // tile
    lds = "%d shared_load width %d opcode LDS"

    def warp_body(bx, by, ty):
        body = []
        for kt in range(blocks):
            row = A + ((by * 32 + ty) * n + kt * 32) * 4
            column = A + size + ((kt * 32 + ty) * n + bx * 32) * 4
            body += [affine(0, row, 4, FULL,
                            "head 100/20" if kt == 0 else "head 30/6"),
                     affine(0, column, 4, FULL, "head 6/1"),
                     affine(2, ty * 128, 4, FULL, "wait 0x2"),
                     affine(2, 4096 + ty * 128, 4, FULL, "wait 0x1"),
                     "5 ffffffff"]
            for k in range(32):
                if k % 4 == 0:
                    body.append(affine(4, ty * 128 + k * 4, 0))
                # An FFMA follows some loads later.
                body.append(affine(3, 4096 + k * 128, 4, FULL,
                                   "wait 0x20 tail 1/1" if k > 5 else ""))
            body.append("5 ffffffff wait 0x3f head 12/6")
        body.append(affine(1, A + 2 * size + ((by * 32 + ty) * n + bx * 32) * 4,
                           4, FULL, "head 12/4"))
        return body

    def write(file):
        out = Out(file)
        for array in range(3):
            out.copy(A + array * size, size)
        for _ in range(2):
            out.launch("matmul", blocks * blocks, 32, (
                LOAD % (0, 4), STORE % (1, 4),
                "2 shared_store width 4 opcode STS", lds % (3, 4),
                lds % (4, 16), "5 barrier opcode BAR"), shared=8192)
            for by in range(blocks):
                for bx in range(blocks):
                    out.cta([warp_body(bx, by, ty) for ty in range(32)])
    return Pattern(write, first_and_replay)


def matmul_naive(config, m, n, p):
    """C[i][j] = sum over k < n of A[i][k] B[k][j]; blocks of 32 x 32."""
    size_a, size_b = m * n * 4, n * p * 4

    def warp_body(bx, by, ty):
        i = by * 32 + ty
        body = []
        for k in range(n):
            body += [affine(0, A + (i * n + k) * 4, 0, FULL,
                            "head 80/16" if k == 0 else "wait 0x3 head 24/6"),
                     affine(0, A + size_a + (k * p + bx * 32) * 4, 4, FULL,
                            "head 6/1")]
        body.append(affine(1, A + size_a + size_b + (i * p + bx * 32) * 4, 4,
                           FULL, "wait 0x3 tail 6/1"))
        return body

    def write(file):
        out = Out(file)
        out.copy(A, size_a)
        out.copy(A + size_a, size_b)
        out.copy(A + size_a + size_b, m * p * 4)
        for _ in range(2):
            out.launch("naive", (m // 32) * (p // 32), 32,
                       (LOAD % (0, 4), STORE % (1, 4)))
            for by in range(m // 32):
                for bx in range(p // 32):
                    out.cta([warp_body(bx, by, ty) for ty in range(32)])
    return Pattern(write, first_and_replay)


def transpose(config, n, kind, block_y=16, copies=True, cta_limit=0):
    """16-wide blocks, a thread an element; naive or through shared memory;
    `copy` moves without transposing."""
    size = n * n * 4
    warps = 16 * block_y // 32
    ctas = [(bx, by) for by in range(n // block_y) for bx in range(n // 16)]
    if cta_limit:
        ctas = ctas[:cta_limit]

    def warp_body(bx, by, warp):
        rows = [by * block_y + 2 * warp + half for half in range(2)]
        load = [A + ((bx * 16 + x) + n * y) * 4
                for y in rows for x in range(16)]
        body = [lanes_at(0, load, "head 60/14")]
        if kind == "coalesced":
            body += [affine(2, warp * 128, 4, FULL, "wait 0x1"),
                     "4 ffffffff",
                     lanes_at(3, [x * 64 + (2 * warp + half) * 4
                                  for half in range(2) for x in range(16)],
                              "head 12/2")]
            store = [A + size + ((by * 16 + x) + n *
                                 (bx * 16 + 2 * warp + half)) * 4
                     for half in range(2) for x in range(16)]
        elif kind == "naive":
            store = [A + size + (y + n * (bx * 16 + x)) * 4
                     for y in rows for x in range(16)]
        else:
            store = [address + size for address in load]
        body.append(lanes_at(1, store, "wait 0x1 head 6/2"))
        return body

    def write(file):
        out = Out(file)
        if copies:
            out.copy(A, size)
            out.copy(A + size, size)
        for _ in range(2 if copies else 1):
            out.launch("transpose", len(ctas), warps, (
                LOAD % (0, 4), STORE % (1, 4),
                "2 shared_store width 4 opcode STS",
                "3 shared_load width 4 opcode LDS", "4 barrier opcode BAR"),
                shared=16 * block_y * 4 if kind == "coalesced" else 0)
            for bx, by in ctas:
                out.cta([warp_body(bx, by, warp) for warp in range(warps)])
    return Pattern(write, first_and_replay if copies else None)


# --- the L1's throughput --------------------------------------------------
def l1_loads(config, shape, element, x):
    """gpu-strides: 8 loads a round from one SM, all in the L1.  The difference
    of two launches of different length is the steady state."""
    offsets = (0, 4, 8, 12, 20, 16, 24, 28)

    def address(thread, offset):
        if shape == "stride":
            return (thread % 64) * x + offset
        tx, ty = thread % x, thread // x
        return (tx % 64) + (ty % 32) * 4098 + 4098 + offset

    # Two rounds bring the lines in; what they take is in both launches.
    is_short = x <= 1 if shape == "stride" else x >= 16
    rounds = (4, 44) if is_short else (2, 12)

    lanes = config["warp"]

    def write(file):
        out = Out(file)
        bodies = []
        for warp in range(1024 // lanes):
            bodies.append([lanes_at(0, [
                A + element * address(warp * lanes + lane, offset)
                for lane in range(lanes)], "head 1/1") for offset in offsets])
        for n in rounds:
            out.launch("strides", 1, len(bodies), (LOAD % (0, element),),
                       lanes=lanes)
            out.cta([body * n for body in bodies])

    def read(kernels):
        def more(name):
            return kernels[1][name] - kernels[0][name]
        # Of 32 lanes, as published, whatever the warp.
        loads = more("l1.global_load.requests") * lanes // 32
        return {"cycles_per_load": more("time.cycles") / loads,
                "bytes_per_cycle": 32 * element * loads /
                more("time.cycles"),
                "data_wavefronts": more("l1.global_load.wavefronts") / loads,
                "tag_wavefronts": more("l1.global_load.tag_wavefronts") / loads,
                "sectors": more("l1.global_load.sectors") / loads}
    return Pattern(write, read)


# --- latency --------------------------------------------------------------
def pchase(config, kib, spacing=64, steps=3000):
    """A random cyclic chain of pointers `spacing` bytes apart, one warp.

    The caches are brought into the state that going round the chain leaves:
    the last part of the chain (twice the L2), in order, by one warp of 32
    lanes past the L1; small chains are chased whole, once and twice.
    """
    nodes = max(2, int(kib * KIB / spacing))
    draw = random.Random(7)
    l2_nodes = 2 * config["l2.size"] // spacing
    # Of a long chain only the last part and the first steps are looked at.
    order = draw.sample(range(nodes), min(nodes, l2_nodes + 3 * steps))
    is_small = nodes <= 12000

    def chase(out, chain, laps):
        out.launch("chase", 1, 1, (LOAD % (0, 8),))
        body = [affine(0, A + spacing * node, 0, 1, "wait 0x1")
                for node in chain]
        out.cta([body * laps])

    def write(file):
        out = Out(file)
        last = order[-l2_nodes:]
        out.launch("touch", 1, 1, (LOAD_L2 % (0, 8),))
        body = []
        for i in range(0, len(last), 32):
            body.append(lanes_at(0, [A + spacing * node
                                     for node in last[i:i + 32]], "wait 0x80"))
        out.cta([body])
        if is_small:
            chase(out, order, 1)
            chase(out, order, 2)
        else:
            chase(out, order[:steps // 2], 1)
            chase(out, order[steps // 2:2 * steps], 1)

    def read(kernels):
        if is_small:
            cycles = kernels[-1]["time.cycles"] - kernels[-2]["time.cycles"]
            return {"latency": cycles / nodes}
        n = len(order[steps // 2:2 * steps])
        return {"latency": kernels[-1]["time.cycles"] / n}
    return Pattern(write, read)


def shared_chase(config, steps=2000):
    """Dependent loads from shared memory, one lane."""
    def write(file):
        out = Out(file)
        for n in (steps, 2 * steps):
            out.launch("shared", 1, 1, (SHARED % (0, 4),), shared=4096)
            out.cta([[affine(0, 4 * (i * 37 % 1024), 0, 1, "wait 0x1")
                      for i in range(n)]])

    def read(kernels):
        return {"latency": (kernels[1]["time.cycles"] -
                            kernels[0]["time.cycles"]) / steps}
    return Pattern(write, read)


def l2_chase(config, steps=2000):
    """Dependent loads past the L1 of what the L2 holds: an eighth of it."""
    lines = config["l2.size"] // 8 // 128
    order = random.Random(5).sample(range(lines), min(lines, steps))

    def write(file):
        out = Out(file)
        out.copy(A, lines * 128)
        # The first lap brings lines of the other half near.
        for n in (1, 1, 2):
            out.launch("l2", 1, 1, (LOAD_L2 % (0, 8),))
            out.cta([[affine(0, A + 128 * line, 0, 1, "wait 0x1")
                      for line in order] * n])

    def read(kernels):
        return {"latency": (kernels[2]["time.cycles"] -
                            kernels[1]["time.cycles"]) / len(order)}
    return Pattern(write, read)


def shared_bandwidth(config, width):
    """Loads and stores of shared memory side by side, all SMs full
    (gpumembench: swaps between places of a thread's own)."""
    warps, rounds = 8, 100
    per_sm = min(config["sm.max_threads"] // (32 * warps),
                 config["sm.max_warps"] // warps)
    ctas = per_sm * config["sm.count"]

    def write(file):
        out = Out(file)
        for n in (rounds, 2 * rounds):
            out.launch("swap", ctas, warps, (
                SHARED % (0, width), "1 shared_store width %d opcode STS" %
                width), shared=1024)
            for _ in range(ctas):
                out.cta([[affine(i % 2, 32 * width * warp, width, FULL,
                                 "head 1/1 wait 0x2" if i % 2 else "head 1/1")
                          for i in range(2 * n)] for warp in range(warps)])

    def read(kernels):
        ns = kernels[1]["time.ns"] - kernels[0]["time.ns"]
        return {"gbs": ctas * warps * 2 * rounds * 32 * width / ns}
    return Pattern(write, read)


def preset(config):
    """What a preset says of its caches, against what was measured of them."""
    def write(file):
        out = Out(file)
        out.launch("tiny", 1, 1, ())
        out.cta([[]])

    def read(kernels):
        clock_ns = 1e9 / config["sm.clock"]
        near = config["l2.latency"]
        far = config["l2.far_latency"]
        dram = config["dram.latency"] / 1000 / clock_ns
        return {"l1.line": config["l1.line"], "l1.sector": config["l1.sector"],
                "l1.size": config["l1.size"], "l2.line": config["l2.line"],
                "l2.sector": config["l2.sector"], "l2.size": config["l2.size"],
                "l2.half": config["l2.size"] // config["l2.partitions"],
                "near_hit": near, "far_hit": near + far,
                "near_miss": near + dram, "far_miss": near + far + dram}
    return Pattern(write, read)


# --- bandwidth against working set ----------------------------------------
def l1_sweep(config, kib, width=8, block=256):
    """gpu-cache: a CTA an SM, all sweep one buffer again and again.

    A thread keeps eight loads in flight.  That is assumed: what the compiler
    made of the unrolled sum is not published, and 32 would hide DRAM's latency,
    which an H100 does not.
    """
    if config["warp"] == 64:
        width = 16
    lines = max(1, int(kib * KIB / (block * width)))
    lanes = config["warp"]
    full = low_mask(lanes)
    warps = block // lanes
    laps = max(2, 1 + int(200 / lines))
    more = laps if lines > 200 else 6 * laps
    per_lap = min(lines, max(400, config["l1.size"] // 1024))

    def write(file):
        out = Out(file)
        # What a launch does not come to is in the L2 as if it had: both halves
        # of the L2, if it has two, have seen the last of the buffer.
        out.copy(A, int(kib * KIB))
        if kib * KIB > config["l2.size"] // 2:
            out.launch("touch", 2, 8, (LOAD_L2 % (0, 16),), lanes=lanes)
            step = 16 * lanes
            n_steps = int(kib * KIB) // step
            for _ in range(2):
                out.cta([[affine(0, A + i * step, 16, full, "wait 0x80")
                          for i in range(warp, n_steps, 8)]
                         for warp in range(8)])
        start = [0]
        for n in (laps, laps + more):
            out.launch("sweep", config["sm.count"], warps,
                       (LOAD % (0, width),), regs=64, lanes=lanes)
            bodies = []
            for warp in range(warps):
                steps = [(start[0] + step) % lines
                         for step in range(n * per_lap)]
                bodies.append([affine(
                    0, A + (line * block + warp * lanes) * width, width, full,
                    "head 2/2 wait 0x80")
                    for i, line in enumerate(steps)])
            start[0] += n * per_lap
            for _ in range(config["sm.count"]):
                out.cta(bodies)

    def read(kernels):
        ns = kernels[-1]["time.ns"] - kernels[-2]["time.ns"]
        volume = more * per_lap * block * width * config["sm.count"]
        sent = kernels[-1]["l2.read.sectors"] - kernels[-2]["l2.read.sectors"]
        return {"gbs": volume / ns, "l2_gbs": 32 * sent / ns}
    return Pattern(write, read)


def l2_sweep(config, kib, width=8, block=1024, loads=64):
    """gpu-l2-cache: CTA b reads chunk b mod run of 512 KiB, 64 loads a thread
    in pairs of neighbouring rows; the data set is run chunks.

    Of 200,000 CTAs those that run at one time have come apart: the first ones
    of a launch here start somewhere in their chunk.  The steady rate is that of
    the CTAs that the last launch has more.
    """
    loads = loads * 8 // width
    chunk = loads * block * width
    run = max(1, int(kib * KIB) // chunk)
    per_sm = max(1, min(config["sm.max_threads"] // block, 2))
    resident = per_sm * config["sm.count"]
    warm = min(run, 3 * config["l2.size"] // (2 * chunk) + 1)
    lanes = config["warp"]
    full = low_mask(lanes)
    warps = block // lanes
    draw = random.Random(9)

    phases = [2 * draw.randrange(loads // 2) for _ in range(resident)]

    def write(file):
        out = Out(file)
        first = 0
        for n in (warm, 2 * resident, 3 * resident):
            is_apart = first != 0
            out.launch("l2", n, warps, (LOAD % (0, width),), regs=32,
                       lanes=lanes)
            for cta in range(n):
                at = A + 2 * ((first + cta) % run) * block * width
                start = phases[cta] if is_apart and cta < resident else 0
                out.cta([[affine(
                    0, at + (2 * (i // 2) * run + i % 2) * block * width +
                    warp * lanes * width, width, full,
                    "head 30/8" if i == start else "head 2/2")
                    for i in range(start, loads)] for warp in range(warps)])
            first += n

    def read(kernels):
        ns = kernels[2]["time.ns"] - kernels[1]["time.ns"]
        volume = resident * chunk
        return {"gbs": volume / ns,
                "bytes_per_clk": volume / (kernels[2]["time.cycles"] -
                                           kernels[1]["time.cycles"])}
    return Pattern(write, read)


# --- counts ---------------------------------------------------------------
def counted(statics, ctas, warps, body, scale=1, copies=(), shared=0):
    """One launch of which only a share 1/scale is simulated, for counts that
    are the same in every part of it."""
    def write(file):
        out = Out(file)
        for address, size in copies:
            out.copy(address, size)
        n = ctas // scale
        out.launch("counted", n, warps, statics, shared=shared)
        for cta in range(n):
            out.cta([body(cta, warp) for warp in range(warps)])

    def read(kernels):
        # What lies beyond the L1 does not grow with the grid.
        return {name: value * scale if isinstance(value, int) and
                name.startswith("l1.") else value
                for name, value in kernels[-1].items()}
    return Pattern(write, read, ("-m", "counts"))


def transpose_f64(config, n):
    """Loads with a lane stride of n doubles, stores coalesced; 32 x 32."""
    def body(cta, warp):
        by, bx = divmod(cta, n // 32)
        row = by * 32 + warp
        return [affine(0, A + (bx * 32 * n + row) * 8, n * 8),
                affine(1, A + (1 << 32) + (row * n + bx * 32) * 8, 8, FULL,
                       "wait 0x1")]
    return counted((LOAD % (0, 8), STORE % (1, 8)), (n // 32) ** 2, 32, body,
                   scale=128)


def matrix_add(config, n, coalesced):
    step = 4 if coalesced else 4 * n

    def body(cta, warp):
        by, bx = divmod(cta, n // 32)
        at = A + ((by * 32 + warp) * n + bx * 32) * 4 if coalesced else \
            A + (bx * 32 * n + by * 32 + warp) * 4
        return [affine(0, at, step), affine(0, at + (1 << 30), step),
                affine(1, at + (2 << 30), step, FULL, "wait 0x3")]
    return counted((LOAD % (0, 4), STORE % (1, 4)), (n // 32) ** 2, 32, body,
                   scale=8)


def reduction(config, shared):
    """256 threads a block: in place in global memory, or in shared."""
    def body(cta, warp):
        at = A + cta * 1024 + warp * 128
        if shared:
            return [affine(0, at, 4)] + (
                [affine(1, A + (1 << 32) + cta * 4, 4, 1, "wait 0x1")]
                if warp == 0 else [])
        records = []
        for half in (128, 64):
            if warp * 32 < half:
                records += [affine(0, at, 4), affine(0, at + half * 4, 4),
                            affine(1, at, 4, FULL, "wait 0x3")]
        if warp == 0:
            for half in (32, 16, 8, 4, 2, 1):
                records += [affine(0, at, 4), affine(0, at + half * 4, 4),
                            affine(1, at, 4, FULL, "wait 0x3")]
            records += [affine(0, at, 4, 1),
                        affine(1, A + (1 << 32) + cta * 4, 4, 1, "wait 0x1")]
        return records
    return counted((LOAD % (0, 4), STORE % (1, 4)), 65536, 8, body, scale=64)


def indirect(config, n, permuted, width=4, own=0):
    """idx = off[i]; f = p[idx]; p[idx] = f + 1, 512 threads a block.  own: of
    the loads of p alone."""
    place = list(range(n))
    if permuted:
        random.Random(3).shuffle(place)

    def body(cta, warp):
        first = cta * 512 + warp * 32
        lanes = min(32, n - first)
        if lanes <= 0:
            return []
        at = [A + (1 << 20) + width * i for i in place[first:first + lanes]]
        records = [] if own else [affine(0, A + 4 * first, 4, low_mask(lanes))]
        return records + [lanes_at(2, at, "wait 0x1"),
                          lanes_at(1, at, "wait 0x1")]
    return counted((LOAD % (0, 4), STORE % (1, width), LOAD % (2, width)),
                   (n + 511) // 512, 16, body)


def strided_modulo(config, stride, width, n):
    """a[(stride * i) % n], one load a thread."""
    def body(cta, warp):
        first = cta * 160 + warp * 32
        return [lanes_at(0, [A + width * (stride * i % n)
                             for i in range(first, first + 32)])]
    # 160 divides the published sizes.
    return counted((LOAD % (0, width),), n // 160, 5, body,
                   scale=max(1, n // 160 // 125))


def aligned_stride(config, words):
    """One load, lanes `words` floats apart from an aligned address."""
    def body(cta, warp):
        return [affine(0, A, 4 * words)]
    return counted((LOAD % (0, 4),), 1, 1, body)


def one_warp(config, rounds, shift):
    """a[lane + shift + 32 round], one warp."""
    def body(cta, warp):
        records = []
        for i in range(rounds):
            at = A + 4 * (shift + 32 * i)
            records += [affine(0, at, 4), affine(1, at, 4, FULL, "wait 0x1")]
        return records
    return counted((LOAD % (0, 4), STORE % (1, 4)), 1, 1, body)


def product_with_transpose(config, n, parts=32):
    """C = A A^T, 32 x 32 blocks: a broadcast, and a lane stride of n floats.
    The first of `parts` of the grid."""
    blocks = n // 32

    def body(cta, warp):
        by, bx = divmod(cta, blocks)
        records = []
        for k in range(n):
            records += [affine(0, A + ((by * 32 + warp) * n + k) * 4, 0, FULL,
                               "wait 0x3 head 4/4" if k else ""),
                        affine(0, A + (bx * 32 * n + k) * 4, n * 4)]
        records.append(affine(
            1, A + (1 << 30) + ((by * 32 + warp) * n + bx * 32) * 4, 4, FULL,
            "wait 0x3"))
        return records
    found = counted((LOAD % (0, 4), STORE % (1, 4)), blocks * blocks, 32, body,
                    scale=parts)
    found.options = ()
    return found


TILE_PRODUCTS = {"none": 0, "a_tile": 1, "both": 2, "at_none": 3,
                 "at_conflicts": 4, "at_padded": 5}


def tile_product(config, kind, against, blocks=20):
    """The Best Practices Guide's products of a column and a row of 32 x 32
    tiles: plain, with the tile of A in shared memory, with both; and A A^T
    plain, with a tile stored by column, with the same padded.  Sizes are not
    given, so the figure is the time of `against` over that of `kind`."""
    tile = 4096
    other = A + (1 << 28)
    result = A + (2 << 28)

    def body(which, bx, by, ty):
        row = by * 32 + ty
        width_n = blocks * 32 * 4
        out = result + row * width_n + bx * 128
        a_row = A + row * 128
        if which < 3:
            b = other + bx * 128
            loads_b = [b + k * width_n for k in range(32)]
            records = []
            if which >= 1:
                records += [affine(0, a_row, 4, FULL, "head 60/12"),
                            affine(2, ty * 128, 4, FULL, "wait 0x1")]
            if which == 2:
                records += [affine(0, b + ty * width_n, 4),
                            affine(2, tile + ty * 128, 4, FULL, "wait 0x1"),
                            "4 ffffffff"]
            for k in range(32):
                if which == 0:
                    records.append(affine(0, a_row + 4 * k, 0, FULL,
                                          "head 12/3"))
                elif k % 4 == 0:
                    records.append(affine(5, ty * 128 + 4 * k, 0))
                records.append(
                    affine(3, tile + k * 128, 4, FULL, "tail 1/1")
                    if which == 2 else affine(0, loads_b[k], 4, FULL,
                                              "head 2/1"))
        else:
            b_row = A + bx * 32 * 128
            records = []
            if which > 3:
                pitch = 33 * 4 if which == 5 else 128
                records += [affine(0, a_row, 4, FULL, "head 60/12"),
                            affine(2, ty * 128, 4, FULL, "wait 0x1"),
                            affine(0, b_row + ty * 128, 4),
                            affine(2, tile + ty * 4, pitch, FULL, "wait 0x1"),
                            "4 ffffffff"]
            for k in range(32):
                if which == 3:
                    records += [affine(0, a_row + 4 * k, 0, FULL,
                                       "head 12/3"),
                                affine(0, b_row + 4 * k, 128, FULL,
                                       "head 2/1")]
                else:
                    if k % 4 == 0:
                        records.append(affine(5, ty * 128 + 4 * k, 0))
                    records.append(affine(3, tile + k * pitch, 4, FULL,
                                          "tail 1/1"))
        records.append(affine(1, out, 4, FULL, "wait 0xffffffff tail 6/1"))
        return records

    def write(file):
        file_out = Out(file)
        for which in (against, kind):
            which = TILE_PRODUCTS[which]
            file_out.launch("product", blocks * blocks, 32, (
                LOAD % (0, 4), STORE % (1, 4),
                "2 shared_store width 4 opcode STS", SHARED % (3, 4),
                "4 barrier opcode BAR", SHARED % (5, 16)),
                shared=8448 if which % 3 else 0)
            for by in range(blocks):
                for bx in range(blocks):
                    file_out.cta([body(which, bx, by, ty) for ty in range(32)])

    def read(kernels):
        return {"speed": kernels[0]["time.ns"] / kernels[1]["time.ns"]}
    return Pattern(write, read)


def broadcast_product(config, n):
    """for k: A[i][k] broadcast, B[k][j]; one block of n threads, all i."""
    def body(cta, warp):
        records = []
        for i in range(n):
            for k in range(n):
                records += [affine(0, A + (i * n + k) * 4, 0),
                            affine(0, A + (1 << 20) +
                                   (k * n + warp * 32) * 4, 4)]
        return records
    return counted((LOAD % (0, 4),), 1, n // 32, body)


def probe(config, mib, passes, ilp, ctas, warps):
    """Dependent .cg loads, ilp chains a thread; every sector of the buffer
    once a pass."""
    sectors = mib * KIB * 32
    threads = ctas * warps * 32
    chains = threads * ilp
    rounds = (sectors + chains - 1) // chains

    def write(file):
        out = Out(file)
        for step in range(1):
            out.launch("probe", ctas, warps, (LOAD_L2 % (0, 4),))
            for cta in range(ctas):
                bodies = []
                for warp in range(warps):
                    thread = (cta * warps + warp) * 32
                    body = []
                    for p in range(passes):
                        for i in range(rounds):
                            for chain in range(ilp):
                                at = (i * ilp + chain) * threads + thread
                                if at >= sectors:
                                    continue
                                wait = "wait %#x" % (1 << (ilp - 1))
                                body.append(affine(0, A + at * 32, 32, FULL,
                                                   wait))
                    bodies.append(body)
                out.cta(bodies)
    return Pattern(write)



FAMILIES = {f.__name__: f for f in (
    vecadd, stream, read_stride, copy_offset, gather, matmul_tiled,
    matmul_naive, transpose, l1_loads, pchase, l1_sweep, l2_sweep,
    transpose_f64, matrix_add, reduction, indirect, strided_modulo, one_warp,
    aligned_stride,
    product_with_transpose, broadcast_product, probe, shared_chase, l2_chase,
    shared_bandwidth, preset, coalescing, tile_product)}
