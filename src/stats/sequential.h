/*
 * sequential.h - sequential test of a location (mean or trimmed mean) against a bound, with
 * given error rates.
 *
 * Interim analyses (looks) take place at 5, 7, 9, 12, ... values, each a quarter more. Look
 * k spends the share 1/(k(k + 1)) of the error rate; the shares add up to 1, so the error
 * rate holds for any number of values (alpha spending: K. K. G. Lan and D. L. DeMets,
 * "Discrete sequential boundaries for clinical trials", Biometrika 70, 1983, bounded by the
 * sum).
 *
 * A look compares the bound with Student's interval of the mean, from ten values on of the
 * mean without a fifth at either end: K. K. Yuen, "The two-sample trimmed t for unequal
 * population variances", Biometrika 61, 1974.
 *
 * Within a margin of the bound both decisions are right, so that a location at the bound is
 * decided as well.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum np_side { NP_SIDE_UNKNOWN, NP_SIDE_BELOW, NP_SIDE_ABOVE };

struct np_sequential {
	/* In the unit of the values, which is additive: logarithms of times. */
	double bound;
	double margin; /* on either side of the bound */
	/* Probability of a decision for this side if the location is on the other, beyond
	 * the margin. */
	double error_below, error_above;
	double resolution; /* lower bound of the standard error */
};

struct np_interim {
	enum np_side side;
	double estimate, low, high; /* of the last look; NAN before the first */
	size_t count;		    /* values of that look; 0 before the first */
};

enum { NP_SEQUENTIAL_FIRST = 5 };

/* Tests the values in the order of their arrival, up to the look that decides.  More values
 * never change a decision. */
struct np_interim np_sequential_decide(const struct np_sequential *test,
				       const double *values, size_t count);

/* Tests all values in a single look with the whole error rates; valid if their number was
 * fixed before the measurement.  Undecided with fewer than NP_SEQUENTIAL_FIRST values. */
struct np_interim np_sequential_once(const struct np_sequential *test, const double *values,
				     size_t count);

/*
 * ---- Interim analyses that end the measurement of a size --------------------
 *
 * The measurement ends when the interval of the median is narrow enough; such intervals
 * have a higher level, which keeps 95 % coverage.
 *
 * Stopping at a narrow interval selects intervals that are narrow by chance: at a level of
 * 95 %, with looks after 6, 9, 12 ... units, intervals covered the median in 90 to 93 %.
 * Hence few and late looks and a higher level; lab/stopping.c simulates the coverage
 * (doc/results.md).
 */

/* Units before the first look. */
enum { NP_LOOK_FIRST = 8 };

/* True if a look is due after `passes` passes: the first at the greater of NP_LOOK_FIRST
 * and `least`, each further one after a third more. */
bool np_look_is_due(unsigned passes, unsigned least);

/*
 * Level of an interval over `units` units that covers the median in at least 95 % of cases;
 * looked: measurement may have ended because the interval was narrow.
 */
double np_look_level(size_t units, bool looked);
