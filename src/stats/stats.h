/*
 * stats.h - medians, quantiles and intervals of small samples of times; median polish.
 *
 * Times of messages are skewed and have outliers: the location is the median, and its
 * interval assumes no distribution: T. Hoefler and R. Belli,
 * "Scientific Benchmarking of Parallel Computing Systems", SC'15, rules 5 and 6.
 *
 * Values are doubles in any order, without NAN, and are not changed.  No function allocates
 * or fails; without values the result is NAN.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Median absolute deviation (MAD) of a normal distribution, in standard deviations: a MAD
 * divided by it is a robust standard deviation.  P. J. Rousseeuw and C.
 * Croux, "Alternatives to the Median Absolute Deviation", JASA 88, 1993.
 */
#define NP_NORMAL_MAD 0.67448975

/* Ratio of the standard errors of median and mean of normal values: sqrt(pi / 2). */
#define NP_MEDIAN_LOSS 1.25331414

/* Half width of a 95 % interval of a normal distribution, in standard errors. */
#define NP_ERRORS_IN_95 1.96

/* Returns the rank-th smallest value, rank 1 to count.  Reads the values about 20 times. */
double np_order_statistic(const double *values, size_t count, size_t rank);

double np_median(const double *values, size_t count);

/* qsort() comparator: ascending. */
int np_compare_doubles(const void *left, const void *right);

/*
 * Quantile at `share`, 0 to 1: type 7 of R. J. Hyndman
 * and Y. Fan, "Sample Quantiles in Statistical Packages", The American
 * Statistician 50(4), 1996 (linear between the order statistics).
 */
double np_quantile(const double *values, size_t count, double share);

double np_mean(const double *values, size_t count);
double np_min(const double *values, size_t count);

struct np_interval {
	double low, high;
	double confidence; /* as requested, or more if no interpolation reaches it */
};

/*
 * Confidence interval (confidence above 0 and below 1) of the median of the distribution of
 * independent units, without assumptions about it.
 *
 * The interval from the r-th smallest to the r-th largest unit has a binomial coverage (H.
 * A. David and H. N. Nagaraja, "Order Statistics", 3rd edition, 2003, section 7.1), in
 * large steps: 96.9 % or 78.1 % for 6 units.  The ends are interpolated between the largest
 * r with the confidence and the next: T. P. Hettmansperger and S. J. Sheather, "Confidence
 * intervals based on interpolated order statistics", Statistics and Probability Letters 4,
 * 1986.  The interpolation hardly depends on the distribution: simulated from 6 units on,
 * 95 % is 94.5 to 95.4 % for normal, skewed and contaminated ones (doc/method.md).
 *
 * A unit is a pass or a run, not a sample: samples of one pass are correlated, and their
 * interval would be too narrow.
 *
 * Returns false, without changing the interval, if count is too small for that confidence
 * (5 at 0.95).
 */
bool np_median_interval(const double *units, size_t count, double confidence,
			struct np_interval *interval);

/* Returns the rank r of that interval without interpolation, 0 if count is too small;
 * *coverage becomes its confidence. */
size_t np_median_interval_rank(size_t count, double confidence, double *coverage);

/*
 * ---- Median polish: effects of the rows and columns of a table --------------
 *
 * J. W. Tukey, Exploratory Data Analysis, 1977, chapter 11.  Rows are sizes; columns are
 * passes or rounds.  Neither a disturbed measurement nor a slow pass moves the row effect,
 * the level of a size.
 */

/*
 * Subtracts the medians of all rows, then those of all columns, in turn: `sweeps` of both
 * together.  values[row * columns + column], NAN: none; they become residuals.  levels[row]
 * becomes the row effect: the sum of the medians subtracted from the row, NAN without
 * values.  scratch has room for the longer of a row and a column.
 */
void np_median_polish(double *values, size_t rows, size_t columns, size_t sweeps,
		      double *levels, double *scratch);

/*
 * Standard error of a row effect of the median polish, from the residuals of this and
 * similar rows.  degrees: degrees of freedom of one row, about its number of values.
 * Residuals of 0 belong to the medians themselves and are dropped; 0 if there are no
 * others.  scratch has room for `count` values and may be the residuals.
 */
double np_polish_error(const double *residuals, size_t count, double degrees,
		       double *scratch);
