/*
 * sentinel.c - drift and states of the visits of the sentinel.
 */
#include "results/sentinel.h"

#include <math.h>
#include <stdlib.h>

#include "results/host_state.h"
#include "stats/bimodal.h"
#include "stats/stats.h"

/* Smallest share and number of visits in either state: one disturbance is no state. */
static const double share_least = 0.1;
enum { IN_STATE_LEAST = 2 };

/* Medians of the visits of the first run and its first mode, in order of time: runs and
 * modes differ for other reasons.  Returns their number; the caller frees medians, which is
 * NULL without memory. */
static size_t collect(const struct np_results *results, double **medians, size_t *length)
{
	const struct np_selection sentinels = { .purposes = NP_FOR_SENTINEL,
						.timed = true };
	const struct np_visit *first = NULL;
	size_t count, kept = 0;
	struct np_visit **visits = np_visits_select(results, &sentinels, &count);

	*medians = visits != NULL ? malloc((count + 1) * sizeof(**medians)) : NULL;
	for (size_t i = 0; i < count && *medians != NULL; i++) {
		if (visits[i]->run_index != 0)
			continue;
		first = first != NULL ? first : visits[i];
		if (visits[i]->mode == first->mode)
			(*medians)[kept++] = visits[i]->median_s;
	}
	*length = first != NULL ? first->length : 0;
	free(visits);
	return kept;
}

/* Compares thirds: one short visit is too noisy. */
static double find_drift(const double *medians, size_t count)
{
	const size_t third = count / 3;

	return third == 0 ? 0 :
			    np_median(medians + count - third, third) /
				    np_median(medians, third);
}

/* Counts values in the middle half between the two groups: times that drift have as many
 * there as elsewhere. */
static size_t count_between(const double *values, size_t count,
			    const struct np_bimodal *split)
{
	const double quarter = pow(split->upper / split->lower, 0.25);
	size_t between = 0;

	for (size_t i = 0; i < count; i++)
		between += values[i] >= split->lower * quarter &&
			   values[i] * quarter <= split->upper;
	return between;
}

static void find_states(double *values, size_t count, struct np_sentinel *sentinel)
{
	const struct np_bimodal split = np_split_in_two(
		values, count,
		fmax(share_least, count != 0 ? IN_STATE_LEAST / (double)count : 0),
		np_states_apart);

	if (split.two &&
	    (double)count_between(values, count, &split) <= share_least * (double)count) {
		sentinel->apart = split.upper / split.lower;
		sentinel->slower = (size_t)lround(split.share * (double)count);
	}
}

struct np_sentinel np_sentinel_of(const struct np_results *results)
{
	struct np_sentinel sentinel = { .apart = 1 };
	double *medians;
	const size_t count = collect(results, &medians, &sentinel.length);

	if (medians == NULL)
		return sentinel;
	sentinel.visits = count;
	sentinel.drift = find_drift(medians, count);
	find_states(medians, count, &sentinel);
	free(medians);
	return sentinel;
}
