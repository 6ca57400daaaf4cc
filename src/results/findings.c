/*
 * findings.c - summary of the table: latency, peak, comparisons, costs.
 */
#include "results/findings.h"

#include <math.h>
#include <stdlib.h>

#include "results/findings_costs.h"
#include "results/pairs.h"
#include "results/precise.h"
#include "stats/stats.h"

static void find_rows(const struct np_table *table, struct np_findings *found)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		/* Rows ascend by size, then the first variant, then reuse. */
		if (found->latency == NULL)
			found->latency = row;
		/* The control is a check and not a result. */
		if (row->mbps > 0 && row->mode != NP_MODE_CONTROL &&
		    (found->peak == NULL || row->mbps > found->peak->mbps))
			found->peak = row;
		found->rows++;
		if (row->axis != NP_AXIS_NONE || row->mode == NP_MODE_EVICTED)
			found->one_question = true;
		if ((row->flags & (NP_ROW_IMPRECISE | NP_ROW_NO_INTERVAL)) == 0)
			found->rows_precise++;
		if ((row->flags & NP_ROW_NO_INTERVAL) != 0 &&
		    (found->rows_few_units++ == 0 || row->units < found->fewest_units))
			found->fewest_units = row->units;
		found->rows_faulted += (row->flags & NP_ROW_PAGE_FAULTS) != 0;
		found->rows_unsteady += (row->flags & NP_ROW_UNSTEADY) != 0;
		found->rows_other_state += (row->flags & NP_ROW_OTHER_STATE) != 0;
	}
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

static bool is_of(const struct np_pair *pair, const struct np_comparison *comparison)
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

		if (is_of(pair, comparison) && !isnan(pair->control_ratio)) {
			ratios[count++] = pair->control_ratio;
			comparison->unstable += pair->unstable;
		}
	}
	comparison->control_ratio = np_median(ratios, count);
	comparison->control_least = np_quantile(ratios, count, 0);
	comparison->control_most = np_quantile(ratios, count, 1);
}

/* Summarizes the ratios of one variant in one mode; ratios has space for all. */
static void sum_up(const struct np_table *table, struct np_comparison *comparison,
		   double *ratios)
{
	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (!is_of(pair, comparison))
			continue;
		/* Pairs ascend by size. */
		if (comparison->pairs == 0)
			comparison->smallest = pair->length;
		comparison->largest = pair->length;
		comparison->verdicts[pair->verdict]++;
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
			known = is_of(pair, &found->comparisons[k]);
		if (known)
			continue;
		struct np_comparison *fresh =
			&found->comparisons[found->comparison_count++];
		fresh->like = *pair;
		sum_up(table, fresh, ratios);
	}
	free(ratios);
}

/* Chance of a false finding that new connections are slower. */
static const double error_of_connections = 0.01;

/* Minimum ratio: a connection is steady within 2 % of its fastest window. */
static const double slower_from = 1.02;

/* Uses the first warm-up size: runs of one command have no other. */
static void find_connection(const struct np_results *results,
			    struct np_new_connection *found)
{
	const size_t most = results->connection_count;
	double *values = malloc((4 * most + 1) * sizeof(*values));
	double *first = values, *steady = values + most, *after = values + 2 * most,
	       *ratio = values + 3 * most;
	struct np_interval interval = { .low = (double)NAN, .high = (double)NAN };
	size_t count = 0;

	for (size_t i = 0; i < most && values != NULL; i++) {
		const struct np_connection *one = &results->connections[i];

		if (one->length != results->connections[0].length || !(one->steady_s > 0))
			continue;
		first[count] = one->first_s;
		steady[count] = one->steady_s;
		after[count] = (double)one->after;
		ratio[count++] = one->first_s / one->steady_s;
	}
	found->connections = count;
	if (count != 0) {
		found->length = results->connections[0].length;
		found->first_s = np_median(first, count);
		found->steady_s = np_median(steady, count);
		found->after = (uint64_t)np_median(after, count);
		found->ratio = np_median(ratio, count);
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

struct np_findings np_findings_derive(const struct np_results *results,
				      const struct np_table *table)
{
	struct np_findings found = { .latency = NULL };

	find_rows(table, &found);
	find_pairs(table, results->precision, &found);
	np_findings_costs(table, &found);
	find_comparisons(table, &found);
	np_findings_of_visits(results, &found);
	find_connection(results, &found.new_connection);
	return found;
}
