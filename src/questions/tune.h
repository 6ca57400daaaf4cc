/*
 * tune.h - --tune: which of the variants to set, and where each gains and loses.
 *
 * It claims what the verdicts of pairs claim and no more: a variant without a size at which
 * it is significantly faster than the base is not recommended.  Of those that are, the ones
 * that lose nowhere come first, and then those with the larger sum of what they gain and
 * lose, as logarithms, over all sizes with a verdict.  So of several values of a threshold
 * that one is first which moves the most sizes to their faster side.
 */
#pragma once

#include "results/rows.h"

enum { NP_TUNED_RANGES_MAX = 8 };

/* Neighbouring sizes at which a variant is faster than the base, or slower. */
struct np_tuned_range {
	size_t smallest, largest, sizes;
	const struct np_pair *most; /* the pair with the largest effect */
};

struct np_tuned {
	size_t variant;
	struct np_tuned_range gains[NP_TUNED_RANGES_MAX], losses[NP_TUNED_RANGES_MAX];
	size_t gain_count, loss_count;
	double gain; /* the sum */
};

struct np_tune {
	struct np_tuned list[NP_VARIANTS_MAX]; /* the best first */
	size_t count;			       /* 0: nothing is recommended */
};

/* Pure; points into the table. */
struct np_tune np_tune_derive(const struct np_table *table);
