/*
 * results.h - what was measured: visits, as they happened, none dropped, each
 * reduced to a few numbers when it is added.
 *
 * A visit is what one size and mode gave in one pass.  Rows, ratios and
 * findings are derived from reduced visits (rows.h), at the end or at an
 * interruption, by a run, by the program that gathers several runs and by
 * NPreport alike.  Times are whole nanoseconds, in memory as in result files, so
 * that all of them come to the same doubles.
 */
#ifndef NP_RESULTS_H
#define NP_RESULTS_H

#include <pthread.h>

#include "base/counts.h"
#include "contract/np_module.h"
#include "plan/condition.h"
#include "plan/names.h"

/* Room for a module's word for what it did, with the zero at its end. */
enum { NP_WORD = 64 };

/* Different words of one run; more than any transport has. */
enum { NP_CODE_PATHS_MAX = 256 };

/* A count, and which of the results' count_names it is of. */
struct np_count {
	uint64_t value;
	size_t name;
};

/* There may be a hundred thousand of them: large members come first. */
struct np_visit {
	uint64_t serial;	  /* the modes of one visit share it */
	size_t length;		  /* bytes of a message */
	size_t variant;		  /* of the results' variants; 0 if there are none */
	uint64_t buffers;	  /* of a sweep: distinct ones that it was at; 0 without */
	uint64_t messages;	  /* of a sample */
	double core_latency_ns;	  /* cache line handed over just before; 0 not probed */
	unsigned run_index, pass; /* counted from 0 */
	enum np_mode mode;
	enum np_axis axis;     /* of a capacity sweep */
	enum np_factor factor; /* that its condition differs in: then it is in no row */
	bool refine;	       /* beside a step, to find its place: in no row */
	bool sentinel;	       /* the size that is measured again beside each pass: drift */
	bool superseded;  /* measured in an odd state of the machine, and again later */
	bool other_state; /* measured in an odd state */

	/* What follows is reduced from the samples.  Seconds are those of a message. */
	double median_s, least_s, sum_s; /* of all samples */
	double drift; /* first third of each block over the last; 1: too short to tell */
	double counted_messages; /* warm-up as well: what the counts are of */
	uint64_t samples;
	const char *code_path;	      /* the module's word for how it moved them */
	const double *block_median_s; /* of the first NP_VISIT_BLOCKS at most */
	const struct np_count *counts;
	unsigned blocks, count_count;
	uint64_t *samples_ns; /* of each sample, where the results keep them; else NULL */
	size_t kept;	      /* of these: all, but for a file with too many */
};
enum { NP_VISIT_BLOCKS = 64 };

struct np_results {
	enum np_operation operation;
	const char *operation_name;
	/* What is compared; the strings are the request's.  Of one or none, no
	 * visit says which. */
	const char *variants[NP_VARIANTS_MAX];
	size_t variant_count;
	struct np_condition conditions[NP_FACTORS]; /* of --why, as far as they went */
	bool per_message;			    /* percentiles are asked for */
	bool keep_samples; /* they, or something else, need each sample of a visit */
	unsigned runs;
	bool job; /* a launcher of the user's started it: --launches is not to be had */
	double precision; /* half width over median that was asked for; 0: none */

	/* What visits share, so that each has a number or a pointer of it. */
	char count_names[NP_BLOCK_COUNTS][NP_COUNTER_NAME];
	size_t count_names_count;
	char *code_paths[NP_CODE_PATHS_MAX];
	size_t code_paths_count;

	pthread_mutex_t lock; /* the watcher reads what the main thread adds to */
	struct np_visit **visits;
	size_t count, room;
};

struct np_measured;

void np_results_init(struct np_results *results);
void np_results_free(struct np_results *results);

/* Frees the visits; names stay. */
void np_results_empty(struct np_results *results);

/*
 * Reduces a visit and adds it.  Returns what was added, which is the results', or NULL
 * without memory.
 */
struct np_visit *np_results_add(struct np_results *results,
				const struct np_measured *measured);

/* Adds one that is reduced already, and owns it.  Returns 0, or -ENOMEM and frees it. */
int np_results_take(struct np_results *results, struct np_visit *visit);

/* The results' copy of a code path; empty where there are too many, or no memory. */
const char *np_results_word(struct np_results *results, const char *word);

/* Gives back the single samples of a visit that was added. */
void np_results_forget_samples(struct np_results *results, struct np_visit *visit);

/* Marks the visits of one serial as replaced by later ones. */
void np_results_supersede(struct np_results *results, unsigned run_index, uint64_t serial);

/* Whether --why has measured anything whose causes can be told apart. */
bool np_results_ask_why(const struct np_results *results);

/* Seconds of one message, from a batch's duration: half the round trip for
 * ping-pong, the whole time else. */
double np_message_seconds(const struct np_results *results, const struct np_visit *visit,
			  uint64_t batch_ns);

/* Whether it counts for rows: neither superseded nor measured for something else. */
bool np_visit_is_in_rows(const struct np_visit *visit);

/* What an interval counts: the pass that a visit belongs to, or the run. */
unsigned np_unit_of(const struct np_results *results, const struct np_visit *visit);

/* The median of each unit's values, in place: values[i] belongs to the unit of
 * visits[i], which are sorted by unit; and which unit it is, if numbers is not NULL.
 * Returns how many units there are. */
size_t np_unit_medians(const struct np_results *results, struct np_visit *const *visits,
		       double *values, unsigned *numbers, size_t count);

/* Takes what is compared from the request. */
void np_results_compare(struct np_results *results, const struct np_request *request);

/* Sets other_state in the visits that were measured in the rarer host state, by the
 * core-to-core latency of all visits so far. */
void np_mark_host_states(struct np_results *results);

/* The name of a variant; NULL where nothing is compared. */
const char *np_variant_name(const struct np_results *results, size_t variant);

#endif
