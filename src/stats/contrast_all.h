/*
 * contrast_all.h - all sizes of two groups of runs at once, for --compare.
 */
#pragma once

#include <stdint.h>

#include "stats/contrast.h"

/* What --compare needs: fewer runs a side are "unclear". */
enum { NP_RUNS_LEAST = 5 };

/*
 * times holds first_count + second_count runs, one after the other, each with
 * `sizes` times in the same order; NAN where a run lacks a size.
 *
 * Each contrast gets ratio and p as by np_contrast_runs(), but adjusted is by single-step
 * maxT: runs change sides as a whole, and a size's difference is compared with the largest
 * of any size in each such exchange.  P. H. Westfall and S. S. Young, Resampling-Based
 * Multiple Testing, 1993; statistic of V. G. Tusher, R. Tibshirani, G. Chu, "Significance
 * analysis of microarrays", PNAS 98(9), 2001.  It keeps the chance that any
 * size of two equal sides gets a verdict at q, however sizes of a run are
 * correlated, and, unlike a correction of p by p, can single out one size
 * with five runs a side.
 *
 * The interval is that of the same test: the mean difference, more and less as
 * many of its errors as the largest of any size exceeds in a share q of the
 * exchanges, so it leaves out 1 if and only if adjusted is at most q; and it
 * holds the ratio.  From it follows the verdict, with that margin (verdicts.h).
 * Sizes of fewer than NP_RUNS_LEAST runs a side keep the interval of
 * np_contrast_runs(), of 95 % and of that size alone, and are unclear.
 *
 * All exchanges are made up to 12870 (8 + 8), above that 10000 random ones from
 * seed.  Returns 0 or -ENOMEM.
 */
int np_contrast_all(const double *times, size_t sizes, size_t first_count,
		    size_t second_count, double q, double margin, uint64_t seed,
		    struct np_contrast *contrasts);
