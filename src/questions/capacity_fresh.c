/*
 * capacity_fresh.c - fresh buffers against buffers in rotation, at each number of them.
 */
#include "questions/capacity_fresh.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/proof.h"
#include "stats/stats.h"

static double value_of(const struct np_capacity_sample *sample,
		       enum np_capacity_value value)
{
	switch (value) {
	case NP_CAPACITY_SECONDS:
		return sample->seconds;
	case NP_CAPACITY_RATIO:
		return sample->ratio;
	case NP_CAPACITY_FRESH:
		return sample->fresh;
	}
	return 0;
}

size_t np_capacity_units(const struct np_capacity_sample *samples, size_t count,
			 enum np_capacity_value value, double *inside, double *values,
			 unsigned *units)
{
	size_t found = 0;

	for (size_t begin = 0, end; begin < count; begin = end) {
		size_t known = 0;

		for (end = begin; end < count && samples[end].unit == samples[begin].unit;
		     end++) {
			inside[known] = value_of(&samples[end], value);
			known += inside[known] > 0;
		}
		if (known == 0)
			continue;
		if (units != NULL)
			units[found] = samples[begin].unit;
		values[found++] = np_median(inside, known);
	}
	return found;
}

/* The points of one axis, and the ratios of their units. */
struct axis {
	struct np_capacity_point *points;
	size_t count;
	double *inside, *ratios;
	struct np_size_test *trials;
	struct np_proof *proofs;
};

static void gather(const struct np_capacity_sample *samples, const size_t *begins,
		   struct axis *axis)
{
	for (size_t i = 0; i < axis->count; i++) {
		const size_t begin = begins[i], count = begins[i + 1] - begin;
		double *ratios = axis->ratios + (begin - begins[0]);

		axis->trials[i] = (struct np_size_test){ .ratios = ratios };
		axis->trials[i].count =
			np_capacity_units(samples + begin, count, NP_CAPACITY_FRESH,
					  axis->inside, ratios, NULL);
	}
}

static void hand_out(const struct axis *axis)
{
	for (size_t i = 0; i < axis->count; i++) {
		struct np_capacity_point *point = &axis->points[i];
		const struct np_size_test *trial = &axis->trials[i];

		point->fresh = np_median(trial->ratios, trial->count);
		point->fresh_low = axis->proofs[i].low;
		point->fresh_high = axis->proofs[i].high;
		point->fresh_verdict =
			trial->count != 0 ? axis->proofs[i].verdict : NP_VERDICTS;
	}
}

static int judge(const struct np_capacity_sample *samples, const size_t *begins, double q,
		 struct axis *axis)
{
	const size_t all = begins[axis->count] - begins[0];
	int rc = -ENOMEM;

	axis->inside = calloc(2 * all + 1, sizeof(*axis->inside));
	axis->trials = calloc(axis->count + 1, sizeof(*axis->trials));
	axis->proofs = calloc(axis->count + 1, sizeof(*axis->proofs));
	if (axis->inside != NULL && axis->trials != NULL && axis->proofs != NULL) {
		axis->ratios = axis->inside + all;
		gather(samples, begins, axis);
		rc = np_prove(axis->trials, axis->count, q, NP_SAME_WITHIN, axis->proofs,
			      NULL);
	}
	if (rc == 0)
		hand_out(axis);
	free(axis->inside);
	free(axis->trials);
	free(axis->proofs);
	return rc;
}

int np_capacity_judge_fresh(const struct np_capacity_sample *samples, const size_t *begins,
			    struct np_capacity *capacity)
{
	double axes = 0;
	int rc = 0;

	for (size_t i = 0; i < NP_AXES; i++)
		axes += capacity->axes[i].counts != 0;
	for (size_t first = 0; first < capacity->point_count && rc == 0;) {
		struct axis axis = {
			.points = &capacity->points[first],
			.count = capacity->axes[capacity->points[first].axis].counts
		};

		rc = judge(samples, begins + first, NP_PROOF_Q / axes, &axis);
		first += axis.count;
	}
	return rc;
}
