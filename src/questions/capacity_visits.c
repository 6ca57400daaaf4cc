/*
 * capacity_visits.c - from the visits of a run to the samples of its capacity sweep.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "questions/capacity.h"
#include "results/pairs.h"

static int compare_visits(const void *a, const void *b)
{
	const struct np_visit *left = *(struct np_visit *const *)a;
	const struct np_visit *right = *(struct np_visit *const *)b;

	if (left->launch != right->launch)
		return left->launch < right->launch ? -1 : 1;
	if (left->serial != right->serial)
		return left->serial < right->serial ? -1 : 1;
	return (left->arm > right->arm) - (left->arm < right->arm);
}

/* The visits of the sweep that count, the arms of each beside one another; of several
 * choices those of the first. */
static size_t collect(const struct np_results *results, struct np_visit **visits)
{
	size_t count = 0;

	for (size_t i = 0; i < results->count; i++) {
		struct np_visit *visit = results->visits[i];

		if (visit->axis != NP_AXIS_NONE && visit->buffers != 0 &&
		    visit->choice == 0 && !visit->superseded && !visit->sentinel &&
		    (visit->arm == NP_ARM_REUSE || visit->arm == NP_ARM_ROTATE ||
		     visit->arm == NP_ARM_FRESH))
			visits[count++] = visit;
	}
	qsort(visits, count, sizeof(struct np_visit *), compare_visits);
	return count;
}

static bool belong_together(const struct np_visit *one, const struct np_visit *other,
			    enum np_arm arm, enum np_arm other_arm)
{
	return one->launch == other->launch && one->serial == other->serial &&
	       one->arm == arm && other->arm == other_arm;
}

int np_capacity_samples(const struct np_results *results,
			struct np_capacity_sample **samples, size_t *count)
{
	struct np_visit **visits = malloc((results->count + 1) * sizeof(struct np_visit *));

	*count = 0;
	*samples = malloc((results->count + 1) * sizeof(**samples));
	if (visits == NULL || *samples == NULL) {
		free(visits);
		return -ENOMEM;
	}
	const size_t found = collect(results, visits);
	for (size_t i = 0; i + 1 < found; i++) {
		const struct np_visit *reuse = visits[i], *rotate = visits[i + 1];
		const bool fresh =
			i + 2 < found &&
			belong_together(rotate, visits[i + 2], NP_ARM_ROTATE, NP_ARM_FRESH);
		const double ratio =
			belong_together(reuse, rotate, NP_ARM_REUSE, NP_ARM_ROTATE) ?
				np_visit_ratio(results, reuse, rotate) :
				(double)NAN;

		if (ratio > 0 && isfinite(ratio))
			(*samples)[(*count)++] = (struct np_capacity_sample){
				.axis = rotate->axis,
				.buffers = rotate->buffers,
				.unit = np_unit_of(results, rotate),
				.ratio = ratio,
				.seconds =
					np_visit_median(results, rotate, 0, rotate->blocks),
				.fresh = fresh ? np_visit_ratio(results, rotate,
								visits[i + 2]) :
						 0
			};
	}
	free(visits);
	return 0;
}
