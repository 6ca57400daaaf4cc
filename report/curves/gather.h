/*
 * gather.h - collects the lines of a file: visits of NetPong, figures of other tools, and
 * the file's own rows and pairs; derives curves and ratios from them.
 *
 * A visit is reduced when it is read (results.h).  A figure of another tool becomes a visit
 * of one value.  Visits beyond a limit are sampled at random (sampling.h).  np_merge()
 * derives rows and pairs after the last line, by the code of a run.
 */
#pragma once

#include "report/curves/run.h"
#include "report/curves/sampling.h"
#include "results/results.h"

enum {
	NP_CURVES_MOST = 1 << 12, /* curves of a file */
	NP_POINTS_MOST = 1 << 18  /* rows, and pairs, written in a file */
};

/* Labels that identify a curve.  For a list of ratios (struct np_ratio_list) mode holds its
 * `of`, and variant its `within`. */
struct np_key {
	char op[NP_LABEL], mode[NP_LABEL], variant[NP_LABEL];
	char from[NP_LABEL]; /* file of the figure, in an exported table */
	size_t length;
};

/* Sort key of a row or a pair. */
struct np_place {
	/* Index in series or ratios of the run; bytes. */
	size_t curve, length;
	bool derived; /* computed from visits, not read from the file */
	size_t at;    /* position in the order of lines */
};

/* Row and pair; the sort key is the first member. */
struct np_placed_row {
	struct np_place place;
	struct np_row row;
};
struct np_placed_pair {
	struct np_place place;
	struct np_pair pair;
};

struct np_gather {
	struct np_run *run;
	struct np_sampling sampling;
	size_t visits; /* number of visits in the file, also of those dropped by sampling */
	size_t figures; /* number of figures of other tools; if any, a variant is the index
			   of a curve */
	bool several_runs; /* a row or a visit is of a further run */
	struct np_placed_row *rows;
	size_t row_count;
	struct np_placed_pair *pairs;
	size_t pair_count;
};

/* Sets run->results.  Returns 0 or -ENOMEM. np_gather_free() is called in both cases and
 * leaves the run. */
int np_gather_init(struct np_gather *gather, struct np_run *run);
void np_gather_free(struct np_gather *gather);

/* Adds a visit of NetPong.  Returns 0, or -errno with a text, as the functions below. */
int np_gather_visit(struct np_gather *gather, const struct np_measured *measured,
		    struct np_error *error);

/* Adds a figure of another tool, in seconds: one more unit of its point. */
int np_gather_value(struct np_gather *gather, const struct np_key *key, double seconds,
		    struct np_error *error);

/* Add a row or pair that the file has; its memory is taken over, also on failure. */
int np_gather_row(struct np_gather *gather, const struct np_key *key,
		  const struct np_row *row, struct np_error *error);
int np_gather_pair(struct np_gather *gather, const struct np_key *key,
		   const struct np_pair *pair, struct np_error *error);

/* Call after the last line.  finished: the file has the end of its run, so its own rows and
 * pairs are used; missing ones, or all of an unfinished run, are derived from visits.
 * Returns 0 or -errno with a text. */
int np_merge(struct np_gather *gather, bool finished, struct np_error *error);
