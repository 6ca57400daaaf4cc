/*
 * gather_derive.c - from what was kept to curves, as netpong-results(5) says
 * that rows and pairs follow from visits: the median of the medians of passes,
 * or of runs, and its interval by order statistics over them.
 */
#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/curves/gather.h"
#include "results/rows.h"
#include "stats/stats.h"

/* gcc 12's analyzer loses sight of what is stored in a tree, or in a list that
 * grows, and calls it leaked; np_gather_free() and np_run_free() free it. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

/* Where the walk through the cells has come to. */
struct finishing {
	struct np_gather *gather;
	struct np_run *run;
	struct np_error *error;
	bool rows_count;
};

static int compare_superseded(const void *a, const void *b)
{
	const struct np_superseded *left = a, *right = b;

	if (left->run_index != right->run_index)
		return left->run_index < right->run_index ? -1 : 1;
	return (left->serial > right->serial) - (left->serial < right->serial);
}

bool np_gather_counts(const struct np_gather *gather, unsigned run_index, uint64_t serial)
{
	const struct np_superseded key = { .run_index = run_index, .serial = serial };

	return gather->superseded_count == 0 ||
	       bsearch(&key, gather->superseded, gather->superseded_count, sizeof(key),
		       compare_superseded) == NULL;
}

static int compare_units(const void *a, const void *b)
{
	const struct np_gathered *left = a, *right = b;

	if (left->run_index != right->run_index)
		return left->run_index < right->run_index ? -1 : 1;
	if (left->pass != right->pass)
		return left->pass < right->pass ? -1 : 1;
	return (left->serial > right->serial) - (left->serial < right->serial);
}

/* Takes out what was superseded and puts the rest in order. */
static void settle_units(const struct np_gather *gather, struct np_gathered_list *units)
{
	size_t count = 0;

	for (size_t i = 0; i < units->count; i++) {
		if (np_gather_counts(gather, units->list[i].run_index,
				     units->list[i].serial))
			units->list[count++] = units->list[i];
	}
	units->count = count;
	if (count != 0)
		qsort(units->list, count, sizeof(*units->list), compare_units);
}

static bool same_unit(const struct np_gather *gather, const struct np_gathered *a,
		      const struct np_gathered *b)
{
	return a->run_index == b->run_index && (gather->several_runs || a->pass == b->pass);
}

int np_gather_collapse(const struct np_gather *gather, const struct np_gathered_list *units,
		       double **values, unsigned **runs, size_t *count)
{
	double *inside = malloc((units->count + 1) * sizeof(*inside));

	*count = 0;
	*values = malloc((units->count + 1) * sizeof(**values));
	if (runs != NULL)
		*runs = malloc((units->count + 1) * sizeof(**runs));
	if (inside == NULL || *values == NULL || (runs != NULL && *runs == NULL)) {
		free(inside);
		return -ENOMEM;
	}
	for (size_t begin = 0, end; begin < units->count; begin = end) {
		for (end = begin; end < units->count &&
				  same_unit(gather, &units->list[begin], &units->list[end]);
		     end++)
			inside[end - begin] = units->list[end].value;
		if (runs != NULL)
			(*runs)[*count] = units->list[begin].run_index;
		(*values)[(*count)++] = np_median(inside, end - begin);
	}
	free(inside);
	return 0;
}

static void add_flag(struct np_figure *point, unsigned flag)
{
	char word[32];
	const size_t used = strlen(point->flags);

	np_row_flags_text(flag, word, sizeof(word));
	snprintf(point->flags + used, sizeof(point->flags) - used, "%s%s",
		 used != 0 ? "," : "", word);
}

/* Both large and more than the spread from visit to visit, as in rows.c. */
static bool is_unsteady(const struct np_gathered_list *units)
{
	double *settling = malloc((units->count + 1) * sizeof(*settling));
	struct np_interval interval;
	bool unsteady = false;

	for (size_t i = 0; settling != NULL && i < units->count; i++)
		settling[i] = units->list[i].settling;
	if (settling != NULL &&
	    np_median_interval(settling, units->count, NP_CONFIDENCE_PERCENT / 100.0,
			       &interval))
		unsteady = fabs(np_median(settling, units->count) - 1) > 0.10 &&
			   (interval.low > 1 || interval.high < 1);
	free(settling);
	return unsteady;
}

/* What is derived from the units where the file has no figure. */
static void derive_point(const struct np_gather *gather, struct np_cell *cell)
{
	struct np_figure *point = &cell->point;
	double sum = 0;
	bool faulted = false, other_state = false;
	struct np_interval interval;

	point->seconds = np_median(point->unit_s, point->unit_count);
	point->units = point->unit_count;
	point->low_s = point->high_s = (double)NAN;
	point->p50_s = point->p90_s = point->p99_s = point->p999_s = (double)NAN;
	point->min_s = (double)NAN;
	for (size_t i = 0; i < cell->units.count; i++) {
		const struct np_gathered *unit = &cell->units.list[i];

		point->samples += unit->samples;
		sum += unit->sum_s;
		point->min_s = fmin(point->min_s, unit->min_s);
		faulted |= unit->faulted;
		other_state |= unit->other_state;
	}
	point->mean_s = point->samples != 0 ? sum / (double)point->samples : (double)NAN;
	if (np_median_interval(point->unit_s, point->unit_count,
			       NP_CONFIDENCE_PERCENT / 100.0, &interval)) {
		point->low_s = interval.low;
		point->high_s = interval.high;
		if (gather->precision > 0 &&
		    (interval.high - interval.low) / 2 > gather->precision * point->seconds)
			add_flag(point, NP_ROW_IMPRECISE);
	} else {
		add_flag(point, NP_ROW_NO_INTERVAL);
	}
	if (faulted)
		add_flag(point, NP_ROW_PAGE_FAULTS);
	if (is_unsteady(&cell->units))
		add_flag(point, NP_ROW_UNSTEADY);
	if (other_state)
		add_flag(point, NP_ROW_OTHER_STATE);
	if (np_op_is_collective(cell->key.op))
		point->mbps = (double)NAN;
	else if (point->seconds > 0)
		point->mbps = np_op_directions(cell->key.op) * 8 *
			      (double)cell->key.length / point->seconds / 1e6;
}

/* Of files that one table holds, the end of each name goes before the variant. */
static void name_variant(const struct np_gather *gather, const struct np_key *key,
			 char *variant)
{
	const size_t length = strlen(key->from);

	if (!gather->several_from || length == 0)
		memcpy(variant, key->variant, NP_LABEL);
	else
		snprintf(variant, NP_LABEL, "%.60s%s%.60s",
			 key->from + (length > 60 ? length - 60 : 0),
			 key->variant[0] != '\0' ? ", " : "", key->variant);
}

/* The series that points of this key belong to, new if it is the first. */
static struct np_series *series_of(const struct np_gather *gather, struct np_run *run,
				   const struct np_key *key)
{
	char variant[NP_LABEL];

	name_variant(gather, key, variant);
	struct np_series *series =
		run->series_count != 0 ? &run->series[run->series_count - 1] : NULL;

	if (series != NULL && strcmp(series->op, key->op) == 0 &&
	    strcmp(series->mode, key->mode) == 0 && strcmp(series->variant, variant) == 0 &&
	    strcmp(series->from, key->from) == 0)
		return series;
	series = realloc(run->series, (run->series_count + 1) * sizeof(*series));
	if (series == NULL)
		return NULL;
	run->series = series;
	series += run->series_count++;
	*series = (struct np_series){ .count = 0 };
	memcpy(series->op, key->op, NP_LABEL);
	memcpy(series->mode, key->mode, NP_LABEL);
	memcpy(series->variant, variant, NP_LABEL);
	memcpy(series->from, key->from, NP_LABEL);
	return series;
}

static int take_point(struct finishing *at, struct np_cell *cell)
{
	struct np_series *series = series_of(at->gather, at->run, &cell->key);
	struct np_figure *points =
		series != NULL ?
			reallocarray(series->points, series->count + 1, sizeof(*points)) :
			NULL;

	if (points == NULL)
		return -ENOMEM;
	series->points = points;
	points[series->count++] = cell->point;
	/* They are the series' now. */
	cell->point.unit_s = NULL;
	cell->point.unit_run = NULL;
	return 0;
}

static int finish_point(struct finishing *at, struct np_cell *cell)
{
	struct np_figure *point = &cell->point;

	point->length = cell->key.length;
	if (np_gather_collapse(at->gather, &cell->units, &point->unit_s, &point->unit_run,
			       &point->unit_count) != 0)
		return -ENOMEM;
	if (!(cell->has_row && at->rows_count)) {
		if (point->unit_count == 0 && !cell->has_row)
			return 0; /* all of it was superseded */
		if (point->unit_count != 0)
			derive_point(at->gather, cell);
		if (np_gather_percentiles(at->gather, &cell->samples, point) != 0)
			return -ENOMEM;
	}
	return take_point(at, cell);
}

/* The last third of the sentinel's visits over the first, in the first run, as
 * another one may differ for other reasons, and without odd ones. */
static void finish_sentinel(struct finishing *at, const struct np_cell *cell)
{
	double *values = malloc((cell->units.count + 1) * sizeof(*values));
	size_t count = 0;

	for (size_t i = 0; values != NULL && i < cell->units.count; i++) {
		if (cell->units.list[i].run_index == 0 && !cell->units.list[i].other_state)
			values[count++] = cell->units.list[i].value;
	}
	const size_t third = count / 3;
	if (third != 0 && np_median(values, third) > 0)
		at->run->drift =
			np_median(values + count - third, third) / np_median(values, third);
	free(values);
}

static void finish_cell(const void *node, VISIT which, void *context)
{
	struct np_cell *cell = *(struct np_cell *const *)node;
	struct finishing *at = context;
	int rc = 0;

	if ((which != postorder && which != leaf) || at->error->code != 0)
		return;
	settle_units(at->gather, &cell->units);
	if (cell->key.is_sentinel)
		finish_sentinel(at, cell);
	else if (cell->key.is_ratio)
		rc = np_gather_ratio(at->gather, at->rows_count, cell, at->run);
	else
		rc = finish_point(at, cell);
	if (rc != 0)
		np_fail_errno(at->error, rc, "no memory for results");
}

int np_gather_finish(struct np_gather *gather, bool rows_count, struct np_run *run,
		     struct np_error *error)
{
	struct np_error failure = { .code = 0 };
	struct finishing at = {
		.gather = gather, .run = run, .error = &failure, .rows_count = rows_count
	};

	if (gather->superseded_count != 0)
		qsort(gather->superseded, gather->superseded_count,
		      sizeof(*gather->superseded), compare_superseded);
	run->drift = (double)NAN;
	run->visits = gather->visits;
	run->runs_are_units = gather->several_runs;
	if (np_gather_states(gather, run) != 0)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	if (np_gather_apart(gather, error) != 0)
		return error->code;
	twalk_r(gather->cells, finish_cell, &at);
	int rc = failure.code == 0 ? np_gather_prove(run) : 0;
	if (rc == 0 && failure.code == 0)
		rc = np_swept_finish(gather, run);
	if (rc == 0 && failure.code == 0)
		rc = np_refine_finish(&gather->refined, run);
	if (rc != 0)
		np_fail_errno(&failure, rc, "no memory for results");
	if (failure.code != 0)
		*error = failure;
	return failure.code;
}
