#!/usr/bin/env python3
"""record_noise.py RESULTS - the noise of a run, for NPsim's "replay = FILE".

Of each visit with one buffer: the seconds that were measured before it, its median over
that of all visits of its size, and the core-to-core latency before it."""
import json
import statistics
import sys

visits, elapsed, last = [], 0.0, None
for line in open(sys.argv[1]):
    visit = json.loads(line)
    if visit["kind"] != "visit":
        continue
    if visit["mode"] == "reuse":
        visits.append((elapsed, visit["bytes"],
                       statistics.median(visit["samples_ns"]) / visit["iterations"],
                       visit["core_latency_ns"] or 0))
    elapsed += (sum(visit["samples_ns"]) + sum(visit["warmup_ns"] or [])) * 1e-9

sizes = {}
for _, size, ns, _ in visits:
    sizes.setdefault(size, []).append(ns)
middle = {size: statistics.median(all_ns) for size, all_ns in sizes.items()}
print("# seconds, factor, core-to-core latency in ns:", sys.argv[1].split("/")[-1])
for begin, size, ns, latency in visits:
    print(f"{begin:.4f} {ns / middle[size]:.4f} {latency:.0f}")
