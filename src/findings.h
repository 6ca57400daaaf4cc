/*
 * findings.h - what a table of figures says, in a few numbers.
 */
#ifndef NP_FINDINGS_H
#define NP_FINDINGS_H

#include "rows.h"

/* What a choice costs over the first, in one arm: over all sizes. */
struct np_comparison {
	struct np_pair like;	    /* of these rows; its length and numbers say nothing */
	double ratio, least, most;  /* median, smallest and largest over the sizes */
	size_t pairs, above, below; /* sizes; those whose interval is above 1, below 1 */
	size_t smallest, largest;   /* size, bytes */
};
enum { NP_COMPARISONS_MAX = NP_ARMS * (NP_CHOICES_MAX - 1) };

struct np_findings {
	const struct np_row *latency; /* the smallest message; NULL: no rows */
	const struct np_row *peak;    /* the highest rate */
	/* Of rotate over reuse: */
	const struct np_pair *worst;	 /* the largest ratio that is sure; or NULL */
	size_t pairs, pairs_judged;	 /* ratios; those that have an interval */
	size_t pairs_above, pairs_below; /* whose interval lies above 1, below 1 */
	/* Of choices over the first: */
	struct np_comparison comparisons[NP_COMPARISONS_MAX];
	size_t comparison_count;
	size_t rows, rows_precise; /* rows; those within the precision asked for */
	size_t rows_few_units;	   /* rows without an interval */
	size_t rows_faulted, rows_unsettled, rows_odd;
	/* The last third of the sentinel's visits over the first; 0: too few. */
	double drift;
	size_t sentinel_length;
	/* Cache-line handover between the ends, over all visits. */
	double handover_median_ns;
	size_t visits, visits_odd, visits_redone;
};

/* Pure; points into table. */
struct np_findings np_findings_derive(const struct np_results *results,
				      const struct np_table *table);

#endif
