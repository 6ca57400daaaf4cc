/*
 * sentinel.c - drift and states of the visits of the sentinel.
 */
#include "results/sentinel.h"

#include <math.h>
#include <stdlib.h>

#include "stats/bimodal.h"
#include "stats/stats.h"

/* Of the visits, in either state, and how many at least: what one disturbance takes is no
 * state. */
static const double share_least = 0.1;
enum { IN_STATE_LEAST = 2 };

/* As in host_state.h. */
static const double states_apart = 1.5;

/* Within the first run: runs differ for other reasons. */
static bool counts(const struct np_visit *visit)
{
	return visit->sentinel && !visit->other_state && visit->run_index == 0 &&
	       visit->variant == 0 && visit->mode != NP_MODE_CONTROL;
}

static void find_drift(const struct np_results *results, double *medians,
		       struct np_sentinel *sentinel)
{
	size_t count = 0;

	for (size_t i = 0; i < results->count; i++) {
		const struct np_visit *visit = results->visits[i];

		if (!counts(visit))
			continue;
		medians[count++] = visit->median_s;
		sentinel->length = visit->length;
	}
	/* First third against last third: one short visit is too noisy. */
	const size_t third = count / 3;
	if (third != 0) {
		const double begin = np_median(medians, third);

		if (begin > 0)
			sentinel->drift = np_median(medians + count - third, third) / begin;
	}
}

/* In one mode: two modes take different times in any state. */
static void find_states(const struct np_results *results, double *medians,
			struct np_sentinel *sentinel)
{
	const struct np_visit *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < results->count; i++) {
		const struct np_visit *visit = results->visits[i];

		if (!counts(visit) || !(visit->median_s > 0))
			continue;
		first = first != NULL ? first : visit;
		if (visit->mode == first->mode)
			medians[count++] = visit->median_s;
	}
	const struct np_bimodal split = np_split_in_two(
		medians, count,
		fmax(share_least, count != 0 ? IN_STATE_LEAST / (double)count : 0),
		states_apart);
	sentinel->visits = count;
	if (split.two) {
		sentinel->apart = split.upper / split.lower;
		sentinel->slower = (size_t)lround(split.share * (double)count);
	}
}

struct np_sentinel np_sentinel_of(const struct np_results *results)
{
	struct np_sentinel sentinel = { .apart = 1 };
	double *medians = malloc((results->count + 1) * sizeof(*medians));

	if (medians != NULL) {
		find_drift(results, medians, &sentinel);
		find_states(results, medians, &sentinel);
	}
	free(medians);
	return sentinel;
}
