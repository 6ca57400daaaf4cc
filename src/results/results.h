/*
 * results.h - visits of a run in order of time, none dropped, each reduced to medians,
 * sums and counts when it is added.
 *
 * A visit is the measurement of one size and mode in one pass.  Rows, ratios and
 * findings are derived from reduced visits (rows.h), at the end or at an
 * interruption, by a run, by the program that gathers several runs and by
 * NPreport alike.  Times are whole nanoseconds, in memory as in result files, so
 * that all of them come to the same doubles.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/facts.h"
#include "contract/job.h"
#include "contract/np_module.h"
#include "plan/condition.h"
#include "plan/names.h"

/* Size of a code path's name, with its terminating zero. */
enum { NP_WORD = 64 };

/* Maximum of code paths; no transport has as many. */
enum { NP_CODE_PATHS_MAX = 256 };

/* Value of an event counter; name is an index into the results' count_names. */
struct np_count {
	uint64_t value;
	size_t name;
};

/* Samples of a visit that the test for two modes uses: those of six passes are 48. */
enum { NP_VISIT_SOME = 8 };

/* Large members come first, to avoid padding: there may be a hundred thousand visits. */
struct np_visit {
	uint64_t serial;	  /* the modes of one visit share it */
	size_t length;		  /* bytes of a message */
	size_t variant;		  /* index into the results' variants */
	uint64_t buffers;	  /* distinct buffers of a sweep; else 0 */
	uint64_t messages;	  /* messages per sample */
	double core_latency_ns;	  /* core-to-core, before the visit; 0: not probed */
	unsigned run_index, pass; /* counted from 0 */
	enum np_mode mode;
	enum np_axis axis;     /* of a capacity sweep */
	enum np_factor factor; /* varied by this condition of --why */
	bool refine;	       /* measured by the search of --refine */
	bool sentinel;	       /* the size repeated in each pass, for drift */
	bool superseded;       /* measured in another host state, and repeated later */
	bool other_state;      /* measured in another host state (host_state.h) */

	/* Reduced from the samples, in seconds per message. */
	double median_s, least_s, sum_s; /* median, minimum and sum over all samples */
	double drift; /* first third of each block over the last; 1: block too short */
	double counted_messages; /* messages that the counts cover: warm-up included */
	uint64_t samples;
	const char *code_path;	      /* reported by the module */
	const double *block_median_s; /* of the first NP_VISIT_BLOCKS blocks at most */
	const struct np_count *counts;
	unsigned blocks, count_count;
	float some_s[NP_VISIT_SOME]; /* some samples, seconds per message; 0: none */
	uint64_t
		*samples_ns; /* durations of samples, if the results keep them; else NULL */
	size_t kept;	     /* number of samples_ns: all, unless a file has too many */
};
enum { NP_VISIT_BLOCKS = 64 };

/* Expected range of the usual core-to-core latency of a run. */
struct np_latency_bounds {
	double least_ns, most_ns; /* 0: none */
	char source[200];	  /* origin: "cores 0 and 1 share an L3 cache" */
};

/* Warm-up of a new connection, until its messages are steady (stats/steady.h). */
struct np_warm_up {
	unsigned run_index, pass;
	size_t length;		  /* bytes of a message */
	uint64_t messages, after; /* number of messages; those before the fastest window */
	double first_s, steady_s; /* first and last window, seconds per message */
	bool steady;		  /* false: the time for warming up was over */
};

/* Why the passes of a run ended. */
enum np_ended {
	NP_ENDED_UNKNOWN, /* several runs, a file, or cut off */
	NP_ENDED_BY_TIME,
	NP_ENDED_PRECISE, /* enough sizes have the requested precision */
	NP_ENDED_DECIDED, /* --expect is decided */
	NP_ENDED_PASSES	  /* as many passes as --passes requests */
};

/*
 * Slowest ranks of an MPI pattern, of the runs that report one.
 *
 * The unit is the pass of a single run.  With several runs it is the run: a rank counts in
 * each run in which it was the slowest most often.
 */
struct np_slowest_list {
	struct np_job_slowest *list;
	size_t count;
};

struct np_results {
	enum np_operation operation;
	const char *operation_name;
	/* Compared variants, none if there are fewer than two; strings are owned by the
	 * request. */
	const char *variants[NP_VARIANTS_MAX];
	size_t variant_count;
	struct np_condition conditions[NP_FACTORS]; /* of --why */
	bool per_message;			    /* --per-message: percentiles */
	bool watched;				    /* --watch: a pass is a minute */
	bool keep_samples;			    /* keep all samples of visits */
	unsigned runs;
	int job_size;	    /* processes, if an MPI launcher started them; or 0 */
	double precision;   /* requested half width over median; 0: none */
	double same_within; /* margin of "same" around a ratio of 1 */
	struct np_latency_bounds latency_bounds;
	enum np_ended ended;
	double seconds; /* duration of the passes; 0: unknown */
	size_t points;	/* planned sizes or points of a sweep; 0: unknown */

	/* Tables of names: visits refer to counts by index, to code paths by pointer. */
	char count_names[NP_BLOCK_COUNTS][NP_COUNTER_NAME];
	size_t count_names_count;
	char *code_paths[NP_CODE_PATHS_MAX];
	size_t code_paths_count;

	struct np_slowest_list slowest; /* one entry for each run of a job */

	pthread_mutex_t lock; /* main thread adds names, the watcher thread reads them */
	struct np_visit **visits;
	size_t count, room;
	struct np_warm_up *warm_ups;
	size_t warm_up_count;
};

/* A visit with all its samples, before reduction. */
struct np_measured {
	struct np_visit visit; /* labels only; np_results_add() derives the rest */
	char code_path[NP_WORD];
	size_t blocks, warmup_per_block, samples_per_block;
	uint64_t *warmup_ns;  /* [blocks * warmup_per_block]: not evaluated */
	uint64_t *samples_ns; /* [blocks * samples_per_block]: durations of samples */
	struct np_counts counts;
};

void np_results_init(struct np_results *results);
void np_results_free(struct np_results *results);

/* Frees the visits; names stay. */
void np_results_empty(struct np_results *results);

/*
 * Reduces a visit and adds it.  Returns the added visit, owned by the results, or NULL
 * without memory.
 */
struct np_visit *np_results_add(struct np_results *results,
				const struct np_measured *measured);

/* Adds a reduced visit and takes it over.  Returns 0, or -ENOMEM and frees it. */
int np_results_take(struct np_results *results, struct np_visit *visit);

/* Adds a warm-up.  Returns 0 or -ENOMEM. */
int np_results_add_warm_up(struct np_results *results, const struct np_warm_up *warm_up);

/* Interns the name of a code path: returns the results' copy; empty if there are too many,
 * or without memory. */
const char *np_results_word(struct np_results *results, const char *word);

/* Frees the samples of an added visit. */
void np_results_forget_samples(struct np_results *results, struct np_visit *visit);

/* Marks the visits of one serial as replaced by later ones. */
void np_results_supersede(struct np_results *results, unsigned run_index, uint64_t serial);

/* Returns whether there are visits of --why. */
bool np_results_have_causes(const struct np_results *results);

/* Converts the duration of a sample to seconds per message: half the round trip for a
 * ping-pong. */
double np_message_seconds(const struct np_results *results, const struct np_visit *visit,
			  uint64_t batch_ns);

/* Purposes of visits, as bits; each visit has one. */
enum np_purpose {
	NP_FOR_CURVE = 1 << 0,	   /* a point of a curve over sizes */
	NP_FOR_SWEEP = 1 << 1,	   /* a point of a capacity sweep */
	NP_FOR_CONDITION = 1 << 2, /* a condition of --why */
	NP_FOR_REFINE = 1 << 3,
	NP_FOR_SENTINEL = 1 << 4
};

#define NP_EVERY_VARIANT SIZE_MAX

/* Selection of visits that are not superseded. */
struct np_selection {
	unsigned purposes;    /* bits of np_purpose */
	unsigned modes;	      /* bits 1u << np_mode; 0: every mode */
	const size_t *length; /* NULL: every size */
	size_t variant;	      /* index, or NP_EVERY_VARIANT */
	bool every_state;     /* false: visits in the usual host state only */
	bool timed;	      /* medians above 0 only: files may have others */
};

/* Lists the selected visits in order of time; the caller frees the list.  Returns NULL
 * without memory. */
struct np_visit **np_visits_select(const struct np_results *results,
				   const struct np_selection *selection, size_t *count);

/* Sorts visits by size, axis, buffers, variant and mode, then by unit and time. */
void np_visits_sort(const struct np_results *results, struct np_visit **visits,
		    size_t count);

/* Medians of units, ascending by number of the unit. */
struct np_units {
	double *seconds; /* per message */
	unsigned *numbers;
	size_t count;
};

/* Derives the units of the selected visits, which are of one row.  Returns 0 or -ENOMEM;
 * np_units_free() copes with both. */
int np_units_select(const struct np_results *results, const struct np_selection *selection,
		    struct np_units *units);
void np_units_free(struct np_units *units);

/* Returns the unit of a visit: its pass, or its run if there are several. */
unsigned np_unit_of(const struct np_results *results, const struct np_visit *visit);

/* Replaces values by the median of each unit; values[i] is of visits[i], which are sorted
 * by unit.  Sets the numbers of the units.  Returns the number of units. */
size_t np_unit_medians(const struct np_results *results, struct np_visit *const *visits,
		       double *values, unsigned *numbers, size_t count);

/* Sets the compared variants from the request. */
void np_results_compare(struct np_results *results, const struct np_request *request);

/* Returns the name of a variant, or NULL if none are compared. */
const char *np_variant_name(const struct np_results *results, size_t variant);

/* Allocates an empty visit; NULL without memory. */
struct np_measured *np_measured_new(size_t blocks, size_t warmup, size_t samples);
void np_measured_free(struct np_measured *measured);

void np_visit_free(struct np_visit *visit);

/* Adds the slowest rank that the job reports, if it does.  Returns 0 or -errno. */
int np_slowest_collect(struct np_slowest_list *all, const struct np_job_hooks *job,
		       const struct np_endpoint *endpoint, struct np_error *error);

/* Adds the slowest rank of a run.  Returns 0 or -ENOMEM. */
int np_slowest_add(struct np_slowest_list *all, const struct np_job_slowest *one);

/* Finds the rank that is the slowest most often; runs: the unit is the run even if there is
 * only one.  Without any, passes is 0. */
struct np_job_slowest np_slowest_find(const struct np_slowest_list *all, bool runs);

/* p-value of the slowest rank: probability that any rank is the slowest at least as often
 * if all are alike, by the binomial distribution and Bonferroni over ranks. */
double np_slowest_chance(const struct np_job_slowest *slowest);
