/*
 * gather.h - from what stands in a file to a run: visits of NetPong, figures of other
 * tools, and rows and pairs that a file has itself.
 *
 * A visit is reduced as soon as it is read (results.h), and a figure of another tool is a
 * visit of one value; of too many, a random choice is kept (thin.h).  Once all lines are
 * read, merge.h derives rows and pairs from them, by the code of a run.
 */
#ifndef NP_GATHER_H
#define NP_GATHER_H

#include "report/curves/run.h"
#include "report/curves/thin.h"
#include "results/measured.h"

enum {
	NP_CURVES_MOST = 1 << 12, /* different labels of a file */
	NP_POINTS_MOST = 1 << 18  /* rows, and pairs, that a file has itself */
};

/* Labels of a curve, or, of a ratio: of what, within what. */
struct np_key {
	char op[NP_LABEL], mode[NP_LABEL], variant[NP_LABEL];
	char from[NP_LABEL]; /* of tables that were exported: the file of the figure */
	size_t length;
};

/* Of a row or a pair: where it belongs, and whether it was derived or is the file's own. */
struct np_place {
	size_t curve, length; /* index of the run's curve, or of its list of ratios */
	bool derived;
	size_t at; /* in the order of lines */
};

/* It begins with its place. */
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
	size_t row_count, row_room;
	struct np_placed_pair *pairs;
	size_t pair_count, pair_room;
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

/* Rows and pairs that the file has itself.  What they own is taken over, whatever is
 * returned. */
int np_gather_row(struct np_gather *gather, const struct np_key *key,
		  const struct np_row *row, struct np_error *error);
int np_gather_pair(struct np_gather *gather, const struct np_key *key,
		   const struct np_pair *pair, struct np_error *error);

/* The same with a curve that is known, SIZE_MAX where that has failed; and of what was
 * derived. */
int np_gather_row_of(struct np_gather *gather, size_t curve, bool derived,
		     const struct np_row *row, struct np_error *error);
int np_gather_pair_of(struct np_gather *gather, size_t curve, bool derived,
		      const struct np_pair *pair, struct np_error *error);

/* The index of the run's curve, or of its list of ratios, with these labels; new if need
 * be.  SIZE_MAX and a text: too many, no memory. */
size_t np_gather_curve(struct np_run *run, const struct np_key *key,
		       struct np_error *error);
size_t np_gather_list(struct np_run *run, const struct np_key *key, struct np_error *error);

#endif
