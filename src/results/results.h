/*
 * results.h - all that was measured: visits, as they happened, none dropped.
 *
 * A visit is what one size and mode gave in one pass.  Rows, ratios and
 * findings are derived from visits (rows.h), at the end or at an interruption,
 * and could be derived again from the result file.
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

struct np_visit {
	unsigned run_index, pass; /* counted from 0 */
	uint64_t serial;	  /* the modes of one visit share it */
	size_t length;		  /* bytes of a message */
	enum np_mode mode;
	size_t variant;	       /* of the results' variants; 0 if there are none */
	enum np_axis axis;     /* of a capacity sweep */
	uint64_t buffers;      /* distinct ones that it was at; 0 without a sweep */
	enum np_factor factor; /* that its condition differs in: then it is in no row */
	bool refine;	       /* beside a step, to find its place: in no row */
	bool sentinel;	       /* the size that is measured again beside each pass: drift */
	bool superseded;  /* measured in an odd state of the machine, and again later */
	bool other_state; /* measured in an odd state */
	double core_latency_ns;	 /* cache line handed over just before; 0 not probed */
	uint64_t messages;	 /* of a sample */
	char code_path[NP_WORD]; /* the module's word for how it moved them; or empty */
	size_t blocks, warmup_per_block, samples_per_block;
	uint64_t *warmup_ns;  /* [blocks * settle_per_block]: discarded, but kept */
	uint64_t *samples_ns; /* [blocks * samples_per_block]: a batch each */
	struct np_counts counts;
};

struct np_results {
	enum np_operation operation;
	const char *operation_name;
	/* What is compared; the strings are the request's.  Of one or none, no
	 * visit says which. */
	const char *variants[NP_VARIANTS_MAX];
	size_t variant_count;
	struct np_condition conditions[NP_FACTORS]; /* of --why, as far as they went */
	bool per_message;
	unsigned runs;
	bool job; /* a launcher of the user's started it: --launches is not to be had */
	double precision; /* half width over median that was asked for; 0: none */
	uint64_t seed;

	pthread_mutex_t lock; /* the watcher reads what the main thread adds to */
	struct np_visit **visits;
	size_t count, room;
};

void np_results_init(struct np_results *results);
void np_results_free(struct np_results *results);

/* An empty visit with room for its times; NULL without memory. */
struct np_visit *np_visit_new(size_t blocks, size_t warmup, size_t samples);
void np_visit_free(struct np_visit *visit);

/* Takes the visit over.  Returns 0, or -ENOMEM and frees it. */
int np_results_add(struct np_results *results, struct np_visit *visit);

/* Marks the visits of one serial as replaced by later ones. */
void np_results_supersede(struct np_results *results, unsigned run_index, uint64_t serial);

/* Whether --why has measured anything whose causes can be told apart. */
bool np_results_ask_why(const struct np_results *results);

/* Seconds of one message, from a batch's duration: half the round trip for
 * ping-pong, the whole time else. */
double np_message_seconds(const struct np_results *results, const struct np_visit *visit,
			  uint64_t batch_ns);

/* Messages of all samples of a visit, the settling ones too: what its counts are of.  A
 * round trip is two. */
double np_visit_messages(const struct np_results *results, const struct np_visit *visit);

/* Median seconds a message, over the samples of blocks [first, first + count). */
double np_visit_median(const struct np_results *results, const struct np_visit *visit,
		       size_t first_block, size_t count);

/* What an interval counts: the pass that a visit belongs to, or the run. */
unsigned np_unit_of(const struct np_results *results, const struct np_visit *visit);

/* The median of each unit's values, in place: values[i] belongs to the unit of
 * visits[i], which are sorted by unit.  Returns how many units there are. */
size_t np_unit_medians(const struct np_results *results, struct np_visit *const *visits,
		       double *values, size_t count);

/* Takes what is compared from the request. */
void np_results_compare(struct np_results *results, const struct np_request *request);

/* Whether a core-to-core latency of so long was one in another state of the machine than
 * the run's median one; what was not probed (0) is not known to be. */
bool np_host_state_is_other(double core_latency_ns, double usual_ns);

/* Sets other_state in the visits that were measured in the rarer host state, by the
 * core-to-core latency of all visits so far. */
void np_mark_host_states(struct np_results *results);

/* The name of a variant; NULL where nothing is compared. */
const char *np_variant_name(const struct np_results *results, size_t variant);

#endif
