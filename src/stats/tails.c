/*
 * tails.c - tails of the normal and of Student's distribution, and the t test.
 */
#include "stats/tails.h"

#include <math.h>

#include "stats/stats.h"

enum { STUDENT_MOST = 200 };

double np_normal_p(double z)
{
	return erfc(fabs(z) * M_SQRT1_2);
}

double np_binomial_p(unsigned least, unsigned count, double p)
{
	int sign;

	if (p >= 1)
		return 1;
	/* By logarithms: the probability of no success may underflow. */
	double sum = 0,
	       term = exp(lgamma_r(count + 1.0, &sign) - lgamma_r(least + 1.0, &sign) -
			  lgamma_r((double)count - least + 1, &sign) + least * log(p) +
			  ((double)count - least) * log1p(-p));
	for (unsigned k = least; k <= count; k++) {
		sum += term;
		term *= (double)(count - k) / (k + 1) * p / (1 - p);
	}
	return fmin(1, sum);
}

/* Tail below which the sum has lost its digits by cancellation; the first term of the
 * tail's expansion has a relative error of 1 / t^2 there: A. P. Soms, "An Asymptotic
 * Expansion for the Tail Area of the t-Distribution", JASA 71, 1976. */
static const double sums_end = 1e-10;

/* Density of Student's t distribution at t. */
static double student_density(double t, unsigned degrees)
{
	const double nu = degrees;
	int sign;

	return exp(lgamma_r((nu + 1.0) / 2.0, &sign) - lgamma_r(nu / 2.0, &sign) -
		   (nu + 1.0) / 2.0 * log1p(t * t / nu)) /
	       sqrt(nu * M_PI);
}

double np_student_p(double t, unsigned degrees)
{
	if (degrees == 0 || isnan(t))
		return (double)NAN;
	if (degrees > STUDENT_MOST)
		return np_normal_p(t);
	const double nu = degrees;
	const double angle = atan(fabs(t) / sqrt(nu));
	const double cosine = cos(angle);
	double term = degrees % 2 == 1 ? cosine : 1.0;
	double sum = degrees == 1 ? 0.0 : term;

	for (unsigned k = degrees % 2 == 1 ? 3 : 2; k + 1 < degrees; k += 2) {
		term *= cosine * cosine * (double)(k - 1) / (double)k;
		sum += term;
	}
	const double inside =
		degrees % 2 == 1 ? M_2_PI * (angle + sin(angle) * sum) : sin(angle) * sum;
	if (1.0 - inside > sums_end)
		return 1.0 - inside;
	return 2.0 * student_density(t, degrees) * (t * t + nu) / (fabs(t) * nu);
}

double np_student_quantile(double p, unsigned degrees)
{
	double low = 0.0;
	double high = 1.0;

	if (!(p > 0.0 && p < 1.0) || degrees == 0)
		return (double)NAN;
	while (np_student_p(high, degrees) > p)
		high *= 2.0;
	for (int i = 0; i < 100; i++) {
		const double middle = (low + high) / 2.0;

		if (np_student_p(middle, degrees) > p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2.0;
}

double np_normal_quantile(double p)
{
	return np_student_quantile(p, STUDENT_MOST + 1);
}

/* ---- t test -------------------------------------------------------------- */

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
