/*
 * tails.h - tails and quantiles of the normal and of Student's distribution.
 */
#pragma once

/* The chance that a standard normal value lies further from 0 than z, either
 * way. */
double np_normal_p(double z);

/* The z of a standard normal value that is exceeded, either way, with chance p
 * of (0, 1). */
double np_normal_quantile(double p);

/* The chance of `least` successes or more in `count` trials, each of chance p above 0. */
double np_binomial_p(unsigned least, unsigned count, double p);

/*
 * The same of Student's t with so many degrees of freedom, 1 or more: M.
 * Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 1964, 26.7.3
 * and 26.7.4, up to 200 degrees; normal above.
 */
double np_student_p(double t, unsigned degrees);

/* The t that is exceeded, either way, with chance p of (0, 1). */
double np_student_quantile(double p, unsigned degrees);
