/*
 * tune.h - --tune: which variant to set, and where each gains and loses.
 *
 * Only verdicts of pairs count: a variant without a size at which it is significantly
 * faster than the base is not recommended.  Variants that lose nowhere come first, then
 * those with the larger sum of gains and losses, as logarithms, over all sizes with a
 * verdict.  Among thresholds this puts first the one that moves the most sizes to their
 * faster side.
 */
#pragma once

#include "results/rows.h"

enum { NP_TUNED_RANGES_MAX = 8 };

/* Neighbouring sizes at which a variant is faster, or slower, than the base. */
struct np_tuned_range {
	size_t smallest, largest, sizes;
	const struct np_pair *most; /* largest effect */
};

struct np_tuned {
	size_t variant;
	struct np_tuned_range gains[NP_TUNED_RANGES_MAX], losses[NP_TUNED_RANGES_MAX];
	size_t gain_count, loss_count;
	double gain; /* sum of gains and losses, as logarithms */
};

struct np_tune {
	struct np_tuned list[NP_VARIANTS_MAX]; /* best first */
	size_t count;			       /* 0: no recommendation */
};

/* Derives the recommendations; they point into the table. */
struct np_tune np_tune_derive(const struct np_table *table);
