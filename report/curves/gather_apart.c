/*
 * gather_apart.c - ratios of modes that were measured in runs of their own, which
 * have no visits in common: a round of runs is the unit, as in pairs.c.
 */
#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/curves/gather.h"
#include "results/pairs.h"
#include "stats/stats.h"

/* Points of curves, in the order of the tree. */
struct points {
	struct np_cell **list;
	size_t count;
};

static void take_point(const void *node, VISIT which, void *context)
{
	struct np_cell *cell = *(struct np_cell *const *)node;
	struct points *points = context;

	if ((which == postorder || which == leaf) && !cell->key.is_ratio &&
	    !cell->key.is_sentinel && cell->units.count != 0)
		points->list[points->count++] = cell;
}

/* The mode of a point; NP_MODES for a word that is none. */
static enum np_mode mode_of(const struct np_cell *cell)
{
	enum np_mode mode = 0;

	while (mode < NP_MODES && strcmp(cell->key.mode, np_mode_name(mode)) != 0)
		mode++;
	return mode;
}

/* Whether they differ in the mode alone, and one of them is set against the other. */
static bool is_over(const struct np_cell *over, const struct np_cell *base)
{
	const enum np_mode mode = mode_of(over), base_mode = mode_of(base);

	return over->key.length == base->key.length && mode < NP_MODES &&
	       base_mode < NP_MODES && mode != base_mode &&
	       strcmp(over->key.op, base->key.op) == 0 &&
	       strcmp(over->key.variant, base->key.variant) == 0 &&
	       strcmp(over->key.from, base->key.from) == 0 &&
	       np_pair_is_wanted(mode, 0, base_mode, 0);
}

/* The median of a run's visits that count, NAN of none; values has room for all. */
static double run_median(const struct np_gather *gather, const struct np_cell *cell,
			 unsigned run_index, double *values)
{
	size_t count = 0;

	for (size_t i = 0; i < cell->units.count; i++) {
		const struct np_gathered *unit = &cell->units.list[i];

		if (unit->run_index == run_index &&
		    np_gather_counts(gather, run_index, unit->serial))
			values[count++] = unit->value;
	}
	return np_median(values, count);
}

static bool is_first_of_run(const struct np_cell *cell, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (cell->units.list[i].run_index == cell->units.list[at].run_index)
			return false;
	}
	return true;
}

/* One ratio for each run of which there are visits of both. */
static int pair_runs(struct np_gather *gather, const struct np_cell *over,
		     const struct np_cell *base, struct np_cell *ratio,
		     struct np_error *error)
{
	const size_t most = over->units.count > base->units.count ? over->units.count :
								    base->units.count;
	double *values = malloc((most + 1) * sizeof(*values));
	int rc = 0;

	if (values == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	for (size_t i = 0; i < base->units.count && rc == 0; i++) {
		if (!is_first_of_run(base, i))
			continue;
		struct np_gathered unit = { .run_index = base->units.list[i].run_index };

		unit.value = run_median(gather, over, unit.run_index, values) /
			     run_median(gather, base, unit.run_index, values);
		if (unit.value > 0 && isfinite(unit.value))
			rc = np_gather_keep(gather, &ratio->units, &unit, error);
	}
	free(values);
	return rc;
}

static int pair_points(struct np_gather *gather, const struct np_cell *over,
		       const struct np_cell *base, struct np_error *error)
{
	struct np_key key = { .is_ratio = true, .length = over->key.length };

	memcpy(key.op, over->key.op, NP_LABEL);
	memcpy(key.variant, over->key.variant, NP_LABEL);
	snprintf(key.mode, sizeof(key.mode), "%.60s/%.60s", over->key.mode, base->key.mode);
	struct np_cell *ratio = np_gather_cell(gather, &key, error);
	if (ratio == NULL)
		return error->code;
	if (ratio->units.count != 0)
		return 0; /* of visits in common */
	return pair_runs(gather, over, base, ratio, error);
}

static int compare_places(const void *a, const void *b)
{
	const struct np_key *l = &(*(struct np_cell *const *)a)->key;
	const struct np_key *r = &(*(struct np_cell *const *)b)->key;
	int order = (l->length > r->length) - (l->length < r->length);

	if (order == 0)
		order = strcmp(l->op, r->op);
	if (order == 0)
		order = strcmp(l->variant, r->variant);
	return order != 0 ? order : strcmp(l->from, r->from);
}

/* Points of one size, operation and variant stand together: modes, a few. */
static int pair_all(struct np_gather *gather, const struct points *points,
		    struct np_error *error)
{
	int rc = 0;

	for (size_t begin = 0, end; begin < points->count && rc == 0; begin = end) {
		for (end = begin;
		     end < points->count &&
		     compare_places(&points->list[begin], &points->list[end]) == 0;
		     end++)
			;
		for (size_t over = begin; over < end; over++) {
			for (size_t base = begin; base < end && rc == 0; base++) {
				if (is_over(points->list[over], points->list[base]))
					rc = pair_points(gather, points->list[over],
							 points->list[base], error);
			}
		}
	}
	return rc;
}

int np_gather_apart(struct np_gather *gather, struct np_error *error)
{
	struct points points = { .count = 0 };

	if (!gather->several_runs)
		return 0;
	points.list = calloc(gather->cell_count + 1, sizeof(struct np_cell *));
	if (points.list == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	twalk_r(gather->cells, take_point, &points);
	qsort(points.list, points.count, sizeof(struct np_cell *), compare_places);
	const int rc = pair_all(gather, &points, error);
	free(points.list);
	return rc;
}
