/*
 * shared_cache.h - the core, cache or package that two cores share, and a bound of the
 * core-to-core latency.
 *
 * Medians of many processors, one transfer, at
 * https://github.com/nviennot/core-to-core-latency (commit 0dddf50): threads of one core 4
 * to 10 ns; cores that share a last-level cache 16 to 72 ns; cores of one package without a
 * common cache 84 to 173 ns; of two packages 108 to 443 ns.  The bounds leave room above
 * these.  A virtual machine reports its configuration, but its host may run two virtual
 * cores that share a cache on two that do not: then the latency exceeds the bound, and all
 * figures are of that host state.
 */
#pragma once

#include "machine/topology.h"

struct np_shared {
	unsigned most_ns; /* bound of one transfer; 0: not known */
	char what[80];	  /* "cores 0 and 1 share an L3 cache" */
};

/* Finds the part that two cores share; cores by the operating system's numbers. */
struct np_shared np_shared_of(const struct np_topology *topology, int core, int other);
