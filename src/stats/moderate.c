/*
 * moderate.c - the prior of variances, by moments of their logarithms.
 */
#include "stats/moderate.h"

#include <math.h>

/* From where on the expansions in 1 / x are good to a part in 10^12. */
static const double expansion = 12.0;

/* A variance of 0, which has no logarithm, is replaced by this share of the geometric
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

/* The d0 whose trigamma(d0 / 2) is this, at most `most`: it falls as d0 rises. */
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

/* The replacement for a variance of 0; 0 if none is above it. */
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

/* Smyth's e_k: the logarithm of a variance, less its bias for these degrees of freedom. */
static double centred(const struct np_spread *spread, double least)
{
	const double half = spread->degrees / 2.0;

	return log(fmax(spread->variance, least)) - np_digamma(half) + log(half);
}

struct np_prior np_prior_fit(const struct np_spread *spreads, size_t count, double most)
{
	const double least = least_of(spreads, count);
	struct np_prior prior = { .variance = (double)NAN, .degrees = 0.0 };
	double sum = 0.0, squares = 0.0, noise = 0.0, known = 0.0;

	for (size_t i = 0; i < count; i++) {
		if (isnan(spreads[i].variance) || spreads[i].degrees == 0)
			continue;
		sum += centred(&spreads[i], least);
		noise += np_trigamma(spreads[i].degrees / 2.0);
		known += 1.0;
	}
	if (known < NP_PRIOR_LEAST || least <= 0.0)
		return prior;
	const double mean = sum / known;
	for (size_t i = 0; i < count; i++) {
		if (isnan(spreads[i].variance) || spreads[i].degrees == 0)
			continue;
		const double apart = centred(&spreads[i], least) - mean;
		squares += apart * apart;
	}
	prior.degrees = degrees_of(squares / (known - 1.0) - noise / known, most);
	prior.variance =
		exp(mean + np_digamma(prior.degrees / 2.0) - log(prior.degrees / 2.0));
	return prior;
}

double np_moderate(const struct np_prior *prior, const struct np_spread *spread)
{
	if (isnan(prior->variance))
		return spread->variance;
	return (prior->degrees * prior->variance + spread->degrees * spread->variance) /
	       (prior->degrees + spread->degrees);
}
