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

/*
 * Copies values and winsorizes outliers: a value far from the median of its neighbours in
 * the same unit, as of a visit that was descheduled, is set to the nearest that is none.  A
 * plateau of three positions is no outlier, and the ends are left alone.  F. R. Hampel,
 * "The influence curve and its role in robust estimation", JASA 69, 1974.
 */
void np_knee_tame(const double *values, size_t units, size_t positions, double *tamed);

/* The median over units of each position. */
void np_knee_figures(const struct np_knee_values *values, double *figures);

/* The standard error of a figure, from positions first to last: between units or
 * between positions, whichever is more. */
double np_knee_noise(const struct np_knee_values *values, const double *figures,
		     size_t first, size_t last);

/* Whether positions differ by more than noise between units explains: by an effect that
 * every unit repeats. */
bool np_knee_is_repeated(const struct np_knee_values *values, const double *figures);

/* Whether the squared step is above the price, where each plateau has its own noise, but
 * not less than that of all. */
bool np_transition_stands_out(const struct np_knee_values *values, const double *figures,
			      const struct np_transition *at, double noise, double price);

/* The chance of a step as large, anywhere between the two plateaus, if they are one.
 * Exact if small; if it is certain to be above alpha, no more is counted. */
double np_transition_p(const struct np_knee_values *values, const struct np_transition *at,
		       double alpha);
