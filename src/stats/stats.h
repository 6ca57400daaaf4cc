/*
 * stats.h - medians, quantiles and intervals of a few times.
 *
 * Times of messages are skewed and have outliers, so their location is the median
 * and its interval assumes no distribution: T. Hoefler and R. Belli,
 * "Scientific Benchmarking of Parallel Computing Systems", SC'15, rules 5 and 6.
 *
 * Values are doubles in any order, are not changed, and contain no NaN.
 * Nothing here allocates or fails; a function of no values gives NaN.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * The median of the absolute values of normal errors, in standard deviations: a median
 * absolute deviation (MAD) over it is a robust standard deviation.  P. J. Rousseeuw and C.
 * Croux, "Alternatives to the Median Absolute Deviation", JASA 88, 1993.
 */
#define NP_NORMAL_MAD 0.67448975

/*
 * The standard error of a median over that of the mean of as many values, sqrt(pi / 2).
 * Levels of a median polish are reckoned with the rounded one: with the other 7 of 1,069
 * scores of bench/truth.sh differ.
 */
#define NP_MEDIAN_LOSS	       1.2533
#define NP_MEDIAN_LOSS_ROUNDED 1.25

/* Errors from the middle to either end of a 95 % interval, of normal ones. */
#define NP_ERRORS_IN_95 1.96

/* The rank-th smallest value; rank is 1 to count.  Reads the values some twenty
 * times. */
double np_order_statistic(const double *values, size_t count, size_t rank);

double np_median(const double *values, size_t count);

/* For qsort(): ascending. */
int np_compare_doubles(const void *left, const void *right);

/*
 * The value below which a share of them, 0 to 1, lies: type 7 of R. J. Hyndman
 * and Y. Fan, "Sample Quantiles in Statistical Packages", The American
 * Statistician 50(4), 1996 (linear between the order statistics).
 */
double np_quantile(const double *values, size_t count, double share);

double np_mean(const double *values, size_t count);
double np_min(const double *values, size_t count);

struct np_interval {
	double low, high;
	double confidence; /* as requested; more where no place has that */
};

/*
 * An interval that covers the median of whatever distribution the units were
 * drawn from, independently, with the given confidence (above 0 and below 1).
 *
 * The interval from the r-th smallest to the r-th largest unit covers it with a
 * probability of the binomial distribution (H. A. David and H. N.
 * Nagaraja, "Order Statistics", 3rd edition, 2003, section 7.1), in large steps:
 * of 6 units 96.9 % or 78.1 %.  So the ends lie between the largest r that has the
 * confidence and the next, interpolated: T. P.
 * Hettmansperger and S. J. Sheather, "Confidence intervals based on interpolated
 * order statistics", Statistics and Probability Letters 4, 1986.  That place hardly
 * depends on the distribution; simulated, from 6 units on, 95 % is 94.5 to 95.4 %
 * for normal, skewed and contaminated ones (doc/method.md).
 *
 * A unit is a pass or a run, not a sample: samples of one pass are correlated, and an
 * interval over them would be too narrow.
 *
 * False if count is too small for that confidence (5 at 0.95); the interval is
 * then left as it was.
 */
bool np_median_interval(const double *units, size_t count, double confidence,
			struct np_interval *interval);

/* The rank r of the above, 0 if there is none, and its own confidence. */
size_t np_median_interval_rank(size_t count, double confidence, double *coverage);
