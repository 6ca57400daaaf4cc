/*
 * gather.c - taking visits and figures in, and forgetting what is not needed.
 */
#include "report/curves/gather.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/measured.h"
#include "results/pairs.h"
#include "stats/stats.h"

/* gcc 12's analyzer loses sight of what is stored in a tree, or in a list that
 * grows, and calls it leaked; np_gather_free() and np_run_free() free it. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

/* A file cannot have more of them than visits that were redone. */
enum { SUPERSEDED_MAX = 1 << 20 };

void np_gather_init(struct np_gather *gather)
{
	*gather = (struct np_gather){ .random = { 1 } };
}

static void free_cell(void *node)
{
	struct np_cell *cell = node;

	free(cell->units.list);
	free(cell->samples.list);
	free(cell->point.unit_s);
	free(cell->point.unit_run);
	free(cell->ratio.unit_ratios);
	free(cell->ratio.changes);
	free(cell->tallies);
	free(cell);
}

void np_gather_free(struct np_gather *gather)
{
	tdestroy(gather->cells, free_cell);
	for (size_t i = 0; i < NP_GATHER_PENDING; i++)
		np_visit_free(gather->pending[i].visit);
	free(gather->superseded);
	np_swept_free(&gather->swept);
	np_refine_visits_free(&gather->refined);
	*gather = (struct np_gather){ .cells = NULL };
}

static int compare_cells(const void *a, const void *b)
{
	const struct np_cell *left = a, *right = b;
	const struct np_key *l = &left->key, *r = &right->key;
	int order = l->is_ratio - r->is_ratio;

	if (order == 0)
		order = l->is_sentinel - r->is_sentinel;
	if (order == 0)
		order = strcmp(l->op, r->op);
	if (order == 0)
		order = strcmp(l->mode, r->mode);
	if (order == 0)
		order = strcmp(l->variant, r->variant);
	if (order == 0)
		order = strcmp(l->from, r->from);
	return order != 0 ? order : (l->length > r->length) - (l->length < r->length);
}

struct np_cell *np_gather_cell(struct np_gather *gather, const struct np_key *key,
			       struct np_error *error)
{
	struct np_cell *cell = calloc(1, sizeof(*cell));

	if (cell == NULL) {
		np_fail_errno(error, ENOMEM, "no memory for results");
		return NULL;
	}
	cell->key = *key;
	np_label_clean(cell->key.op);
	np_label_clean(cell->key.mode);
	np_label_clean(cell->key.variant);
	np_label_clean(cell->key.from);
	void *const *node = tsearch(cell, &gather->cells, compare_cells);
	if (node == NULL) {
		free(cell);
		np_fail_errno(error, ENOMEM, "no memory for results");
		return NULL;
	}
	if (*node != cell) {
		free(cell);
		return *node;
	}
	if (++gather->cell_count <= NP_GATHER_CELLS)
		return cell;
	tdelete(cell, &gather->cells, compare_cells);
	free(cell);
	gather->cell_count--;
	np_fail(error, NP_ERROR_FAILED, EFBIG, "more than %d different points",
		NP_GATHER_CELLS);
	return NULL;
}

/* Algorithm R: J. S. Vitter, "Random Sampling with a Reservoir", ACM
 * Transactions on Mathematical Software 11(1), 1985. */
int np_gather_keep(struct np_gather *gather, struct np_gathered_list *units,
		   const struct np_gathered *unit, struct np_error *error)
{
	units->seen++;
	if (units->count == NP_GATHER_UNITS) {
		const uint64_t at = np_random_below(&gather->random, units->seen);

		if (at < units->count)
			units->list[at] = *unit;
		return 0;
	}
	if (units->count == units->room) {
		const size_t room = units->room != 0 ? 2 * units->room : 8;
		struct np_gathered *list =
			realloc(units->list, room * sizeof(*units->list));

		if (list == NULL)
			return np_fail_errno(error, ENOMEM, "no memory for results");
		units->list = list;
		units->room = room;
	}
	units->list[units->count++] = *unit;
	return 0;
}

/* What rows.h keeps of samples: the smallest, the sum, first against last third. */
static void reduce(const struct np_results *results, const struct np_visit *visit,
		   struct np_gathered *unit)
{
	unit->value = visit->median_s;
	unit->settling = visit->drift;
	unit->samples = visit->samples;
	unit->core_latency_ns = visit->core_latency_ns;
	unit->min_s = visit->least_s;
	unit->sum_s = visit->sum_s;
	for (size_t i = 0; i < visit->count_count; i++)
		unit->faulted |= strcmp(results->count_names[visit->counts[i].name],
					"page_faults") == 0 &&
				 visit->counts[i].value != 0;
}

static int keep_ratio(struct np_gather *gather, const struct np_pending *over,
		      const struct np_pending *under, unsigned pass, struct np_error *error)
{
	const bool rotation = over->visit->mode != under->visit->mode;
	struct np_gathered unit = { .run_index = over->visit->run_index,
				    .pass = pass,
				    .serial = over->visit->serial,
				    .value = np_visit_ratio(under->visit, over->visit) };
	struct np_key key = { .is_ratio = true, .length = over->key.length };

	if (!(unit.value > 0 && isfinite(unit.value)))
		return 0;
	memcpy(key.op, over->key.op, NP_LABEL);
	snprintf(key.mode, sizeof(key.mode), "%.60s/%.60s",
		 rotation ? over->key.mode : over->key.variant,
		 rotation ? under->key.mode : under->key.variant);
	memcpy(key.variant, rotation ? over->key.variant : over->key.mode, NP_LABEL);
	struct np_cell *cell = np_gather_cell(gather, &key, error);
	if (cell == NULL)
		return error->code;
	if (np_gather_tally(gather, cell, over->visit, under->visit, pass) != 0)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	return np_gather_keep(gather, &cell->units, &unit, error);
}

static bool is_over(const struct np_visit *one, const struct np_visit *other)
{
	return np_pair_is_wanted(one->mode, one->variant, other->mode, other->variant);
}

/* Looks for partners of this visit among those before it, and waits for others. */
static int pair_up(struct np_gather *gather, struct np_visit *visit,
		   const struct np_key *key, struct np_error *error)
{
	struct np_pending *mine = &gather->pending[gather->next_pending];
	int rc = 0;

	gather->next_pending = (gather->next_pending + 1) % NP_GATHER_PENDING;
	np_visit_free(mine->visit);
	*mine = (struct np_pending){ .visit = visit, .key = *key };
	for (size_t i = 0; i < NP_GATHER_PENDING && rc == 0; i++) {
		const struct np_pending *other = &gather->pending[i];

		if (other->visit == NULL || other == mine ||
		    other->visit->run_index != visit->run_index ||
		    other->visit->serial != visit->serial ||
		    other->key.length != key->length)
			continue;
		if (is_over(visit, other->visit))
			rc = keep_ratio(gather, mine, other, visit->pass, error);
		else if (is_over(other->visit, visit))
			rc = keep_ratio(gather, other, mine, visit->pass, error);
	}
	return rc;
}

/* As below, but *visit is set to NULL where it is still needed. */
static int take_visit(struct np_gather *gather, struct np_visit **taken, const char *op,
		      struct np_error *error)
{
	const struct np_results *results = gather->results;
	struct np_visit *visit = *taken;
	struct np_gathered unit = { .run_index = visit->run_index,
				    .pass = visit->pass,
				    .serial = visit->serial };
	struct np_key key = { .is_sentinel = visit->sentinel, .length = visit->length };

	gather->visits++;
	gather->several_runs |= visit->run_index != 0;
	/* Of other numbers of buffers, or of sizes beside a step: in no curve. */
	if (visit->axis != NP_AXIS_NONE && !visit->sentinel)
		return np_swept_visit(&gather->swept, results, visit, op, error);
	if (visit->refine && !visit->sentinel)
		return np_refine_visit(&gather->refined, results, visit, op, error);
	if (visit->axis != NP_AXIS_NONE || visit->refine || visit->factor != NP_FACTOR_NONE)
		return 0;
	snprintf(key.op, sizeof(key.op), "%s", op);
	snprintf(key.mode, sizeof(key.mode), "%s", np_mode_name(visit->mode));
	snprintf(key.variant, sizeof(key.variant), "%s",
		 results->variant_count > 1 ? results->variants[visit->variant] : "");
	struct np_cell *cell = np_gather_cell(gather, &key, error);
	if (cell == NULL)
		return error->code;
	if (cell->units.seen == 0) {
		cell->point.batch = visit->messages;
		snprintf(cell->point.code_path, sizeof(cell->point.code_path), "%s",
			 visit->code_path);
	}
	reduce(results, visit, &unit);
	if (!(unit.value <= 1e9))
		return np_malformed(error, "a time that is no measurement's");
	const int rc = np_gather_keep(gather, &cell->units, &unit, error);
	if (rc != 0 || visit->sentinel)
		return rc;
	if (np_gather_samples(gather, results, visit, &cell->samples) != 0)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	*taken = NULL;
	return pair_up(gather, visit, &key, error);
}

int np_gather_visit(struct np_gather *gather, struct np_visit *visit, const char *op,
		    struct np_error *error)
{
	const int rc = take_visit(gather, &visit, op, error);

	np_visit_free(visit);
	return rc;
}

int np_gather_supersede(struct np_gather *gather, unsigned run_index, uint64_t serial,
			struct np_error *error)
{
	if (gather->superseded_count == gather->superseded_room) {
		const size_t room =
			gather->superseded_room != 0 ? 2 * gather->superseded_room : 16;

		if (room > SUPERSEDED_MAX)
			return np_fail(error, NP_ERROR_FAILED, EFBIG,
				       "more than %d superseded lines", SUPERSEDED_MAX / 2);
		struct np_superseded *list =
			realloc(gather->superseded, room * sizeof(*list));
		if (list == NULL)
			return np_fail_errno(error, ENOMEM, "no memory for results");
		gather->superseded = list;
		gather->superseded_room = room;
	}
	gather->superseded[gather->superseded_count++] =
		(struct np_superseded){ .run_index = run_index, .serial = serial };
	return 0;
}

int np_gather_value(struct np_gather *gather, const struct np_key *key, double seconds,
		    struct np_error *error)
{
	struct np_cell *cell = np_gather_cell(gather, key, error);

	if (!gather->has_from)
		memcpy(gather->from, key->from, NP_LABEL);
	gather->several_from |= strcmp(gather->from, key->from) != 0;
	gather->has_from = true;

	if (cell == NULL)
		return error->code;
	const struct np_gathered unit = { .pass = (unsigned)cell->units.seen,
					  .value = seconds,
					  .settling = 1,
					  .min_s = (double)NAN,
					  .sum_s = (double)NAN };

	return np_gather_keep(gather, &cell->units, &unit, error);
}
