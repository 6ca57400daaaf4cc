/*
 * measured.h - a visit with all its samples, before reduction.
 */
#pragma once

#include "results/results.h"

struct np_measured {
	struct np_visit visit; /* labels only; np_results_add() derives the rest */
	char code_path[NP_WORD];
	size_t blocks, warmup_per_block, samples_per_block;
	uint64_t *warmup_ns;  /* [blocks * warmup_per_block]: not evaluated */
	uint64_t *samples_ns; /* [blocks * samples_per_block]: durations of batches */
	struct np_counts counts;
};

/* Allocates an empty visit; NULL without memory. */
struct np_measured *np_measured_new(size_t blocks, size_t warmup, size_t samples);
void np_measured_free(struct np_measured *measured);

/* Reduces a visit; names become those of the results.  NULL without memory. */
struct np_visit *np_visit_reduce(struct np_results *results,
				 const struct np_measured *measured);
void np_visit_free(struct np_visit *visit);
