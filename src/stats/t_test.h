/*
 * t_test.h - Student's t test of whether the mean of some values is 0.
 */
#pragma once

#include <stddef.h>

struct np_t_test {
	double mean;
	double variance;  /* of a value; NAN of fewer than two */
	double error;	  /* standard error of the mean; NAN of fewer than two */
	unsigned degrees; /* of freedom, of error */
	double p;	  /* two-sided, that the mean is 0; NAN of fewer than two */
};

struct np_t_test np_t_test(const double *values, size_t count);

/*
 * p of a test whose error or degrees were set to others.  Without any error it is 0, or
 * 1 of a mean of 0: values that agree to the last digit are those of a model without
 * noise.
 */
double np_t_test_p(const struct np_t_test *test);
