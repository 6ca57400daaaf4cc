/*
 * run.h - what one result file says, whoever wrote it: curves of points, ratios
 * between curves, and what is known of the machine.
 *
 * It holds one point for each size of each curve and no samples, so its size
 * does not grow with the length of the file.
 */
#ifndef NP_RUN_H
#define NP_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "questions/capacity.h"
#include "questions/refined.h"
#include "results/rows.h"
#include "base/error.h"
#include "base/facts.h"
#include "report/curves/pair_matrix.h"

/* Room for an operation, an mode or a variant, with the zero at its end. */
enum { NP_LABEL = 128 };

/* A curve: one operation, mode and variant. */
struct np_series {
	char op[NP_LABEL], mode[NP_LABEL], variant[NP_LABEL];
	char from[NP_LABEL]; /* part of the variant where figures are of several files */
	/* Ascending by length.  What is not known is NAN, 0 or empty; units are the
	 * point's, what else a row points to is not there. */
	struct np_row *points;
	size_t count;
};

/* Ratios of two curves: "rotate/reuse" within a variant, or of two variants within
 * an mode; within is empty where there is only one. */
struct np_ratio_list {
	char op[NP_LABEL], of[NP_LABEL], within[NP_LABEL];
	/* Ascending by length.  What is not known is NAN, or NP_VERDICTS; changes are the
	 * ratio's, and there are no ratios of units. */
	struct np_pair *ratios;
	size_t count;
};

/* What stood out in the search of --refine and was no step, as the run says it: the
 * curve bends, or a size takes now one time and now another. */
struct np_noted {
	char op[NP_LABEL], mode[NP_LABEL], variant[NP_LABEL];
	bool two_valued;
	size_t low, high; /* the sizes between which it lies */
	double effect; /* what seemed to be a step, or the longer time over the shorter */
};

struct np_run {
	char *path;
	char name[160];	       /* what a picture calls it */
	const char *format;    /* "netpong", "osu", ... */
	json_t *header;	       /* the first one, or NULL; owned */
	json_t *findings;      /* as the run itself wrote them, or NULL; owned */
	struct np_facts notes; /* sentences about the file: units, gaps */
	bool runs_are_units;
	size_t runs, visits, lines;
	size_t visits_other_state; /* made in another state of the machine */
	double drift;		   /* of the sentinel size; NAN: not known */
	bool broken;		   /* not all of the file could be read */

	struct np_series *series;
	size_t series_count;
	struct np_ratio_list *ratios;
	size_t ratios_count;
	struct np_capacity
		capacity;	    /* of a sweep over buffers; no points: there was none */
	struct np_refined *refined; /* what --refine has found */
	size_t refined_count;
	struct np_pair_matrix *pairs; /* all pairs of hosts and no curve; or NULL */
	struct np_noted *noted;	      /* and what only seemed to be a step */
	size_t noted_count;
	struct np_results
		*results; /* reduced visits, and the names that rows have; or NULL */
};

/* Labels come from files and go to terminals, pages and scripts: what is no printable
 * character of ASCII becomes "?". */
void np_label_clean(char *label);

void np_run_free(struct np_run *run);

/* Gives back the visits, from which all is derived that a report without --why needs. */
void np_run_forget_visits(struct np_run *run);

/* "reuse", "rotate, poll" or the operation where there is nothing else: what
 * tells the curves of one run apart. */
void np_series_label(const struct np_run *run, const struct np_series *series, char *text,
		     size_t size);

/* Whether it is that of the null mode: reuse once more, which stands beside ratios
 * and is no result of its own. */
bool np_series_is_control(const struct np_series *series);

/* The curve of the same operation, mode and variant, or NULL. */
const struct np_series *np_run_find(const struct np_run *run, const struct np_series *like);

/* All curves of some runs but those of the null, each with all sizes that any of them has,
 * and nothing but the sizes.  Returns 0 or -ENOMEM; np_run_free() copes with both. */
int np_run_union(const struct np_run *runs, size_t count, struct np_run *all);

/* The point of a length, or NULL. */
const struct np_row *np_series_find(const struct np_series *series, size_t length);

/* How many messages an exchange of this operation carries: 2 for bidirectional. */
double np_op_directions(const char *op);

/* Whether its time is a latency, that of one message one way: ping-pongs, and the
 * latency tests of perftest that halve the round trip. */
bool np_op_is_latency(const char *op);

/* Whether it moves other bytes than those of one message, so that size over time is
 * no bandwidth: collectives. */
bool np_op_is_collective(const char *op);

/* A text of the header, by the names on the way to it; NULL if it is not there. */
const char *np_run_text(const struct np_run *run, const char *object, const char *name);

#endif
