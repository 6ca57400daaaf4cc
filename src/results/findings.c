/*
 * findings.c - summary of the table: latency, peak, comparisons of variants, costs of
 * modes.
 */
#include "results/findings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "results/pairs.h"
#include "stats/adjust.h"
#include "stats/mode_test.h"
#include "stats/stats.h"
#include "stats/tails.h"

/* Least ratio of two modes that are reported: closer ones look like scatter. */
static const double modes_apart = 1.1;

/* Tests the samples of a row for bimodality.  Most of the variance must lie within visits,
 * each with several samples: modes that differ between visits are host states. */
static void find_modes(const struct np_row *row, struct np_findings *found)
{
	/* The simulated p-value of 256 values takes milliseconds. */
	enum { VISITS_MOST = 32, SAMPLES_LEAST = 4 };
	const size_t every = row->visit_count / VISITS_MOST + 1;
	double values[VISITS_MOST * NP_VISIT_SOME];
	size_t groups[VISITS_MOST] = { 0 }, group = 0, count = 0;

	for (size_t i = 0; i < row->visit_count; i += every, group++) {
		const float *some = row->visits[i]->some_s;

		for (size_t k = 0; k < NP_VISIT_SOME && some[k] > 0; k++, groups[group]++)
			values[count++] = (double)some[k];
	}
	const double independent = np_independent_values(values, groups, group);
	const struct np_bimodal modes =
		np_bimodal_find(values, count, independent, modes_apart);
	const bool two = modes.two && count >= SAMPLES_LEAST * group &&
			 independent > 0.5 * (double)count;

	found->rows_bimodal += two;
	if (two && (found->bimodal == NULL ||
		    modes.upper / modes.lower > found->modes.upper / found->modes.lower)) {
		found->bimodal = row;
		found->modes = modes;
	}
}

static void find_rows(const struct np_results *results, const struct np_table *table,
		      struct np_findings *found)
{
	size_t points = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		/* Rows ascend by size, then the first variant, then reuse. */
		if (found->latency == NULL)
			found->latency = row;
		/* The control is a check and not a result. */
		if (row->mode != NP_MODE_CONTROL && np_row_is_faster(row, found->peak))
			found->peak = row;
		found->rows++;
		if (row->axis != NP_AXIS_NONE || row->mode == NP_MODE_EVICTED)
			found->one_question = true;
		if ((row->flags & (NP_ROW_IMPRECISE | NP_ROW_NO_INTERVAL)) == 0)
			found->rows_precise++;
		points += row->mode == table->rows[0].mode &&
			  row->variant == table->rows[0].variant;
		const bool few = (row->flags & NP_ROW_NO_INTERVAL) != 0;
		found->rows_few_units += few;
		/* Rows of one unit are sizes left out: the advice is for the others. */
		if (few && (found->fewest_units < 2 ||
			    (row->units > 1 && row->units < found->fewest_units)))
			found->fewest_units = row->units;
		if (row->axis == NP_AXIS_NONE && row->mode != NP_MODE_CONTROL)
			find_modes(row, found);
		found->rows_faulted += (row->flags & NP_ROW_PAGE_FAULTS) != 0;
		found->rows_unsteady += (row->flags & NP_ROW_UNSTEADY) != 0;
		found->rows_other_state += (row->flags & NP_ROW_OTHER_STATE) != 0;
	}
	found->points_left_out = results->points > points ? results->points - points : 0;
}

static void find_pairs(const struct np_table *table, double precision,
		       struct np_findings *found)
{
	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];

		found->ratios++;
		found->ratios_precise += np_pair_is_precise(pair, precision);
		if (!np_pair_is_rotation(pair))
			continue;
		found->pairs++;
		if (isnan(pair->alone_low))
			continue;
		found->pairs_judged++;
		found->pairs_below += pair->alone_high < 1;
		found->pairs_above += pair->alone_low > 1;
	}
}

static bool is_of_cost(const struct np_pair *pair, const struct np_cost *cost)
{
	return pair->mode == cost->like.mode && pair->base_mode == cost->like.base_mode &&
	       pair->variant == cost->like.variant &&
	       pair->base_variant == cost->like.base_variant && pair->axis == NP_AXIS_NONE;
}

/* Inserts a range into the list of the costliest, sorted by ratio. */
static void keep_slow_range(struct np_cost *cost, const struct np_slow_range *range)
{
	size_t at = cost->slow_range_count < NP_SLOW_RANGES_MAX ? cost->slow_range_count++ :
								  NP_SLOW_RANGES_MAX;

	while (at > 0 && cost->slow_ranges[at - 1].worst->ratio < range->worst->ratio) {
		if (at < NP_SLOW_RANGES_MAX)
			cost->slow_ranges[at] = cost->slow_ranges[at - 1];
		at--;
	}
	if (at < NP_SLOW_RANGES_MAX)
		cost->slow_ranges[at] = *range;
}

/* Finds the ranges where the mode is slower; pairs ascend by size. */
static void find_slow_ranges(const struct np_table *table, struct np_cost *cost)
{
	struct np_slow_range open = { .worst = NULL };

	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (!is_of_cost(pair, cost))
			continue;
		if (pair->verdict == NP_SLOWER) {
			if (open.worst == NULL)
				open.smallest = pair->length;
			if (open.worst == NULL || pair->ratio > open.worst->ratio)
				open.worst = pair;
			open.largest = pair->length;
			open.sizes++;
		} else if (open.worst != NULL) {
			keep_slow_range(cost, &open);
			open = (struct np_slow_range){ .worst = NULL };
		}
	}
	if (open.worst != NULL)
		keep_slow_range(cost, &open);
}

/* Sums up verdicts, detection limits and controls; values has space for two per pair. */
static void sum_up_cost(const struct np_table *table, struct np_cost *cost, double *values)
{
	double *controls = values + table->pair_count;
	size_t resolved = 0, control_count = 0;

	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (!is_of_cost(pair, cost))
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

static bool has_cost(const struct np_findings *found, const struct np_pair *pair)
{
	for (size_t i = 0; i < found->cost_count; i++) {
		if (is_of_cost(pair, &found->costs[i]))
			return true;
	}
	return false;
}

static void find_costs(const struct np_table *table, struct np_findings *found)
{
	double *values = malloc((2 * table->pair_count + 1) * sizeof(*values));

	for (size_t i = 0; i < table->pair_count && values != NULL; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (!np_pair_is_of_modes(pair) || pair->axis != NP_AXIS_NONE ||
		    has_cost(found, pair) || found->cost_count == NP_COSTS_MAX)
			continue;
		struct np_cost *cost = &found->costs[found->cost_count++];
		cost->like = *pair;
		sum_up_cost(table, cost, values);
		find_slow_ranges(table, cost);
		take_ranges(table, cost);
	}
	free(values);
}

static bool is_of_comparison(const struct np_pair *pair,
			     const struct np_comparison *comparison)
{
	return !np_pair_is_of_modes(pair) && pair->mode == comparison->like.mode &&
	       pair->variant == comparison->like.variant;
}

static void sum_controls(const struct np_table *table, struct np_comparison *comparison,
			 double *ratios)
{
	size_t count = 0;

	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (is_of_comparison(pair, comparison) && !isnan(pair->control_ratio)) {
			ratios[count++] = pair->control_ratio;
			comparison->unstable += pair->unstable;
		}
	}
	comparison->control_ratio = np_median(ratios, count);
	comparison->control_least = np_quantile(ratios, count, 0);
	comparison->control_most = np_quantile(ratios, count, 1);
}

/* Summarizes the ratios of one variant in one mode; ratios has space for all. */
static void sum_up_comparison(const struct np_table *table,
			      struct np_comparison *comparison, double *ratios)
{
	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (!is_of_comparison(pair, comparison))
			continue;
		/* Pairs ascend by size. */
		if (comparison->pairs == 0)
			comparison->smallest = pair->length;
		comparison->largest = pair->length;
		comparison->verdicts[pair->verdict]++;
		comparison->too_few += isnan(pair->low) ? 1 : 0;
		comparison->above += pair->alone_low > 1;
		comparison->below += pair->alone_high < 1;
		ratios[comparison->pairs++] = pair->ratio;
		/* Only pairs with a significant difference have changes. */
		if (pair->change_count != 0 &&
		    (comparison->counted == NULL ||
		     fabs(log(pair->ratio)) > fabs(log(comparison->counted->ratio))))
			comparison->counted = pair;
	}
	comparison->ratio = np_median(ratios, comparison->pairs);
	comparison->least = np_quantile(ratios, comparison->pairs, 0);
	comparison->most = np_quantile(ratios, comparison->pairs, 1);
	sum_controls(table, comparison, ratios);
}

static void find_comparisons(const struct np_table *table, struct np_findings *found)
{
	double *ratios = malloc((table->pair_count + 1) * sizeof(*ratios));

	for (size_t i = 0; i < table->pair_count && ratios != NULL; i++) {
		const struct np_pair *pair = &table->pairs[i];
		bool known = np_pair_is_of_modes(pair) ||
			     found->comparison_count == NP_COMPARISONS_MAX;

		for (size_t k = 0; k < found->comparison_count && !known; k++)
			known = is_of_comparison(pair, &found->comparisons[k]);
		if (known)
			continue;
		struct np_comparison *fresh =
			&found->comparisons[found->comparison_count++];
		fresh->like = *pair;
		sum_up_comparison(table, fresh, ratios);
	}
	free(ratios);
}

/* Significance level of the finding that new connections are slower. */
static const double error_of_connections = 0.01;

/* Minimum ratio: a connection is steady within 2 % of its fastest window. */
static const double slower_from = 1.02;

/* Returns first_s / steady_s of a connection warmed with `length` bytes; 0 for another
 * length. */
static double ratio_of_connection(const struct np_warm_up *one, size_t length)
{
	return one->length == length && one->steady_s > 0 ? one->first_s / one->steady_s :
							    0;
}

/* Uses the warm-ups of the longest size, which are those of passes.  Times are of the
 * connection with the median ratio, so that they agree with it. */
static void find_connection(const struct np_results *results,
			    struct np_new_connection *found)
{
	const size_t most = results->warm_up_count;
	double *values = malloc((2 * most + 1) * sizeof(*values));
	double *after = values, *ratio = values + most;
	struct np_interval interval = { .low = (double)NAN, .high = (double)NAN };
	size_t count = 0, longest = 0;

	for (size_t i = 0; i < most; i++) {
		if (results->warm_ups[i].length > longest)
			longest = results->warm_ups[i].length;
	}
	for (size_t i = 0; i < most && values != NULL; i++) {
		const struct np_warm_up *one = &results->warm_ups[i];

		ratio[count] = ratio_of_connection(one, longest);
		after[count] = (double)one->after;
		count += ratio[count] > 0;
	}
	found->connections = count;
	if (count != 0) {
		found->after = (uint64_t)np_median(after, count);
		found->ratio = np_order_statistic(ratio, count, (count + 1) / 2);
		for (size_t i = 0; i < most && found->length == 0; i++) {
			const struct np_warm_up *one = &results->warm_ups[i];
			const double own = ratio_of_connection(one, longest);

			if (own < found->ratio || own > found->ratio)
				continue;
			found->length = longest;
			found->first_s = one->first_s;
			found->steady_s = one->steady_s;
		}
		np_median_interval(ratio, count, 1 - error_of_connections, &interval);
		found->low = interval.low;
		found->high = interval.high;
		found->significant = interval.low > slower_from;
	}
	free(values);
}

void np_findings_of_visits(const struct np_results *results, struct np_findings *found)
{
	found->sentinel = np_sentinel_of(results);
	found->states = np_host_states_of(results);
}

/*
 * --watch: minutes that are slower than the others of their size, and the least rate.
 *
 * A minute is a pass.  The logarithm of its median is compared with the median over the
 * minutes of the same size, mode and variant, in robust standard deviations: a few slow
 * minutes move neither.  Such a quotient has about Student's distribution with 0.37 of the
 * degrees of freedom of a standard deviation, the efficiency of the median absolute
 * deviation (Rousseeuw and Croux, 1993).  All minutes of a run are one family, at a false
 * discovery rate of NP_MODE_TEST_Q.
 */

/* Least number of minutes with a verdict. */
enum { MINUTES_LEAST = 5 };

static const double mad_efficiency = 0.37;

/* Tests the minutes of one size, mode and variant: sets their ratios to the median and
 * their p-values, one-sided. */
static void test_minutes(struct np_visit *const *visits, size_t count, double *scratch,
			 struct np_minute *minutes)
{
	const unsigned degrees = (unsigned)(mad_efficiency * (double)(count - 1) + 0.5);

	for (size_t i = 0; i < count; i++)
		scratch[i] = log(visits[i]->median_s);
	const double centre = np_median(scratch, count);

	for (size_t i = 0; i < count; i++)
		scratch[i] = fabs(scratch[i] - centre);
	const double error = np_median(scratch, count) / NP_NORMAL_MAD;

	for (size_t i = 0; i < count; i++) {
		const double above = log(visits[i]->median_s) - centre;

		minutes[i] = (struct np_minute){ .visit = visits[i],
						 .ratio = exp(above),
						 .p = (double)NAN };
		if (count < MINUTES_LEAST)
			continue;
		minutes[i].p = above <= 0 ? 1 :
			       error > 0  ? np_student_p(above / error, degrees) / 2 :
					    0;
	}
}

/* Finds the slowest block of all visits by its rate. */
static void find_least(const struct np_results *results, struct np_visit *const *visits,
		       size_t count, struct np_minutes *found)
{
	for (size_t i = 0; i < count; i++) {
		for (unsigned k = 0; k < visits[i]->blocks; k++) {
			const double mbps = np_rate_of(results, visits[i]->length,
						       visits[i]->block_median_s[k]);

			if (found->least != NULL && mbps >= found->least_mbps)
				continue;
			found->least = visits[i];
			found->least_mbps = mbps;
			found->least_median_s = visits[i]->block_median_s[k];
		}
	}
}

/* Moves the significant minutes to the result, in order of size and time. */
static void take_slow(const struct np_results *results, const struct np_minute *minutes,
		      const double *adjusted, size_t count, struct np_minutes *found)
{
	for (size_t i = 0; i < count; i++) {
		if (!(adjusted[i] <= NP_MODE_TEST_Q) ||
		    minutes[i].ratio <= 1 + results->same_within)
			continue;
		if (found->slow_count < NP_SLOW_MINUTES) {
			found->slow[found->slow_count] = minutes[i];
			found->slow[found->slow_count].p = adjusted[i];
		}
		found->slow_count++;
	}
}

static void find_minutes(const struct np_results *results, struct np_minutes *found)
{
	const struct np_selection selection = { .purposes = NP_FOR_CURVE,
						.variant = NP_EVERY_VARIANT,
						.every_state = true,
						.timed = true };
	size_t count = 0;
	struct np_visit **visits =
		results->watched ? np_visits_select(results, &selection, &count) : NULL;
	struct np_minute *minutes = calloc(count + 1, sizeof(*minutes));
	double *p = calloc(count + 1, sizeof(*p));

	*found = (struct np_minutes){ .least = NULL };
	if (visits != NULL && minutes != NULL && p != NULL) {
		np_visits_sort(results, visits, count);
		for (size_t begin = 0, end = 0; begin < count; begin = end) {
			while (end < count && np_same_row(visits[begin], visits[end]))
				end++;
			test_minutes(visits + begin, end - begin, p, minutes + begin);
		}
		for (size_t i = 0; i < count; i++)
			p[i] = minutes[i].p;
		find_least(results, visits, count, found);
		if (np_adjust_p(p, count, 0, NP_ADJUST_FDR, p) == 0)
			take_slow(results, minutes, p, count, found);
	}
	free(visits);
	free(minutes);
	free(p);
}

struct np_findings np_findings_derive(const struct np_results *results,
				      const struct np_table *table)
{
	struct np_findings found = { .latency = NULL };

	find_rows(results, table, &found);
	find_pairs(table, results->precision, &found);
	find_costs(table, &found);
	find_comparisons(table, &found);
	np_findings_of_visits(results, &found);
	find_connection(results, &found.new_connection);
	find_minutes(results, &found.minutes);
	return found;
}

int np_findings_fail(const struct np_findings *findings, struct np_error *error)
{
	size_t slower = 0, pairs = 0, ranges = 0;

	for (size_t i = 0; i < findings->cost_count; i++) {
		const struct np_cost *cost = &findings->costs[i];

		slower += cost->verdicts[NP_SLOWER];
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
