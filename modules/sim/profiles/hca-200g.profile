# Verbs over an adapter of 200 Gbit/s on PCI Express 4.
latency = 620 ns
overhead = 70 ns, 90 ns
gap = 12 ns
bandwidth = 24.3 GB/s

# Beyond the limit of inline data the adapter fetches the bytes.
step = 221, 160 ns
# Two packets (path MTU 4096).
slope = 4097, 24 GB/s

# Zero copy; the adapter translates addresses.
copy = never
cache = 48K, 1.2 ns, 0.6 ns
cache = 2M, 4 ns, 1.4 ns
cache = 16M, 20 ns, 3 ns
memory = 95 ns, 5 ns
translation = pages, 2048, 4K, 60 ns, random
# An entry maps a large page if the pool is mapped in large pages.
large_page = 2M

noise = message, 2 %
noise = sample, 1 %
noise = pass, 0.5 %
noise = run, 1 %
burst = 30 ms, 15 us
