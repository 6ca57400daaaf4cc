/*
 * run.h - content of a result file of any format: curves of points, ratios between
 * curves, and facts of the machine.
 *
 * A curve has one point per size and no samples, so memory does not grow with the length
 * of the file.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/facts.h"
#include "curve/analysis.h"
#include "questions/capacity.h"
#include "questions/refined.h"
#include "questions/reuse.h"
#include "report/curves/fields.h"
#include "report/curves/pair_matrix.h"
#include "results/host_state.h"
#include "results/limit.h"
#include "results/rows.h"

/* Levels of np_row.tail_s: shares of the messages that take longer, in 1/NP_TAIL_WHOLE.  A
 * quantile with fewer than ten messages beyond it is NAN, but for the largest time, the
 * last level. */
enum { NP_TAIL = 24, NP_TAIL_WHOLE = 100000 };
extern const unsigned np_tail_beyond[NP_TAIL];

/* A curve: one operation, mode and variant. */
struct np_series {
	char op[NP_LABEL], mode[NP_LABEL], variant[NP_LABEL];
	char from[NP_LABEL]; /* file of the figures, in front of the variant if a table has
				several */
	/* Ascending by length.  Unknown values are NAN, 0 or empty; units are owned by the
	 * point, other pointers of a row are NULL. */
	struct np_row *points;
	size_t count;
};

/* Ratios of two curves: "rotate/reuse" within a variant, or of two variants within a mode;
 * within is empty if the run has one variant, or one mode. */
struct np_ratio_list {
	char op[NP_LABEL], of[NP_LABEL], within[NP_LABEL];
	/* Ascending by length.  Unknown values are NAN, or NP_VERDICTS; `changes` is owned
	 * by the ratio, `unit_ratios` is NULL. */
	struct np_pair *ratios;
	size_t count;
	/* Ranges of neighbouring sizes with one ratio; derived from visits, for ratios of
	 * modes. */
	struct np_pair_range *ranges;
	size_t range_count;
};

/* A bend or a bimodal size found by --refine, as written by the run. */
struct np_noted {
	char op[NP_LABEL], mode[NP_LABEL], variant[NP_LABEL];
	bool bimodal;
	size_t low, high; /* between these sizes, bytes */
	double effect;	  /* ratio of times: of a bend, the step that it resembles; of a
			     bimodal size, the slow mode over the fast one */
};

struct np_run {
	char *path;
	char name[160];		 /* label in pictures */
	const char *format;	 /* "netpong", "osu", ... */
	json_t *header;		 /* the first one, or NULL; owned */
	json_t *findings;	 /* written by the run, or NULL; owned */
	json_t *quality;	 /* likewise */
	struct np_facts options; /* options, hosts and paths are of the first header */
	struct np_facts hosts[2], paths[2]; /* facts of each process: host, module */
	struct np_facts notes;		    /* sentences about the file: units, gaps */
	struct np_facts warnings; /* parts of the file that are not read, or void */
	bool invalid; /* the tool reports that results of the file are wrong or missing */
	bool runs_are_units;
	size_t runs, visits, lines;
	struct np_host_states states;
	struct np_sentinel sentinel;
	bool broken; /* the file could be read in part only */

	struct np_series *series;
	size_t series_count;
	struct np_ratio_list *ratios;
	size_t ratios_count;
	struct np_capacity capacity;  /* of --capacity; no points without it */
	struct np_confirmed *refined; /* steps and dropouts of --refine */
	size_t refined_count;
	struct np_pair_matrix *pairs; /* of NPfleet, which has no curves; or NULL */
	struct np_uses *uses;	      /* of netpong record, which has none; or NULL */
	struct np_replay replay;      /* of --replay; no points without it */
	struct np_noted *noted;	      /* bends and bimodal sizes of --refine */
	size_t noted_count;
	size_t searched_to; /* --refine has searched all gaps of the first mode up to here;
			       bytes */
	struct np_results *results; /* reduced visits, and the names of variants; or NULL */
};

void np_run_free(struct np_run *run);

/* Frees the visits of a run other than one of --why, once its curves are derived; --expect
 * and --export clauses need them. */
void np_run_forget_visits(struct np_run *run);

/* Name of a list of ratios: "cold/warm", or "cold/warm, poll" in a run of variants. */
void np_ratio_label(const struct np_ratio_list *list, char *text, size_t size);

/* Name of a curve within its run: "one warm buffer", "cold buffers, poll", or the operation
 * if it has neither mode nor variant. */
void np_series_label(const struct np_run *run, const struct np_series *series, char *text,
		     size_t size);

/* True for the curve of the control: reuse measured a second time. */
bool np_series_is_control(const struct np_series *series);

/* Returns the curve of the same operation, mode and variant, or NULL. */
const struct np_series *np_run_find(const struct np_run *run, const struct np_series *like);

/* Returns the point of a length, or NULL. */
const struct np_row *np_series_find(const struct np_series *series, size_t length);

/* Messages per exchange: 2 for bidirectional. */
double np_op_directions(const char *op);

/* True if times are one-way latencies: ping-pongs, and the latency tests of perftest that
 * halve the round trip. */
bool np_op_is_latency(const char *op);

/* True for a collective: size over time is not a bandwidth. */
bool np_op_is_collective(const char *op);

/* True if nothing could be read from the file. */
bool np_run_is_empty(const struct np_run *run);

enum { NP_QUALITY_TEXT = 400 };

/* Writes the quality of a run, as "POOR: slower host state"; false: its file has none, as
 * those of other tools. */
bool np_run_quality(const struct np_run *run, char *text, size_t size);

/* Returns a string of the header by its field name; NULL: none. */
const char *np_run_text(const struct np_run *run, const char *name);

/* Returns an analysis of each series, in their order, to be freed with np_analyses_free();
 * NULL and an error without memory. */
struct np_analysis *np_analyse_run(const struct np_run *run, struct np_error *error);
void np_analyses_free(struct np_analysis *analyses, size_t count);
