/*
 * gather.h - from what stands in a file to a run, in memory that grows with the
 * number of sizes and not with the length of the file.
 *
 * A visit is reduced to a few numbers as soon as it is read: its median, its
 * settling, its smallest and mean sample.  Of those, a size of a curve keeps at
 * most NP_GATHER_UNITS; of more it keeps as many as a random variant, each with
 * the same chance, so that medians and intervals stay what they were, only wider.
 * Where a run times each message, its samples are kept in the same way, for
 * percentiles.
 */
#ifndef NP_GATHER_H
#define NP_GATHER_H

#include "report/curves/gather_capacity.h"
#include "base/random.h"
#include "results/results.h"
#include "report/curves/run.h"

enum {
	NP_GATHER_UNITS = 2048,		 /* visits, or rows of another tool, of one point */
	NP_GATHER_CELLS = 1 << 16,	 /* points of a file */
	NP_GATHER_SAMPLES = 1 << 14,	 /* single messages of one point */
	NP_GATHER_SAMPLES_ALL = 1 << 22, /* and of a file: 64 MiB */
	NP_GATHER_PENDING =
		NP_MODES * NP_VARIANTS_MAX, /* visits that may yet meet a partner */
	NP_GATHER_BLOCKS = 64
};

/* What is kept of a visit. */
struct np_gathered {
	unsigned run_index, pass;
	uint64_t serial;
	double value;	 /* seconds of a message, or a ratio */
	double settling; /* first third of the blocks over the last */
	double min_s, sum_s;
	double core_latency_ns; /* 0: not probed */
	uint64_t samples;
	bool faulted, other_state;
};

/* A list of them, of bounded length. */
struct np_gathered_list {
	struct np_gathered *list;
	size_t count, room;
	uint64_t seen; /* offered, kept or not */
};

/* A message of a run that times each, and which visit it is of. */
struct np_gathered_sample {
	double seconds;
	uint64_t visit;
};

struct np_sample_list {
	struct np_gathered_sample *list;
	size_t count, room;
	uint64_t seen; /* offered, kept or not */
};

/* A count in a visit and in its partner. */
struct np_tally {
	unsigned run_index, pass;
	uint64_t serial;
	size_t name; /* of the results' */
	struct np_change_unit unit;
};

struct np_key {
	bool is_ratio, is_sentinel;
	char op[NP_LABEL], mode[NP_LABEL],
		variant[NP_LABEL]; /* of a ratio: "a/b", within */
	char from[NP_LABEL]; /* of tables that were exported: the file of the figure */
	size_t length;
};

/* A point or a ratio while it is being gathered. */
struct np_cell {
	struct np_key key;
	struct np_gathered_list units;
	struct np_sample_list samples;
	bool has_row; /* the file has the figure itself */
	struct np_figure point;
	struct np_ratio ratio;
	struct np_tally *tallies; /* of a ratio */
	size_t tally_count, tally_room;
};

/* A visit that waits for its partners. */
struct np_pending {
	struct np_visit *visit; /* NULL: none */
	struct np_key key;
};

struct np_superseded {
	unsigned run_index;
	uint64_t serial;
};

struct np_gather {
	const struct np_results *results; /* whose visits they are */
	void *cells;			  /* a tree: tsearch(3) */
	size_t cell_count;
	struct np_pending pending[NP_GATHER_PENDING];
	size_t next_pending;
	struct np_superseded *superseded;
	size_t superseded_count, superseded_room;
	struct np_random random;
	bool several_runs, per_message;
	size_t sample_count; /* of all points */
	double precision;    /* share of the median that was asked for; 0: none */
	size_t visits;
	struct np_swept swept; /* of a capacity sweep */
	struct np_refine_visits refined;
	/* The first file of a figure, and whether there are others. */
	char from[NP_LABEL];
	bool has_from, several_from;
};

void np_gather_init(struct np_gather *gather);
void np_gather_free(struct np_gather *gather);

/* The cell of a key, new if need be.  NULL and an error: too many, no memory. */
struct np_cell *np_gather_cell(struct np_gather *gather, const struct np_key *key,
			       struct np_error *error);

/* Keeps what is needed of a reduced visit, which it takes over.  op is that of the
 * header. */
int np_gather_visit(struct np_gather *gather, struct np_visit *visit, const char *op,
		    struct np_error *error);

/* Adds a unit to those of a cell; of too many, a random variant stays.  Returns 0 or
 * -ENOMEM. */
int np_gather_keep(struct np_gather *gather, struct np_gathered_list *units,
		   const struct np_gathered *unit, struct np_error *error);

/* gather_apart.c: adds the ratios of modes that have runs of their own; once all
 * lines are read.  Returns 0 or -errno with a text. */
int np_gather_apart(struct np_gather *gather, struct np_error *error);

/* gather_samples.c: keeps the samples of a visit of a run that times each message,
 * and makes the percentiles of a point from those that count.  Both return 0 or
 * -ENOMEM. */
int np_gather_samples(struct np_gather *gather, const struct np_results *results,
		      const struct np_visit *visit, struct np_sample_list *samples);
int np_gather_percentiles(const struct np_gather *gather,
			  const struct np_sample_list *samples, struct np_figure *point);

/* gather_states.c: marks the visits that were made in another state of the machine;
 * returns 0 or -ENOMEM. */
int np_gather_states(struct np_gather *gather, struct np_run *run);

/* Whether a visit was not superseded; once all lines are read. */
bool np_gather_counts(const struct np_gather *gather, unsigned run_index, uint64_t serial);

/* The visits of a serial no longer count. */
int np_gather_supersede(struct np_gather *gather, unsigned run_index, uint64_t serial,
			struct np_error *error);

/* The median of each unit, in lists that the caller frees, whatever is returned;
 * runs may be NULL.  Returns 0 or -ENOMEM. */
int np_gather_collapse(const struct np_gather *gather, const struct np_gathered_list *units,
		       double **values, unsigned **runs, size_t *count);

/* gather_ratios.c: puts the ratio of a cell, taken from the file or derived, into
 * the run, which owns it then.  Returns 0 or -ENOMEM. */
int np_gather_ratio(const struct np_gather *gather, bool rows_count, struct np_cell *cell,
		    struct np_run *run);

/* gather_changes.c: keeps the counts of two visits that belong together; returns 0 or
 * -ENOMEM. */
int np_gather_tally(const struct np_gather *gather, struct np_cell *cell,
		    const struct np_visit *over, const struct np_visit *base,
		    unsigned pass);

/* Gives a ratio that is derived all tests of its counts, and, once there are verdicts, a
 * list of them those that are sure.  Both return 0 or -ENOMEM. */
int np_gather_changes(const struct np_gather *gather, struct np_cell *cell,
		      struct np_ratio *ratio);
int np_gather_judge_changes(struct np_ratio_list *list);

/* Gives ratios that the file has no verdict of their nulls and verdicts, over all
 * sizes, as the run itself would have; the nulls are no ratios of their own then.
 * Returns 0 or -ENOMEM. */
int np_gather_prove(struct np_run *run);

/* A figure of another tool: one more unit of its point. */
int np_gather_value(struct np_gather *gather, const struct np_key *key, double seconds,
		    struct np_error *error);

/*
 * Makes the curves of the run from the cells.  With rows_count, points and
 * ratios that the file has itself are taken as they are; those it lacks, and
 * all without it, are derived from the units.
 */
int np_gather_finish(struct np_gather *gather, bool rows_count, struct np_run *run,
		     struct np_error *error);

#endif
