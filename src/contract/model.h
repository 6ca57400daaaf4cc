/*
 * model.h - the optional table of a transport that is computed: NPsim.
 *
 * Its loops advance a clock of their own.  Rank 0 models both processes: it alone runs
 * arm(), disarm() and blocks, and rank 1 is not asked to.  The driver takes the clock,
 * the CPU caches and the core-to-core latency from here and measures nothing of the
 * machine: no counters, no load.  tell() and core_latency() may be NULL; the others are
 * required.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct np_endpoint;

/* The modelled caches between a core and memory. */
struct np_caches {
	size_t line;			   /* bytes */
	size_t level1, level2, last_level; /* bytes; 0: there is none */
	size_t tlb_entries;		   /* pages; 0: there is none */
};

/* The time of a load that depends on the load before it, nanoseconds. */
struct np_load_times {
	double reuse_ns;       /* over the lines of one slot, warm */
	double rotate_ns;      /* over the lines of all slots, in their order */
	double translation_ns; /* the part of rotate_ns that page walks take */
};

struct np_model_hooks {
	/* Returns nanoseconds on the model's clock, which times loops and the budget of
	 * a run; never decreasing.  Called at rank 0 between open() and close(). */
	uint64_t (*now)(struct np_endpoint *);
	/* Gives the load times of this process, for slots of `length` bytes of which one
	 * full rotation touches `lines` distinct cache lines. */
	void (*probe)(struct np_endpoint *, size_t length, uint64_t lines,
		      struct np_load_times *);
	/* Gives the caches that these options model.  Called before open(). */
	void (*caches)(const void *options, struct np_caches *);
	/* Returns the core-to-core latency of the moment, ns; 0 if it tells nothing. */
	double (*core_latency)(struct np_endpoint *);
	/* Returns the text that the options ask to print instead of a run, which the
	 * caller frees; NULL if they ask for none, or with an error. */
	char *(*tell)(const void *options, struct np_error *);
};
