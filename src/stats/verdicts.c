/*
 * verdicts.c - from p values to verdicts.
 */
#include "stats/verdicts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool np_verdict_is_sure(enum np_verdict verdict)
{
	return verdict == NP_SLOWER || verdict == NP_FASTER;
}

const char *np_verdict_word(enum np_verdict verdict)
{
	static const char *const words[NP_VERDICTS] = {
		[NP_UNDECIDED] = "undecided",
		[NP_UNSTABLE] = "unstable",
		[NP_NO_DIFFERENCE] = "no difference",
		[NP_FASTER] = "faster",
		[NP_SLOWER] = "slower",
	};

	return words[verdict];
}

const char *np_verdict_name(enum np_verdict verdict)
{
	return verdict == NP_NO_DIFFERENCE ? "no_difference" : np_verdict_word(verdict);
}

enum np_verdict np_verdict_of(const char *name)
{
	for (enum np_verdict verdict = 0; verdict < NP_VERDICTS; verdict++) {
		if (strcmp(np_verdict_name(verdict), name) == 0)
			return verdict;
	}
	return NP_VERDICTS;
}

struct ranked {
	double p;
	size_t index;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left;
	const struct ranked *b = right;

	return (a->p > b->p) - (a->p < b->p);
}

/* From the largest p down: p count / rank, never above the one before. */
int np_adjust_p(const double *p, size_t count, double *adjusted)
{
	struct ranked *ranked = malloc((count + 1) * sizeof(*ranked));
	size_t tests = 0;
	double least = 1.0;

	if (ranked == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (isnan(p[i]))
			adjusted[i] = (double)NAN;
		else
			ranked[tests++] = (struct ranked){ p[i], i };
	}
	qsort(ranked, tests, sizeof(*ranked), compare_ranked);
	for (size_t rank = tests; rank > 0; rank--) {
		least = fmin(least, ranked[rank - 1].p * (double)tests / (double)rank);
		adjusted[ranked[rank - 1].index] = least;
	}
	free(ranked);
	return 0;
}

/* The chance that of count fair coins at most so many show heads. */
static double few_heads(size_t count, size_t heads)
{
	const double all = (double)count;
	int sign;
	double sum = 0.0;

	for (size_t k = 0; k <= heads; k++) {
		const double some = (double)k;

		sum += exp(lgamma_r(all + 1.0, &sign) - lgamma_r(some + 1.0, &sign) -
			   lgamma_r(all - some + 1.0, &sign) - all * M_LN2);
	}
	return sum;
}

double np_sign_test(const double *ratios, size_t count)
{
	size_t above = 0, below = 0;

	for (size_t i = 0; i < count; i++) {
		above += ratios[i] > 1.0;
		below += ratios[i] < 1.0;
	}
	const size_t fewer = above < below ? above : below;
	return fmin(1.0, 2.0 * few_heads(above + below, fewer));
}

int np_contrasts_judge(struct np_contrast *contrasts, size_t count, double q)
{
	double *p = calloc(count + 1, sizeof(*p));

	if (p == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		p[i] = contrasts[i].p;
	const int rc = np_adjust_p(p, count, p);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct np_contrast *contrast = &contrasts[i];

		contrast->adjusted = p[i];
		if (isnan(p[i]) || contrast->least_p > q)
			contrast->verdict = NP_UNDECIDED;
		else if (p[i] > q)
			contrast->verdict = NP_NO_DIFFERENCE;
		else
			contrast->verdict = contrast->ratio > 1.0 ? NP_SLOWER : NP_FASTER;
	}
	free(p);
	return rc;
}
