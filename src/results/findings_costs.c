/*
 * findings_costs.c - costs of modes: counts of verdicts over sizes, and ranges of sizes
 * where a mode is slower.
 */
#include "results/findings_costs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/plural.h"
#include "results/pairs.h"
#include "stats/stats.h"

static bool is_of(const struct np_pair *pair, const struct np_cost *cost)
{
	return pair->mode == cost->like.mode && pair->base_mode == cost->like.base_mode &&
	       pair->variant == cost->like.variant &&
	       pair->base_variant == cost->like.base_variant && pair->axis == NP_AXIS_NONE;
}

/* Inserts a range into the list of the costliest, sorted by ratio. */
static void keep_dropout(struct np_cost *cost, const struct np_slow_range *dropout)
{
	size_t at = cost->slow_range_count < NP_SLOW_RANGES_MAX ? cost->slow_range_count++ :
								  NP_SLOW_RANGES_MAX;

	while (at > 0 && cost->slow_ranges[at - 1].worst->ratio < dropout->worst->ratio) {
		if (at < NP_SLOW_RANGES_MAX)
			cost->slow_ranges[at] = cost->slow_ranges[at - 1];
		at--;
	}
	if (at < NP_SLOW_RANGES_MAX)
		cost->slow_ranges[at] = *dropout;
}

/* Finds the ranges where the mode is slower; pairs ascend by size. */
static void find_dropouts(const struct np_table *table, struct np_cost *cost)
{
	struct np_slow_range open = { .worst = NULL };

	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (!is_of(pair, cost))
			continue;
		if (pair->verdict == NP_SLOWER) {
			if (open.worst == NULL)
				open.smallest = pair->length;
			if (open.worst == NULL || pair->ratio > open.worst->ratio)
				open.worst = pair;
			open.largest = pair->length;
			open.sizes++;
		} else if (open.worst != NULL) {
			keep_dropout(cost, &open);
			open = (struct np_slow_range){ .worst = NULL };
		}
	}
	if (open.worst != NULL)
		keep_dropout(cost, &open);
}

/* Sums up verdicts, detection limits and controls; values has space for two per pair. */
static void sum_up(const struct np_table *table, struct np_cost *cost, double *values)
{
	double *controls = values + table->pair_count;
	size_t resolved = 0, control_count = 0;

	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (!is_of(pair, cost))
			continue;
		cost->pairs++;
		cost->verdicts[pair->verdict]++;
		cost->too_few += isnan(pair->low) ? 1 : 0;
		cost->unstable += pair->unstable;
		if (pair->verdict == NP_FASTER &&
		    (cost->fastest == NULL || pair->ratio < cost->fastest->ratio))
			cost->fastest = pair;
		if (!np_verdict_is_sure(pair->verdict) && !isnan(pair->resolution))
			values[resolved++] = pair->resolution;
		if (!isnan(pair->control_ratio))
			controls[control_count++] = pair->control_ratio;
	}
	cost->resolution = np_median(values, resolved);
	cost->resolution_most = np_quantile(values, resolved, 1);
	cost->control_ratio = np_median(controls, control_count);
	cost->control_least = np_quantile(controls, control_count, 0);
	cost->control_most = np_quantile(controls, control_count, 1);
}

static void take_ranges(const struct np_table *table, struct np_cost *cost)
{
	for (size_t i = 0; i < table->range_count; i++) {
		const struct np_pair_range *range = &table->ranges[i];

		if (range->kind != cost->like.kind)
			continue;
		if (cost->range_count++ == 0)
			cost->ranges = range;
	}
}

static bool is_known(const struct np_findings *found, const struct np_pair *pair)
{
	for (size_t i = 0; i < found->cost_count; i++) {
		if (is_of(pair, &found->costs[i]))
			return true;
	}
	return false;
}

void np_findings_costs(const struct np_table *table, struct np_findings *found)
{
	double *values = malloc((2 * table->pair_count + 1) * sizeof(*values));

	for (size_t i = 0; i < table->pair_count && values != NULL; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (!np_pair_is_of_modes(pair) || pair->axis != NP_AXIS_NONE ||
		    is_known(found, pair) || found->cost_count == NP_COSTS_MAX)
			continue;
		struct np_cost *cost = &found->costs[found->cost_count++];
		cost->like = *pair;
		sum_up(table, cost, values);
		find_dropouts(table, cost);
		take_ranges(table, cost);
	}
	free(values);
}

size_t np_findings_verdicts(const struct np_findings *findings, enum np_verdict verdict)
{
	size_t sizes = 0;

	for (size_t i = 0; i < findings->cost_count; i++)
		sizes += findings->costs[i].verdicts[verdict];
	return sizes;
}

int np_findings_fail(const struct np_findings *findings, struct np_error *error)
{
	const size_t slower = np_findings_verdicts(findings, NP_SLOWER);
	size_t pairs = 0, ranges = 0;

	for (size_t i = 0; i < findings->cost_count; i++) {
		const struct np_cost *cost = &findings->costs[i];

		pairs += cost->pairs;
		for (size_t k = 0; k < cost->range_count; k++)
			ranges += cost->ranges[k].verdict == NP_SLOWER;
	}
	if (slower + ranges == 0)
		return 0;
	return np_fail(
		error, NP_ERROR_VERDICT, EDOM,
		"--fail-on slower: significantly slower at %zu of %zu size%s, and in %zu "
		"range%s of sizes",
		slower, pairs, np_plural(pairs), ranges, np_plural(ranges));
}
