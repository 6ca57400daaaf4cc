/*
 * contrast.h - the ratio of two times, by exact rank tests.
 *
 * A test's unit is a pass, or a run.  Tests here are exact permutation tests, which assume
 * that units are exchangeable if there is no difference, and nothing on their
 * distribution.  The number of units sets a
 * least p, below which no effect can bring them:
 *
 *   paired units   5: 0.0625   6: 0.03125   7: 0.0157   8: 0.0079   10: 0.002
 *   runs         4+4: 0.0286 5+5: 0.0080  6+6: 0.0022
 *
 * So at q = 0.01, six passes cannot decide anything; eight can.  A test that could not
 * is "unclear", which is not "same".
 */
#pragma once

#include <stddef.h>

#include "stats/verdicts.h"

struct np_contrast {
	double ratio;	  /* of the second over the first */
	double low, high; /* 95 % interval, by np_contrast_all() that of the verdict; NAN
			   * if there are too few units for one */
	double p;	  /* two-sided; of one size alone until corrected */
	double adjusted;  /* over all sizes; NAN but by np_contrast_all() */
	double least_p;	  /* the least p that so many units can give */
	size_t units;	  /* pairs, or the smaller of the two numbers of runs */
	enum np_verdict verdict; /* NP_UNCLEAR until judged */
};

/*
 * Ratios, second over first, of units that were measured together: exact
 * Wilcoxon signed-rank test of their logarithms against 0 (F. Wilcoxon, 1945;
 * ties get mean ranks, for which the exact distribution is made too; normal
 * above 60 units), Hodges-Lehmann estimate and the interval that belongs to the
 * test (M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical
 * Methods, 3rd edition, 2014, 3.1 to 3.3).  Pairs whose order alternates are
 * exchangeable if nothing differs, so the symmetry that the test needs holds.
 * Ratios above 0 and finite.  Returns 0 or -ENOMEM.
 */
int np_contrast_paired(const double *ratios, size_t count, struct np_contrast *contrast);

/*
 * Two groups of runs, each run a time: exact Mann-Whitney test (H. B.
 * Mann and D. R. Whitney, 1947; ties as above; normal where the groups'
 * sizes multiply to above 400), Hodges-Lehmann ratio and interval on logarithms
 * (Hollander, Wolfe, Chicken, 4.1 to 4.3).  Times above 0 and finite.
 * Returns 0 or -ENOMEM.
 */
int np_contrast_runs(const double *first, size_t first_count, const double *second,
		     size_t second_count, struct np_contrast *contrast);
