/*
 * pairs_prove.c - controls, verdicts and ranges: pairs of one kind are one family of tests,
 * over all sizes.
 *
 * Verdicts of sizes, and tests of their controls, have half of NP_PROOF_Q each; ranges have
 * another half.  Tests of controls claim nothing, so a run without differences claims one,
 * of a size or of a range, once in a hundred times at most.
 */
#include "results/pairs_prove.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "results/pairs.h"
#include "stats/proof.h"
#include "stats/ranges.h"
#include "stats/stats.h"

/* The pairs of one kind, and their tests. */
struct family {
	struct np_pair **pairs;
	struct np_size_test *trials;
	struct np_proof *proofs;
	struct np_range *ranges;
	size_t count;
};

static bool is_control(const struct np_pair *pair)
{
	return pair->mode == NP_MODE_CONTROL;
}

static bool same_point(const struct np_pair *a, const struct np_pair *b)
{
	return a->length == b->length && a->axis == b->axis && a->buffers == b->buffers;
}

/* Finds the control of a pair, with the variant of its base; NULL: none.  Pairs of a point
 * are adjacent. */
static const struct np_pair *control_of(const struct np_table *table,
					const struct np_pair *pair)
{
	const struct np_pair *first = pair, *end = table->pairs + table->pair_count;

	while (first > table->pairs && same_point(first - 1, pair))
		first--;
	for (const struct np_pair *it = first; it < end && same_point(it, pair); it++) {
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

/* Gathers the pairs of a kind; pairs in another host state are unclear. */
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
			       share * NP_PROOF_Q / 2, margin, family->ranges, &count);
	struct np_pair_range *list = reallocarray(
		table->ranges, table->range_count + count + 1, sizeof(*table->ranges));

	if (rc != 0 || list == NULL)
		return -ENOMEM;
	table->ranges = list;
	for (size_t i = 0; i < count; i++) {
		const struct np_range *range = &family->ranges[i];

		list[table->range_count++] = (struct np_pair_range){
			.kind = like->kind,
			.smallest = family->pairs[range->first]->length,
			.largest = family->pairs[range->last]->length,
			.sizes = range->sizes,
			.ratio = range->ratio,
			.low = range->low,
			.high = range->high,
			.verdict = range->verdict
		};
	}
	return 0;
}

static int judge(struct family *family, double share, double margin, struct np_table *table)
{
	struct np_calibration calibration;
	const int rc = np_prove_share(family->trials, family->count, share, margin,
				      family->proofs, &calibration);

	for (size_t i = 0; rc == 0 && i < family->count; i++) {
		struct np_pair *pair = family->pairs[i];
		const struct np_proof *proof = &family->proofs[i];

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

/* The false discovery rate is shared by the questions of a run: the axes of a sweep, the
 * causes of --why, and the variants. */
static double share_of(const struct np_table *table, const struct np_pair *pair,
		       bool causes_beside)
{
	if (!np_pair_is_of_modes(pair) && !is_control(pair))
		return 1.0 / (double)variants_of(table);
	if (causes_beside)
		return NP_PROOF_BESIDE_CAUSES;
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
