/*
 * contrast.h - ratio of two times, by exact rank tests.
 *
 * The unit of a test is a pass or a run.  Exact permutation tests assume exchangeable units
 * under the null hypothesis and no distribution.  The number of units bounds p from below,
 * whatever the effect:
 *
 *   paired units   5: 0.0625   6: 0.03125   7: 0.0157   8: 0.0079   10: 0.002
 *   runs         4+4: 0.0286 5+5: 0.0080  6+6: 0.0022
 *
 * At q = 0.01 six passes never suffice; eight may.  A test with too few units is "unclear",
 * not "same".
 */
#pragma once

#include <stddef.h>

#include "stats/verdicts.h"

struct np_contrast {
	double ratio;	  /* second over first */
	double low, high; /* 95 % interval, from np_contrast_all() that of the verdict;
			   * NAN with too few units */
	double p;	  /* two-sided, for one size alone */
	double adjusted;  /* corrected over all sizes by np_contrast_all(); else NAN */
	double least_p;	  /* least possible p with that number of units */
	size_t units;	  /* pairs, or the smaller number of runs */
	enum np_verdict verdict; /* NP_UNCLEAR until judged */
};

/*
 * Tests ratios, second over first, of units that were measured together: exact Wilcoxon
 * signed-rank test of their logarithms against 0 (F. Wilcoxon, 1945; mean ranks for ties,
 * with their exact distribution; normal approximation above 60 units), Hodges-Lehmann
 * estimate, and the interval of the inverted test (M. Hollander, D. A. Wolfe, E. Chicken,
 * Nonparametric Statistical Methods, 3rd edition, 2014, 3.1 to 3.3).  Pairs in alternating
 * order are exchangeable under the null hypothesis, hence symmetric, as the test requires.
 * Ratios above 0 and finite.  Returns 0 or -ENOMEM.
 */
int np_contrast_paired(const double *ratios, size_t count, struct np_contrast *contrast);

/*
 * Tests two groups of runs, one time per run: exact Mann-Whitney test (H. B. Mann and D. R.
 * Whitney, 1947; ties as above; normal approximation if the product of the numbers of runs
 * exceeds 400), Hodges-Lehmann ratio and interval on logarithms (Hollander, Wolfe, Chicken,
 * 4.1 to 4.3).  Times above 0 and finite.
 * Returns 0 or -ENOMEM.
 */
int np_contrast_runs(const double *first, size_t first_count, const double *second,
		     size_t second_count, struct np_contrast *contrast);
