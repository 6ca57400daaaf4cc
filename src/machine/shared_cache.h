/*
 * shared_cache.h - what two cores share, and the longest that a cache line should take
 * between them.
 *
 * Medians of many processors, one transfer, at
 * https://github.com/nviennot/core-to-core-latency (commit 0dddf50): threads of one core 4
 * to 10 ns; cores that share a last-level cache 16 to 72 ns; of one package without one 84
 * to 173 ns; of two packages 108 to 443 ns.  The bounds leave room above these.  A virtual
 * machine reports what it was configured to, and its host may run two cores that share a
 * cache on two that do not: then the bound is exceeded, and all figures are of that state.
 */
#pragma once

#include "machine/topology.h"

struct np_shared {
	unsigned most_ns; /* 0: not known */
	char what[80];	  /* "cores 0 and 1 share an L3 cache" */
};

/* Of two cores by the operating system's numbers. */
struct np_shared np_shared_of(const struct np_topology *topology, int core, int other);
