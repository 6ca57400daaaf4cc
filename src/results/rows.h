/*
 * rows.h - rows: median and interval of each size and mode, from its visits.
 *
 * The time of a row is the median of unit medians, with an interval by order statistics
 * over the units.  The unit is the pass, or the run if there are several: samples of one
 * pass share buffers, connection and state of the machine, and are no independent draws.
 * Hoefler and Belli, Scientific Benchmarking of Parallel Computing Systems, SC'15, rules 5
 * to 8.
 *
 * A row uses its visits in the usual host state (host_state.h).  Where these are too few
 * for an interval, but more than half, and all visits are enough, the row uses all and is
 * flagged NP_ROW_MIXED: the ratios of its pairs are of blocks of one visit.  Any other row
 * with too few is flagged NP_ROW_OTHER_STATE: its pairs have no verdict, and no step or
 * dropout is sought there.
 */
#pragma once

#include "results/changes.h"
#include "results/host_state.h"
#include "results/results.h"
#include "stats/verdicts.h"

enum np_row_flag {
	NP_ROW_NO_INTERVAL = 1 << 0, /* too few units for an interval */
	NP_ROW_IMPRECISE = 1 << 1,   /* the interval is wider than --precision */
	NP_ROW_PAGE_FAULTS = 1 << 2, /* page faults in timed blocks */
	NP_ROW_UNSTEADY = 1 << 3,    /* first and last third of the blocks differ */
	NP_ROW_OTHER_STATE = 1 << 4, /* too few visits in the usual host state */
	NP_ROW_MIXED = 1 << 5	     /* visits of several host states */
};

/* Messages from which on p99.9 is printed: ten lie beyond it. */
enum { NP_MESSAGES_OF_P999 = 10000 };

/* Least units of a 95 % interval of a median by order statistics: its coverage is
 * 1 - 2 / 2^6 (Hahn and Meeker, Statistical Intervals, 5.2). */
enum { NP_UNITS_OF_INTERVAL = 6 };

enum { NP_CONFIDENCE_PERCENT = 95 };

struct np_row {
	size_t length;
	enum np_mode mode;
	size_t variant;
	enum np_axis axis; /* axis and buffers of a capacity sweep */
	uint64_t buffers;
	/* Code path of the first visit, or "". */
	const char *code_path;
	/* Seconds per message; 95 % interval, NAN if none. */
	double median_s, ci_low_s, ci_high_s;
	double min_s, mean_s;
	double p50_s, p90_s, p99_s, p999_s; /* --per-message only, else NAN */
	double mbps;			    /* 10^6 bit/s */
	double messages_per_s;
	uint64_t samples, batch, units; /* all; messages of one; passes or runs */
	double *unit_s;			/* median of each unit; owned by the table */
	unsigned *unit_number;		/* pass or run; owned by the table */
	size_t unit_count;		/* length of both; 0 for a row read from a file */
	struct np_count *counts;	/* sums over the visits; owned by the table */
	size_t count_count;
	/* NPreport, of --per-message: quantiles of its levels; NULL else. */
	double *tail_s;
	unsigned flags;
	struct np_visit *const *visits; /* sorted by unit; owned by the table */
	size_t visit_count;
};

/*
 * Ratio of a row to its base: a mode over reuse with the same variant, fresh over rotate,
 * or a variant over the first in the same mode.  The control is reuse over reuse with the
 * variant of the base, if it was measured.  mode_test.h defines p to verdict, over all
 * sizes of one kind of pair.
 */
struct np_pair {
	size_t length;
	enum np_mode mode, base_mode;
	size_t variant, base_variant;
	enum np_axis axis; /* axis and buffers of both rows */
	uint64_t buffers;
	size_t row, base_row;	      /* indices in the table */
	size_t kind;		      /* same modes and variants, at all sizes */
	double ratio, low, high;      /* interval of the verdict; NAN if none */
	double alone_low, alone_high; /* 95 % interval without correction; NAN if none */
	double control_ratio, control_low, control_high; /* NAN without a control */
	/* p-value, and corrected over all sizes; detection limit; NAN if none. */
	double p, adjusted_p, resolution;
	enum np_verdict verdict; /* NP_VERDICTS if none */
	bool unstable;		 /* control differs from 1; the interval allows for it */
	double *unit_ratios;	 /* ratio of each unit; owned by the table */
	unsigned *unit_numbers;	 /* numbers of these units; owned by the table */
	uint64_t units;
	struct np_change *changes; /* counts that differ; owned by the table */
	size_t change_count;
};

/* Range of neighbouring sizes with one ratio of two modes (ranges.h). */
struct np_pair_range {
	size_t kind; /* kind of its pairs */
	size_t smallest, largest, sizes;
	double ratio, low, high; /* interval of the verdict; NAN if none */
	enum np_verdict verdict;
};

struct np_table {
	struct np_row *rows; /* ascending by length, axis, buffers, variant, mode */
	size_t row_count;
	struct np_pair *pairs; /* in the order of their rows */
	size_t pair_count, kind_count;
	struct np_pair_range *ranges; /* kind by kind, ascending */
	size_t range_count;
	struct np_visit **visits; /* of all rows, row by row */
};

/* True for visits of one row. */
bool np_same_row(const struct np_visit *a, const struct np_visit *b);

/* Returns the bandwidth of messages that take `seconds` each, 10^6 bit/s: of both
 * directions for a bidirectional operation. */
double np_rate_of(const struct np_results *results, size_t length, double seconds);

/* Derives rows, pairs and verdicts.  Returns 0 or -ENOMEM; np_table_free() copes with both.
 */
int np_table_derive(const struct np_results *results, struct np_table *table);
void np_table_free(struct np_table *table);

/* Steps of np_table_derive() before and after np_table_pairs(), for files that have rows or
 * pairs already: derive rows; derive verdicts. */
int np_table_rows(const struct np_results *results, struct np_table *table);
int np_table_judge(const struct np_results *results, struct np_table *table);

/* Finds the row of a size, mode and variant outside a sweep; NULL: none. */
const struct np_row *np_table_find(const struct np_table *table, size_t length,
				   enum np_mode mode, size_t variant);

/* Returns whether the rate of `row` is above that of `most`, which may be NULL.  A size
 * measured in another host state alone is below all others. */
bool np_row_is_faster(const struct np_row *row, const struct np_row *most);

/* Returns 2 if the rate of a row counts both directions, else 1. */
double np_row_directions(const struct np_row *row);

/* Converts flags to words: "imprecise,page_faults"; and back, ignoring unknown words. */
void np_row_flags_text(unsigned flags, char *text, size_t size);
unsigned np_row_flags_of(const char *text);

/* Returns whether a ratio has an interval within `precision` of its middle. */
bool np_pair_is_precise(const struct np_pair *pair, double precision);

/* Returns whether all rows and ratios of a point have an interval within `precision` of its
 * middle; false without a row. */
bool np_table_is_precise(const struct np_table *table, double precision, size_t length,
			 enum np_axis axis, uint64_t buffers);
