/*
 * sequential.h - whether a location is below or above a bound, decided while values still
 * arrive, with stated error rates.
 *
 * Values are looked at when there are 5, 7, 9, 12, ... of them, each time a quarter more.
 * Look k may err with the k-th part of the error rate, 1/(k(k + 1)), and these parts add up
 * to it: however long values arrive, a wrong decision is no more frequent (alpha spending:
 * K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials",
 * Biometrika 70, 1983, bounded by the sum).
 *
 * At a look the bound is held against Student's interval of the mean, and from ten values
 * on against that of the mean without the fifth at either end: K. K. Yuen, "The two-sample
 * trimmed t for unequal population variances", Biometrika 61, 1974.
 *
 * Within a margin of the bound either decision is right, so that there is one also for a
 * location at the bound.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum np_side { NP_SIDE_UNKNOWN, NP_SIDE_BELOW, NP_SIDE_ABOVE };

struct np_sequential {
	double bound;  /* same scale as the values, and additive: of times, logarithms */
	double margin; /* either way of the bound */
	/* The chance that it decides for a side while the location is on the other, beyond
	 * the margin. */
	double error_below, error_above;
	double resolution; /* least standard error that is believed */
};

struct np_sequential_look {
	enum np_side side;
	double estimate, low, high; /* of the last look; NAN before the first */
	size_t count;		    /* values of that look; 0 before the first */
};

enum { NP_SEQUENTIAL_FIRST = 5 };

/* Looks at the values in the order of their arrival, up to the look that decides.  The
 * same values give the same, and more values change no decision. */
struct np_sequential_look np_sequential_decide(const struct np_sequential *test,
					       const double *values, size_t count);

/* One look at all values, with the whole error rates: for values whose number did not
 * depend on them.  Fewer than the first look needs decide nothing. */
struct np_sequential_look np_sequential_once(const struct np_sequential *test,
					     const double *values, size_t count);
