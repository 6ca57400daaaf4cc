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
#include <stdint.h>

#include "stats/ranges.h"

struct np_contrast {
	double ratio; /* second over first */
	/* 95 % interval; after np_contrast_all() the interval of the verdict; NAN with too
	 * few units. */
	double low, high;
	double p;	 /* two-sided p-value of one size alone */
	double adjusted; /* p corrected over all sizes by np_contrast_all(); else NAN */
	double least_p;	 /* least p that this number of units permits */
	size_t units;	 /* number of pairs, or of the runs of the smaller group */
	enum np_verdict verdict; /* NP_UNCLEAR until judged */
};

/*
 * Tests ratios, second over first, of units that were measured together: exact Wilcoxon
 * signed-rank test of their logarithms against 0 (F. Wilcoxon, 1945; mean ranks for ties,
 * with their exact distribution; normal approximation above 60 units), Hodges-Lehmann
 * estimate, and the interval of the inverted test (M. Hollander, D. A. Wolfe, E. Chicken,
 * Nonparametric Statistical Methods, 3rd edition, 2014, 3.1 to 3.3).  Pairs in alternating
 * order are exchangeable under the null hypothesis, so their logarithms are symmetric
 * around 0, as the test requires. Ratios above 0 and finite.  Returns 0 or -ENOMEM.
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

/* ---- All sizes of two groups of runs, for --compare ---------------------- */

/* Least runs per side for a verdict of --compare. */
enum { NP_RUNS_LEAST = 5 };

/* Ranges of sizes, tested together with the single sizes. */
struct np_contrast_ranges {
	const size_t *curves;  /* number of the curve of each size */
	struct np_range *list; /* room for one per size; of two sizes and more */
	size_t count;
};

/*
 * Tests all sizes of two groups of runs.  times: first_count + second_count runs, one after
 * the other, each with `sizes` times in the same order; NAN where a run lacks a size.
 *
 * Ratio and p are those of np_contrast_runs().  adjusted is by single-step maxT, a
 * permutation test: whole runs are exchanged between the groups, and the statistic of a
 * size is compared with the largest one of all sizes in each exchange.  P. H. Westfall and
 * S. S. Young, Resampling-Based Multiple Testing, 1993; statistic of V. G. Tusher, R.
 * Tibshirani, G. Chu, "Significance analysis of microarrays", PNAS 98(9), 2001.  The
 * family-wise error rate is at most q for any correlation between sizes of a run, and five
 * runs per side suffice for a single size, unlike with a correction of each p.
 *
 * The interval inverts the same test: the mean difference +/- its error times the critical
 * value that the largest statistic exceeds in a share q of the exchanges, extended to hold
 * the ratio; this interval excludes 1 if and only if adjusted <= q.  The verdict follows
 * from it with that margin (verdicts.h).  Sizes with fewer than NP_RUNS_LEAST runs per side
 * keep the 95 % interval of np_contrast_runs() and are unclear.
 *
 * ranges (NULL: none): the best partition of the ratios (ranges.h), tested in one family
 * with the sizes.  The partition is found anew in each exchange.  The largest statistics of
 * sizes and of ranges are compared in units of their critical values, which a share q of
 * the exchanges exceeds.  The statistic of a range uses the mean logarithm of each run,
 * weighted by size.
 *
 * Up to 12870 exchanges (8 + 8 runs) all are made, else 10000 random ones from seed.
 * Returns 0 or -ENOMEM.
 */
int np_contrast_all(const double *times, size_t sizes, size_t first_count,
		    size_t second_count, double q, double margin, uint64_t seed,
		    struct np_contrast *contrasts, struct np_contrast_ranges *ranges);
