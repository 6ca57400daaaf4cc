/*
 * adjust.h - p-values corrected for the number of tests (multiplicity correction).
 *
 * Bonferroni and Holm bound the family-wise error rate by q: the probability that any true
 * null hypothesis is rejected.  Benjamini and Hochberg bound the false discovery rate by q:
 * the expected share of true null hypotheses among the rejected ones.
 */
#pragma once

#include <stddef.h>

enum np_adjustment {
	NP_ADJUST_BONFERRONI,
	/* S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure",
	 * Scandinavian Journal of Statistics 6(2), 1979. */
	NP_ADJUST_HOLM,
	/* Y. Benjamini and Y. Hochberg, "Controlling the False Discovery Rate", J. R.
	 * Statist. Soc. B 57(1), 1995, step-up.  Holds for independent tests and under
	 * positive dependence (Benjamini and Yekutieli, 2001). */
	NP_ADJUST_FDR
};

/*
 * Sets adjusted[i] to the adjusted p-value: the least q at which hypothesis i is rejected.
 * tests: number of tests, more than `count` if only the smallest p-values are given; 0:
 * `count`.  A p of NAN is no test and stays NAN.  adjusted may be p itself.  Returns 0 or
 * -ENOMEM.
 */
int np_adjust_p(const double *p, size_t count, size_t tests, enum np_adjustment method,
		double *adjusted);

/* Returns the rank-th smallest p-value of `tests` tests times the factor of the method, at
 * most 1; without the monotonicity that np_adjust_p() adds. */
double np_adjust_ranked(double p, size_t rank, size_t tests, enum np_adjustment method);
