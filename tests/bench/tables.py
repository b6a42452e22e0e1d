"""The results as Markdown tables, printed and put between the marks of
docs/PERFORMANCE.md:  <!-- bench:NAME -->  ...  <!-- bench end -->"""
import os
import re

import callgrind
import parse
import workloads

MILLION = 1e6
STAGE_NAMES = [name for name, _ in callgrind.STAGES] + [callgrind.REST]


def table(head, rows):
    """First column left, the rest right."""
    lines = ["| " + " | ".join(head) + " |",
             "|---" + "|---:" * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |"
              for row in rows]
    return "\n".join(lines)


def read_first(path, otherwise):
    try:
        with open(path) as lines:
            return lines.read().strip()
    except OSError:
        return otherwise


def machine():
    """The kind of machine, in a sentence."""
    caches = []
    folder = "/sys/devices/system/cpu/cpu0/cache"
    for index in sorted(os.listdir(folder) if os.path.isdir(folder) else ()):
        kind = read_first(os.path.join(folder, index, "type"), "")
        if kind in ("Data", "Unified"):
            caches.append("L%s %s" % (
                read_first(os.path.join(folder, index, "level"), "?"),
                read_first(os.path.join(folder, index, "size"), "?")))
    return "%d cores, %s, caches a core sees: %s; compiler: %s." % (
        os.cpu_count(), os.uname().machine, ", ".join(caches) or "unknown",
        callgrind.compiler())


def find(rows, **wanted):
    for row in rows:
        if all(row[key] == value for key, value in wanted.items()):
            return row
    return None


def rate(form, per_s):
    return "-" if per_s is None else form % (per_s / MILLION)


def speed_table(rows, mode):
    threads = sorted({row["threads"] for row in rows})
    head = ["workload", "M records/s", "M sectors/s", "peak MiB"]
    head += ["CPU, -j %d" % n for n in threads[1:]]
    head += ["speed-up, -j %d" % n for n in threads[1:]]
    cells = []
    for one in rows:
        if one["mode"] != mode or one["threads"] != threads[0]:
            continue
        more = [find(rows, workload=one["workload"], mode=mode, threads=n)
                for n in threads[1:]]
        cells.append(
            [one["workload"], rate("%.2f", one["records_per_s"]),
             rate("%.1f", one["sectors_per_s"] if one["sectors"] else None),
             "%.0f" % one["peak_mib"]] +
            ["%.2f x" % (row["cpu_s"] / one["cpu_s"]) for row in more] +
            ["%.2f x" % (one["wall_s"] / row["wall_s"]) for row in more])
    return table(head, cells)


def starts_table(starts):
    return table(["mode", "threads", "program", "each cold chip"], [
        [row["mode"], row["threads"], "%.1f ms" % (1000 * row["program_s"]),
         "%.1f ms" % (1000 * row["chip_s"])] for row in starts])


def bars_table(rows):
    cells = []
    threads = min(row["threads"] for row in rows)
    for workload in workloads.WORKLOADS:
        if workload.bar is None:
            continue
        unit, *bars = workload.bar
        for mode, bar in zip(workloads.MODES, bars):
            row = find(rows, workload=workload.name, mode=mode,
                       threads=threads)
            reached = row[unit + "_per_s"] / MILLION
            cells.append([workload.name, mode, "%d M %s/s" % (bar, unit),
                          "%.1f" % reached,
                          "reached" if reached >= bar else
                          "missed by %.0f %%" % (100 * (1 - reached / bar))])
    return table(["workload", "mode", "bar", "reached", ""], cells)


def per_line(row):
    if row["lines"] < row["records"] / 2:
        return "-"  # mostly other work
    return "{:,.0f}".format(row["instructions_per_record"] * row["records"] /
                            row["lines"])


def instructions_table(rows):
    names = list(dict.fromkeys(row["workload"] for row in rows))
    cells = []
    for name in names:
        pair = [find(rows, workload=name, mode=mode)
                for mode in workloads.MODES]
        cells.append([name] + ["{:,.0f}".format(
            row["instructions_per_record"]) for row in pair] +
            [per_line(row) for row in pair])
    return table(["workload", "timing", "counts", "timing, per line",
                  "counts, per line"], cells)


def stages_table(rows, mode):
    return table(["workload, %"] + STAGE_NAMES, [
        [row["workload"]] + [round(100 * row["stages"].get(name, 0))
                             for name in STAGE_NAMES]
        for row in rows if row["mode"] == mode and "stages" in row])


def peer_table(rows):
    head = ["trace", "Accel-Sim", "timing, text", "ratio", "timing, .wmt",
            "ratio", "counts, .wmt", "ratio"]
    cells = []
    for row in rows:
        cells.append([row["run"], "%.2f s" % row["theirs_s"]])
        for key in ("text_timing_s", "wmt_timing_s", "wmt_counts_s"):
            ours = max(row[key], 1e-3)
            cells[-1] += ["%.3f s" % row[key],
                          "%.0f" % (row["theirs_s"] / ours)]
    return table(head, cells)


def scaling_tables(scaling):
    """Three tables, by name of their mark."""
    first = {}
    cells = []
    for row in scaling["lengths"]:
        base = first.setdefault(row["mode"], row["ns_per_record"])
        cells.append([row["mode"], "{:,}".format(row["records"]),
                      "%.0f" % row["ns_per_record"],
                      "%.2f x" % (row["ns_per_record"] / base),
                      "%.0f" % row["peak_mib"]])
    found = {"lengths": table(["mode", "records", "ns a record",
                               "to the first", "peak MiB"], cells)}
    for name, key, unit in (("sms", "cpu_s", "SMs"),
                            ("threads", "wall_s", "threads")):
        counts = sorted(scaling[name][0][key])
        cells = []
        for row in scaling[name]:
            base = row[key][counts[0]]
            cells.append([row["workload"], row["mode"]] +
                         ["%.2f s" % row[key][n] for n in counts] +
                         ["%.2f x" % (row[key][n] / base if name == "sms"
                                      else base / row[key][n])
                          for n in counts[1:]])
        found[name] = table(
            ["workload", "mode"] + ["%d %s" % (n, unit) for n in counts] +
            ["%d to %d" % (n, counts[0]) for n in counts[1:]], cells)
    return found


def decode_table(rows):
    head = ["trace", "records", "bytes per record", "read, M records/s",
            "write, M records/s", "CPU, -j 2", "bound, -j 2", "speed-up, -j 2"]
    return table(head, [
        [row["trace"], "{:,}".format(row["records"]),
         "%.4g" % row["bytes_per_record"],
         "%.3g" % (row["read_per_s"] / MILLION),
         "%.3g" % (row["write_per_s"] / MILLION), "%.2f x" % row["cpu_two"],
         "-" if row["bound"] is None else "%.2f x" % row["bound"],
         "%.2f x" % row["speed_up"]] for row in rows])


def parse_table(rows):
    cells = []
    for row in rows:
        rate = row["bytes"] / row["cpu_s"] / MILLION
        bar = parse.BAR_MB if row["bar"] else None
        cells.append([row["trace"], "%.0f MB" % (row["bytes"] / MILLION),
                      "%.0f MB/s" % rate, "%d MB/s" % bar if bar else "-",
                      "-" if not bar else "met" if rate >= bar
                      else "missed by %.0f %%" % (100 - 100 * rate / bar)])
    return table(["text", "size", "read", "bar", ""], cells)


def sections(result):
    """{name of the mark: Markdown} of what was measured."""
    found = {"machine": result["machine"]}
    if "speed" in result:
        for mode in workloads.MODES:
            found["speed-" + mode] = speed_table(result["speed"], mode)
        found["start-up"] = starts_table(result["start_up"])
        found["bars"] = bars_table(result["speed"])
    if "instructions" in result:
        rows = result["instructions"]
        found["instructions"] = instructions_table(rows)
        if any("stages" in row for row in rows):
            for mode in workloads.MODES:
                found["stages-" + mode] = stages_table(rows, mode)
    if "parse" in result:
        found["parse"] = parse_table(result["parse"])
    if "scaling" in result:
        found.update(scaling_tables(result["scaling"]))
    if "decode" in result:
        found["decode"] = decode_table(result["decode"])
    if "peer" in result:
        found["peer"] = peer_table(result["peer"])
    return found


def rewrite(path, found):
    """Puts the tables into the document; a table without a mark is an
    error, a mark whose table was not measured keeps what it has."""
    with open(path) as page:
        text = page.read()
    for name, body in found.items():
        pattern = r"(<!-- bench:%s -->\n).*?(<!-- bench end -->)" % name
        text, n = re.subn(pattern, lambda m: m.group(1) + body + "\n" +
                          m.group(2), text, flags=re.DOTALL)
        if n != 1:
            raise AssertionError("%s: %d marks bench:%s, wanted 1" % (
                path, n, name))
    with open(path, "w") as page:
        page.write(text)
