#!/usr/bin/env python3
"""Results of warpmem in pandas: from JSON, from CSV, and over time.

    warpmem run -f json --instructions --interval 1us -o r.json TRACE
    warpmem run -f csv -o r.csv TRACE
    python3 results.py r.json r.csv

Every column is a metric of docs/METRICS.md; null is NaN.
"""
import json
import sys

import pandas as pd

pd.set_option("display.width", 100, "display.max_columns", 20,
              "display.max_colwidth", 32)


def launches(path):
    """One row per launch, one column per metric."""
    with open(path) as source:
        result = json.load(source)
    if not result["complete"]:
        print("warning: %s is incomplete" % path, file=sys.stderr)
    table = pd.DataFrame([kernel["metrics"] for kernel in result["kernels"]])
    table.insert(0, "launch", [k["launch"] for k in result["kernels"]])
    table.insert(1, "name", [k["name"] for k in result["kernels"]])
    return table


def instructions(path):
    """One row per static instruction of each launch."""
    with open(path) as source:
        result = json.load(source)
    rows = [dict(row, launch=kernel["launch"],
                 ns=row["share"] * kernel["metrics"]["time.ns"])
            for kernel in result["kernels"]
            for row in kernel.get("instructions", []) if row["requests"]]
    return pd.DataFrame(rows)


def series(path):
    """One row per sample of simulated time."""
    with open(path) as source:
        result = json.load(source)
    if "series" not in result:
        return pd.DataFrame()
    return pd.DataFrame(result["series"]["metrics"],
                        index=pd.Index(result["series"]["end_ns"],
                                       name="end_ns"))


def main():
    json_path, csv_path = sys.argv[1:3]
    table = launches(json_path)
    print("By kernel:")
    print(table.groupby("name").agg(
        launches=("launch", "size"), ns=("time.ns", "sum"),
        dram_bytes=("dram.bytes", "sum"), l2_hit=("ratio.l2_hit", "mean")))

    rows = instructions(json_path)
    if not rows.empty:
        print("\nCostliest instructions:")
        print(rows.nlargest(5, "ns")[["launch", "pc", "opcode", "pattern",
                                      "share", "ns"]].to_string(index=False))

    samples = series(json_path)
    if not samples.empty:
        print("\nOver time (ns):")
        print(samples[["ratio.l1_hit", "ratio.l2_hit",
                       "bandwidth.dram"]].describe().loc[["min", "mean",
                                                          "max"]])

    # CSV holds the same numbers.
    flat = pd.read_csv(csv_path)
    for column in flat.columns.drop(["launch", "name", "grid", "block",
                                     "complete", "bound.name"]):
        exact = table[column].astype(float)
        assert not ((flat[column] - exact).abs() > 1e-5 * exact.abs()).any()
        assert (flat[column].isna() == exact.isna()).all(), column
    print("\n%d launches, %d metrics: CSV and JSON agree" %
          (len(flat), len(flat.columns) - 5))


if __name__ == "__main__":
    main()
