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
 * - corrected over all sizes, and for the tests of the control (np_adjust_p());
 * - and no verdict against the interval of the median, which assumes no distribution: it
 *   must lie on the same side of 1.
 *
 * How often that errs was simulated: doc/method.md.
 */
#ifndef NP_PROOF_H
#define NP_PROOF_H

#include <stddef.h>

#include "stats/verdicts.h"

/* The share of verdicts "slower" and "faster" that may be wrong. */
#define NP_PROOF_Q 0.01
/* The part of it that pairs have in a run that asks for causes, too. */
#define NP_PROOF_BESIDE_CAUSES 0.5

/* A size: ratios of units, above 0 and finite. */
struct np_trial {
	const double *ratios, *control_ratios;
	size_t count, control_count; /* control_count 0: no control was measured */
};

struct np_proof {
	double low, high;   /* 95 % interval of the median ratio; NAN: too few units */
	double p, adjusted; /* two-sided; corrected over all sizes.  NAN if none */
	/* The detection limit at a power of 80 %: 0.02 is 2 % longer, or as much shorter.
	 * NAN if there is none. */
	double resolution;
	enum np_verdict verdict;
};

/* Of all sizes together. */
struct np_calibration {
	double inflation; /* of the control's squares of t, at least 1 */
	double noise;	  /* s0, of the logarithm of a unit's ratio; or NAN */
};

/*
 * Judges all sizes at once, at q.  calibration may be NULL.  Verdicts:
 *
 * NP_UNDECIDED      too few units for an interval
 * NP_UNSTABLE       the control differs from 1 here, by the same test
 * NP_SLOWER, FASTER the ratio differs from 1
 * NP_NO_DIFFERENCE  it may differ by as much as resolution says
 *
 * Returns 0 or -ENOMEM.
 */
int np_prove(const struct np_trial *trials, size_t count, double q, struct np_proof *proofs,
	     struct np_calibration *calibration);

/* As np_prove() at a share (above 0, at most 1) of NP_PROOF_Q, for a run that asks other
 * questions, too.  adjusted is given as if the share were all of it: significant below
 * NP_PROOF_Q, at most 1. */
int np_prove_share(const struct np_trial *trials, size_t count, double share,
		   struct np_proof *proofs);

#endif
