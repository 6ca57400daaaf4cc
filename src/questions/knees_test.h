/*
 * knees_test.h - the noise of figures, and the tests of a transition.
 */
#pragma once

#include <stdbool.h>

#include "base/random.h"
#include "questions/knees.h"

/* Values by unit and position, and scratch memory. */
struct np_knee_values {
	const double *values; /* [unit * positions + position]; NAN: none */
	const double *where;
	size_t units, positions;
	double *scratch; /* [units * positions + units] */
	struct np_random *random;
};

/* Copies values and winsorizes outliers.  A value far from the median of its neighbours in
 * the same unit, e.g. of a descheduled visit, is set to the nearest bound.  A plateau of
 * three positions is no outlier; the ends stay as they are.  F. R. Hampel, "The influence
 * curve and its role in robust estimation", JASA 69, 1974. */
void np_knee_tame(const double *values, size_t units, size_t positions, double *tamed);

/* Median over units of each position. */
void np_knee_figures(const struct np_knee_values *values, double *figures);

/* Standard error of a figure over positions first to last: the larger of the noise between
 * units and between positions. */
double np_knee_noise(const struct np_knee_values *values, const double *figures,
		     size_t first, size_t last);

/* Returns true if positions differ by more than the noise between units: every unit repeats
 * an effect. */
bool np_knee_is_repeated(const struct np_knee_values *values, const double *figures);

/* Returns true if the squared step exceeds the price, with the noise of each plateau, but
 * not less than `noise`. */
bool np_transition_stands_out(const struct np_knee_values *values, const double *figures,
			      const struct np_transition *at, double noise, double price);

/* Probability of a step as large at any place between the two plateaus, if they are one.
 * Exact if small; counting stops once it is certain to exceed alpha. */
double np_transition_p(const struct np_knee_values *values, const struct np_transition *at,
		       double alpha);
