/*
 * ranges.h - ranges of sizes in which one ratio holds.
 *
 * A difference of 3 % that is significant at no single size may be significant in eight
 * sizes together.  Ranges are the partition of the sizes, with one ratio per range, that
 * minimizes the modified Bayesian information criterion of the logarithms of the ratios, N.
 * R. Zhang and D. O. Siegmund, "A Modified Bayes Information Criterion with Applications to
 * the Analysis of Comparative Genomic Hybridization Data", Biometrics 63(1), 2007
 * (partition.h).
 *
 * Ranges are selected by the data that test them.  Their intervals are therefore
 * simultaneous over all ranges of neighbouring sizes that could have been selected (R.
 * Berk, L. Brown, A. Buja, K. Zhang and L. Zhao, "Valid Post-Selection Inference", Annals
 * of Statistics 41(2), 2013).  The level accounts for the greatest mean of all overlapping
 * ranges (np_scan_level()), so parts of a range may be tested as well: sizes that scatter
 * more than the effect join any range, as they contradict none.  In a range whose verdict
 * is not "same", the part that differs most from 1 in standard errors becomes a range of
 * its own, and so do the sizes before and behind it, unless they have the verdict of the
 * part.
 *
 * The test of mode_test.h is applied to the weighted mean of the logarithms over the range
 * in each unit; weights are inverse variances of the sizes.  The variance of this mean is
 * shrunk towards the one expected from these variances and their common share, with as many
 * degrees of freedom per size as the prior of mode_test.h has at most.  A range is unclear
 * if the verdict of one of its sizes contradicts its own.  The interval is extended to hold
 * the interval of the median over units, and by a significant deviation of the control of
 * the range.
 */
#pragma once

#include "stats/mode_test.h"
#include "stats/partition.h"

struct np_range {
	size_t first, last; /* indices of sizes, inclusive */
	size_t sizes;	    /* sizes of the range that have an interval */
	double ratio;	    /* weighted geometric mean */
	double low, high;   /* interval of the verdict */
	enum np_verdict verdict;
};

/*
 * Finds the ranges of sizes after np_test_modes(), ascending; ranges has room for `count`.
 * Sizes without an interval are in no range; fewer than two with an interval have no
 * ranges.  q: largest probability that the interval of any range misses its ratio.  Returns
 * 0 or -ENOMEM.
 */
int np_find_ranges(const struct np_size_test *trials, const struct np_mode_test *proofs,
		   size_t count, const struct np_calibration *calibration, double q,
		   double margin, struct np_range *ranges, size_t *range_count);

/* ---- The partition alone ---- */

/* Prefix sums over sizes, 0 first: of weights, inverse variances above 0, of weighted
 * logarithms of the ratios and of their weighted squares. */
struct np_ratio_sums {
	size_t count;
	double *weights, *values, *squares; /* count + 1 each */
	const size_t *curves; /* number of the curve of each size; no range spans two
				 curves; NULL: one curve */
};

/* Sets the sums behind a size. */
void np_ratio_sums_add(struct np_ratio_sums *sums, size_t size, double weight, double mean);

/* Sets parts, room for one per size, to the ranges of the best partition, ascending.
 * Returns 0 or -ENOMEM. */
int np_ratio_parts(struct np_ratio_sums *sums, struct np_part *parts, size_t *count);

/*
 * ---- Distribution of the greatest mean over all ranges of independent values ----
 *
 * Ranges overlap, so their means are correlated, and a correction for their number is too
 * strict: the 1081 ranges of 46 values count as 240 independent tests.  D. Siegmund,
 * "Approximate Tail Probabilities for the Maxima of Some Random Fields", Annals of
 * Probability 16(2), 1988, approximates the probability that any standardized mean exceeds
 * a boundary; its function nu() by D. Siegmund and B. Yakir, The Statistics of Gene
 * Mapping, 2007.
 */

/*
 * Two-sided level of the test of each range, at which any of all ranges of `values` values
 * (1 or more) is rejected with probability q (above 0, at most 0.01).  Simulated with q =
 * 0.005: 0.0051 to 0.0062, rising as values become fewer, and 0.0049 for one.  Assumes
 * equal weights; with other weights ranges are more similar, and the probability is less.
 */
double np_scan_level(size_t values, double q);
