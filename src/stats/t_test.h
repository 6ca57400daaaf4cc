/*
 * t_test.h - Student's t test of a mean against 0.
 */
#pragma once

#include <stddef.h>

struct np_t_test {
	double mean;
	double variance;  /* of a value; NAN with fewer than two */
	double error;	  /* standard error of the mean; NAN with fewer than two */
	unsigned degrees; /* degrees of freedom of error */
	double p;	  /* two-sided; NAN with fewer than two */
};

struct np_t_test np_t_test(const double *values, size_t count);

/*
 * p of a test with changed error or degrees.  With error 0 it is 0, or 1 for a mean of 0:
 * values that are equal to the last digit come from a model without noise.
 */
double np_t_test_p(const struct np_t_test *test);
