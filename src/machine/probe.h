/*
 * probe.h - is rotation really cold?  Measured, before it is believed.
 *
 * A chain of dependent loads is laid through every cache line of the slots in
 * the order in which messages will visit them, and walked: nanoseconds a load,
 * with nothing for an out-of-order core to overlap.  The part that address
 * translation has in it is told apart by a second walk over as many pages with
 * one line each, so few lines that the data cache holds them.
 */
#ifndef NP_PROBE_H
#define NP_PROBE_H

#include "plan/layout.h"
#include "machine/topology.h"

enum np_coldness {
	NP_COLD,	   /* the caches do not help rotation */
	NP_COLD_FEW_LINES, /* a lap is less than four times the last-level cache */
	NP_COLD_NOT,	   /* loads are faster than memory: the caches do help */
	NP_COLD_BOTH	   /* one buffer pair fills the cache: reuse is cold as well */
};

struct np_cold_probe {
	double reuse_ns;       /* a load, over the lines of one slot, warm */
	double rotate_ns;      /* a load, over the lines of all slots in order */
	double translation_ns; /* the part of rotate_ns that page translation takes */
	double cache_ns;       /* rotate_ns less translation_ns */
	uint64_t lines;	       /* distinct lines that one lap touches */
	enum np_coldness verdict;
};

/*
 * Probes the cut with one slot and with all.  Overwrites the region's data;
 * the caller fills it again.  NP_COLD
 * needs at least four times the last-level cache in lines and a cache_ns of ten
 * times reuse_ns (three where one pair does not fit a core's own cache).
 * Takes about half a second for 128 MB.
 */
struct np_cold_probe np_probe_cold(const struct np_layout *layout, const struct np_cut *cut,
				   struct np_region *region, const struct np_order *order,
				   const struct np_topology *topology);

/* The verdict on load times that a module models; probe->lines is set. */
void np_probe_judge(struct np_cold_probe *probe, const struct np_load_times *times,
		    const struct np_cut *cut, const struct np_topology *topology);

/* The verdict as a result file has it: "cold", "few_lines", "not_cold",
 * "both_cold". */
const char *np_coldness_name(enum np_coldness verdict);

#endif
