/*
 * model.h - optional table of a modelled transport: NPsim.
 *
 * Timed loops advance a simulated clock.  Rank 0 models both processes: arm(), disarm() and
 * blocks run there alone.  The driver takes the clock, the CPU caches and the core-to-core
 * latency from this table, and measures nothing of the machine: no counters, no load.  The
 * last two hooks may be NULL; the others are required.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct np_endpoint;

/* Modelled caches between a core and memory. */
struct np_caches {
	size_t line;			   /* bytes */
	size_t level1, level2, last_level; /* bytes; 0: there is none */
	size_t tlb_entries;		   /* pages; 0: there is none */
};

/* Time of a load that depends on the previous load, ns. */
struct np_load_times {
	double reuse_ns;       /* over the lines of one slot, warm */
	double rotate_ns;      /* over the lines of all slots, in their order */
	double translation_ns; /* part of rotate_ns spent in page walks */
};

struct np_model_hooks {
	/* Returns the simulated time, ns, never decreasing, which times loops and the
	 * time budget.  Called at rank 0 between open() and close(). */
	uint64_t (*now)(struct np_endpoint *);
	/* Sets the load times of this process, for slots of `length` bytes of which one
	 * full rotation touches `lines` distinct cache lines. */
	void (*probe)(struct np_endpoint *, size_t length, uint64_t lines,
		      struct np_load_times *);
	/* Sets the caches that the options model.  Called before open(). */
	void (*caches)(const void *options, struct np_caches *);
	/* Returns the current core-to-core latency, ns; 0 if it is not modelled. */
	double (*core_latency)(struct np_endpoint *);
};
