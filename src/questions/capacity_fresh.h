/*
 * capacity_fresh.h - what buffers never seen before cost, by number of buffers.
 */
#ifndef NP_CAPACITY_FRESH_H
#define NP_CAPACITY_FRESH_H

#include "questions/capacity.h"

/* What a sample has to say. */
enum np_capacity_value { NP_CAPACITY_SECONDS, NP_CAPACITY_RATIO, NP_CAPACITY_FRESH };

/* Samples of one number of buffers, sorted by unit, as one value for each unit that has
 * it: the median.  inside has room for all of a unit.  Returns how many; units may be
 * NULL. */
size_t np_capacity_units(const struct np_capacity_sample *samples, size_t count,
			 enum np_capacity_value value, double *inside, double *values,
			 unsigned *units);

/* Gives points what buffers never seen before cost there, and, over all numbers of an
 * axis, verdicts; begins[i] .. begins[i + 1] are the samples of point i, sorted by unit.
 * Returns 0 or -ENOMEM. */
int np_capacity_judge_fresh(const struct np_capacity_sample *samples, const size_t *begins,
			    struct np_capacity *capacity);

#endif
