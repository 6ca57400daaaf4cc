/*
 * pairs.c - ratios, taken within each visit: what differs from one visit to the
 * next falls out of them.
 */
#include "results/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/stats.h"

/* Visits of one row. */
struct visits {
	struct np_visit *const *list;
	size_t count;
};

bool np_pair_is_rotation(const struct np_pair *pair)
{
	return pair->mode == NP_MODE_ROTATE && pair->base_mode == NP_MODE_REUSE;
}

bool np_pair_is_of_modes(const struct np_pair *pair)
{
	return pair->mode != pair->base_mode;
}

void np_pair_name(const struct np_results *results, const struct np_pair *pair, char *text,
		  size_t size)
{
	const char *over = np_variant_name(results, pair->variant),
		   *base = np_variant_name(results, pair->base_variant);

	if (np_pair_is_of_modes(pair) || over == NULL || base == NULL) {
		over = np_mode_name(pair->mode);
		base = np_mode_name(pair->base_mode);
	}
	snprintf(text, size, "%s/%s", over, base);
}

/* What causes.h takes apart, and tests there: as ratios they would be tested twice. */
static bool is_of_causes(enum np_mode mode)
{
	return mode == NP_MODE_EVICTED || mode == NP_MODE_TOUCHED || mode == NP_MODE_SEND ||
	       mode == NP_MODE_RECV;
}

bool np_pair_is_wanted(enum np_mode mode, size_t variant, enum np_mode base_mode,
		       size_t base_variant)
{
	if (mode == base_mode)
		return variant != base_variant && base_variant == 0 &&
		       mode != NP_MODE_CONTROL;
	return variant == base_variant && !is_of_causes(mode) &&
	       (base_mode == NP_MODE_REUSE ||
		(mode == NP_MODE_FRESH && base_mode == NP_MODE_ROTATE));
}

double np_visit_ratio(const struct np_results *results, const struct np_visit *base,
		      const struct np_visit *over)
{
	double ratios[64];
	size_t count = 0;

	for (size_t block = 0; block < base->blocks && block < over->blocks &&
			       count < sizeof(ratios) / sizeof(*ratios);
	     block++) {
		const double below = np_visit_median(results, base, block, 1);

		if (below > 0)
			ratios[count++] = np_visit_median(results, over, block, 1) / below;
	}
	return count != 0 ? np_median(ratios, count) : (double)NAN;
}

/* The visit of the other row that belongs to this one, or NULL. */
static struct np_visit *partner_of(const struct np_visit *visit,
				   const struct visits *candidates)
{
	for (size_t i = 0; i < candidates->count; i++) {
		struct np_visit *candidate = candidates->list[i];

		if (candidate->serial == visit->serial &&
		    candidate->run_index == visit->run_index)
			return candidate;
	}
	return NULL;
}

/* Median of the ratios that paired visits have, which it takes over. */
static struct np_pair judge(const struct np_results *results, const struct np_row *over,
			    const struct np_row *base, struct np_visit *const *paired,
			    double *ratios, size_t count)
{
	struct np_pair pair = { .length = over->length,
				.mode = over->mode,
				.base_mode = base->mode,
				.variant = over->variant,
				.base_variant = base->variant,
				.axis = over->axis,
				.buffers = over->buffers,
				.control_ratio = (double)NAN,
				.control_low = (double)NAN,
				.control_high = (double)NAN,
				.unit_ratios = ratios };

	pair.units = np_unit_medians(results, paired, ratios, count);
	pair.ratio = np_median(ratios, pair.units);
	return pair;
}

static struct visits visits_of(struct np_visit *const *visits, const size_t *begins,
			       size_t row)
{
	return (struct visits){ .list = visits + begins[row],
				.count = begins[row + 1] - begins[row] };
}

/* The median of a run's visits, NAN of none.  values has room for all. */
static double run_median(const struct np_results *results, const struct visits *visits,
			 unsigned run_index, double *values)
{
	size_t count = 0;

	for (size_t i = 0; i < visits->count; i++) {
		const struct np_visit *visit = visits->list[i];

		if (visit->run_index == run_index)
			values[count++] = np_visit_median(results, visit, 0, visit->blocks);
	}
	return np_median(values, count);
}

/* One ratio for each run of which there are visits of both rows.  Visits are
 * sorted by run.  Returns how many; ratios and paired have room for all below. */
static size_t pair_runs(const struct np_results *results, const struct visits *above,
			const struct visits *below, double *ratios,
			struct np_visit **paired)
{
	const size_t most = above->count > below->count ? above->count : below->count;
	double *values = malloc((most + 1) * sizeof(*values));
	size_t count = 0;

	for (size_t i = 0; i < below->count && values != NULL; i++) {
		const unsigned run_index = below->list[i]->run_index;

		if (i > 0 && below->list[i - 1]->run_index == run_index)
			continue;
		const double over = run_median(results, above, run_index, values);
		const double ratio = over / run_median(results, below, run_index, values);

		if (ratio > 0 && isfinite(ratio)) {
			ratios[count] = ratio;
			paired[count++] = below->list[i];
		}
	}
	free(values);
	return count;
}

/* Adds the ratio of two rows, if they have visits that belong together. */
static int add_pair(const struct np_results *results, struct np_visit *const *visits,
		    const size_t *begins, struct np_table *table, size_t over, size_t base)
{
	const struct visits above = visits_of(visits, begins, over),
			    below = visits_of(visits, begins, base);
	double *ratios = malloc(below.count * sizeof(*ratios));
	struct np_visit **paired = malloc(below.count * sizeof(struct np_visit *));
	size_t count = 0;
	int rc = ratios == NULL || paired == NULL ? -ENOMEM : 0;

	for (size_t i = 0; rc == 0 && i < below.count; i++) {
		const struct np_visit *partner = partner_of(below.list[i], &above);
		const double ratio =
			partner != NULL ? np_visit_ratio(results, below.list[i], partner) :
					  (double)NAN;
		if (ratio > 0 && isfinite(ratio)) {
			ratios[count] = ratio;
			paired[count++] = below.list[i];
		}
	}
	/* With each mode in runs of its own there are no visits to pair, but a
	 * round of runs still is a unit. */
	if (rc == 0 && count == 0 && results->runs > 1)
		count = pair_runs(results, &above, &below, ratios, paired);
	if (count != 0)
		table->pairs[table->pair_count++] =
			judge(results, &table->rows[over], &table->rows[base], paired,
			      ratios, count);
	else
		free(ratios);
	free(paired);
	return rc;
}

/* What modes and variants are compared at. */
static bool same_point(const struct np_row *a, const struct np_row *b)
{
	return a->length == b->length && a->axis == b->axis && a->buffers == b->buffers;
}

int np_pairs_derive(const struct np_results *results, struct np_visit *const *visits,
		    const size_t *begins, struct np_table *table)
{
	int rc = 0;

	/* A row is over two other modes and over one other variant at most. */
	table->pairs = calloc(3 * table->row_count + 1, sizeof(*table->pairs));
	if (table->pairs == NULL)
		return -ENOMEM;
	for (size_t row = 0; row < table->row_count && rc == 0; row++) {
		const struct np_row *over = &table->rows[row];
		size_t base = row;

		while (rc == 0 && base-- > 0 && same_point(&table->rows[base], over)) {
			const struct np_row *under = &table->rows[base];
			if (np_pair_is_wanted(over->mode, over->variant, under->mode,
					      under->variant))
				rc = add_pair(results, visits, begins, table, row, base);
		}
	}
	return rc;
}
