/*
 * proof.h - at which sizes one buffer mode is significantly slower than another.
 *
 * Both modes, and the first once more, were measured side by side in each unit,
 * a pass or a run.  So each size has a ratio for each unit, and a control: the
 * ratio of reuse to reuse.  With six to nine units an exact rank test has
 * no p small enough for a hundred sizes, so this test assumes more, and the
 * control tells whether too much:
 *
 * - Student's t of the logarithms of a size's ratios, one of each unit;
 * - with a variance that is moderated by those of the other sizes, and by the
 *   prior of the control where that is larger (moderate.h), so that units
 *   which agree by chance make nothing significant;
 * - divided by the inflation of the control's own t, if it is above 1:
 *   B. Devlin and K. Roeder, "Genomic Control for Association Studies", Biometrics
 *   55(4), 1999;
 * - corrected over all sizes, and for the tests of the control beside (np_adjust_p()): the
 * false discovery rate.
 *
 * A verdict follows from an interval (verdicts.h), which is that of the same test at the
 * level at which Benjamini and Hochberg's step-up rejects, 1 - R q / m where R of m tests
 * are rejected: of intervals so chosen, a share q at most misses its ratio (Y. Benjamini
 * and D. Yekutieli, "False Discovery Rate-Adjusted Multiple Confidence Intervals for
 * Selected Parameters", JASA 100(469), 2005).  Where none is rejected it is 1 - q / m.  It
 * leaves out 1 if and only if its size is rejected.  It is made wider in two ways, and
 * never narrower:
 *
 * - it holds the 95 % interval of the median, which assumes no distribution;
 * - where the control's own interval leaves out 1, it grows by as much at both ends as the
 *   control is off: what makes reuse differ from itself may make the ratio differ.
 *
 * How often that errs was simulated: doc/method.md.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "stats/verdicts.h"

/* The share of verdicts "slower" and "faster" that may be wrong. */
#define NP_PROOF_Q 0.01
/* The part of it that pairs have in a run that asks for causes, too. */
#define NP_PROOF_BESIDE_CAUSES 0.5

/* A size: ratios of units, above 0 and finite. */
struct np_size_test {
	const double *ratios, *control_ratios;
	const unsigned *numbers, *control_numbers; /* of their units (unit_numbers.h) */
	size_t count, control_count; /* control_count 0: no control was measured */
	bool looked; /* units were added until the interval was narrow (looks.h) */
};

struct np_proof {
	double low, high; /* what the verdict follows from; NAN: too few units */
	/* 95 % interval of the median ratio of this size alone, if looked at none the
	 * less; NAN: too few units. */
	double alone_low, alone_high;
	/* Of the logarithm of a unit's ratio: the mean, and the variance that the test
	 * takes. NAN: too few units. */
	double mean, variance;
	double p, adjusted; /* two-sided; corrected over all sizes.  NAN if none */
	/* The detection limit at a power of 80 %: 0.02 is 2 % longer, or as much shorter.
	 * NAN if there is none. */
	double resolution;
	bool unstable; /* the control differs from 1, by the same test */
	enum np_verdict verdict;
};

/* Of all sizes together. */
struct np_calibration {
	double inflation;     /* of the control's squares of t, at least 1 */
	double noise_degrees; /* d0: how alike the sizes are in that; 0 not at all */
	double common;	      /* share of it that all sizes of a unit have in common */
};

/* Judges all sizes at once, in ascending order, at q, and with a margin for what is the
 * same.  calibration may be NULL.  Returns 0 or -ENOMEM. */
int np_prove(const struct np_size_test *trials, size_t count, double q, double margin,
	     struct np_proof *proofs, struct np_calibration *calibration);

/* As np_prove() at a share (above 0, at most 1) of NP_PROOF_Q, for a run that asks other
 * questions, too.  adjusted is given as if the share were all of it: below NP_PROOF_Q it
 * is significant, and 1 is the most. */
int np_prove_share(const struct np_size_test *trials, size_t count, double share,
		   double margin, struct np_proof *proofs,
		   struct np_calibration *calibration);
