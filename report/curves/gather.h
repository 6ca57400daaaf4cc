/*
 * gather.h - collects the lines of a file: visits of NetPong, figures of other tools, and
 * the file's own rows and pairs.
 *
 * A visit is reduced when it is read (results.h), and a figure of another tool is a visit
 * of one value; of too many, a random sample is kept (thin.h).  After the last line,
 * merge.h derives rows and pairs from them, by the code of a run.
 */
#pragma once

#include "report/curves/run.h"
#include "report/curves/thin.h"
#include "results/measured.h"

enum {
	NP_CURVES_MOST = 1 << 12, /* different labels of a file */
	NP_POINTS_MOST = 1 << 18  /* the file's own rows, and pairs */
};

/* Labels of a curve, or of a list of ratios: of, within. */
struct np_key {
	char op[NP_LABEL], mode[NP_LABEL], variant[NP_LABEL];
	char from[NP_LABEL]; /* of tables that were exported: the file of the figure */
	size_t length;
};

/* Key of a row or a pair. */
struct np_place {
	size_t curve, length; /* index of the run's curve, or of its list of ratios */
	bool derived;
	size_t at; /* in the order of lines */
};

/* Begins with its key. */
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
	struct np_thinning thinning;
	size_t visits;	   /* of the file, kept or not */
	size_t figures;	   /* of other tools: then variants are curves of the run */
	bool several_runs; /* a row says so, or a visit */
	struct np_placed_row *rows;
	size_t row_count;
	struct np_placed_pair *pairs;
	size_t pair_count;
};

/* The run gets results.  Returns 0 or -ENOMEM; np_gather_free() copes with both, and
 * leaves the run. */
int np_gather_init(struct np_gather *gather, struct np_run *run);
void np_gather_free(struct np_gather *gather);

/* All of these return 0, or -errno with a text. */
int np_gather_visit(struct np_gather *gather, const struct np_measured *measured,
		    struct np_error *error);

/* A figure of another tool: one more unit of its point. */
int np_gather_value(struct np_gather *gather, const struct np_key *key, double seconds,
		    struct np_error *error);

/* The file's own rows and pairs.  Memory of theirs is taken over in either case. */
int np_gather_row(struct np_gather *gather, const struct np_key *key,
		  const struct np_row *row, struct np_error *error);
int np_gather_pair(struct np_gather *gather, const struct np_key *key,
		   const struct np_pair *pair, struct np_error *error);

/* The same with a known curve, SIZE_MAX after a failure; and for derived ones. */
int np_gather_row_of(struct np_gather *gather, size_t curve, bool derived,
		     const struct np_row *row, struct np_error *error);
int np_gather_pair_of(struct np_gather *gather, size_t curve, bool derived,
		      const struct np_pair *pair, struct np_error *error);

/* The index of the run's curve, or of its list of ratios, with these labels, which is
 * added if it is new.  SIZE_MAX and a text: too many, no memory. */
size_t np_gather_curve(struct np_run *run, const struct np_key *key,
		       struct np_error *error);
size_t np_gather_list(struct np_run *run, const struct np_key *key, struct np_error *error);
