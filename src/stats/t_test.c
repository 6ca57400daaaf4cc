/*
 * t_test.c - Student's t test of a mean.
 */
#include "stats/t_test.h"

#include <math.h>

#include "stats/stats.h"
#include "stats/tails.h"

double np_t_test_p(const struct np_t_test *test)
{
	if (isnan(test->error))
		return (double)NAN;
	if (test->error > 0.0)
		return np_student_p(test->mean / test->error, test->degrees);
	return fabs(test->mean) > 0.0 ? 0.0 : 1.0;
}

struct np_t_test np_t_test(const double *values, size_t count)
{
	struct np_t_test test = { .mean = np_mean(values, count),
				  .variance = (double)NAN,
				  .error = (double)NAN,
				  .p = (double)NAN };
	double squares = 0.0;

	if (count < 2)
		return test;
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - test.mean) * (values[i] - test.mean);
	test.degrees = (unsigned)(count - 1);
	test.variance = squares / (double)(count - 1);
	test.error = sqrt(test.variance / (double)count);
	test.p = np_t_test_p(&test);
	return test;
}
