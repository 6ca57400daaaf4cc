# A transport without planted effects and without noise: a test for false positives.
latency = 900 ns
overhead = 150 ns, 150 ns
gap = 250 ns
bandwidth = 6 GB/s
