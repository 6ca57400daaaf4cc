/*
 * contrast_all.h - all sizes of two groups of runs at once, for --compare.
 */
#pragma once

#include <stdint.h>

#include "stats/contrast.h"

/* Least runs per side of --compare; fewer are "unclear". */
enum { NP_RUNS_LEAST = 5 };

/*
 * Tests all sizes of two groups of runs.  times: first_count + second_count runs, one after
 * the other, each with `sizes` times in the same order; NAN where a run lacks a size.
 *
 * Ratio and p are those of np_contrast_runs().  adjusted is by single-step maxT: whole runs
 * change sides, and the difference of a size is compared with the largest of all sizes in
 * each exchange.  P. H. Westfall and S. S. Young, Resampling-Based Multiple Testing, 1993;
 * statistic of V. G. Tusher, R. Tibshirani, G. Chu, "Significance analysis of microarrays",
 * PNAS 98(9), 2001.  The family-wise error rate is at most q for any correlation between
 * sizes of a run, and five runs per side suffice for a single size, unlike with a
 * correction of each p.
 *
 * The interval inverts the same test: the mean difference +/- its error times the critical
 * value that the largest statistic exceeds in a share q of the exchanges, extended to hold
 * the ratio; this interval excludes 1 if and only if adjusted <= q.  The verdict follows
 * from it with that margin (verdicts.h).  Sizes with fewer than NP_RUNS_LEAST runs per side
 * keep the 95 % interval of np_contrast_runs() and are unclear.
 *
 * Up to 12870 exchanges (8 + 8 runs) all are made, else 10000 random ones from seed.
 * Returns 0 or -ENOMEM.
 */
int np_contrast_all(const double *times, size_t sizes, size_t first_count,
		    size_t second_count, double q, double margin, uint64_t seed,
		    struct np_contrast *contrasts);
