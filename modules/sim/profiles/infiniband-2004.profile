# MVAPICH over a 4x InfiniBand adapter of 2004 on PCI-X.
#
# After T. Benjegerdes, "MPI testing", USENIX 2004: about 6 Gbit/s, but 5 for messages
# beyond 1 to 2 MB, where the adapter's translation cache no longer holds both
# buffers; and with NetPIPE's -I, which rotates through many buffers, a drop from about
# 2 KB to 100 KB.  Latency and registration costs are typical of the time.
latency = 3.4 us
overhead = 1 us, 1 us
gap = 1.6 us
bandwidth = 780 MB/s

# Eager messages are copied into library buffers; rendezvous messages are registered.
eager = 2K
handshake = 9 us
copy = eager
registration_cache = 128, 14 us, 350 ns

# Intel Xeon: 8 KB, 512 KB.
cache = 8K, 1 ns, 2 ns
cache = 512K, 6 ns, 6 ns
memory = 130 ns, 20 ns

# The adapter's translation and protection table cache.
translation = pages, 768, 4K, 900 ns, lru

noise = message, 3 %
noise = sample, 1 %
noise = pass, 0.5 %
noise = run, 1.5 %
burst = 40 ms, 40 us
