/*
 * bimodal.h - whether a sample of times is unimodal or bimodal.
 *
 * The median of a bimodal size jumps between the two modes as their shares change a
 * little, and would pass for a step.  So a search for steps tests for it first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Hartigan's dip of values in ascending order: the least distance of their
 * distribution function from that of any unimodal distribution, 1/(2 count) to
 * 1/4.  J. A. Hartigan and P. M. Hartigan, "The Dip Test of Unimodality", Annals
 * of Statistics 13(1), 1985, section 5.  NAN without memory or of no values.
 */
double np_dip(const double *ascending, size_t count);

/*
 * The chance of a dip at least as large among as many values of a uniform
 * distribution, which of the unimodal ones is the hardest to tell from a bimodal
 * one (section 4 there): from `trials` samples drawn with seed, so not below 1 /
 * (trials + 1).  NAN without memory.
 */
double np_dip_p(double dip, size_t count, size_t trials, uint64_t seed);

struct np_bimodal {
	bool two;
	double lower, upper; /* medians of the two modes; of one: both the median */
	double share;	     /* of the values in the upper mode */
};

/*
 * How many independent values tell as much as these, which lie group by group, each group
 * of some: their number over the design effect 1 + (group - 1) r, where r is the
 * correlation of the logarithms within groups by analysis of variance.  L. Kish, "Survey
 * Sampling", 1965, section 5.4.  Values above 0.
 */
double np_independent_values(const double *values, const size_t *groups,
			     size_t group_count);

/*
 * Two modes, if those at the best split of the logarithms are at least three of their
 * standard deviations apart (D of K. M. Ashman, C. M. Bird, S. E. Zepf, Astronomical
 * Journal 108(6), 1994, where 2 is called clean) and by at least the ratio `apart`, above
 * 1, and neither has less than a share `least` of the values.  Values above 0, in any
 * order; they are sorted in place.
 */
struct np_bimodal np_split_in_two(double *values, size_t count, double least, double apart);

/* The same with a fifth of the values, if the dip of `independent` values has a chance
 * below 0.01, too.  Of fewer than 20 values: one. */
struct np_bimodal np_bimodal_find(double *values, size_t count, double independent,
				  double apart);
