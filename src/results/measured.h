/*
 * measured.h - a visit with all its times, as it is measured, written and read.
 */
#ifndef NP_MEASURED_H
#define NP_MEASURED_H

#include "results/results.h"

struct np_measured {
	struct np_visit visit; /* what it is of; np_results_add() derives the rest */
	char code_path[NP_WORD];
	size_t blocks, warmup_per_block, samples_per_block;
	uint64_t *warmup_ns;  /* [blocks * warmup_per_block]: discarded, but kept */
	uint64_t *samples_ns; /* [blocks * samples_per_block]: a batch each */
	struct np_counts counts;
};

/* An empty visit with room for its times; NULL without memory. */
struct np_measured *np_measured_new(size_t blocks, size_t warmup, size_t samples);
void np_measured_free(struct np_measured *measured);

/* The visit, reduced, with names that are the results'; NULL without memory. */
struct np_visit *np_visit_reduce(struct np_results *results,
				 const struct np_measured *measured);
void np_visit_free(struct np_visit *visit);

#endif
