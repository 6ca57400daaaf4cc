/*
 * proof.h - at which sizes one way of sending surely takes longer than another.
 *
 * Both ways, and the first once more, were measured side by side in each unit,
 * a pass or a run.  So each size has a ratio a unit, and beside it a null: the
 * ratio of the same to the same.  With six to nine units an exact rank test has
 * no p small enough for a hundred sizes, so this one assumes more, and lets the
 * null say whether that was too much:
 *
 * - Student's t of the logarithms of a size's ratios, one of each unit;
 * - with a variance that is moderated by those of the other sizes, and by what
 *   the null's have in common where that is more (moderate.h), so that units
 *   which agree by chance make nothing sure;
 * - divided by how much too wide the null's own t are spread, never multiplied:
 *   B. Devlin and K. Roeder, "Genomic Control for Association Studies", Biometrics
 *   55(4), 1999;
 * - corrected over all sizes, and for the null's tests beside (np_adjust_p());
 * - and no verdict against the interval of the median, which assumes nothing: it
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
/* The part of it that pairs have where causes are asked for beside. */
#define NP_PROOF_BESIDE_CAUSES 0.5

/* A size: ratios of units, above 0 and finite. */
struct np_trial {
	const double *ratios, *control_ratios;
	size_t count, control_count; /* null_count 0: no null was measured */
};

struct np_proof {
	double low, high;   /* 95 % interval of the median ratio; NAN: too few units */
	double p, adjusted; /* two-sided; corrected over all sizes.  NAN if none */
	/* What would have been found here with a chance of 80 %: 0.02 is 2 % longer,
	 * or as much shorter.  NAN if nothing would. */
	double resolution;
	enum np_verdict verdict;
};

/* What all sizes share. */
struct np_calibration {
	double inflation;     /* of the null's squares of t, at least 1 */
	double noise;	      /* s0, of the logarithm of a unit's ratio; or NAN */
	double noise_degrees; /* d0: how alike the sizes are in that; 0 not at all */
	double common;	      /* share of it that a unit brings to all sizes alike */
};

/*
 * Judges all sizes at once, at q.  calibration may be NULL.  Verdicts:
 *
 * NP_UNDECIDED      too few units for an interval
 * NP_UNSTABLE       the null differs from 1 here, by the same test
 * NP_SLOWER, FASTER the ratio differs from 1
 * NP_NO_DIFFERENCE  it may differ by as much as resolution says
 *
 * Returns 0 or -ENOMEM.
 */
int np_prove(const struct np_trial *trials, size_t count, double q, struct np_proof *proofs,
	     struct np_calibration *calibration);

/* As np_prove() at a share (above 0, at most 1) of NP_PROOF_Q, for a run that asks other
 * questions, too.  adjusted is given as if the share were all of it: below NP_PROOF_Q it
 * is sure, and 1 is the most. */
int np_prove_share(const struct np_trial *trials, size_t count, double share,
		   struct np_proof *proofs);

#endif
