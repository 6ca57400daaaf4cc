/*
 * tails.h - tails and quantiles of the normal and of Student's distribution, and the t
 * test.
 */
#pragma once

#include <stddef.h>

/* Two-sided tail of the standard normal distribution: probability of |value| > |z|. */
double np_normal_p(double z);

/* Two-sided quantile: the z with np_normal_p(z) = p, p in (0, 1). */
double np_normal_quantile(double p);

/* Probability of `least` successes or more in `count` trials of probability p > 0. */
double np_binomial_p(unsigned least, unsigned count, double p);

/*
 * Two-sided tail of Student's t with `degrees` degrees of freedom, 1 or more: M.
 * Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 1964, 26.7.3
 * and 26.7.4, up to 200 degrees; normal above.
 */
double np_student_p(double t, unsigned degrees);

/* Two-sided quantile: the t with np_student_p(t, degrees) = p, p in (0, 1). */
double np_student_quantile(double p, unsigned degrees);

/* ---- Student's t test of a mean against 0 -------------------------------- */

struct np_t_test {
	double mean;
	double variance;  /* of a single value; NAN with fewer than two */
	double error;	  /* standard error of the mean; NAN with fewer than two */
	unsigned degrees; /* degrees of freedom of error */
	double p;	  /* two-sided; NAN with fewer than two */
};

struct np_t_test np_t_test(const double *values, size_t count);

/*
 * p-value after the caller has changed error or degrees.  With error 0 it is 0, or 1 for a
 * mean of 0: values that are equal to the last digit come from a model without noise.
 */
double np_t_test_p(const struct np_t_test *test);
