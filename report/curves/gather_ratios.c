/*
 * gather_ratios.c - ratios from the file, or from units, and verdicts where the
 * file has none: as pairs.c and pairs_prove.c make them of a run.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/curves/gather.h"
#include "stats/proof.h"
#include "stats/stats.h"

/* gcc 12's analyzer loses sight of what is stored in a tree, or in a list that
 * grows, and calls it leaked; np_gather_free() and np_run_free() free it. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

static const char control_name[] = "null/reuse";

static void take_interval(const double *ratios, size_t count, double *low, double *high)
{
	struct np_interval interval = { (double)NAN, (double)NAN, 0.0 };

	np_median_interval(ratios, count, 0.95, &interval);
	*low = interval.low;
	*high = interval.high;
}

/* Median and interval of the units. */
static void derive_ratio(struct np_ratio *ratio)
{
	ratio->ratio = np_median(ratio->unit_ratios, ratio->unit_count);
	take_interval(ratio->unit_ratios, ratio->unit_count, &ratio->low, &ratio->high);
	ratio->control_ratio = ratio->control_low = ratio->control_high = (double)NAN;
	ratio->adjusted_p = ratio->resolution = (double)NAN;
	ratio->verdict = NP_VERDICTS;
	ratio->units = ratio->unit_count;
}

/* The list that ratios of this key belong to, new if it is the first of them. */
static struct np_ratio_list *ratios_of(struct np_run *run, const struct np_key *key)
{
	struct np_ratio_list *list =
		run->ratios_count != 0 ? &run->ratios[run->ratios_count - 1] : NULL;

	if (list != NULL && strcmp(list->op, key->op) == 0 &&
	    strcmp(list->of, key->mode) == 0 && strcmp(list->within, key->variant) == 0)
		return list;
	list = realloc(run->ratios, (run->ratios_count + 1) * sizeof(*list));
	if (list == NULL)
		return NULL;
	run->ratios = list;
	list += run->ratios_count++;
	*list = (struct np_ratio_list){ .count = 0 };
	memcpy(list->op, key->op, NP_LABEL);
	memcpy(list->of, key->mode, NP_LABEL);
	memcpy(list->within, key->variant, NP_LABEL);
	return list;
}

int np_gather_ratio(const struct np_gather *gather, bool rows_count, struct np_cell *cell,
		    struct np_run *run)
{
	struct np_ratio *ratio = &cell->ratio;

	if (np_gather_collapse(gather, &cell->units, &ratio->unit_ratios, NULL,
			       &ratio->unit_count) != 0)
		return -ENOMEM;
	if (!(cell->has_row && rows_count) && ratio->unit_count != 0) {
		derive_ratio(ratio);
		if (np_gather_changes(gather, cell, ratio) != 0)
			return -ENOMEM;
	} else if (!cell->has_row) {
		return 0; /* all of it was superseded */
	}
	struct np_ratio_list *list = ratios_of(run, &cell->key);
	struct np_ratio *ratios = list != NULL ? reallocarray(list->ratios, list->count + 1,
							      sizeof(*ratios)) :
						 NULL;
	if (ratios == NULL)
		return -ENOMEM;
	list->ratios = ratios;
	ratio->length = cell->key.length;
	ratios[list->count++] = *ratio;
	ratio->unit_ratios = NULL;
	ratio->changes = NULL;
	return 0;
}

static bool is_control(const struct np_ratio_list *list)
{
	return strcmp(list->of, control_name) == 0;
}

/* Reuse against itself, with the variant of the base; or NULL. */
static const struct np_ratio_list *control_of(const struct np_run *run,
					      const struct np_ratio_list *list)
{
	const char *slash = strrchr(list->of, '/');
	const char *base = slash != NULL ? slash + 1 : "";
	const bool of_modes = strcmp(base, np_mode_name(NP_MODE_REUSE)) == 0 ||
			      strcmp(base, np_mode_name(NP_MODE_ROTATE)) == 0;
	const char *variant = of_modes ? list->within : base;

	for (size_t i = 0; i < run->ratios_count; i++) {
		const struct np_ratio_list *control = &run->ratios[i];

		if (is_control(control) && strcmp(control->op, list->op) == 0 &&
		    strcmp(control->within, variant) == 0)
			return control;
	}
	return NULL;
}

/* Ratios ascend by length. */
static const struct np_ratio *find_length(const struct np_ratio_list *list, size_t length)
{
	size_t low = 0, high = list != NULL ? list->count : 0;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (list->ratios[middle].length == length)
			return &list->ratios[middle];
		if (list->ratios[middle].length < length)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Whether there is something to judge that the file has not judged. */
static bool wants_proof(const struct np_ratio_list *list)
{
	bool judged = true, measured = false;

	for (size_t i = 0; i < list->count; i++) {
		judged &= list->ratios[i].verdict != NP_VERDICTS;
		measured |= list->ratios[i].unit_count != 0;
	}
	return measured && !judged && !is_control(list);
}

static struct np_trial trial_of(struct np_ratio *ratio, const struct np_ratio *control)
{
	struct np_trial trial = { .ratios = ratio->unit_ratios,
				  .count = ratio->unit_count };

	if (control != NULL && control->unit_count != 0) {
		trial.control_ratios = control->unit_ratios;
		trial.control_count = control->unit_count;
		ratio->control_ratio = control->ratio;
		take_interval(control->unit_ratios, control->unit_count,
			      &ratio->control_low, &ratio->control_high);
	}
	return trial;
}

/* As the run itself would have judged. */
static int prove(const struct np_run *run, struct np_ratio_list *list)
{
	const bool causes_beside = run->why != NULL && np_results_ask_why(run->why);
	const struct np_ratio_list *controls = control_of(run, list);
	struct np_trial *trials = calloc(list->count + 1, sizeof(*trials));
	struct np_proof *proofs = calloc(list->count + 1, sizeof(*proofs));
	int rc = trials == NULL || proofs == NULL ? -ENOMEM : 0;

	for (size_t i = 0; rc == 0 && i < list->count; i++)
		trials[i] = trial_of(&list->ratios[i],
				     find_length(controls, list->ratios[i].length));
	if (rc == 0)
		rc = np_prove_share(trials, list->count,
				    causes_beside ? NP_PROOF_BESIDE_CAUSES : 1, proofs);
	for (size_t i = 0; rc == 0 && i < list->count; i++) {
		struct np_ratio *ratio = &list->ratios[i];

		if (ratio->unit_count == 0)
			continue;
		ratio->adjusted_p = proofs[i].adjusted;
		ratio->resolution = proofs[i].resolution;
		ratio->verdict = proofs[i].verdict;
	}
	free(trials);
	free(proofs);
	return rc == 0 ? np_gather_judge_changes(list) : rc;
}

int np_gather_prove(struct np_run *run)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < run->ratios_count && rc == 0; i++) {
		if (wants_proof(&run->ratios[i]))
			rc = prove(run, &run->ratios[i]);
	}
	for (size_t i = 0; i < run->ratios_count && rc == 0; i++) {
		if (is_control(&run->ratios[i]))
			np_ratio_list_free(&run->ratios[i]);
		else
			run->ratios[kept++] = run->ratios[i];
	}
	if (rc == 0)
		run->ratios_count = kept;
	return rc;
}
