/*
 * moderate.c - priors of variances, by moments of their logarithms.
 */
#include "stats/moderate.h"

#include <math.h>
#include <stdbool.h>

/* x from which the expansions in 1 / x have a relative error of 1e-12. */
static const double expansion = 12.0;

/* Replacement for a variance of 0, which has no logarithm, as a share of the geometric
 * mean. */
static const double nothing = 1e-5;

double np_digamma(double x)
{
	double below = 0.0;

	while (x < expansion) {
		below += 1.0 / x;
		x += 1.0;
	}
	const double square = 1.0 / (x * x);
	return log(x) - 0.5 / x - below -
	       square * (1.0 / 12.0 -
			 square * (1.0 / 120.0 -
				   square * (1.0 / 252.0 -
					     square * (1.0 / 240.0 - square / 132.0))));
}

double np_trigamma(double x)
{
	double below = 0.0;

	while (x < expansion) {
		below += 1.0 / (x * x);
		x += 1.0;
	}
	const double square = 1.0 / (x * x);
	return below + 1.0 / x + square / 2.0 +
	       square / x *
		       (1.0 / 6.0 -
			square * (1.0 / 30.0 -
				  square * (1.0 / 42.0 -
					    square * (1.0 / 30.0 - square * 5.0 / 66.0))));
}

/* Solves trigamma(d0 / 2) = spread for d0, at most `most`; trigamma decreases. */
static double degrees_of(double spread, double most)
{
	double low = 1e-3, high = most;

	if (spread <= np_trigamma(most / 2.0))
		return most;
	for (int i = 0; i < 60; i++) {
		const double middle = sqrt(low * high);

		if (np_trigamma(middle / 2.0) > spread)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Replacement for a variance of 0; 0 if all are 0. */
static double least_of(const struct np_spread *spreads, size_t count)
{
	double sum = 0.0, known = 0.0;

	for (size_t i = 0; i < count; i++) {
		if (spreads[i].variance > 0.0) {
			sum += log(spreads[i].variance);
			known += 1.0;
		}
	}
	return known > 0.0 ? nothing * exp(sum / known) : 0.0;
}

/* Smyth's e_k: logarithm of a variance, at least `least`, minus its bias for its degrees of
 * freedom. */
static double centred(const struct np_spread *spread, double least)
{
	const double half = spread->degrees / 2.0;

	return log(fmax(spread->variance, least)) - np_digamma(half) + log(half);
}

/* Least number of variances for a prior that depends on the size. */
enum { TREND_LEAST = 16 };

/* Trend of e_k (centred()) over the rank k of the size: level + slope (k - middle) + bend
 * ((k - turn) (k - middle) - square), whose terms are orthogonal: G. E. Forsythe,
 * "Generation and Use of Orthogonal Polynomials for Data-Fitting with a Digital Computer",
 * Journal of SIAM 5(2), 1957. */
struct trend {
	double level, middle, slope, turn, square, bend;
	double known, terms;
};

static bool is_known(const struct np_spread *spread)
{
	return !isnan(spread->variance) && spread->degrees != 0;
}

static double first_term(const struct trend *trend, size_t k)
{
	return (double)k - trend->middle;
}

static double second_term(const struct trend *trend, size_t k)
{
	return ((double)k - trend->turn) * first_term(trend, k) - trend->square;
}

static double trend_at(const struct trend *trend, size_t k)
{
	return trend->level + trend->slope * first_term(trend, k) +
	       trend->bend * second_term(trend, k);
}

static void fit_slope(struct trend *trend, const struct np_spread *spreads, size_t count,
		      double least)
{
	double sum = 0.0, squares = 0.0, cubes = 0.0;

	for (size_t k = 0; k < count; k++) {
		const double term = first_term(trend, k);

		if (!is_known(&spreads[k]))
			continue;
		sum += term * centred(&spreads[k], least);
		squares += term * term;
		cubes += (double)k * term * term;
	}
	trend->slope = sum / squares;
	trend->turn = cubes / squares;
	trend->square = squares / trend->known;
}

static void fit_bend(struct trend *trend, const struct np_spread *spreads, size_t count,
		     double least)
{
	double sum = 0.0, squares = 0.0;

	for (size_t k = 0; k < count; k++) {
		const double term = second_term(trend, k);

		if (!is_known(&spreads[k]))
			continue;
		sum += term * centred(&spreads[k], least);
		squares += term * term;
	}
	trend->bend = sum / squares;
}

static struct trend fit_trend(const struct np_spread *spreads, size_t count, double least)
{
	struct trend trend = { .terms = 1.0 };
	double sum = 0.0, places = 0.0;

	for (size_t k = 0; k < count; k++) {
		if (!is_known(&spreads[k]))
			continue;
		sum += centred(&spreads[k], least);
		places += (double)k;
		trend.known += 1.0;
	}
	trend.level = sum / trend.known;
	trend.middle = places / trend.known;
	if (trend.known >= TREND_LEAST) {
		trend.terms = 3.0;
		fit_slope(&trend, spreads, count, least);
		fit_bend(&trend, spreads, count, least);
	}
	return trend;
}

void np_priors_fit(const struct np_spread *spreads, size_t count, double most,
		   struct np_prior *priors)
{
	const double least = least_of(spreads, count);
	const struct trend trend = fit_trend(spreads, count, least);
	double squares = 0.0, noise = 0.0;

	for (size_t k = 0; k < count; k++) {
		priors[k] = (struct np_prior){ .variance = (double)NAN };
		if (!is_known(&spreads[k]))
			continue;
		const double apart = centred(&spreads[k], least) - trend_at(&trend, k);

		squares += apart * apart;
		noise += np_trigamma(spreads[k].degrees / 2.0) / trend.known;
	}
	if (trend.known < NP_PRIOR_LEAST || least <= 0.0)
		return;
	const double degrees = degrees_of(squares / (trend.known - trend.terms) - noise,
					  most),
		     half = degrees / 2.0;

	for (size_t k = 0; k < count; k++)
		priors[k] = (struct np_prior){
			.variance = exp(trend_at(&trend, k) + np_digamma(half) - log(half)),
			.degrees = degrees
		};
}

double np_moderate(const struct np_prior *prior, const struct np_spread *spread)
{
	if (isnan(prior->variance))
		return spread->variance;
	return (prior->degrees * prior->variance + spread->degrees * spread->variance) /
	       (prior->degrees + spread->degrees);
}
