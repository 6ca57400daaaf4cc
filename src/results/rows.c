/*
 * rows.c - from visits to rows.
 */
#include "results/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/pairs.h"
#include "stats/stats.h"

/* First and last third of a block may differ by this much before a row is
 * called unsettled: less than what rotation usually costs. */
static const double settled_within = 0.10;

/* What qsort_r() takes to its comparisons: it wants a pointer to non-const. */
struct sorting {
	const struct np_results *results;
};

static int compare_visits(const void *a, const void *b, void *context)
{
	const struct np_visit *left = *(struct np_visit *const *)a;
	const struct np_visit *right = *(struct np_visit *const *)b;
	const struct sorting *sorting = context;
	const struct np_results *results = sorting->results;

	if (left->length != right->length)
		return left->length < right->length ? -1 : 1;
	if (left->axis != right->axis)
		return left->axis < right->axis ? -1 : 1;
	if (left->buffers != right->buffers)
		return left->buffers < right->buffers ? -1 : 1;
	if (left->variant != right->variant)
		return left->variant < right->variant ? -1 : 1;
	if (left->mode != right->mode)
		return left->mode < right->mode ? -1 : 1;
	const unsigned l = np_unit_of(results, left), r = np_unit_of(results, right);
	if (l != r)
		return l < r ? -1 : 1;
	return (left->serial > right->serial) - (left->serial < right->serial);
}

static bool same_row(const struct np_visit *a, const struct np_visit *b)
{
	return a->length == b->length && a->mode == b->mode && a->variant == b->variant &&
	       a->axis == b->axis && a->buffers == b->buffers;
}

/* Visits that count, sorted by what makes a row, then unit.  NULL: no memory. */
static struct np_visit **sort_visits(const struct np_results *results, size_t *count)
{
	struct np_visit **sorted = malloc((results->count + 1) * sizeof(struct np_visit *));

	*count = 0;
	if (sorted == NULL)
		return NULL;
	for (size_t i = 0; i < results->count; i++) {
		struct np_visit *visit = results->visits[i];

		if (!visit->sentinel && !visit->superseded && !visit->refine &&
		    visit->factor == NP_FACTOR_NONE)
			sorted[(*count)++] = visit;
	}
	struct sorting sorting = { results };
	qsort_r(sorted, *count, sizeof(struct np_visit *), compare_visits, &sorting);
	return sorted;
}

/* Smallest, mean and percentiles of single samples. */
static int summarize_samples(const struct np_results *results,
			     struct np_visit *const *visits, size_t count,
			     struct np_row *row)
{
	size_t total = 0, at = 0;

	for (size_t i = 0; i < count; i++)
		total += visits[i]->blocks * visits[i]->samples_per_block;
	double *values = malloc((total + 1) * sizeof(*values));
	if (values == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const size_t samples = visits[i]->blocks * visits[i]->samples_per_block;

		for (size_t k = 0; k < samples; k++)
			values[at++] = np_message_seconds(results, visits[i],
							  visits[i]->samples_ns[k]);
	}
	row->samples = total;
	row->p50_s = row->p90_s = row->p99_s = row->p999_s = (double)NAN;
	if (total != 0) {
		row->min_s = np_min(values, total);
		row->mean_s = np_mean(values, total);
	}
	/* Ten samples beyond a percentile are the least that make it one. */
	if (results->per_message && total >= 100) {
		row->p50_s = np_quantile(values, total, 0.5);
		row->p90_s = np_quantile(values, total, 0.9);
		row->p99_s = total >= 1000 ? np_quantile(values, total, 0.99) : (double)NAN;
		row->p999_s =
			total >= 10000 ? np_quantile(values, total, 0.999) : (double)NAN;
	}
	free(values);
	return 0;
}

double np_visit_drift(const struct np_visit *visit)
{
	const size_t third = visit->samples_per_block / 3;
	double *first, *last, ratio = 1;

	if (third == 0 || visit->blocks == 0)
		return 1;
	first = malloc(2 * visit->blocks * third * sizeof(*first));
	if (first == NULL)
		return 1;
	last = first + visit->blocks * third;
	for (size_t block = 0; block < visit->blocks; block++) {
		const uint64_t *ns = visit->samples_ns + block * visit->samples_per_block;

		for (size_t i = 0; i < third; i++) {
			first[block * third + i] = (double)ns[i];
			last[block * third + i] =
				(double)ns[visit->samples_per_block - 1 - i];
		}
	}
	const double end = np_median(last, visit->blocks * third);
	if (end > 0)
		ratio = np_median(first, visit->blocks * third) / end;
	free(first);
	return ratio;
}

static void flag_row(const struct np_results *results, struct np_visit *const *visits,
		     const double *settling, size_t count, struct np_row *row)
{
	struct np_interval interval;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < visits[i]->counts.count; k++)
			np_counts_add(&row->counts, visits[i]->counts.list[k].name,
				      visits[i]->counts.list[k].value);
		if (visits[i]->other_state)
			row->flags |= NP_ROW_OTHER_STATE;
	}
	for (size_t k = 0; k < row->counts.count; k++) {
		if (strcmp(row->counts.list[k].name, "page_faults") == 0 &&
		    row->counts.list[k].value != 0)
			row->flags |= NP_ROW_PAGE_FAULTS;
	}
	if (isnan(row->ci_low_s))
		row->flags |= NP_ROW_NO_INTERVAL;
	else if (results->precision > 0 &&
		 (row->ci_high_s - row->ci_low_s) / 2 > results->precision * row->median_s)
		row->flags |= NP_ROW_IMPRECISE;
	/* Both large and more than the spread from visit to visit. */
	if (np_median_interval(settling, count, NP_CONFIDENCE_PERCENT / 100.0, &interval) &&
	    fabs(np_median(settling, count) - 1) > settled_within &&
	    (interval.low > 1 || interval.high < 1))
		row->flags |= NP_ROW_UNSTEADY;
}

static double rate_of(const struct np_results *results, const struct np_row *row)
{
	const double directions = results->operation == NP_BIDIRECTIONAL ? 2 : 1;

	return row->median_s > 0 ?
		       directions * 8 * (double)row->length / row->median_s / 1e6 :
		       0;
}

static int derive_row(const struct np_results *results, struct np_visit *const *visits,
		      size_t count, struct np_row *row)
{
	double *values = malloc(2 * count * sizeof(*values));
	struct np_interval interval;

	if (values == NULL)
		return -ENOMEM;
	double *settling = values + count;
	*row = (struct np_row){ .length = visits[0]->length,
				.mode = visits[0]->mode,
				.variant = visits[0]->variant,
				.axis = visits[0]->axis,
				.buffers = visits[0]->buffers,
				.code_path = visits[0]->code_path,
				.batch = visits[0]->messages,
				.ci_low_s = (double)NAN,
				.ci_high_s = (double)NAN };
	for (size_t i = 0; i < count; i++) {
		values[i] = np_visit_median(results, visits[i], 0, visits[i]->blocks);
		settling[i] = np_visit_drift(visits[i]);
	}
	row->units = np_unit_medians(results, visits, values, count);
	row->median_s = np_median(values, row->units);
	if (np_median_interval(values, row->units, NP_CONFIDENCE_PERCENT / 100.0,
			       &interval)) {
		row->ci_low_s = interval.low;
		row->ci_high_s = interval.high;
	}
	row->mbps = rate_of(results, row);
	row->messages_per_s = row->median_s > 0 ? 1 / row->median_s : 0;
	const int rc = summarize_samples(results, visits, count, row);
	flag_row(results, visits, settling, count, row);
	free(values);
	return rc;
}

static int derive_rows(const struct np_results *results, struct np_visit *const *visits,
		       size_t count, struct np_table *table, size_t *begins)
{
	int rc = 0;

	for (size_t begin = 0, end; begin < count && rc == 0; begin = end) {
		for (end = begin + 1; end < count && same_row(visits[begin], visits[end]);)
			end++;
		rc = derive_row(results, visits + begin, end - begin,
				&table->rows[table->row_count]);
		begins[table->row_count++] = begin;
		begins[table->row_count] = end;
	}
	return rc;
}

int np_table_derive(const struct np_results *results, struct np_table *table)
{
	size_t count;

	*table = (struct np_table){ .rows = NULL };
	struct np_visit **visits = sort_visits(results, &count);
	if (visits == NULL)
		return -ENOMEM;
	/* Where the visits of each row begin, and where the last one's end. */
	size_t *begins = calloc(count + 1, sizeof(*begins));
	table->rows = calloc(count + 1, sizeof(*table->rows));
	int rc = begins == NULL || table->rows == NULL ? -ENOMEM : 0;
	if (rc == 0)
		rc = derive_rows(results, visits, count, table, begins);
	if (rc == 0)
		rc = np_pairs_derive(results, visits, begins, table);
	if (rc == 0)
		rc = np_pairs_prove(table, np_results_ask_why(results));
	if (rc == 0)
		rc = np_changes_find(results, visits, begins, table);
	free(begins);
	free(visits);
	return rc;
}

void np_table_free(struct np_table *table)
{
	for (size_t i = 0; i < table->pair_count; i++) {
		free(table->pairs[i].unit_ratios);
		free(table->pairs[i].changes);
	}
	free(table->rows);
	free(table->pairs);
	*table = (struct np_table){ .rows = NULL };
}

const struct np_row *np_table_find(const struct np_table *table, size_t length,
				   enum np_mode mode, size_t variant)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->length == length && row->mode == mode && row->variant == variant &&
		    row->axis == NP_AXIS_NONE)
			return row;
	}
	return NULL;
}

void np_row_flags_text(unsigned flags, char *text, size_t size)
{
	static const char *const words[] = { "no_interval", "imprecise", "page_faults",
					     "unsettled", "odd" };
	int at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if ((flags & 1u << i) != 0 && (size_t)at < size)
			at += snprintf(text + at, size - (size_t)at, "%s%s",
				       at != 0 ? "," : "", words[i]);
	}
}
