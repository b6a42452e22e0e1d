"""From published tables to the bench's rows.

    python3 tests/fidelity/truth.py FOLDER [FACTS] > tests/fidelity/hardware.csv

FOLDER holds hardware.csv and curves/*.csv; FACTS is a page whose tables of
latencies, of streams and of L2 sweeps say the same of further GPUs.  Each rule below recognises a
formula in words and turns it into a case: a preset, a family of patterns.py
and its arguments.  Rows no rule knows are listed on stderr.
"""
import csv
import os
import re
import sys

# GPU as a table names it -> preset.  First match wins.
GPUS = (("TITAN X", "titanx-pascal"), ("GTX 1080", "titanx-pascal"),
        ("GTX 1070 Ti", "gtx1070ti"), ("GTX 1070", "gtx1070ti"),
        ("RTX 2080 Ti", "rtx2080ti"), ("Turing", "t4"), ("T4", "t4"),
        ("RTX2070", "rtx2070"), ("A100-80", "a100-80"),
        ("A100 80GB", "a100-80"), ("A100-40", "a100-40"),
        ("A100-PCIe-40", "a100-40"), ("A100-PCIE-40", "a100-40"),
        ("A100", "a100-40"), ("GH200", "gh200"), ("H200", "gh200"),
        ("h200", "gh200"), ("H100-PCIe", "h100-pcie"),
        ("H100 PCIe", "h100-pcie"), ("H800", "h100-pcie"),
        ("H100 80GB HBM3", "h100-sxm"), ("H100-SXM", "h100-sxm"),
        ("A40", "a40"), ("L40", "l40s"), ("RTX4090", "rtx4090"),
        ("MI210", "mi210"), ("MI300X", "mi300x"), ("TITAN V", "v100"),
        ("V100", "v100"), ("RTX 4000 Ada", "rtx4000-ada"),
        ("P100", "p100"), ("P6000", "titanx-pascal"),
        ("unspecified NVIDIA", "v100"))

# Words of a counter -> ours, and the bar it is held to.
METRICS = (
    ("elapsed_cycles_sm/28", "time.cycles", "kernel_time"),
    ("dram_read_transactions (32B)", "dram.read.sectors", "traffic"),
    ("dram_write_transactions (32B)", "dram.write.sectors", "traffic"),
    ("global_hit_rate % (L1", "l1_hit_pct", "hit_rate"),
    ("l2_tex_hit_rate %", "l2_hit_pct", "hit_rate"),
    ("l2_tex_read_hit_rate", "l2_read_hit_pct", "hit_rate"),
    ("l2_tex_write_hit_rate", "l2_write_hit_pct", "hit_rate"),
    ("l2_tex_read_transactions", "l2.read.sectors", "traffic"),
    ("l2_tex_write_transactions", "l2.write.sectors", "traffic"),
    ("cycles per warp load", "cycles_per_load", "l1_cycles"),
    ("l1tex__data_pipe_lsu_wavefronts", "data_wavefronts", "exact"),
    ("l1tex__t_output_wavefronts", "tag_wavefronts", "tag_wavefronts"),
    ("t_requests_pipe_lsu_mem_global_op_ld", "l1.global_load.requests",
     "exact"),
    ("t_sectors_pipe_lsu_mem_global_op_ld", "l1.global_load.sectors",
     "exact"),
    ("t_requests_pipe_lsu_mem_global_op_st", "l1.global_store.requests",
     "exact"),
    ("t_sectors_pipe_lsu_mem_global_op_st", "l1.global_store.sectors",
     "exact"),
    ("inst_executed_global_loads", "l1.global_load.active_requests", "exact"),
    ("inst_executed_global_stores", "l1.global_store.active_requests",
     "exact"),
    ("global load warp instructions", "l1.global_load.requests", "exact"),
    ("sectors/request", "ratio.sectors_per_request.global_load", "exact"),
    ("L1 hit rate %", "l1_hit_pct", "hit_rate"),
    ("gld_transactions_per_request", "ratio.sectors_per_request.global_load",
     "exact"),
    ("gst_transactions_per_request", "ratio.sectors_per_request.global_store",
     "exact"),
    ("dram read bytes", "dram.read.bytes", "traffic"),
    ("dram__bytes_read", "dram.read.bytes", "traffic"),
    ("dram__bytes_write", "dram.write.bytes", "traffic"),
    ("lts read sectors", "l2.read.sectors", "traffic"),
    ("gpc__cycles_elapsed", "time.cycles", "kernel_time"),
    ("useful GB/s", "gbs", "kernel_time"),
    ("effective GB/s", "gbs", "sweep"),
    ("Memory L2 Transactions Global", "l1.global_load.sectors", "exact"),
    ("lts__request_tex_read_sectors_global_ld", "l2.read.sectors", "exact"),
)

# Formula in words -> family and arguments.
PATTERNS = (
    (r"vecAdd .*i<(\d+)\b.*", lambda m, r: "vecadd n=%s width=%s" % (
        m[1], r["element_bytes"])),
    (r"tiled matmul .* (\d+)x\d+, BLOCK", lambda m, r:
     "matmul_tiled n=%s" % m[1]),
    (r"naive matmul f32 \(m,n,p\)=\((\d+),(\d+),(\d+)\)", lambda m, r:
     "matmul_naive m=%s n=%s p=%s" % m.groups()),
    (r"transposeNaive f32 (\d+)x.*-dlcm", lambda m, r:
     "transpose n=%s kind=naive" % m[1]),
    (r"transposeCoalesced f32 (\d+)x.*-dlcm", lambda m, r:
     "transpose n=%s kind=coalesced" % m[1]),
    (r"L1-resident loads, 8 loads/iter at element A\[\(tid%64\)\*(\d+)",
     lambda m, r: "l1_loads shape=stride element=%s x=%s" % (
         r["element_bytes"], m[1])),
    (r"L1-resident loads, block \((\d+),", lambda m, r:
     "l1_loads shape=block element=%s x=%s" % (r["element_bytes"], m[1])),
    (r"naive transpose f64 (\d+)x", lambda m, r: "transpose_f64 n=%s" % m[1]),
    (r"uint32 matrix add (\d+)x", lambda m, r:
     "matrix_add n=%s coalesced=0" % m[1]),
    (r"same, indices swapped", lambda m, r: "matrix_add n=1024 coalesced=1"),
    (r"in-place int reduction per 256", lambda m, r: "reduction shared=0"),
    (r"reduceSmem", lambda m, r: "reduction shared=1"),
    (r"C=A\*A\^T f32 (\d+)x.*baseline", lambda m, r:
     "product_with_transpose n=%s" % m[1]),
    (r"copyGmem f32 (\d+)x", lambda m, r:
     "transpose n=%s kind=copy block_y=32 copies=0 cta_limit=512" % m[1]),
    (r"naiveGmem f32 (\d+)x", lambda m, r:
     "transpose n=%s kind=naive block_y=32 copies=0 cta_limit=512" % m[1]),
    (r"one warp, base pointer \+4 B", lambda m, r:
     "one_warp rounds=1000 shift=1"),
    (r"indirect f32 n=(\d+).*identity", lambda m, r:
     "indirect n=%s permuted=0" % m[1]),
    (r"ld.global.f64 of the same kernel, identity", lambda m, r:
     "indirect n=10000 permuted=0 width=8 own=1"),
    (r"same with off=random", lambda m, r: "indirect n=10000 permuted=1"),
    (r"load (float4?) a\[\((\d+)\*i\)%n\]", lambda m, r:
     "strided_modulo stride=%s width=%d n=%d" % (
         (m[2], 16, 2500000) if m[1] == "float4" else (m[2], 4, 10000000))),
    (r"read-only float stride (\d+):", lambda m, r:
     "read_stride stride_words=%s" % m[1]),
    (r"fully random float gather over (\d+)", lambda m, r:
     "gather mib=%s" % m[1]),
    (r"float read x\[i\+(\d+)\]", lambda m, r:
     "read_stride stride_words=1 offset_words=%s" % m[1]),
    (r"AoS \{x,y,z,w\} read 1", lambda m, r: "read_stride stride_words=4"),
    (r"SoA read all", lambda m, r: "read_stride stride_words=1"),
    (r"memory_concurrency_probe.* of (\d+) MiB .*, (\d+) passes, ILP (\d+)",
     lambda m, r: "probe mib=%s passes=%s ilp=%s" % m.groups() +
     " ctas=%s warps=%d" % probe_grid(r["threads"])),
    (r"every block re-reads .* buffer of (\d+) kB", lambda m, r:
     "l1_sweep kib=%s" % m[1]),
)

# Known not to be comparable, with the reason.
SKIPPED = (
    ("kernel duration s", "the cycles of the same kernel are compared"),
    ("thread instructions", "input of the trace, not a result"),
    ("L2 hit rate %", "of a whole grid, of which a part is simulated"),
    ("gld_transactions", "nvprof's quads before Volta"),
    ("tex_cache_", "counted by an nvprof rule of its own"),
    ("all clients", "holds what other clients asked"),
    ("(nvprof)", "nvprof's own units, or overhead of the profiler"),
    ("duration us", "of an unrepeated run with unknown launch overhead"),
    ("ncu kernel time", "arithmetic decides it, of which no trace is public"),
    ("clk", "plateaus are taken from the pointer chases"),
)


def probe_grid(text):
    grid, block = re.match(r"grid (\d+) x block (\d+)", text).groups()
    return grid, int(block) // 32


def preset_of(gpu):
    for word, preset in GPUS:
        if word in gpu:
            return preset
    return None


def counter_rows(path):
    """Rows of hardware.csv."""
    doubles = set()
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            preset = preset_of(row["gpu"])
            metric = next(((ours, bar) for words, ours, bar in METRICS
                           if words in row["metric"]), None)
            case = None
            for pattern, build in PATTERNS:
                found = re.match(pattern, row["pattern"])
                if found:
                    case = build(found, row)
                    break
            if preset == "titanx-pascal" and "gld_trans" in row["metric"]:
                metric = None
            if not (preset and metric and case):
                why = next((why for words, why in SKIPPED
                            if words in row["metric"]), "no rule")
                yield None, (row["id"], row["metric"], why)
                continue
            # Of two rows that say 128 x 32 x 32 the first reads 2,048 sectors:
            # those of 64 x 64 x 64, which has as many blocks.
            if "m=128 n=32 p=32" in case and (case, metric) not in doubles:
                doubles.add((case, metric))
                case = "matmul_naive m=64 n=64 p=64"
            try:
                value = float(row["value"])
            except ValueError:
                yield None, (row["id"], row["metric"], "no number")
                continue
            yield (row["id"], preset + " " + case, metric[0], value, metric[1],
                   row["source"].split(" (")[0].split(",")[0]), None


CURVES = {
    "gpu_latency__pchase": lambda r: (
        "pchase kib=%s" % r["x"], "latency", "latency"),
    "hopper_bench__pchase_latency": lambda r: (
        "pchase kib=%s" % r["x"], "latency", "latency"),
    "gpu_cache__bw": lambda r: ("l1_sweep kib=%s" % r["x"], "gbs", "sweep"),
    "gpu_cache__l2read_counter": lambda r: (
        "l1_sweep kib=%s" % r["x"], "l2_gbs", "l2_counter"),
    "gpu_l2_cache__bw": lambda r: ("l2_sweep kib=%s" % r["x"], "gbs", "sweep"),
    "gpu_strides__float_stride__cycles_per_warp_load": lambda r: (
        "l1_loads shape=stride element=4 x=%s" % r["x"], "cycles_per_load",
        "l1_cycles"),
    "gpu_strides__double_stride__cycles_per_warp_load": lambda r: (
        "l1_loads shape=stride element=8 x=%s" % r["x"], "cycles_per_load",
        "l1_cycles"),
    "gpu_strides__float_block__cycles_per_warp_load": lambda r: (
        "l1_loads shape=block element=4 x=%s" % r["x"], "cycles_per_load",
        "l1_cycles"),
    "gpu_strides__float_stride__data_pipe_lsu_wavefronts_per_warp_load":
        lambda r: ("l1_loads shape=stride element=4 x=%s" % r["x"],
                   "data_wavefronts", "exact"),
    "gpu_strides__float_stride__t_output_wavefronts_per_warp_load":
        lambda r: ("l1_loads shape=stride element=4 x=%s" % r["x"],
                   "tag_wavefronts", "tag_wavefronts"),
    "gpu_strides__double_block__cycles_per_warp_load": lambda r: (
        "l1_loads shape=block element=8 x=%s" % r["x"], "cycles_per_load",
        "l1_cycles"),
    "bpg__stride_segments": lambda r: (
        "aligned_stride words=%s" % r["x"], "l1.global_load.sectors",
        "exact"),
    "bpg__offset_copy": lambda r: (
        "copy_offset offset_words=%s" % r["x"], "gbs", "streaming"),
}


# A column of a table of one figure a row -> case, metric, bar; None and the
# reason when it is left out.
LUO = (
    ("lat L1", "pchase kib=8", "latency", "latency"),
    ("lat shared", "shared_chase", "latency", "latency"),
    ("lat L2", "l2_chase", "latency", "latency"),
    ("lat global", "pchase kib=262144", "latency", "latency"),
    ("L1 thr float4", "l1_loads shape=stride element=16 x=1",
     "bytes_per_cycle", "throughput"),
    ("L2 thr float4", "l2_sweep kib=8192 width=16", "bytes_per_clk",
     "throughput"),
    ("L2 thr fp32", "l2_sweep kib=8192 width=4", "bytes_per_clk",
     "throughput"),
    ("L2 near hit", "preset", "near_hit", "latency"),
    ("L2 far hit", "preset", "far_hit", "latency"),
    ("L2 near miss", "preset", "near_miss", "latency"),
    ("L2 far miss", "preset", "far_miss", "latency"),
)
MT4G = (
    ("l1.latency", "pchase kib=8", "latency", "latency"),
    ("l2.latency", "l2_chase", "latency", "latency"),
    ("main.latency", "pchase kib=262144", "latency", "latency"),
    ("shared.latency", "shared_chase", "latency", "latency"),
    ("l1.size", "preset", "l1.size", "geometry"),
    ("l2.size", "preset", "l2.size", "geometry"),
    ("l2.segmentSize", "preset", "l2.half", "geometry"),
    ("l1.lineSize", "preset", "l1.line", "geometry"),
    ("l2.lineSize", "preset", "l2.line", "geometry"),
    ("l1.fetchGranularity", "preset", "l1.sector", "geometry"),
    ("l2.fetchGranularity", "preset", "l2.sector", "geometry"),
)
GPUMEMBENCH = (
    ("smem 32bit", "shared_bandwidth width=4", "gbs", "throughput"),
    ("smem 64bit", "shared_bandwidth width=8", "gbs", "throughput"),
    ("smem 128bit", "shared_bandwidth width=16", "gbs", "throughput"),
    ("L1", "l1_sweep kib=16", "gbs", "throughput"),
)
TILES = (
    ("C=AB none", "none against=both"), ("C=AB A-tile", "a_tile against=both"),
    ("C=AAT none", "at_none against=at_padded"),
    ("C=AAT smem (bank", "at_conflicts against=at_padded"),
)


def table_row(table, row):
    return next((found[1:] for found in table if row["x"] == found[0]), None)


def mt4g_row(row, of_gpu):
    """The lesser of its two L1 latencies: on Turing and A100 the plain one, and
    that of shared memory, are twice what every other source says."""
    plain = float(of_gpu.get("l1.latency", 0))
    read_only = float(of_gpu.get("readOnly.latency", plain))
    is_double = plain > 1.5 * read_only
    if is_double and row["x"] == "readOnly.latency":
        return MT4G[0][1:]
    if is_double and row["x"] in ("l1.latency", "shared.latency"):
        return None
    if "MI300X" in row["gpu"] and row["x"] == "l2.size":
        return None  # of one die of eight
    return table_row(MT4G, row)


def tile_row(row, of_gpu):
    """Sizes are not published: against the best of its kind."""
    for words, case in TILES:
        if row["x"].startswith(words):
            best = of_gpu["C=AB A+B-tile smem" if "C=AB" in words else
                          "C=AAT smem padded +1"]
            row["y"] = "%.4g" % (float(row["y"]) / float(best))
            return ("tile_product kind=" + case, "speed", "throughput")
    return None


TABLES = {
    "luo_hopper__tables": lambda r, gpu: table_row(LUO, r),
    "mt4g__cache_params": mt4g_row,
    "gpumembench__smem_fermi_pascal_volta":
        lambda r, gpu: table_row(GPUMEMBENCH, r),
    "bpg__matmul_tile_bw": tile_row,
    "coalescing_cu__T4": lambda r, gpu: (
        "coalescing %s=%s" % ("stride" if "x=stride" in r["unit"] else
                              "offset", r["x"]), "gbs", "kernel_time"),
}
TABLE_SKIPPED = "no case: lower bounds, penalties, or measured twice"


def stream_row(name, row):
    """Full occupancy only: the largest block of the file."""
    found = re.search(r"bs=(\d+),occ=100", row["unit"])
    if not found:
        return None
    block, per_sm = int(found[1]), 2
    if block > 1024:
        block, per_sm = 1024, block // 1024 * 1
    return ("stream kind=%s block=%d ctas_per_sm=%d" % (
        name.split("__")[1], min(block, 1024), 2), "gbs", "streaming")


def curve_rows(folder):
    for file_name in sorted(os.listdir(folder)):
        name = file_name[:-4]
        with open(os.path.join(folder, file_name), newline="") as file:
            rows = list(csv.DictReader(file))
            of_gpu = {}
            for row in rows:
                of_gpu.setdefault(row["gpu"], {})[row["x"]] = row["y"]
            for row in rows:
                preset = preset_of(row["gpu"])
                if name.startswith("gpu_stream__"):
                    found = stream_row(name, row)
                    if not found:
                        continue
                elif name in CURVES:
                    found = CURVES[name](row)
                elif name in TABLES and preset:
                    found = TABLES[name](row, of_gpu[row["gpu"]])
                    if not found:
                        yield None, (name, row["gpu"], TABLE_SKIPPED)
                        continue
                else:
                    yield None, (name, row["gpu"],
                                 "no rule" if preset else "no preset")
                    continue
                if not preset:
                    yield None, (name, row["gpu"], "no preset")
                    continue
                try:
                    value = float(row["y"])
                except ValueError:
                    continue
                case, metric, bar = found
                if name == "bpg__offset_copy" and \
                        row["x"] not in ("0", "1", "8", "17"):
                    continue  # all say one of two figures
                yield (name + ":" + row["x"], preset + " " + case, metric,
                       value, bar, row["source"].split(" (")[0]), None


# --- a page of facts -------------------------------------------------------
SIZES = {"kB": 1, "MB": 1024}
STREAMS = ("init", "read", "scale")


def fact_tables(path):
    """The cells of each table of a page, line by line."""
    with open(path) as file:
        for line in file:
            if line.startswith("|"):
                yield [cell.strip() for cell in line.strip().strip("|").split(
                    "|")]


def latency_facts(path):
    """`| footprint | GPU @clock | ...`: cycles of a pointer chase.  The table
    takes the nearest published size; where the curve climbs in between the
    sizes it is no measurement of this one."""
    gpus = None
    for cells in fact_tables(path):
        if cells[0] == "footprint":
            gpus = [preset_of(cell) for cell in cells[1:]]
        elif gpus and re.match(r"\d+ [kM]B$", cells[0]):
            size, unit = cells[0].split(" ")
            for preset, cell in zip(gpus, cells[1:]):
                yield ("facts:latency:" + cells[0], "%s pchase kib=%d" % (
                    preset, int(size) * SIZES[unit]), "latency", float(cell),
                    "latency", "facts, gpu-benches gpu-latency")
        elif gpus and cells[0].strip("-"):
            return


def stream_facts(path):
    """`| GPU | write | read | copy | peak | ...`; (*) is limited by latency."""
    inside = False
    for cells in fact_tables(path):
        if cells[:4] == ["GPU", "write", "read", "copy"]:
            inside = True
        elif inside and cells[0].strip("-"):
            preset = preset_of(cells[0])
            if not preset or len(cells) < 4:
                return
            for kind, cell in zip(STREAMS, cells[1:]):
                if "(*)" not in cell:
                    yield ("facts:stream:" + kind,
                           "%s stream kind=%s block=1024 ctas_per_sm=2" % (
                               preset, kind), "gbs",
                           float(cell.replace(",", "")), "streaming",
                           "facts, gpu-benches gpu-stream")


def sweep_facts(path):
    """`GPU 5,482 at 2.0 MB, 5,405 at 15.4, ...`: runs of 512 KiB chunks."""
    with open(path) as file:
        text = re.search(r"against working set, gpu-l2-cache, GB/s(.*?)\n",
                         file.read())[1]
    parts = re.split(r"(A100-80|H100 PCIe|\"h200\"|L40)", text)
    for gpu, part in zip(parts[1::2], parts[2::2]):
        for value, size in re.findall(r"([\d,]+) (?:at|flat to) (\d+(?:\.\d+)?)",
                                      part):
            run = round(float(size) * 1000 / 512)
            yield ("facts:sweep:" + size, "%s l2_sweep kib=%d" % (
                preset_of(gpu), 512 * run), "gbs",
                float(value.replace(",", "")), "sweep",
                "facts, gpu-benches gpu-l2-cache")


def fact_rows(path, known):
    """Of GPUs whose curves are not given in full."""
    for row in (*latency_facts(path), *stream_facts(path), *sweep_facts(path)):
        if tuple(row[1].split(" ")[:2]) not in known:
            yield row, None


def is_near_last(row, last):
    """Points of a curve over sizes are left out when they are closer than a
    tenth to the one before, or than 1.6 times where nothing changes."""
    preset, family, size = (row[1].split(" ") + [""])[:3]
    if family not in ("pchase", "l1_sweep", "l2_sweep") or ":" not in row[0]:
        return False
    x, y = float(size.split("=")[1]), row[3]
    key = (preset, row[0].split(":")[0])
    before = last.get(key)
    least = 1.02 if row[4] != "latency" else 1.1
    if before and before[0] < x < before[0] * (
            least if abs(y - before[1]) > 0.03 * y else 1.6):
        return True
    last[key] = (x, y)
    return False


def main():
    folder = sys.argv[1]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("id", "case", "metric", "hardware", "bar", "source"))
    seen, missed, last = set(), {}, {}
    rows = [*counter_rows(os.path.join(folder, "hardware.csv")),
            *curve_rows(os.path.join(folder, "curves"))]
    known = {tuple(row[1].split(" ")[:2]) for row, _ in rows
             if row and row[0].startswith(("gpu_", "hopper_"))}
    if len(sys.argv) > 2:
        rows += fact_rows(sys.argv[2], known)
    for row, problem in rows:
        if row is None:
            key = problem[1:] if not problem[2] == "no rule" else problem
            missed[key] = missed.get(key, 0) + 1
            continue
        # A figure that several tables print is one row.
        key = (row[1], row[2])
        if key in seen or is_near_last(row, last):
            continue
        seen.add(key)
        writer.writerow(row[:3] + ("%g" % row[3],) + row[4:])
    for key, n in missed.items():
        print("left out:", n, *key, file=sys.stderr)


if __name__ == "__main__":
    main()
