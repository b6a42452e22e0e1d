"""Writes small Accel-Sim traces (grouped, tracer version 5)."""
import os

HEADER = """\
-kernel name = {name}
-kernel id = {id}
-grid dim = ({grid},1,1)
-block dim = ({block},1,1)
-shmem = {shmem}
-nregs = 16
-binary version = {sm}
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f1000000000
-nvbit version = 1.7.6
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] \
mem_width [adrrescompress?] [mem_addresses] immediate
"""
FULL = 0xffffffff


def line(pc, opcode, width, addresses, mask=FULL, dst="R4", src=("R2",),
         immediate=" 0"):
    """addresses: (base, stride), or one address per active lane."""
    if isinstance(addresses, tuple):
        where = "1 0x%x %d" % addresses
    else:
        where = "0 " + " ".join("0x%x" % a for a in addresses)
    return "%04x %08x %s%s %d %s %d %s%s" % (
        pc, mask, "1 %s " % dst if dst else "0 ", opcode, len(src),
        " ".join(src), width, where, immediate)


def text(ctas, name="k", id=1, shmem=0, sm=80, block=None):
    """ctas: a list of CTAs, each a list of warps, each a list of lines."""
    block = block or 32 * len(ctas[0])
    out = [HEADER.format(name=name, id=id, grid=len(ctas), block=block,
                         shmem=shmem, sm=sm)]
    for number, warps in enumerate(ctas):
        out.append("\n#BEGIN_TB\n\nthread block = %d,0,0\n" % number)
        for warp, lines in enumerate(warps):
            out.append("\nwarp = %d\ninsts = %d\n%s\n" % (
                warp, len(lines), "\n".join(lines)))
        out.append("\n#END_TB\n")
    return "".join(out)


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "w", newline="") as out:
        out.write(content)
    return path


def kernel(folder, lines, name="kernel-1.traceg", **keywords):
    """A kernel of one warp."""
    return write(folder, name, text([[lines]], **keywords))


def line_number(path, wanted):
    """Where an instruction line stands in its file."""
    with open(path) as lines:
        return lines.read().split("\n").index(wanted) + 1
