#!/usr/bin/env python3
"""What cold buffers cost, with pandas, from what NPreport --export csv writes.

    NPreport --export csv run.jsonl | ./cold_buffers.py
"""
import sys

import pandas

rows = pandas.read_csv(sys.stdin).fillna({"variant": ""})
table = rows.pivot_table(index=["file", "op", "variant", "bytes"], columns="mode", values="median_s")
if not {"reuse", "rotate"} <= set(table.columns):
    sys.exit("cold_buffers.py: no run with -I on standard input")
table = table.dropna(subset=["reuse", "rotate"])
table["ratio"] = table["rotate"] / table["reuse"]
for (_, op, variant, length), row in table.iterrows():
    print(f"{op} {variant or '-'} {length} {row['reuse'] * 1e6:.3f} us "
          f"{row['rotate'] * 1e6:.3f} us {row['ratio']:.3f}")
