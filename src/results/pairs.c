/*
 * pairs.c - ratios within each visit, in which differences between visits cancel.
 */
#include "results/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/stats.h"

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

/* Modes of --why: causes.h tests them, so pairs would test them twice. */
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

double np_visit_ratio(const struct np_visit *base, const struct np_visit *over)
{
	double ratios[NP_VISIT_BLOCKS];
	size_t count = 0;

	for (size_t block = 0; block < base->blocks && block < over->blocks; block++) {
		const double below = base->block_median_s[block];

		if (below > 0)
			ratios[count++] = over->block_median_s[block] / below;
	}
	return count != 0 ? np_median(ratios, count) : (double)NAN;
}

/* Orders visits of a row; 0: same serial. */
static int compare_places(const struct np_results *results, const struct np_visit *one,
			  const struct np_visit *other)
{
	const unsigned left = np_unit_of(results, one), right = np_unit_of(results, other);

	if (left != right)
		return left < right ? -1 : 1;
	return (one->serial > other->serial) - (one->serial < other->serial);
}

/* Lists ratios of visits of equal serial, and their base visits; both arrays have space for
 * all visits of the base.  Returns their number. */
static size_t pair_visits(const struct np_results *results, const struct np_row *over,
			  const struct np_row *base, double *ratios,
			  struct np_visit **paired)
{
	size_t count = 0;

	for (size_t i = 0, k = 0; i < base->visit_count && k < over->visit_count;) {
		struct np_visit *below = base->visits[i], *above = over->visits[k];
		const int order = compare_places(results, below, above);
		const double ratio =
			order == 0 ? np_visit_ratio(below, above) : (double)NAN;

		i += order <= 0;
		k += order >= 0;
		if (ratio > 0 && isfinite(ratio)) {
			ratios[count] = ratio;
			paired[count++] = below;
		}
	}
	return count;
}

/* Lists ratios of units that both rows have; both arrays have space for all of the base.
 * Returns their number. */
static size_t pair_units(const struct np_row *over, const struct np_row *base,
			 double *ratios, unsigned *numbers)
{
	size_t count = 0;

	for (size_t i = 0, k = 0; i < base->unit_count && k < over->unit_count;) {
		const unsigned below = base->unit_number[i], above = over->unit_number[k];
		const double ratio =
			below == above ? over->unit_s[k] / base->unit_s[i] : (double)NAN;

		i += below <= above;
		k += above <= below;
		if (ratio > 0 && isfinite(ratio)) {
			numbers[count] = below;
			ratios[count++] = ratio;
		}
	}
	return count;
}

/* Finds the kind of a pair, from the newest pair back; adds a kind if there is none. */
static size_t kind_of(struct np_table *table, const struct np_pair *pair)
{
	for (size_t i = table->pair_count; i-- > 0;) {
		const struct np_pair *like = &table->pairs[i];

		if (like->mode == pair->mode && like->base_mode == pair->base_mode &&
		    like->variant == pair->variant &&
		    like->base_variant == pair->base_variant && like->axis == pair->axis)
			return like->kind;
	}
	return table->kind_count++;
}

/* Adds the ratio of two rows with visits of equal serial or, with --modes-apart, equal
 * units: a round of runs is one unit. */
static int add_pair(const struct np_results *results, struct np_table *table, size_t row,
		    size_t base_row)
{
	const struct np_row *over = &table->rows[row], *base = &table->rows[base_row];
	struct np_pair pair = { .length = over->length,
				.mode = over->mode,
				.base_mode = base->mode,
				.variant = over->variant,
				.base_variant = base->variant,
				.axis = over->axis,
				.buffers = over->buffers,
				.row = row,
				.base_row = base_row,
				.low = (double)NAN,
				.high = (double)NAN,
				.alone_low = (double)NAN,
				.alone_high = (double)NAN,
				.control_ratio = (double)NAN,
				.control_low = (double)NAN,
				.control_high = (double)NAN,
				.p = (double)NAN,
				.adjusted_p = (double)NAN,
				.resolution = (double)NAN,
				.verdict = NP_VERDICTS };
	struct np_visit **paired = malloc(base->visit_count * sizeof(struct np_visit *));

	pair.unit_ratios = malloc(base->visit_count * sizeof(*pair.unit_ratios));
	pair.unit_numbers = malloc(base->visit_count * sizeof(*pair.unit_numbers));
	if (paired == NULL || pair.unit_ratios == NULL || pair.unit_numbers == NULL) {
		free(paired);
		free(pair.unit_ratios);
		free(pair.unit_numbers);
		return -ENOMEM;
	}
	const size_t count = pair_visits(results, over, base, pair.unit_ratios, paired);
	if (count != 0)
		pair.units = np_unit_medians(results, paired, pair.unit_ratios,
					     pair.unit_numbers, count);
	else if (results->runs > 1)
		pair.units = pair_units(over, base, pair.unit_ratios, pair.unit_numbers);
	free(paired);
	if (pair.units == 0) {
		free(pair.unit_ratios);
		free(pair.unit_numbers);
		return 0;
	}
	pair.ratio = np_median(pair.unit_ratios, pair.units);
	pair.kind = kind_of(table, &pair);
	table->pairs[table->pair_count++] = pair;
	return 0;
}

static bool same_point(const struct np_row *a, const struct np_row *b)
{
	return a->length == b->length && a->axis == b->axis && a->buffers == b->buffers;
}

int np_table_pairs(const struct np_results *results, struct np_table *table)
{
	int rc = 0;

	/* A row is compared with two modes and one variant at most. */
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
				rc = add_pair(results, table, row, base);
		}
	}
	return rc;
}
