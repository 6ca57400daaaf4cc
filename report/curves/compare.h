/*
 * compare.h - comparison of two sides of runs (--compare), size by size.
 *
 * A unit is a run: a file of --runs has several, any other file is one.  Each side needs
 * five units for a verdict; verdicts.h describes the tests and their correction.
 */
#pragma once

#include <stdio.h>

#include "report/curves/run.h"
#include "stats/contrast_all.h"

/* Familywise error rate. */
#define NP_COMPARE_Q 0.01

/* One size of one curve. */
struct np_compared {
	const struct np_series *before, *after; /* owned by the result */
	size_t length;
	double before_s, after_s; /* medians over runs */
	struct np_contrast contrast;
	bool beyond; /* significantly slower by more than the threshold */
};

struct np_compare_result {
	struct np_compared *list;
	size_t count;
	size_t runs[2];
	/* All curves and sizes of each side, without times. */
	struct np_run sides[2];
	size_t curves_only[2], sizes_only[2]; /* on one side only: not compared */
	bool by_position;		      /* the curves have no name in common */
};

/*
 * Compares runs[0, first_count) with the rest.  share: threshold of `beyond`, as a share of
 * the time, such as 0.05.  Null hypothesis of `beyond`: the second side takes at most
 * 1 + share times as long; a true slowdown below it is reported no more often than
 * NP_COMPARE_Q.  Returns 0 or -errno: -ENODATA with NP_ERROR_USAGE if no size is on both
 * sides, -EINVAL for curves of different operations.  np_compare_free() is called in all
 * cases.
 */
int np_compare(const struct np_run *runs, size_t first_count, size_t count, double share,
	       struct np_compare_result *comparison, struct np_error *error);
void np_compare_free(struct np_compare_result *comparison);

/* Number of entries from begin up to end that have a verdict. */
size_t np_compare_count(const struct np_compare_result *comparison, size_t begin,
			size_t end, enum np_verdict verdict);

/* Number of sizes significantly slower by more than the threshold. */
size_t np_compare_beyond(const struct np_compare_result *comparison);

/* Returns 0, or -EDOM with NP_ERROR_UNDECIDED if every size is unclear. */
int np_compare_undecided(const struct np_compare_result *comparison,
			 struct np_error *error);
