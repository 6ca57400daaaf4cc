/*
 * capacity_fresh.h - the cost of fresh buffers, by number of buffers.
 */
#pragma once

#include "questions/capacity.h"

/* The values of a sample. */
enum np_capacity_value { NP_CAPACITY_SECONDS, NP_CAPACITY_RATIO, NP_CAPACITY_FRESH };

/* Reduces the samples of one number of buffers, sorted by unit, to the median of each unit
 * that has the value.  `inside` has room for `count` values; units may be NULL.  Returns
 * the number of medians. */
size_t np_capacity_units(const struct np_capacity_sample *samples, size_t count,
			 enum np_capacity_value value, double *inside, double *values,
			 unsigned *units);

/* Sets the cost of fresh buffers at each point, and verdicts over all points of an axis.
 * begins[i] .. begins[i + 1] are the samples of point i, sorted by unit.  Returns 0 or
 * -ENOMEM. */
int np_capacity_judge_fresh(const struct np_capacity_sample *samples, const size_t *begins,
			    struct np_capacity *capacity);
