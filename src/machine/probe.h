/*
 * probe.h - probe: tests by pointer chasing through the slots whether rotation is cold.
 *
 * Each cache line of the slots contains the address of the next, in the order in which
 * messages use them; dependent loads cannot overlap, so a walk gives nanoseconds a load.  A
 * second walk over pages with one line each, few enough for the data cache, measures the
 * share of page walks.
 */
#pragma once

#include "plan/layout.h"
#include "machine/topology.h"

/* Named in this order by output/json_kinds.c. */
enum np_coldness {
	NP_COLD,	   /* rotation loads from memory */
	NP_COLD_FEW_LINES, /* a full rotation is below 4 x the last-level cache */
	NP_COLD_NOT,	   /* rotation loads faster than from memory */
	NP_COLD_BOTH	   /* one buffer pair fills the cache: reuse is cold too */
};

struct np_cold_probe {
	double reuse_ns;       /* load from the lines of one slot, warm */
	double rotate_ns;      /* load from the lines of all slots, in order */
	double translation_ns; /* part of rotate_ns that is page walks */
	double cache_ns;       /* rotate_ns - translation_ns */
	uint64_t lines;	       /* distinct lines of a full rotation */
	enum np_coldness verdict;
};

/*
 * Measures load times along one slot and along all slots, and sets the verdict. Overwrites
 * the region, which the caller fills again.  NP_COLD requires at least four times the
 * last-level cache in lines, and a cache_ns of ten times reuse_ns (three where one pair
 * exceeds half of the second-level cache).  Takes about half a second for 2 GB.
 */
struct np_cold_probe np_probe_cold(const struct np_layout *layout, const struct np_cut *cut,
				   struct np_region *region, const struct np_order *order,
				   const struct np_topology *topology);

/* Sets load times that a module models, and the verdict; probe->lines is set. */
void np_probe_judge(struct np_cold_probe *probe, const struct np_load_times *times,
		    const struct np_cut *cut, const struct np_topology *topology);
