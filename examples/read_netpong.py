#!/usr/bin/env python3
"""Reads what NPreport --export csv writes: a row for each size, mode and variant.

    NPreport --export csv run.jsonl | ./read_netpong.py

prints latency by size, and what rotation costs.  As a module, read_rows() gives the rows
as dictionaries whose figures are numbers; pandas.DataFrame(read_rows(file)) is a table.
"""
import csv
import sys

TEXTS = ("file", "op", "mode", "variant", "flags", "code_path")


def read_rows(file):
    """The rows of an export.  A figure that was not measured is None."""
    rows = []
    for row in csv.DictReader(file):
        for name, text in row.items():
            if name == "bytes":
                row[name] = int(text)
            elif name not in TEXTS:
                row[name] = float(text) if text else None
        rows.append(row)
    return rows


def ratios(rows):
    """(file, op, variant, bytes, rotate over reuse) of what was measured in both modes."""
    reuse = {}
    for row in rows:
        if row["mode"] == "reuse":
            reuse[row["file"], row["op"], row["variant"], row["bytes"]] = row["median_s"]
    for row in rows:
        key = row["file"], row["op"], row["variant"], row["bytes"]
        if row["mode"] == "rotate" and key in reuse:
            yield key + (row["median_s"] / reuse[key],)


def main():
    rows = read_rows(sys.stdin)
    if not rows:
        sys.exit("read_netpong.py: no rows on standard input: NPreport --export csv FILE")
    for row in rows:
        print(f"{row['op']:16} {row['mode']:8} {row['bytes']:10d} bytes "
              f"{row['median_s'] * 1e6:12.3f} us {row['mbps']:12.1f} Mbit/s")
    for _, op, variant, length, ratio in ratios(rows):
        print(f"{op:16} {variant:8} {length:10d} bytes: rotate over reuse {ratio:.3f}x")


if __name__ == "__main__":
    main()
