/*
 * scan.h - distribution of the greatest mean over all ranges of independent values.
 *
 * Ranges overlap, so their means are correlated, and a correction for their number is too
 * strict: the 1081 ranges of 46 values count as 240 independent tests.  D. Siegmund,
 * "Approximate Tail Probabilities for the Maxima of Some Random Fields", Annals of
 * Probability 16(2), 1988, approximates the probability that any standardized mean exceeds
 * a boundary; its function nu() by D. Siegmund and B. Yakir, The Statistics of Gene
 * Mapping, 2007.
 */
#pragma once

#include <stddef.h>

/*
 * Two-sided level of each range at which any of all ranges of `values` values (1 or more)
 * is rejected with probability q (above 0, at most 0.01).  Simulated with q = 0.005: 0.0051
 * to 0.0062, rising as values become fewer, and 0.0049 for one.  Assumes equal weights;
 * with other weights ranges are more similar, and the probability is less.
 */
double np_scan_level(size_t values, double q);
