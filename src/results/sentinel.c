/*
 * sentinel.c - drift and states of the visits of the sentinel.
 */
#include "results/sentinel.h"

#include <math.h>
#include <stdlib.h>

#include "results/host_state.h"
#include "stats/bimodal.h"
#include "stats/stats.h"

/* Of the visits, in either state, and how many at least: what one disturbance takes is no
 * state. */
static const double share_least = 0.1;
enum { IN_STATE_LEAST = 2 };

/* The visits that are compared: of the first run, as runs differ for other reasons; and of
 * one mode, as two take different times in any state.  Returns how many there are, with
 * their medians in the order of time. */
static size_t collect(const struct np_results *results, double *medians, size_t *length)
{
	const struct np_visit *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < results->count; i++) {
		const struct np_visit *visit = results->visits[i];

		if (!visit->sentinel || visit->other_state || visit->run_index != 0 ||
		    visit->variant != 0 || !(visit->median_s > 0))
			continue;
		first = first != NULL ? first : visit;
		if (visit->mode == first->mode)
			medians[count++] = visit->median_s;
	}
	*length = first != NULL ? first->length : 0;
	return count;
}

/* First third against last third: one short visit is too noisy. */
static double find_drift(const double *medians, size_t count)
{
	const size_t third = count / 3;

	return third == 0 ? 0 :
			    np_median(medians + count - third, third) /
				    np_median(medians, third);
}

/* How many values lie in the middle half between the two groups: of times that drift, as
 * many as elsewhere. */
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
	double *medians = calloc(results->count + 1, sizeof(*medians));

	if (medians == NULL)
		return sentinel;
	const size_t count = collect(results, medians, &sentinel.length);
	sentinel.visits = count;
	sentinel.drift = find_drift(medians, count);
	find_states(medians, count, &sentinel);
	free(medians);
	return sentinel;
}
