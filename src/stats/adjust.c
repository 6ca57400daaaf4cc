/*
 * adjust.c - Bonferroni, Holm, Benjamini and Hochberg: a factor for each rank.
 */
#include "stats/adjust.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct ranked {
	double p;
	size_t index;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	return (a->p > b->p) - (a->p < b->p);
}

double np_adjust_ranked(double p, size_t rank, size_t tests, enum np_adjustment method)
{
	const double all = (double)tests, place = (double)rank;

	if (method == NP_ADJUST_FDR)
		return fmin(1.0, p * (all / place));
	return fmin(1.0, p * (method == NP_ADJUST_HOLM ? all - place + 1.0 : all));
}

int np_adjust_p(const double *p, size_t count, size_t tests, enum np_adjustment method,
		double *adjusted)
{
	struct ranked *ranked = malloc((count + 1) * sizeof(*ranked));
	size_t known = 0;

	if (ranked == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (isnan(p[i]))
			adjusted[i] = (double)NAN;
		else
			ranked[known++] = (struct ranked){ p[i], i };
	}
	qsort(ranked, known, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < known; i++)
		ranked[i].p = np_adjust_ranked(ranked[i].p, i + 1,
					       tests != 0 ? tests : known, method);
	/* Step-up: rejection of a larger p rejects all smaller ones.  Step-down: acceptance
	 * of a smaller p accepts all larger ones. */
	for (size_t i = known; method == NP_ADJUST_FDR && i-- > 1;)
		ranked[i - 1].p = fmin(ranked[i - 1].p, ranked[i].p);
	for (size_t i = 1; method == NP_ADJUST_HOLM && i < known; i++)
		ranked[i].p = fmax(ranked[i].p, ranked[i - 1].p);
	for (size_t i = 0; i < known; i++)
		adjusted[ranked[i].index] = ranked[i].p;
	free(ranked);
	return 0;
}
