/*
 * mode_test.h - tests, over all sizes, of one buffer mode against another.
 *
 * Both modes, and the first a second time, are measured side by side in each unit, a pass
 * or a run.  Each size has one ratio per unit, and a control: reuse over reuse.  With six
 * to nine units no exact rank test has a p small enough for a hundred sizes.  This test
 * assumes more, and the control checks these assumptions:
 *
 * - Student's t of the logarithms of the ratios of a size, one per unit;
 * - with a variance moderated by those of the other sizes, and by the prior of the control
 *   if that is larger (moderate.h), so that units that agree by chance are not significant;
 * - with t divided by the square root of the inflation of t^2 of the control, if above 1:
 *   B. Devlin and K. Roeder, "Genomic Control for Association Studies", Biometrics
 *   55(4), 1999;
 * - corrected over all sizes and the tests of the control by the false discovery rate
 *   (np_adjust_p()).
 *
 * A verdict follows from an interval (verdicts.h) of the same test at the level at which
 * Benjamini and Hochberg's step-up rejects, 1 - R q / m if R of m tests are rejected: a
 * share q at most of the intervals so selected misses its ratio (Y. Benjamini
 * and D. Yekutieli, "False Discovery Rate-Adjusted Multiple Confidence Intervals for
 * Selected Parameters", JASA 100(469), 2005).  Without rejections the level is
 * 1 - q / m.  The interval excludes 1 if and only if the size is rejected.  Two extensions
 * widen the interval:
 *
 * - to hold the 95 % interval of the median, which assumes no distribution;
 * - at both ends by the deviation of the control from 1, if the interval of the control
 *   excludes 1.
 *
 * Error rates were simulated: doc/method.md.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "stats/verdicts.h"

/* False discovery rate: largest expected share of wrong verdicts "slower" and "faster". */
#define NP_MODE_TEST_Q 0.01
/* Share of NP_MODE_TEST_Q for the pairs of a run with --why. */
#define NP_MODE_TEST_BESIDE_CAUSES 0.5

/* One size: ratios per unit, above 0 and finite. */
struct np_size_test {
	const double *ratios, *control_ratios;
	/* Units of these ratios, ascending: see np_place_from(). */
	const unsigned *numbers, *control_numbers;
	size_t count, control_count; /* control_count 0: no control was measured */
	bool looked; /* units were added until the interval was narrow (sequential.h) */
};

struct np_mode_test {
	/* Interval of the ratio that the verdict follows from; NAN: too few units. */
	double low, high;
	/* 95 % interval of the median ratio of this size alone, at the level for interim
	 * analyses if `looked`; NAN: too few units. */
	double alone_low, alone_high;
	/* Mean, and moderated variance, of the logarithm of a unit's ratio.  NAN: too few
	 * units. */
	double mean, variance;
	/* Two-sided p-value of this size, and corrected over all sizes; NAN: none. */
	double p, adjusted;
	/* Detection limit at a power of 80 %: 0.02 is 2 % slower or faster.  NAN: none. */
	double resolution;
	bool unstable; /* the control differs from 1, by the same test */
	enum np_verdict verdict;
};

/* Results over all sizes. */
struct np_calibration {
	double inflation;     /* factor on t^2 of the control, at least 1 */
	double noise_degrees; /* d0 of the prior of the variances (moderate.h); 0: none */
	/* Share, 0 to 1, of the variance of a unit that all its sizes have in common. */
	double common;
};

/* Tests all sizes, in ascending order, at the false discovery rate q, with `margin` for the
 * verdict "same".  calibration may be NULL.  Returns 0 or -ENOMEM. */
int np_test_modes(const struct np_size_test *trials, size_t count, double q, double margin,
		  struct np_mode_test *proofs, struct np_calibration *calibration);

/* As np_test_modes() at a share (above 0, at most 1) of NP_MODE_TEST_Q, for a run with
 * other tests as well.  adjusted is divided by the share, at most 1: below NP_MODE_TEST_Q
 * it is significant. */
int np_test_modes_share(const struct np_size_test *trials, size_t count, double share,
			double margin, struct np_mode_test *proofs,
			struct np_calibration *calibration);

/*
 * ---- Numbers of the passes or runs that values of a size belong to ----------
 *
 * A size may lack a unit, for example one in another host state.  numbers ascend; NULL:
 * 0, 1, 2 ...
 */

#define NP_NO_UNIT UINT_MAX

/* Index into numbers of the first unit >= `least`, or count. */
static inline size_t np_place_from(const unsigned *numbers, size_t count, unsigned least)
{
	size_t low = 0, high = count;

	if (numbers == NULL)
		return least < count ? least : count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (numbers[middle] < least)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Smaller one of `next` and the first unit behind `unit`.  Called for all sizes, with
 * `next` from NP_NO_UNIT on, it returns the next unit of any size. */
static inline unsigned np_next_unit(const unsigned *numbers, size_t count, unsigned unit,
				    unsigned next)
{
	const size_t place = np_place_from(numbers, count, unit + 1);

	if (place == count)
		return next;
	const unsigned own = numbers != NULL ? numbers[place] : (unsigned)place;
	return own < next ? own : next;
}

/* Index into numbers of a unit, or count. */
static inline size_t np_place_of_unit(const unsigned *numbers, size_t count, unsigned unit)
{
	const size_t place = np_place_from(numbers, count, unit);

	return place < count && (numbers == NULL || numbers[place] == unit) ? place : count;
}
