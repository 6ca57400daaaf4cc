# TCP over gigabit Ethernet, through a switch.
latency = 17 us
overhead = 4 us, 5 us
gap = 5 us
# Payload: 1460 of 1538 bytes on the wire.
bandwidth = 118.6 MB/s

# The socket layer copies on both sides.
copy = always
cache = 32K, 1.2 ns, 1 ns
cache = 1M, 4.5 ns, 2 ns
cache = 8M, 16 ns, 4 ns
memory = 90 ns, 8 ns

# A second segment with its own interrupt; a size that hits a retransmission timer.
step = 1449, 2.2 us
dip = 32768, 25 %

noise = message, 6 %
noise = sample, 2 %
noise = visit, 0.5 %
noise = pass, 1 %
noise = run, 3 %
burst = 25 ms, 80 us
