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
