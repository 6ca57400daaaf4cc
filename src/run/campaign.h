/*
 * campaign.h - campaign: the passes of a run over all sizes, in the client (rank 0).
 *
 * Sizes are visited in passes, shuffled.  Between passes the pool is mapped again and,
 * where the module can, the connection is made again, so that each pass is an
 * independent sample of the state after a start.  Passes are repeated until the
 * intervals are narrow enough or the time budget is spent.
 */
#pragma once

#include "endpoint/command.h"
#include "plan/plan.h"
#include "base/random.h"
#include "questions/expectation.h"
#include "results/results.h"
#include "run/campaign.h"

/* Callbacks of a campaign.  Each may be NULL. */
struct np_observer {
	void *context;
	/* A visit is complete and stored.  Returns 0, or -errno to end the run. */
	int (*visit)(void *context, const struct np_measured *measured,
		     struct np_error *error);
	/* A stored visit was measured again and is superseded. */
	int (*superseded)(void *context, unsigned run_index, uint64_t serial,
			  struct np_error *error);
	/* A connection is warm. */
	int (*connection)(void *context, const struct np_warm_up *connection,
			  struct np_error *error);
	/* results->conditions[factor] has changed. */
	int (*condition)(void *context, enum np_factor factor, struct np_error *error);
	/* An integrity check of a size, mode and variant has passed. */
	int (*checked)(void *context, size_t length, enum np_mode mode, size_t variant,
		       uint64_t messages, struct np_error *error);
	/* Progress; share: 0 to 1 of the time limit. */
	void (*progress)(void *context, unsigned pass, size_t length, double share,
			 double limit_s);
};

/* State of a size between its visits. */
struct np_size_state {
	size_t length;
	struct np_sweep at;    /* point of the capacity sweep */
	enum np_factor factor; /* factor that its condition changes */
	uint64_t messages;     /* messages of a sample; 0: not calibrated */
	double stretch;	       /* ratio: duration of a block over the sum of its samples */
	double batch_ns;       /* duration of the slowest mode's sample, as last measured */
	uint64_t cursor;       /* position in the order of slots */
	double took_ns;	       /* duration of the last visit, with what precedes it */
	size_t round;	       /* rounds of all visits so far; selects the order of modes */
	bool precise;  /* confidence interval narrow enough, or clauses decided: no more
			  visits */
	bool left_out; /* no more visits, for lack of time */
};

struct np_campaign {
	struct np_process *process;
	const struct np_options *options;
	const struct np_plan *plan;
	struct np_results *results;
	const struct np_observer *observer;
	unsigned run_index;
	struct np_expectation *expected; /* --expect; NULL: none, or judged over all runs */
	/* Start of the run, from which its budget counts, ns; 0: the first pass. */
	uint64_t begin_ns;

	/* Set by np_campaign_init() and np_campaign_run(). */
	struct np_size_state *states; /* of all sizes or sweep points, and conditions */
	size_t state_count;
	struct np_random random;
	uint64_t serial;
	double pace; /* duration of a visit over the planned one, for lack of time */
	unsigned pass;
	size_t carried;	       /* longest message of the connection, bytes; 0: new */
	double warm_ns;	       /* time limit of the warm-up of a connection */
	enum np_factor mapped; /* condition whose memory is mapped */
	bool refining;	       /* --refine: visits enter no row */
};

/*
 * Runs all passes.  The process is open and mapped before and after.  Returns 0, or
 * -errno with the visits measured until then in results.
 */
int np_campaign_run(struct np_campaign *campaign, struct np_error *error);

/* Marks a visit that was measured again as superseded, with the visits of its other modes
 * and variants.  Returns 0 or -errno. */
int np_campaign_supersede(struct np_campaign *campaign, const struct np_visit *visit,
			  struct np_error *error);

/* Initialises a campaign whose first six members are set.  Returns 0 or -errno. */
int np_campaign_init(struct np_campaign *campaign, struct np_error *error);
void np_campaign_free(struct np_campaign *campaign);

/* Maps the pool of the base, with the next key of the campaign's random numbers.  Returns 0
 * or -errno. */
int np_campaign_map(struct np_campaign *campaign, struct np_error *error);

/* Gives a size a connection that has carried no longer message, and warms it with messages
 * of this size.  Sizes up to the first window share a connection.  Does nothing where
 * connections do not grow with messages.  Returns 0 or -errno. */
int np_campaign_own_connection(struct np_campaign *campaign, size_t length,
			       struct np_error *error);

/* Campaign of -i: checks the data of all sizes, modes and variants, and measures no time.
 * Returns 0 or -errno. */
int np_campaign_check(struct np_campaign *campaign, struct np_error *error);
