/*
 * tune.c - selects and sorts the variants that --tune recommends.
 */
#include "questions/tune.h"

#include <math.h>
#include <string.h>

#include "results/pairs.h"

static bool follows(const struct np_pair *pair, const struct np_pair *before)
{
	return before != NULL && before->verdict == pair->verdict;
}

/* Adds a pair to the range of the pair before it, or to a new range. */
static void add_to_range(struct np_tuned_range *ranges, size_t *count,
			 const struct np_pair *pair, const struct np_pair *before)
{
	if (!follows(pair, before)) {
		if (*count == NP_TUNED_RANGES_MAX)
			return;
		ranges[(*count)++] =
			(struct np_tuned_range){ .smallest = pair->length, .most = pair };
	}
	struct np_tuned_range *range = &ranges[*count - 1];

	range->largest = pair->length;
	range->sizes++;
	if (fabs(log(pair->ratio)) > fabs(log(range->most->ratio)))
		range->most = pair;
}

static void add_mode(const struct np_table *table, enum np_mode mode,
		     struct np_tuned *tuned)
{
	const struct np_pair *before = NULL;

	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (np_pair_is_of_modes(pair) || pair->mode != mode ||
		    pair->variant != tuned->variant)
			continue;
		if (pair->verdict == NP_FASTER)
			add_to_range(tuned->gains, &tuned->gain_count, pair, before);
		if (pair->verdict == NP_SLOWER)
			add_to_range(tuned->losses, &tuned->loss_count, pair, before);
		if (np_verdict_is_sure(pair->verdict))
			tuned->gain -= log(pair->ratio);
		before = pair;
	}
}

static bool is_better(const struct np_tuned *one, const struct np_tuned *other)
{
	if ((one->loss_count == 0) != (other->loss_count == 0))
		return one->loss_count == 0;
	return one->gain > other->gain;
}

struct np_tune np_tune_derive(const struct np_table *table)
{
	struct np_tune tune = { .count = 0 };

	for (size_t variant = 1; variant < NP_VARIANTS_MAX; variant++) {
		struct np_tuned tuned = { .variant = variant };
		size_t at = tune.count;

		for (enum np_mode mode = 0; mode < NP_MODES; mode++)
			add_mode(table, mode, &tuned);
		if (tuned.gain_count == 0)
			continue;
		for (; at > 0 && is_better(&tuned, &tune.list[at - 1]); at--)
			tune.list[at] = tune.list[at - 1];
		tune.list[at] = tuned;
		tune.count++;
	}
	return tune;
}
