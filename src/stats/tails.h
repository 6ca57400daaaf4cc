/*
 * tails.h - tails and quantiles of the normal and of Student's distribution.
 */
#pragma once

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
