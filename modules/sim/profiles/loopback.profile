# TCP over the loopback interface of a shared virtual machine.
latency = 2.6 us
overhead = 2.4 us, 2.2 us
gap = 3 us
bandwidth = 6.5 GB/s

copy = always
cache = 32K, 1.3 ns, 1 ns
cache = 1M, 5 ns, 2.2 ns
cache = 16M, 22 ns, 5 ns
memory = 110 ns, 9 ns
tlb = 1536, 4K, 25 ns

# Beyond one segment of the interface.
step = 65484, 6 %

# Bimodal: the two CPUs share a cache part of the time.
bimodal = 10 %, 30 %
noise = message, 8 %
noise = sample, 2 %
noise = block, 0.3 %
noise = visit, 0.8 %
noise = pass, 1.5 %
noise = run, 4 %
burst = 15 ms, 60 us
