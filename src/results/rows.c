/*
 * rows.c - derivation of rows from visits.
 */
#include "results/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/changes.h"
#include "results/pairs.h"
#include "stats/sequential.h"
#include "stats/stats.h"

/* Relative difference of first and last third of a block beyond which a row is not steady:
 * less than the usual cost of rotation. */
static const double settled_within = 0.10;

/* True if measuring a size ends when its intervals are narrow (stats/sequential.h). */
static bool has_interim_analyses(const struct np_results *results)
{
	return results->precision > 0 && results->runs <= 1;
}

bool np_same_row(const struct np_visit *a, const struct np_visit *b)
{
	return a->length == b->length && a->mode == b->mode && a->variant == b->variant &&
	       a->axis == b->axis && a->buffers == b->buffers;
}

/* Sets percentiles of single samples, with --per-message. */
static int find_percentiles(const struct np_results *results, struct np_row *row)
{
	size_t total = 0, at = 0;

	for (size_t i = 0; i < row->visit_count && results->per_message; i++)
		total += row->visits[i]->kept;
	/* A percentile needs ten samples beyond it. */
	if (total < 100)
		return 0;
	double *values = malloc(total * sizeof(*values));
	if (values == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < row->visit_count; i++) {
		const struct np_visit *visit = row->visits[i];

		for (size_t k = 0; k < visit->kept; k++)
			values[at++] =
				np_message_seconds(results, visit, visit->samples_ns[k]);
	}
	row->p50_s = np_quantile(values, total, 0.5);
	row->p90_s = np_quantile(values, total, 0.9);
	if (total >= 1000)
		row->p99_s = np_quantile(values, total, 0.99);
	if (total >= NP_MESSAGES_OF_P999)
		row->p999_s = np_quantile(values, total, 0.999);
	free(values);
	return 0;
}

/* Sets the smallest and the mean sample; sums has room for all visits. */
static void find_mean(double *sums, struct np_row *row)
{
	const size_t count = row->visit_count;

	for (size_t i = 0; i < count; i++) {
		const struct np_visit *visit = row->visits[i];

		row->samples += visit->samples;
		row->min_s = fmin(row->min_s, visit->least_s);
		sums[i] = visit->sum_s;
	}
	if (row->samples != 0)
		row->mean_s = np_mean(sums, count) * (double)count / (double)row->samples;
}

static int sum_counts(struct np_row *row)
{
	struct np_count list[NP_BLOCK_COUNTS] = { { .value = 0 } };

	for (size_t i = 0; i < row->visit_count; i++) {
		for (size_t k = 0; k < row->visits[i]->count_count; k++) {
			const struct np_count *more = &row->visits[i]->counts[k];
			size_t at = 0;

			while (at < row->count_count && list[at].name != more->name)
				at++;
			if (at == row->count_count)
				list[row->count_count++] =
					(struct np_count){ .name = more->name };
			list[at].value += more->value;
		}
	}
	row->counts = malloc((row->count_count + 1) * sizeof(*row->counts));
	if (row->counts == NULL)
		return -ENOMEM;
	memcpy(row->counts, list, row->count_count * sizeof(*list));
	return 0;
}

/* Returns true if times drift within blocks: the median drift exceeds settled_within, and
 * its interval over visits excludes 1.  drifts has room for all visits. */
static bool is_unsteady(const struct np_row *row, double *drifts)
{
	const size_t count = row->visit_count;
	struct np_interval interval;

	for (size_t i = 0; i < count; i++)
		drifts[i] = row->visits[i]->drift;
	return np_median_interval(drifts, count, NP_CONFIDENCE_PERCENT / 100.0,
				  &interval) &&
	       fabs(np_median(drifts, count) - 1) > settled_within &&
	       (interval.low > 1 || interval.high < 1);
}

static void flag_row(const struct np_results *results, double *drifts, struct np_row *row)
{
	/* New receive buffers of --replay have no pages. */
	const bool faults_meant = row->axis == NP_AXIS_RECV && row->mode == NP_MODE_FRESH;

	for (size_t k = 0; k < row->count_count; k++) {
		if (strcmp(results->count_names[row->counts[k].name], "page_faults") == 0 &&
		    row->counts[k].value != 0 && !faults_meant)
			row->flags |= NP_ROW_PAGE_FAULTS;
	}
	if (isnan(row->ci_low_s))
		row->flags |= NP_ROW_NO_INTERVAL;
	else if (results->precision > 0 &&
		 (row->ci_high_s - row->ci_low_s) / 2 > results->precision * row->median_s)
		row->flags |= NP_ROW_IMPRECISE;
	if (is_unsteady(row, drifts))
		row->flags |= NP_ROW_UNSTEADY;
}

/* Sets the medians of units, their median and its interval. */
static int find_median(const struct np_results *results, struct np_row *row)
{
	const size_t count = row->visit_count;
	struct np_interval interval;

	row->unit_s = malloc(count * sizeof(*row->unit_s));
	row->unit_number = malloc(count * sizeof(*row->unit_number));
	if (row->unit_s == NULL || row->unit_number == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		row->unit_s[i] = row->visits[i]->median_s;
	row->unit_count =
		np_unit_medians(results, row->visits, row->unit_s, row->unit_number, count);
	row->units = row->unit_count;
	row->median_s = np_median(row->unit_s, row->unit_count);
	if (np_median_interval(
		    row->unit_s, row->unit_count,
		    np_look_level(row->unit_count, has_interim_analyses(results)),
		    &interval)) {
		row->ci_low_s = interval.low;
		row->ci_high_s = interval.high;
	}
	return 0;
}

double np_rate_of(const struct np_results *results, size_t length, double seconds)
{
	const double directions = results->operation == NP_BIDIRECTIONAL ? 2 : 1;

	return seconds > 0 ? directions * 8 * (double)length / seconds / 1e6 : 0;
}

/* Moves the visits in the usual host state to the front, in their order.  Returns their
 * number. */
static size_t keep_usual(struct np_visit **visits, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!visits[i]->other_state)
			visits[kept++] = visits[i];
	}
	return kept;
}

/* Returns the number of units of sorted visits; usual: in the usual host state only. */
static size_t count_units(const struct np_results *results, struct np_visit *const *visits,
			  size_t count, bool usual)
{
	size_t units = 0, last = count;

	for (size_t i = 0; i < count; i++) {
		if (usual && visits[i]->other_state)
			continue;
		units += last == count || np_unit_of(results, visits[i]) !=
						  np_unit_of(results, visits[last]);
		last = i;
	}
	return units;
}

/* Returns true if all visits give an interval, and those in the usual host state are too
 * few, but more than half: the median is one of theirs. */
static bool is_mixed(const struct np_results *results, struct np_visit *const *visits,
		     size_t count)
{
	const size_t usual = count_units(results, visits, count, true),
		     units = count_units(results, visits, count, false);

	return 2 * usual > units && usual < NP_UNITS_OF_INTERVAL &&
	       units >= NP_UNITS_OF_INTERVAL;
}

/* Uses the visits in the usual host state; if these are too few for an interval, uses all
 * and flags the row. */
static int derive_row(const struct np_results *results, struct np_visit **visits,
		      size_t all, struct np_row *row)
{
	const bool mixed = is_mixed(results, visits, all);
	const size_t usual = mixed ? all : keep_usual(visits, all);
	const size_t count = usual != 0 ? usual : all;
	double *values = malloc(count * sizeof(*values));

	*row = (struct np_row){ .length = visits[0]->length,
				.mode = visits[0]->mode,
				.variant = visits[0]->variant,
				.axis = visits[0]->axis,
				.buffers = visits[0]->buffers,
				.code_path = visits[0]->code_path,
				.batch = visits[0]->messages,
				.ci_low_s = (double)NAN,
				.ci_high_s = (double)NAN,
				.min_s = (double)NAN,
				.mean_s = (double)NAN,
				.p50_s = (double)NAN,
				.p90_s = (double)NAN,
				.p99_s = (double)NAN,
				.p999_s = (double)NAN,
				.visits = visits,
				.visit_count = count };
	int rc = values != NULL ? find_median(results, row) : -ENOMEM;
	if (rc == 0)
		rc = sum_counts(row);
	if (rc == 0)
		rc = find_percentiles(results, row);
	if (rc == 0) {
		find_mean(values, row);
		row->mbps = np_rate_of(results, row->length, row->median_s);
		row->messages_per_s = row->median_s > 0 ? 1 / row->median_s : 0;
		flag_row(results, values, row);
		if (usual == 0 || (usual < all && isnan(row->ci_low_s)))
			row->flags |= NP_ROW_OTHER_STATE;
		row->flags |= mixed ? NP_ROW_MIXED : 0;
	}
	free(values);
	return rc;
}

static size_t count_rows(struct np_visit *const *visits, size_t count)
{
	size_t rows = 0;

	for (size_t i = 0; i < count; i++)
		rows += i == 0 || !np_same_row(visits[i - 1], visits[i]);
	return rows;
}

int np_table_rows(const struct np_results *results, struct np_table *table)
{
	const struct np_selection in_rows = { .purposes = NP_FOR_CURVE | NP_FOR_SWEEP,
					      .variant = NP_EVERY_VARIANT,
					      .every_state = true };
	size_t count;
	int rc = 0;

	*table = (struct np_table){ .row_count = 0 };
	table->visits = np_visits_select(results, &in_rows, &count);
	if (table->visits == NULL)
		return -ENOMEM;
	np_visits_sort(results, table->visits, count);
	table->rows = calloc(count_rows(table->visits, count) + 1, sizeof(*table->rows));
	if (table->rows == NULL)
		return -ENOMEM;
	for (size_t begin = 0, end; begin < count && rc == 0; begin = end) {
		for (end = begin + 1;
		     end < count && np_same_row(table->visits[begin], table->visits[end]);)
			end++;
		rc = derive_row(results, table->visits + begin, end - begin,
				&table->rows[table->row_count++]);
	}
	return rc;
}

int np_table_judge(const struct np_results *results, struct np_table *table)
{
	const int rc = np_pairs_prove(table, np_results_have_causes(results),
				      has_interim_analyses(results), results->same_within);

	return rc == 0 ? np_changes_find(results, table) : rc;
}

int np_table_derive(const struct np_results *results, struct np_table *table)
{
	int rc = np_table_rows(results, table);

	if (rc == 0)
		rc = np_table_pairs(results, table);
	return rc == 0 ? np_table_judge(results, table) : rc;
}

void np_table_free(struct np_table *table)
{
	for (size_t i = 0; i < table->row_count; i++) {
		free(table->rows[i].unit_s);
		free(table->rows[i].unit_number);
		free(table->rows[i].counts);
	}
	for (size_t i = 0; i < table->pair_count; i++) {
		free(table->pairs[i].unit_ratios);
		free(table->pairs[i].unit_numbers);
		free(table->pairs[i].changes);
	}
	free(table->rows);
	free(table->pairs);
	free(table->ranges);
	free(table->visits);
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

static const char *const flag_words[] = { "no_interval", "imprecise",  "page_faults",
					  "not_steady",	 "host_state", "mixed_states" };
enum { FLAGS = sizeof(flag_words) / sizeof(*flag_words) };

bool np_row_is_faster(const struct np_row *row, const struct np_row *most)
{
	const unsigned other = NP_ROW_OTHER_STATE;

	if (most != NULL && ((row->flags ^ most->flags) & other) != 0)
		return (row->flags & other) == 0;
	return row->mbps > (most != NULL ? most->mbps : 0);
}

double np_row_directions(const struct np_row *row)
{
	const double between = 1.5;

	return row->mbps * row->median_s > between * 8e-6 * (double)row->length &&
			       row->length != 0 ?
		       2 :
		       1;
}

void np_row_flags_text(unsigned flags, char *text, size_t size)
{
	int at = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < FLAGS; i++) {
		if ((flags & 1u << i) != 0 && (size_t)at < size)
			at += snprintf(text + at, size - (size_t)at, "%s%s",
				       at != 0 ? "," : "", flag_words[i]);
	}
}

unsigned np_row_flags_of(const char *text)
{
	unsigned flags = 0;

	while (*text != '\0') {
		const size_t length = strcspn(text, ",");

		for (unsigned i = 0; i < FLAGS; i++) {
			if (strlen(flag_words[i]) == length &&
			    strncmp(text, flag_words[i], length) == 0)
				flags |= 1u << i;
		}
		text += length + (text[length] == ',');
	}
	return flags;
}

bool np_pair_is_precise(const struct np_pair *pair, double precision)
{
	/* False also without an interval. */
	return (pair->alone_high - pair->alone_low) / 2 <= precision * pair->ratio;
}

bool np_table_is_precise(const struct np_table *table, double precision, size_t length,
			 enum np_axis axis, uint64_t buffers)
{
	bool found = false;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->length != length || row->axis != axis || row->buffers != buffers)
			continue;
		if ((row->flags & (NP_ROW_IMPRECISE | NP_ROW_NO_INTERVAL)) != 0)
			return false;
		found = true;
	}
	for (size_t i = 0; i < table->pair_count && found; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (pair->length == length && pair->axis == axis &&
		    pair->buffers == buffers && !np_pair_is_precise(pair, precision))
			return false;
	}
	return found;
}
