/*
 * ranges.h - ranges of sizes in which one ratio holds.
 *
 * A difference of 3 % that no size shows by itself may be plain in eight sizes together.
 * Where one range ends and the next begins is where the logarithm of the ratio changes its
 * level: the partition of the sizes that is least by the modified Bayesian information
 * criterion, N. R. Zhang and D. O. Siegmund, "A Modified Bayes Information Criterion with
 * Applications to the Analysis of Comparative Genomic Hybridization Data", Biometrics
 * 63(1), 2007, found by dynamic programming (B. Jackson et al., "An Algorithm for Optimal
 * Partitioning of Data on an Interval", IEEE Signal Processing Letters 12(2), 2005).
 *
 * So ranges are chosen by the data that they are judged by.  Their intervals allow for
 * that, whatever the choice: they are simultaneous over all ranges of neighbouring sizes
 * that could have been chosen (R. Berk, L. Brown, A. Buja, K. Zhang and L. Zhao, "Valid
 * Post-Selection Inference", Annals of Statistics 41(2), 2013).  The level of each is that
 * of the greatest mean of all ranges, which overlap: scan.h.  So a part of a range may be
 * judged as well: sizes whose times scatter more than its effect would go into it, since
 * they speak against nothing.  Of a range that is not the same the part that differs most
 * in its standard errors is one by itself, and so are the sizes before and behind it,
 * unless they have that verdict too.
 *
 * The test is that of proof.h, of the mean over the range in each unit, with weights by the
 * variances of its sizes; its own variance is drawn towards the one that follows from
 * these and from what units bring to all sizes alike, with as many degrees of freedom for
 * each of them as proof.h lends to one.  The interval holds that of the
 * median over units; where the control of the range leaves out 1 by the same test, it grows
 * by as much; and the verdict follows from it.
 */
#pragma once

#include "stats/proof.h"

struct np_range {
	size_t first, last; /* of the sizes: indices, both in it */
	size_t sizes;	    /* that have an interval, in it */
	double ratio;	    /* weighted geometric mean */
	double low, high;   /* what the verdict follows from */
	enum np_verdict verdict;
};

/*
 * The ranges of sizes that np_prove() has judged, ascending; ranges has room for `count`.
 * Sizes without an interval are in none, and fewer than two with one have no ranges.  q is
 * the chance that any of all intervals misses.  Returns 0 or -ENOMEM.
 */
int np_find_ranges(const struct np_size_test *trials, const struct np_proof *proofs,
		   size_t count, const struct np_calibration *calibration, double q,
		   double margin, struct np_range *ranges, size_t *range_count);
