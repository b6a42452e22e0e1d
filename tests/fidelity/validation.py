"""Writes docs/VALIDATION.md and docs/validation/*.svg from results.csv.

    python3 tests/fidelity/validation.py
"""
import math
import os
import statistics

import fidelity

DOCS = os.path.join(fidelity.ROOT, "docs")
PICTURES = os.path.join(DOCS, "validation")
WIDTH, HEIGHT = 460, 270
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 28, 40
HARDWARE, OURS = "#c0392b", "#1f5fa8"

# family, metric, title, unit of x, unit of y, argument that is x
CURVES = (
    ("pchase", "latency", "Latency of a pointer chase", "KiB chased",
     "cycles", "kib"),
    ("l1_sweep", "gbs", "One buffer swept by all SMs", "KiB", "GB/s", "kib"),
    ("l2_sweep", "gbs", "Data set shared by all SMs", "KiB", "GB/s", "kib"),
)


# --- pictures -------------------------------------------------------------
def ticks(low, high):
    """Round numbers between, on a logarithmic axis."""
    found = []
    power = math.floor(math.log10(low))
    while 10 ** power <= high:
        for step in (1, 2, 5):
            value = step * 10 ** power
            if low <= value <= high:
                found.append(value)
        power += 1
    return found[::2] if len(found) > 9 else found


def short(value):
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return "%g%s" % (value / size, letter)
    return "%g" % value


class Chart:
    """An SVG with two logarithmic axes; no dependencies."""

    def __init__(self, title, x_name, y_name, points):
        xs = [p[0] for p in points]
        ys = [y for p in points for y in p[1:]]
        self.x = (min(xs), max(xs) * 1.001)
        self.y = (min(ys) * 0.85, max(ys) * 1.15)
        self.parts = [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" '
            'font-family="sans-serif" font-size="11">' % (WIDTH, HEIGHT),
            '<rect width="100%" height="100%" fill="white"/>',
            self.text(LEFT, 16, title, size=13)]
        for x in ticks(*self.x):
            at = self.place(x, None)[0]
            self.line([(at, TOP), (at, HEIGHT - BOTTOM)], "#e5e5e5")
            self.parts.append(self.text(at, HEIGHT - BOTTOM + 14, short(x),
                                        anchor="middle"))
        for y in ticks(*self.y):
            at = self.place(None, y)[1]
            self.line([(LEFT, at), (WIDTH - RIGHT, at)], "#e5e5e5")
            self.parts.append(self.text(LEFT - 5, at + 4, short(y),
                                        anchor="end"))
        self.parts.append(self.text((LEFT + WIDTH) / 2, HEIGHT - 8, x_name,
                                    anchor="middle"))
        self.parts.append(self.text(LEFT, TOP - 1, y_name, anchor="end"))

    @staticmethod
    def text(x, y, words, size=11, anchor="start"):
        return '<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s">%s' \
            '</text>' % (x, y, size, anchor, words)

    def place(self, x, y):
        def share(value, low, high):
            return (math.log(value) - math.log(low)) / \
                (math.log(high) - math.log(low))
        return (None if x is None else LEFT + share(x, *self.x) *
                (WIDTH - LEFT - RIGHT),
                None if y is None else HEIGHT - BOTTOM - share(y, *self.y) *
                (HEIGHT - TOP - BOTTOM))

    def line(self, points, colour, width=1):
        self.parts.append(
            '<polyline fill="none" stroke="%s" stroke-width="%g" points="%s"/>'
            % (colour, width, " ".join("%.1f,%.1f" % p for p in points)))

    def draw(self, points, name):
        self.line([self.place(x, ours) for x, _, ours in points], OURS, 1.8)
        for x, hardware, _ in points:
            self.parts.append('<circle cx="%.1f" cy="%.1f" r="2.3" fill="%s"/>'
                              % (*self.place(x, hardware), HARDWARE))
        self.parts.append('<circle cx="%d" cy="13" r="2.5" fill="%s"/>' % (
            WIDTH - 130, HARDWARE))
        self.parts.append(self.text(WIDTH - 124, 16, "hardware"))
        self.line([(WIDTH - 68, 13), (WIDTH - 50, 13)], OURS, 1.8)
        self.parts.append(self.text(WIDTH - 46, 16, "ours"))
        with open(os.path.join(PICTURES, name), "w") as file:
            file.write("\n".join(self.parts) + "\n</svg>\n")


def argument(case, name):
    for word in case.split(" ")[2:]:
        if word.startswith(name + "="):
            return float(word[len(name) + 1:])
    return None


def curve(rows, family, metric, name):
    """(x, hardware, ours) of a GPU's rows, rising."""
    return sorted(
        (argument(row["case"], name), float(row["hardware"]),
         float(row["ours"])) for row in rows
        if row["case"].split(" ")[1] == family and row["metric"] == metric)


def mean_size(points):
    return statistics.fmean(abs(ours / hardware - 1) * 100
                            for _, hardware, ours in points)


def pictures(by_gpu):
    os.makedirs(PICTURES, exist_ok=True)
    for name in os.listdir(PICTURES):
        os.remove(os.path.join(PICTURES, name))
    lines = []
    for family, metric, title, x_name, y_name, name in CURVES:
        lines += ["", "### %s" % title, ""]
        for gpu, rows in sorted(by_gpu.items()):
            points = curve(rows, family, metric, name)
            if len(points) < 8:
                continue
            file_name = "%s_%s.svg" % (family, gpu)
            Chart("%s, %s" % (gpu, title.lower()), x_name, y_name,
                  points).draw(points, file_name)
            lines.append("![%s, %s](validation/%s)" % (title, gpu, file_name))
            lines.append("%s: %d points, %.1f %% off on average." % (
                gpu, len(points), mean_size(points)))
            lines.append("")
    return lines


# --- plateaus and edges ---------------------------------------------------
def plateaus(points):
    """Runs of at least four points whose hardware values stay within 2.5 % of
    their median: (first x, last x, hardware, ours)."""
    found, run = [], []
    for point in [*points, None]:
        if point and run:
            middle = statistics.median(p[1] for p in run)
            if abs(point[1] - middle) <= 0.025 * middle:
                run.append(point)
                continue
        if len(run) >= 4:
            found.append((run[0][0], run[-1][0],
                          statistics.median(p[1] for p in run),
                          statistics.median(p[2] for p in run)))
        run = [point] if point else []
    return found


def crossing(points, column, level):
    """Where the curve first rises above the level, between two points on a
    logarithmic axis."""
    before = None
    for point in points:
        if point[column] >= level:
            if before is None or point[column] == before[column]:
                return point[0]
            share = (level - before[column]) / (point[column] - before[column])
            return math.exp(math.log(before[0]) + share *
                            math.log(point[0] / before[0]))
        before = point
    return None


def edges(points, levels):
    """Sizes at which the curve passes the middle between two plateaus."""
    for low, high in zip(levels, levels[1:]):
        if high[2] < 1.05 * low[2]:
            continue
        there = crossing(points, 1, (low[2] + high[2]) / 2)
        ours = crossing(points, 2, (low[3] + high[3]) / 2)
        yield low, high, there, ours


def chase_table(by_gpu):
    lines = ["", "### Plateaus and edges of the chases", "",
             "A plateau is a run of points within 2.5 % of each other, an edge "
             "the size at which the curve",
             "passes the middle between two plateaus. Bars: 5 % and 15 %.", "",
             "| GPU | what | KiB | hardware | ours | error |",
             "|---|---|---|---|---|---|"]
    n_missed = 0
    for gpu, rows in sorted(by_gpu.items()):
        points = curve([row for row in rows
                        if row["id"].startswith("gpu_latency")], "pchase",
                       "latency", "kib")
        levels = plateaus(points)
        for first, last, hardware, ours in levels:
            error = 100 * (ours / hardware - 1)
            n_missed += abs(error) > 5
            lines.append("| %s | plateau | %g-%g | %.1f | %.1f | %+.1f %%%s |"
                         % (gpu, first, last, hardware, ours, error,
                            " **missed**" if abs(error) > 5 else ""))
        for low, high, there, ours in edges(points, levels):
            if not there or not ours:
                continue
            error = 100 * (ours / there - 1)
            n_missed += abs(error) > 15
            lines.append("| %s | edge %.0f to %.0f | | %.0f KiB | %.0f KiB | "
                         "%+.1f %%%s |" % (
                             gpu, low[2], high[2], there, ours, error,
                             " **missed**" if abs(error) > 15 else ""))
    return lines


# --- tables ---------------------------------------------------------------
def bar_table(rows):
    lines = ["| bar | GPU | rows | median | mean | worst | limit | |",
             "|---|---|---|---|---|---|---|---|"]
    groups = {}
    for row in rows:
        gpu = row["case"].split(" ")[0]
        for key in ((row["bar"], ""), (row["bar"], gpu)):
            groups.setdefault(key, []).append(row)
    for (bar, gpu), members in sorted(groups.items()):
        found, limits, holds = fidelity.judge(bar, members)
        lines.append("| %s | %s | %d | %.1f | %.1f | %.1f | %s | %s |" % (
            bar, gpu or "**all**", len(members), found["median"],
            found["mean"], found["worst"],
            ", ".join("%s %.4f of %g" % (what, found[what], limit)
                      if what == "correlation" else "%s %g" % (what, limit)
                      for what, limit in limits.items()) or "none",
            ("holds" if holds else "**missed**") if limits else ""))
    return lines


def worst_table(rows):
    lines = ["| case | metric | hardware | ours | error |",
             "|---|---|---|---|---|"]
    limits = {"exact": 0, "tag_wavefronts": 15, "l1_cycles": 15, "traffic": 10,
              "hit_rate": 6, "streaming": 5, "kernel_time": 30, "sweep": 40,
              "latency": 20, "geometry": 15, "throughput": 20}
    far = [row for row in rows
           if abs(float(row["error_pct"])) > limits.get(row["bar"], 1e9)]
    far.sort(key=lambda row: (row["bar"], -abs(float(row["error_pct"])),
                              row["case"]))
    shown = {}
    for row in far:
        key = (row["bar"], " ".join(row["case"].split(" ")[:2]))
        shown[key] = shown.get(key, 0) + 1
        if shown[key] <= 8:
            lines.append("| %s | %s | %s | %s | %s |" % (
                row["case"], row["metric"], row["hardware"], row["ours"],
                row["error_pct"]))
        elif shown[key] == 9:
            lines.append("| %s ... | | | | and more |" % key[1])
    return lines


def main():
    rows = fidelity.read_csv(fidelity.RESULTS)
    by_gpu = {}
    for row in rows:
        by_gpu.setdefault(row["case"].split(" ")[0], []).append(row)
    with open(os.path.join(fidelity.HERE, "validation_head.md")) as file:
        head = file.read()
    text = [head.rstrip(), "", "## Bars", "", *bar_table(rows), "",
            "## Curves", "",
            "Dots are hardware, lines are ours; both axes are logarithmic.",
            *pictures(by_gpu), *chase_table(by_gpu), "",
            "## Rows furthest off", "", *worst_table(rows)]
    with open(os.path.join(DOCS, "VALIDATION.md"), "w") as file:
        file.write("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
