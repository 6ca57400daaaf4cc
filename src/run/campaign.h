/*
 * campaign.h - the passes of a run, at the transmitter.
 *
 * Sizes are visited in passes, shuffled; between passes the pool is mapped
 * anew and, where the module can, the connection is made anew, so that the
 * pass is an independent draw of what a program meets when it starts.  Passes
 * go on until the intervals are narrow enough or the budget is spent.
 */
#ifndef NP_CAMPAIGN_H
#define NP_CAMPAIGN_H

#include "endpoint/command.h"
#include "plan/plan.h"
#include "base/random.h"
#include "results/results.h"

/* Who listens.  Each may be NULL. */
struct np_listener {
	void *context;
	/* A visit is over and stored.  Returns 0, or -errno to end the run. */
	int (*visit)(void *context, const struct np_visit *visit, struct np_error *error);
	/* Visits that are stored were measured again and no longer count. */
	int (*superseded)(void *context, unsigned run_index, uint64_t serial,
			  struct np_error *error);
	/* What is known of a condition has become known, or other. */
	int (*condition)(void *context, enum np_factor factor, struct np_error *error);
	/* An integrity check of a size, mode and variant has passed. */
	int (*checked)(void *context, size_t length, enum np_mode mode, size_t variant,
		       uint64_t messages, struct np_error *error);
	/* Where the run is; share is 0 to 1 of the time it may take. */
	void (*progress)(void *context, unsigned pass, size_t length, double share);
};

/* What is remembered of a size between its visits. */
struct np_size_state {
	size_t length;
	struct np_sweep at;    /* where on a capacity sweep */
	enum np_factor factor; /* that its condition differs in */
	uint64_t messages;     /* of a sample; 0 before it is calibrated */
	double batch_ns;       /* of a sample, the slower mode's, as last seen */
	uint64_t cursor;       /* position in the slots' order */
	bool precise;	       /* needs no more passes */
};

struct np_campaign {
	struct np_process *process;
	const struct np_options *options;
	const struct np_plan *plan;
	struct np_results *results;
	const struct np_listener *listener;
	unsigned run_index;

	/* The campaign's own. */
	struct np_size_state *states; /* a size each, a point of the sweep or a condition */
	size_t state_count;
	struct np_random random;
	uint64_t serial, begin_ns;
	unsigned pass;
	enum np_factor mapped; /* the condition whose memory there is */
	bool refining;	       /* its visits are in no row */
};

/*
 * Runs all passes; the end is open and mapped before and after.  Returns 0, or
 * -errno with what was measured until then in results.
 */
int np_campaign_run(struct np_campaign *campaign, struct np_error *error);

/* Checks the integrity of every size instead. */
int np_campaign_check(struct np_campaign *campaign, struct np_error *error);

/* Maps the pool of the base with a key drawn from the campaign's seed. */
int np_campaign_map(struct np_campaign *campaign, struct np_error *error);

/* campaign_memory.c.  Between passes: new memory, that of the base, and a new connection
 * where the module can. */
int np_campaign_renew(struct np_campaign *campaign, struct np_error *error);

/* -r, before each visit: the connection; the memory too only where it is registered with
 * it. */
int np_campaign_renew_for_size(struct np_campaign *campaign, struct np_error *error);

/* Has the memory of this condition mapped.  Where the kernel does not give what the
 * condition is about, it is not asked any more, and the listener is told. */
int np_campaign_provide(struct np_campaign *campaign, enum np_factor factor,
			struct np_error *error);

/* Sets up what the functions above use.  Returns 0 or -errno. */
int np_campaign_init(struct np_campaign *campaign, struct np_error *error);
void np_campaign_free(struct np_campaign *campaign);

/* visit.c: one visit of a size in every mode and variant of the plan, or, for the
 * sentinel, in the first of each; stored in results and told to the listener. */
int np_visit_size(struct np_campaign *campaign, struct np_size_state *state, bool sentinel,
		  struct np_error *error);

/* Marks the visits that were measured in the rarer state of the machine, from
 * the core-to-core latency probes of all visits so far. */
void np_mark_host_states(struct np_results *results);

#endif
