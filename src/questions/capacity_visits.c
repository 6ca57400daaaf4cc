/* capacity_visits.c - lists the samples of a capacity sweep from the visits of a run. */
#include "questions/capacity_visits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "questions/capacity_host.h"
#include "results/pairs.h"

static int compare_visits(const void *a, const void *b)
{
	const struct np_visit *left = *(struct np_visit *const *)a;
	const struct np_visit *right = *(struct np_visit *const *)b;

	if (left->run_index != right->run_index)
		return left->run_index < right->run_index ? -1 : 1;
	if (left->serial != right->serial)
		return left->serial < right->serial ? -1 : 1;
	return (left->mode > right->mode) - (left->mode < right->mode);
}

/* The visits of the sweep of the first variant, sorted so that the modes of a unit are
 * neighbours.  The caller frees the list.  Returns NULL without memory. */
static struct np_visit **collect(const struct np_results *results, size_t *count)
{
	const struct np_selection sweep = { .purposes = NP_FOR_SWEEP,
					    .modes = 1u << NP_MODE_REUSE |
						     1u << NP_MODE_ROTATE |
						     1u << NP_MODE_FRESH };
	struct np_visit **visits = np_visits_select(results, &sweep, count);
	size_t kept = 0;

	/* A file may have no number of buffers. */
	for (size_t i = 0; i < *count; i++) {
		if (visits[i]->buffers != 0)
			visits[kept++] = visits[i];
	}
	*count = kept;
	if (kept != 0)
		qsort(visits, kept, sizeof(struct np_visit *), compare_visits);
	return visits;
}

static bool belong_together(const struct np_visit *one, const struct np_visit *other,
			    enum np_mode mode, enum np_mode other_mode)
{
	return one->run_index == other->run_index && one->serial == other->serial &&
	       one->mode == mode && other->mode == other_mode;
}

int np_capacity_samples(const struct np_results *results,
			struct np_capacity_sample **samples, size_t *count)
{
	size_t found;
	struct np_visit **visits = collect(results, &found);

	*count = 0;
	*samples = malloc((found + 1) * sizeof(**samples));
	if (visits == NULL || *samples == NULL) {
		free(visits);
		return -ENOMEM;
	}
	for (size_t i = 0; i + 1 < found; i++) {
		const struct np_visit *reuse = visits[i], *rotate = visits[i + 1];
		const bool fresh =
			i + 2 < found && belong_together(rotate, visits[i + 2],
							 NP_MODE_ROTATE, NP_MODE_FRESH);
		const double ratio =
			belong_together(reuse, rotate, NP_MODE_REUSE, NP_MODE_ROTATE) ?
				np_visit_ratio(reuse, rotate) :
				(double)NAN;

		if (ratio > 0 && isfinite(ratio))
			(*samples)[(*count)++] = (struct np_capacity_sample){
				.axis = rotate->axis,
				.buffers = rotate->buffers,
				.unit = np_unit_of(results, rotate),
				.ratio = ratio,
				.seconds = rotate->median_s,
				.fresh = fresh ? np_visit_ratio(rotate, visits[i + 2]) : 0
			};
	}
	free(visits);
	return 0;
}

int np_capacity_of_visits(const struct np_results *results, struct np_capacity_host *host,
			  struct np_capacity *capacity)
{
	struct np_capacity_sample *samples;
	size_t count;

	*capacity = (struct np_capacity){ .points = NULL };
	host->sides = np_capacity_sides(results->operation, results->operation_name);
	for (size_t i = 0; i < results->count; i++) {
		if (results->visits[i]->axis != NP_AXIS_NONE)
			host->length = results->visits[i]->length;
	}
	int rc = np_capacity_samples(results, &samples, &count);
	if (rc == 0)
		rc = np_capacity_derive(host, samples, count, NP_CAPACITY_SEED, capacity);
	free(samples);
	return rc;
}
