/*
 * adjust.h - p values corrected for the number of tests (multiplicity correction).
 *
 * The methods control different errors.  Bonferroni's and Holm's keep the chance
 * that any true hypothesis is rejected at most at q (the family-wise error rate);
 * Benjamini's and Hochberg's keep the share of true ones among those rejected, on average,
 * at most at q (the false discovery rate).
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
 * adjusted[i] is the least q at which hypothesis i is rejected: reject where it is
 * <= q.  `tests` is how many tests were made; 0: as many as there are p.  It is more
 * than these where only the smallest p are given.  NAN among the p is no test, and
 * stays NAN.  adjusted may be p itself.  Returns 0 or -ENOMEM.
 */
int np_adjust_p(const double *p, size_t count, size_t tests, enum np_adjustment method,
		double *adjusted);

/* The rank-th smallest p of so many tests, times the factor of the method; at most 1.
 * np_adjust_p() makes these ascend with p. */
double np_adjust_ranked(double p, size_t rank, size_t tests, enum np_adjustment method);
