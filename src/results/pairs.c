/*
 * pairs.c - ratios within each visit, in which differences between visits cancel; their
 * controls, verdicts and ranges.
 *
 * Pairs of one kind are one family of tests, over all sizes.  Verdicts of sizes, ranges of
 * sizes, and tests of controls have an error rate of NP_MODE_TEST_Q / 2 each.  Tests of
 * controls are not findings, so at most one in a hundred runs without differences reports a
 * difference, of a size or a range.
 */
#include "results/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/mode_test.h"
#include "stats/ranges.h"
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

/* Modes of --why, which causes.h tests: pairs would test them twice. */
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

/* Orders visits by unit and serial; 0: measured side by side. */
static int compare_places(const struct np_results *results, const struct np_visit *one,
			  const struct np_visit *other)
{
	const unsigned left = np_unit_of(results, one), right = np_unit_of(results, other);

	if (left != right)
		return left < right ? -1 : 1;
	return (one->serial > other->serial) - (one->serial < other->serial);
}

size_t np_visits_pair(const struct np_results *results, struct np_visit *const *base,
		      size_t base_count, struct np_visit *const *over, size_t over_count,
		      double *ratios, struct np_visit **paired)
{
	size_t count = 0;

	for (size_t i = 0, k = 0; i < base_count && k < over_count;) {
		struct np_visit *below = base[i], *above = over[k];
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

/* Adds the ratio of two rows with visits of equal serial or, with --buffers apart, equal
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
	const size_t count =
		np_visits_pair(results, base->visits, base->visit_count, over->visits,
			       over->visit_count, pair.unit_ratios, paired);
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

/* The pairs of one kind, and their tests. */
struct family {
	struct np_pair **pairs;
	struct np_size_test *trials;
	struct np_mode_test *proofs;
	struct np_range *ranges;
	size_t count;
};

static bool is_control(const struct np_pair *pair)
{
	return pair->mode == NP_MODE_CONTROL;
}

static bool is_at_point(const struct np_pair *a, const struct np_pair *b)
{
	return a->length == b->length && a->axis == b->axis && a->buffers == b->buffers;
}

/* Finds the control of a pair, with the variant of its base; NULL: none.  Pairs of a point
 * are adjacent. */
static const struct np_pair *control_of(const struct np_table *table,
					const struct np_pair *pair)
{
	const struct np_pair *first = pair, *end = table->pairs + table->pair_count;

	while (first > table->pairs && is_at_point(first - 1, pair))
		first--;
	for (const struct np_pair *it = first; it < end && is_at_point(it, pair); it++) {
		if (is_control(it) && it->variant == pair->base_variant)
			return it;
	}
	return NULL;
}

static void take_control(struct np_pair *pair, const struct np_pair *control)
{
	struct np_interval interval;

	pair->control_ratio = control->ratio;
	if (np_median_interval(control->unit_ratios, control->units,
			       NP_CONFIDENCE_PERCENT / 100.0, &interval)) {
		pair->control_low = interval.low;
		pair->control_high = interval.high;
	}
}

static bool is_of_usual_state(const struct np_table *table, const struct np_pair *pair)
{
	return ((table->rows[pair->row].flags | table->rows[pair->base_row].flags) &
		NP_ROW_OTHER_STATE) == 0;
}

/* Gathers the tests of one kind of pair.  Pairs in another host state are not tested:
 * unclear. */
static void gather(struct np_table *table, size_t kind, bool looked, struct family *family)
{
	family->count = 0;
	for (size_t i = 0; i < table->pair_count; i++) {
		struct np_pair *pair = &table->pairs[i];

		if (pair->kind != kind)
			continue;
		if (!is_of_usual_state(table, pair)) {
			pair->verdict = NP_UNCLEAR;
			continue;
		}
		const struct np_pair *control = control_of(table, pair);
		struct np_size_test *trial = &family->trials[family->count];
		*trial = (struct np_size_test){ .ratios = pair->unit_ratios,
						.numbers = pair->unit_numbers,
						.count = pair->units,
						.looked = looked };
		if (control != NULL) {
			take_control(pair, control);
			trial->control_ratios = control->unit_ratios;
			trial->control_numbers = control->unit_numbers;
			trial->control_count = control->units;
		}
		family->pairs[family->count++] = pair;
	}
}

/* Finds the ranges of sizes of two modes; a sweep has knees instead. */
static int judge_ranges(const struct family *family,
			const struct np_calibration *calibration, double share,
			double margin, struct np_table *table)
{
	const struct np_pair *like = family->pairs[0];
	size_t count = 0;

	if (!np_pair_is_of_modes(like) || like->axis != NP_AXIS_NONE)
		return 0;
	const int rc =
		np_find_ranges(family->trials, family->proofs, family->count, calibration,
			       share * NP_MODE_TEST_Q / 2, margin, family->ranges, &count);
	struct np_pair_range *list = reallocarray(
		table->ranges, table->range_count + count + 1, sizeof(*table->ranges));

	if (rc != 0 || list == NULL)
		return -ENOMEM;
	table->ranges = list;
	for (size_t i = 0; i < count; i++) {
		const struct np_range *range = &family->ranges[i];
		const struct np_pair *own = family->pairs[range->first];
		/* A range of one size has the ratio of that size. */
		const bool single = range->first == range->last;

		list[table->range_count++] = (struct np_pair_range){
			.kind = like->kind,
			.smallest = family->pairs[range->first]->length,
			.largest = family->pairs[range->last]->length,
			.sizes = range->sizes,
			.ratio = single ? own->ratio : range->ratio,
			.low = single ? own->low : range->low,
			.high = single ? own->high : range->high,
			.verdict = single ? own->verdict : range->verdict
		};
	}
	return 0;
}

static int judge(struct family *family, double share, double margin, struct np_table *table)
{
	struct np_calibration calibration;
	const int rc = np_test_modes_share(family->trials, family->count, share, margin,
					   family->proofs, &calibration);

	for (size_t i = 0; rc == 0 && i < family->count; i++) {
		struct np_pair *pair = family->pairs[i];
		const struct np_mode_test *proof = &family->proofs[i];

		pair->low = proof->low;
		pair->high = proof->high;
		pair->alone_low = proof->alone_low;
		pair->alone_high = proof->alone_high;
		pair->unstable = proof->unstable;
		pair->p = proof->p;
		pair->adjusted_p = proof->adjusted;
		pair->resolution = proof->resolution;
		pair->verdict = proof->verdict;
	}
	return rc == 0 ? judge_ranges(family, &calibration, share, margin, table) : rc;
}

/* Drops control pairs: their ratios were copied into the pairs that they control. */
static void drop_controls(struct np_table *table)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->pair_count; i++) {
		if (is_control(&table->pairs[i])) {
			free(table->pairs[i].unit_ratios);
			free(table->pairs[i].unit_numbers);
		} else {
			table->pairs[kept++] = table->pairs[i];
		}
	}
	table->pair_count = kept;
}

/* Number of axes of the sweep. */
static unsigned axes_of(const struct np_table *table)
{
	bool there[NP_AXES] = { false };
	unsigned count = 0;

	for (size_t i = 0; i < table->pair_count; i++) {
		bool *axis = &there[table->pairs[i].axis];

		count += !*axis && table->pairs[i].axis != NP_AXIS_NONE;
		*axis = true;
	}
	return count;
}

/* Number of variants that are compared with the first. */
static size_t variants_of(const struct np_table *table)
{
	size_t last = 1;

	for (size_t i = 0; i < table->pair_count; i++) {
		if (!np_pair_is_of_modes(&table->pairs[i]) &&
		    table->pairs[i].variant > last)
			last = table->pairs[i].variant;
	}
	return last;
}

/* Share of NP_MODE_TEST_Q for the tests of one kind of pair.  The axes of a sweep, the
 * causes of --why, and the variants divide it. */
static double share_of(const struct np_table *table, const struct np_pair *pair,
		       bool causes_beside)
{
	if (!np_pair_is_of_modes(pair) && !is_control(pair))
		return 1.0 / (double)variants_of(table);
	if (causes_beside)
		return NP_MODE_TEST_BESIDE_CAUSES;
	return pair->axis == NP_AXIS_NONE ? 1.0 : 1.0 / axes_of(table);
}

int np_pairs_prove(struct np_table *table, bool causes_beside, bool looked, double margin)
{
	struct family family = {
		.pairs = calloc(table->pair_count + 1, sizeof(struct np_pair *)),
		.trials = calloc(table->pair_count + 1, sizeof(*family.trials)),
		.proofs = calloc(table->pair_count + 1, sizeof(*family.proofs)),
		.ranges = calloc(table->pair_count + 1, sizeof(*family.ranges)),
	};
	int rc = family.pairs == NULL || family.trials == NULL || family.proofs == NULL ||
				 family.ranges == NULL ?
			 -ENOMEM :
			 0;

	for (size_t kind = 0; kind < table->kind_count && rc == 0; kind++) {
		gather(table, kind, looked, &family);
		if (family.count != 0 && !is_control(family.pairs[0]))
			rc = judge(&family, share_of(table, family.pairs[0], causes_beside),
				   margin, table);
	}
	if (rc == 0)
		drop_controls(table);
	free(family.pairs);
	free(family.trials);
	free(family.proofs);
	free(family.ranges);
	return rc;
}
