/*
 * pairs_prove.c - nulls and verdicts: pairs of one kind are judged together, over
 * all sizes.
 */
#include "results/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/proof.h"
#include "stats/stats.h"

/* The pairs of one kind, and what is said of them. */
struct family {
	struct np_pair **pairs;
	struct np_trial *trials;
	struct np_proof *proofs;
	size_t count;
};

static bool is_control(const struct np_pair *pair)
{
	return pair->mode == NP_MODE_CONTROL;
}

bool np_pair_same_kind(const struct np_pair *a, const struct np_pair *b)
{
	return a->mode == b->mode && a->base_mode == b->base_mode &&
	       a->variant == b->variant && a->base_variant == b->base_variant &&
	       a->axis == b->axis;
}

/* Reuse against itself at the pair's size, with its base's variant; or NULL. */
static const struct np_pair *control_of(const struct np_table *table,
					const struct np_pair *pair)
{
	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *control = &table->pairs[i];

		if (is_control(control) && control->length == pair->length &&
		    control->variant == pair->base_variant && control->axis == pair->axis &&
		    control->buffers == pair->buffers)
			return control;
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

/* Gathers the pairs of the kind of the first, from there on. */
static void gather(struct np_table *table, size_t first, struct family *family)
{
	family->count = 0;
	for (size_t i = first; i < table->pair_count; i++) {
		struct np_pair *pair = &table->pairs[i];
		const struct np_pair *control = control_of(table, pair);

		if (!np_pair_same_kind(pair, &table->pairs[first]))
			continue;
		struct np_trial *trial = &family->trials[family->count];
		*trial = (struct np_trial){ .ratios = pair->unit_ratios,
					    .count = pair->units };
		if (control != NULL) {
			take_control(pair, control);
			trial->control_ratios = control->unit_ratios;
			trial->control_count = control->units;
		}
		family->pairs[family->count++] = pair;
	}
}

static int judge(struct family *family, double share)
{
	const int rc = np_prove_share(family->trials, family->count, share, family->proofs);

	for (size_t i = 0; rc == 0 && i < family->count; i++) {
		struct np_pair *pair = family->pairs[i];
		const struct np_proof *proof = &family->proofs[i];

		pair->low = proof->low;
		pair->high = proof->high;
		pair->p = proof->p;
		pair->adjusted_p = proof->adjusted;
		pair->resolution = proof->resolution;
		pair->verdict = proof->verdict;
	}
	return rc;
}

bool np_pair_is_first(const struct np_table *table, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (np_pair_same_kind(&table->pairs[i], &table->pairs[index]))
			return false;
	}
	return true;
}

/* They stand beside the others now. */
static void drop_controls(struct np_table *table)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->pair_count; i++) {
		if (is_control(&table->pairs[i]))
			free(table->pairs[i].unit_ratios);
		else
			table->pairs[kept++] = table->pairs[i];
	}
	table->pair_count = kept;
}

/* How many axes of a sweep the pairs are on. */
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

/* A run that asks more than one question of the same size has one share of verdicts that
 * may be wrong for all of them: a sweep on each of its axes, --why for causes beside. */
static double share_of(const struct np_table *table, const struct np_pair *pair,
		       bool causes_beside)
{
	if (causes_beside)
		return NP_PROOF_BESIDE_CAUSES;
	return pair->axis == NP_AXIS_NONE ? 1.0 : 1.0 / axes_of(table);
}

int np_pairs_prove(struct np_table *table, bool causes_beside)
{
	struct family family = {
		.pairs = calloc(table->pair_count + 1, sizeof(struct np_pair *)),
		.trials = calloc(table->pair_count + 1, sizeof(*family.trials)),
		.proofs = calloc(table->pair_count + 1, sizeof(*family.proofs)),
	};
	int rc = family.pairs == NULL || family.trials == NULL || family.proofs == NULL ?
			 -ENOMEM :
			 0;

	for (size_t i = 0; i < table->pair_count && rc == 0; i++) {
		if (is_control(&table->pairs[i]) || !np_pair_is_first(table, i))
			continue;
		gather(table, i, &family);
		rc = judge(&family, share_of(table, &table->pairs[i], causes_beside));
	}
	if (rc == 0)
		drop_controls(table);
	free(family.pairs);
	free(family.trials);
	free(family.proofs);
	return rc;
}
