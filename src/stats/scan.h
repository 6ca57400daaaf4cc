/*
 * scan.h - how far from 0 the greatest mean of any range of independent values lies.
 *
 * Ranges overlap, so that the means of most of them differ little, and to correct as for so
 * many separate tests is too strict: of 46 values the 1081 ranges are as 240 such tests.
 * D. Siegmund, "Approximate Tail Probabilities for the Maxima of Some Random Fields",
 * Annals of Probability 16(2), 1988, has the chance that any standardised mean is beyond a
 * boundary; its function nu() by D. Siegmund and B. Yakir, The Statistics of Gene Mapping,
 * 2007.
 */
#pragma once

#include <stddef.h>

/*
 * The level of each range, two-sided, at which the chance that any of all ranges of so many
 * values (1 or more) is rejected is q (above 0, at most 0.01).  At 0.005 it is 0.0051 to
 * 0.0062 by drawing, the more the fewer values there are, and 0.0049 of one.  The values
 * have equal weights here; with others ranges are more alike, and the chance is less.
 */
double np_scan_level(size_t values, double q);
