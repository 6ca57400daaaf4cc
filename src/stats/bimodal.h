/*
 * bimodal.h - test of a sample of times for two modes of its distribution.
 *
 * A search for steps tests for bimodality first: small changes of the shares of two modes
 * move the median of a size from one to the other, like a step.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Hartigan's dip of values in ascending order: the least distance of their distribution
 * function from any unimodal distribution function, 1/(2 count) to 1/4.  J. A. Hartigan and
 * P. M. Hartigan, "The Dip Test of Unimodality", Annals of Statistics 13(1), 1985,
 * section 5.  NAN without memory or of no values.
 */
double np_dip(const double *ascending, size_t count);

/*
 * p-value of a dip: probability of one at least as large among `count` values of a uniform
 * distribution, the least favourable unimodal one (section 4 there), from `trials` samples
 * drawn with seed; at least 1 / (trials + 1).  NAN without memory.
 */
double np_dip_p(double dip, size_t count, size_t trials, uint64_t seed);

struct np_bimodal {
	bool two;
	double lower,
		upper; /* medians of the two modes; with one mode, both are its median */
	double share;  /* share of values in the upper mode, 0 to 1 */
};

/*
 * Effective sample size of values in consecutive groups: their number over the design
 * effect 1 + (group - 1) r, where r is the intraclass correlation of the logarithms by
 * analysis of variance.  L. Kish, "Survey Sampling", 1965, section 5.4.  Values above 0.
 */
double np_independent_values(const double *values, const size_t *groups,
			     size_t group_count);

/*
 * Splits values in two where the variance of logarithms within both parts is least.  The
 * parts are two modes if they are at least three of their standard deviations apart (D of
 * K. M. Ashman, C. M. Bird, S. E. Zepf, Astronomical Journal 108(6), 1994, where 2 is a
 * clean separation), at least the ratio `apart` > 1 apart, and each has at least the share
 * `least` of the values.  Values above 0, in any order; they are sorted in place.
 */
struct np_bimodal np_split_in_two(double *values, size_t count, double least, double apart);

/* Splits as np_split_in_two() with least 0.2; there are two modes only if, in addition, the
 * dip has a p-value below 0.01 at the effective sample size `independent`
 * (np_independent_values()).  Fewer than 20 values have one mode. */
struct np_bimodal np_bimodal_find(double *values, size_t count, double independent,
				  double apart);
