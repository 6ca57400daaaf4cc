# A plain transport with nothing planted, and no noise: what an analysis must not
# make up.
latency = 900 ns
overhead = 150 ns, 150 ns
gap = 250 ns
bandwidth = 6 GB/s
