/*
 * compare.h - comparison of two sides of runs (--compare), and of headers.
 *
 * A unit is a run: a file of --runs has several, any other file is one.  Each side needs
 * five units for a verdict; verdicts.h describes the tests and their correction.
 */
#pragma once

#include "report/curves/run.h"
#include "stats/contrast.h"

/* ---- Two sides, size by size -------------------------------------------------------- */

/* Familywise error rate of the verdicts on all sizes of a comparison. */
#define NP_COMPARE_Q 0.01

/* One size of one curve. */
struct np_compared {
	const struct np_series *before, *after; /* owned by the result */
	size_t length;
	double before_s, after_s; /* medians over the runs of a side, seconds a message */
	struct np_contrast contrast;
	bool beyond; /* significantly slower by more than the threshold */
};

struct np_compare_result {
	struct np_compared *list;
	size_t count;
	/* Ranges of list[] with one ratio; number that is beyond the threshold. */
	struct np_contrast_ranges ranges;
	size_t ranges_beyond;
	size_t runs[2];
	/* Union of the curves and sizes of all runs of a side, without times. */
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

/* Two sides and their comparison. */
struct np_compared_sides {
	const struct np_run *runs; /* the first side, then the second */
	size_t first_count, count;
	const struct np_compare_result *result;
	double share; /* threshold of a slowdown, such as 0.05 */
};

/* Number of sizes in list[begin, end) with this verdict. */
size_t np_compare_count(const struct np_compare_result *comparison, size_t begin,
			size_t end, enum np_verdict verdict);

/* Number of sizes significantly slower by more than the threshold; if none, of ranges. */
size_t np_compare_beyond(const struct np_compare_result *comparison);

/* Returns 0, or -EDOM with NP_ERROR_UNDECIDED if every size is unclear. */
int np_compare_undecided(const struct np_compare_result *comparison,
			 struct np_error *error);

/* ---- Headers ------------------------------------------------------------------------ */

/* Calls the hook for each difference that may affect times: "kernel", "6.1", "6.2"; either
 * value may be NULL. Options of duration and destination are ignored. */
typedef void np_difference_hook(void *context, const char *what, const char *before,
				const char *after);
void np_compare_headers(const struct np_run *before, const struct np_run *after,
			np_difference_hook *hook, void *context);

/* Calls the hook for differences between hosts only. */
void np_compare_machines(const struct np_run *before, const struct np_run *after,
			 np_difference_hook *hook, void *context);
