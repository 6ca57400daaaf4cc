/*
 * findings.h - what a table of figures says, in a few numbers.
 */
#ifndef NP_FINDINGS_H
#define NP_FINDINGS_H

#include "results/rows.h"

/* What a variant costs over the first, in one mode: over all sizes. */
struct np_comparison {
	struct np_pair like;	    /* of these rows; its length and numbers say nothing */
	double ratio, least, most;  /* median, smallest and largest over the sizes */
	size_t pairs, above, below; /* sizes; those whose interval is above 1, below 1 */
	size_t smallest, largest;   /* size, bytes */
	/* Of the sizes at which counts changed too, that with the ratio farthest from 1;
	 * NULL: there is none. */
	const struct np_pair *counted;
};
enum { NP_COMPARISONS_MAX = NP_MODES * (NP_VARIANTS_MAX - 1) };

/* Sizes next to each other at which an mode is slower than its base. */
struct np_slow_range {
	size_t smallest, largest, sizes; /* bytes; how many sizes these are */
	const struct np_pair *worst;	 /* of them: the largest ratio */
};
enum { NP_SLOW_RANGES_MAX = 8 };

/* What an mode costs over another, with one variant: verdicts over all sizes. */
struct np_cost {
	struct np_pair like; /* of these rows; its length and numbers say nothing */
	size_t pairs;	     /* sizes */
	size_t verdicts[NP_VERDICTS];
	/* Those where it is slower, the costliest first; there may be more. */
	struct np_slow_range slow_ranges[NP_SLOW_RANGES_MAX];
	size_t slow_range_count;
	const struct np_pair *fastest; /* of those where it is faster; NULL: nowhere */
	/* What would have been found where no difference was: at half of these
	 * sizes, at all of them; NAN if there are none. */
	double resolution, resolution_most;
	/* Reuse against itself: the median, smallest and largest ratio; NAN if it was
	 * not measured. */
	double control_ratio, control_least, control_most;
};
enum { NP_COSTS_MAX = 32 };

struct np_findings {
	/* The run asked one question of one size, whose answer is printed apart. */
	bool one_question;
	const struct np_row *latency; /* the smallest message; NULL: no rows */
	const struct np_row *peak;    /* the highest rate */
	/* Of modes over others, by verdicts; without memory, none. */
	struct np_cost costs[NP_COSTS_MAX];
	size_t cost_count;
	/* Of rotate over reuse, by the interval of each alone: */
	size_t pairs, pairs_judged;	 /* ratios; those that have an interval */
	size_t pairs_above, pairs_below; /* whose interval lies above 1, below 1 */
	/* Of variants over the first: */
	struct np_comparison comparisons[NP_COMPARISONS_MAX];
	size_t comparison_count;
	size_t rows, rows_precise; /* rows; those within the precision asked for */
	size_t rows_few_units;	   /* rows without an interval */
	size_t rows_faulted, rows_unsteady, rows_other_state;
	/* The last third of the sentinel's visits over the first; 0: too few. */
	double drift;
	size_t sentinel_length;
	/* Cache-line core-to-core latency between the ends, over all visits. */
	double core_latency_median_ns;
	size_t visits, visits_other_state, visits_redone;
};

/* Fills in what visits themselves say: drift, and the states of the machine. */
void np_findings_of_visits(const struct np_results *results, struct np_findings *found);

/* Pure; points into table. */
struct np_findings np_findings_derive(const struct np_results *results,
				      const struct np_table *table);

#endif
