/*
 * findings.h - summary of a table of rows and pairs.
 */
#pragma once

#include "results/rows.h"
#include "results/host_state.h"
#include "stats/bimodal.h"

/* Comparison of a variant with the first one, in one mode over all sizes. */
struct np_comparison {
	struct np_pair like;	    /* modes and variants; other members are unused */
	double ratio, least, most;  /* median, smallest and largest over the sizes */
	size_t pairs, above, below; /* sizes; with an interval above 1; below 1 */
	size_t verdicts[NP_VERDICTS +
			1];	  /* sizes by verdict; the last one: without a verdict */
	size_t too_few;		  /* sizes without an interval */
	size_t smallest, largest; /* size, bytes */
	/* Ratio of the control: median, smallest and largest, NAN: not measured; number of
	 * sizes where it differs from 1. */
	double control_ratio, control_least, control_most;
	size_t unstable;
	/* Pair with the ratio farthest from 1 among pairs with changed counts; NULL: none.
	 */
	const struct np_pair *counted;
};
enum { NP_COMPARISONS_MAX = NP_MODES * (NP_VARIANTS_MAX - 1) };

/* A range of neighbouring sizes at which a mode is slower than its base. */
struct np_slow_range {
	size_t smallest, largest, sizes; /* bytes; number of sizes */
	const struct np_pair *worst;	 /* the pair with the largest ratio */
};
enum { NP_SLOW_RANGES_MAX = 8 };

/* Cost of a mode over another, with one variant: verdicts over all sizes. */
struct np_cost {
	struct np_pair like; /* modes and variants; other members are unused */
	size_t pairs;	     /* sizes */
	size_t verdicts[NP_VERDICTS];
	size_t too_few;	 /* unclear sizes without an interval */
	size_t unstable; /* sizes where the control, reuse over reuse, differs from 1 */
	/* Slow ranges with the largest ratios, in descending order. */
	struct np_slow_range slow_ranges[NP_SLOW_RANGES_MAX];
	size_t slow_range_count;
	const struct np_pair_range *ranges; /* ascending by size; owned by the table */
	size_t range_count;
	const struct np_pair *fastest; /* smallest ratio of the faster sizes; NULL: none */
	/* Detection limit at the sizes neither slower nor faster: median and largest; NAN:
	 * no such size. */
	double resolution, resolution_most;
	/* Ratio of the control: median, smallest and largest; NAN: not measured. */
	double control_ratio, control_least, control_most;
};
enum { NP_COSTS_MAX = 32 };

/* Cost of the first messages of a new connection, over all connections. */
struct np_new_connection {
	size_t connections; /* number of warm-ups; 0 or 1: no finding */
	size_t length;
	uint64_t after; /* messages until the fastest window; median */
	/* Seconds of a message in the first window and in the steady state, of the
	 * connection with the median ratio. */
	double first_s, steady_s;
	double ratio, low, high; /* first over steady; interval of 99 %, NAN if none */
	bool significant;	 /* the interval lies above the minimum ratio */
};

/* A minute of --watch, of a size, mode and variant. */
struct np_minute {
	const struct np_visit *visit;
	double ratio; /* time over the median of all minutes */
	double p;     /* of "no slower", corrected over all minutes of the run */
};
enum { NP_SLOW_MINUTES = 64 };

struct np_minutes {
	const struct np_visit *least; /* visit with the least rate of a block; NULL: none */
	double least_mbps, least_median_s;
	size_t slow_count; /* significantly slower; those beyond NP_SLOW_MINUTES not kept */
	struct np_minute slow[NP_SLOW_MINUTES];
};

struct np_findings {
	/* --capacity or --why: one size, whose result is printed separately. */
	bool one_question;
	const struct np_row *latency; /* the smallest message; NULL: no rows */
	const struct np_row *peak;    /* the highest rate */
	/* Costs of modes; empty if memory ran out. */
	struct np_cost costs[NP_COSTS_MAX];
	size_t cost_count;
	/* Rotate over reuse, by 95 % intervals without correction over sizes: */
	size_t pairs, pairs_judged;	 /* ratios; those with an interval */
	size_t pairs_above, pairs_below; /* with an interval above 1, below 1 */
	/* Variants over the first: */
	struct np_comparison comparisons[NP_COMPARISONS_MAX];
	size_t comparison_count;
	size_t rows, rows_precise;     /* rows; rows with the requested precision */
	size_t ratios, ratios_precise; /* pairs of modes and variants; pairs with the
					  requested precision */
	size_t points_left_out;	       /* planned sizes without a row */
	size_t rows_few_units;	       /* rows without an interval */
	uint64_t fewest_units; /* fewest units of such a row, of several units if there is
				  one; 0: no such row */
	size_t rows_bimodal;   /* rows whose samples have two modes */
	/* Bimodal row whose modes are farthest apart, and its modes; NULL: none. */
	const struct np_row *bimodal;
	struct np_bimodal modes;
	bool cut_off; /* the run ended before its time */
	size_t rows_faulted, rows_unsteady, rows_other_state;
	struct np_sentinel sentinel;
	struct np_host_states states;
	struct np_new_connection new_connection;
	struct np_minutes minutes;
};

/* Sets sentinel and host states from the visits. */
void np_findings_of_visits(const struct np_results *results, struct np_findings *found);

/* Derives the findings; they point into table. */
struct np_findings np_findings_derive(const struct np_results *results,
				      const struct np_table *table);

/* Implements --fail-on slower.  Returns -EDOM with NP_ERROR_VERDICT if a mode is slower
 * than its base at any size; else 0. */
int np_findings_fail(const struct np_findings *findings, struct np_error *error);
