/*
 * visit.c - one visit of a size: calibrate once, then blocks of the arms in
 * turn.
 *
 * Blocks alternate in pairs, the order reversed every other pair, so that a
 * drift within the visit falls on both arms alike.  Both arms have the same
 * number of messages in a sample, of samples in a block and of settling
 * samples before them; nothing in here depends on the size but through the
 * time that a message takes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign.h"
#include "stats.h"

static const uint64_t least_patience_ns = 8000000000u;

enum {
	SAMPLES_MAX = 64,	   /* of a block */
	SAMPLES_MAX_SINGLE = 4096, /* with --per-message */
	TRIES = 6 /* batches of a calibration; the fastest was not disturbed */
};

/* How a block is made up. */
struct shape {
	uint64_t messages; /* of a sample */
	size_t settle, samples;
};

static int run_block(struct np_campaign *campaign, struct np_size_state *state,
		     const struct np_block *block, struct np_outcome *outcome,
		     struct np_error *error)
{
	const struct np_command command = { .kind = NP_COMMAND_BLOCK,
					    .length = state->length,
					    .block = *block };
	const int rc = np_command_both(campaign->end, &command, outcome, error);

	if (block->arm == NP_ARM_ROTATE)
		state->cursor += block->messages * block->batches;
	return rc;
}

/* Messages of a sample that the user has fixed, or 0. */
static uint64_t fixed_messages(const struct np_campaign *campaign, size_t length)
{
	const struct np_options *options = campaign->options;

	if (options->per_message)
		return 1;
	if (options->messages != 0)
		return options->messages;
	if (options->stream_count != 0)
		return options->stream_count;
	if (options->stream_volume != 0 && length != 0) {
		const uint64_t messages = options->stream_volume / length;

		return messages != 0 ? messages : 1;
	}
	return 0;
}

/* The most messages that a sample may have, so that a block of a few samples
 * fits the slot table and, touched, the cache. */
static uint64_t messages_limit(const struct np_campaign *campaign, size_t length)
{
	uint64_t limit = campaign->plan->capacity / 4;

	if (campaign->plan->touch_bytes != 0 && length != 0) {
		const uint64_t touched = campaign->plan->touch_bytes / (2 * length) / 4;

		if (touched < limit)
			limit = touched;
	}
	return limit != 0 ? limit : 1;
}

uint64_t np_first_patience(size_t length, uint64_t messages)
{
	/* Nothing is known of the path yet: it may have a tenth of a megabyte a
	 * second and 10 ms a message. */
	return least_patience_ns + messages * (10000000 + (uint64_t)length * 2 * 10000);
}

/* Times `batches` batches; state->batch_ns becomes that of the fastest. */
static int try_batches(struct np_campaign *campaign, struct np_size_state *state,
		       const struct np_block *like, uint64_t messages, uint64_t batches,
		       struct np_error *error)
{
	struct np_block block = *like;
	uint64_t ns[TRIES], fastest = UINT64_MAX;
	struct np_outcome outcome = { .ns = ns };

	block.messages = messages;
	block.batches = batches;
	block.position = state->cursor;
	block.patience_ns = np_first_patience(state->length, messages * batches);
	const int rc = run_block(campaign, state, &block, &outcome, error);
	if (rc != 0)
		return rc;
	for (uint64_t i = 0; i < batches; i++)
		fastest = ns[i] < fastest ? ns[i] : fastest;
	state->batch_ns = fastest > 0 ? (double)fastest : 1;
	return 0;
}

/*
 * Finds how many messages fill a sample: from one upwards, until a sample is
 * long enough.  A batch that alone takes longer than a visit should is believed
 * at once; all others have to be long several times.
 */
static int calibrate(struct np_campaign *campaign, struct np_size_state *state,
		     const struct np_block *like, struct np_error *error)
{
	const double target = (double)campaign->plan->sample_ns;
	const uint64_t fixed = fixed_messages(campaign, state->length);
	const uint64_t limit = messages_limit(campaign, state->length);
	uint64_t messages = fixed != 0 ? fixed : 1;
	int rc = try_batches(campaign, state, like, messages, 1, error);

	while (rc == 0 && state->batch_ns < (double)campaign->plan->visit_ns) {
		rc = try_batches(campaign, state, like, messages, TRIES, error);
		if (rc != 0)
			break;
		if (fixed != 0 || messages >= limit || state->batch_ns >= 0.7 * target)
			break;
		const double grow = target / state->batch_ns;
		messages = (uint64_t)((double)messages * (grow < 16 ? grow : 16)) + 1;
		if (messages > limit)
			messages = limit;
	}
	state->messages = messages;
	return rc;
}

/* Blocks of each arm: fewer where a block is longer than its share of a visit. */
static size_t count_pairs(const struct np_campaign *campaign,
			  const struct np_size_state *state, const struct shape *shape)
{
	const double block = state->batch_ns * (double)(shape->settle + shape->samples);
	const double fit = 2 * (double)campaign->plan->visit_ns / block;
	const size_t most = campaign->plan->pairs;

	return fit >= (double)most ? most : fit > 1 ? (size_t)fit : 1;
}

static struct shape shape_block(const struct np_campaign *campaign,
				const struct np_size_state *state)
{
	const double time = (double)campaign->plan->visit_ns / campaign->plan->pairs;
	const size_t most =
		campaign->options->per_message ? SAMPLES_MAX_SINGLE : SAMPLES_MAX;
	const uint64_t fit = campaign->plan->capacity / state->messages;
	struct shape shape = { .messages = state->messages };
	double batches = time / state->batch_ns;

	if (campaign->plan->touch_bytes != 0 && state->length != 0) {
		const double touched = (double)campaign->plan->touch_bytes /
				       (2.0 * (double)state->length) /
				       (double)state->messages;
		if (batches > touched)
			batches = touched;
		/* What is touched stays warm only if nothing goes before it. */
		if (touched < 2) {
			shape.samples = 1;
			return shape;
		}
	}
	if (batches > (double)fit)
		batches = (double)fit;
	const size_t with_settling = most + most / 8;
	if (batches > (double)with_settling)
		batches = (double)with_settling;
	/* About an eighth settles; two where a sample is a single message. */
	shape.settle = 1 + (size_t)batches / 9 + (state->messages == 1 ? 1 : 0);
	shape.samples =
		batches > (double)shape.settle + 1 ? (size_t)batches - shape.settle : 1;
	return shape;
}

static void store_block(struct np_visit *visit, size_t block, const uint64_t *ns,
			const struct np_outcome *outcome)
{
	memcpy(visit->settle_ns + block * visit->settle_per_block, ns,
	       visit->settle_per_block * sizeof(*ns));
	memcpy(visit->samples_ns + block * visit->samples_per_block,
	       ns + visit->settle_per_block, visit->samples_per_block * sizeof(*ns));
	for (size_t i = 0; i < outcome->counts.count; i++)
		np_counts_add(&visit->counts, outcome->counts.list[i].name,
			      outcome->counts.list[i].value);
}

/* All blocks of all arms, in their order, into the arms' visits. */
static int run_blocks(struct np_campaign *campaign, struct np_size_state *state,
		      struct np_visit *const *visits, size_t arm_count,
		      const struct shape *shape, uint64_t fixed, struct np_error *error)
{
	const size_t batches = shape->settle + shape->samples;
	/* A block that takes fifty times as long as the last one did, and a few
	 * seconds, waits for something that does not come. */
	const uint64_t patience =
		least_patience_ns + (uint64_t)(50 * state->batch_ns * (double)batches);
	uint64_t *ns = calloc(batches, sizeof(*ns));
	int rc = 0;

	if (ns == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for samples");
	const size_t blocks = arm_count != 0 ? visits[0]->blocks : 0;
	for (size_t pair = 0; pair < blocks && rc == 0; pair++) {
		for (size_t turn = 0; turn < arm_count && rc == 0; turn++) {
			const bool reversed = (pair + campaign->launch) % 2 == 1;
			struct np_visit *visit =
				visits[reversed ? arm_count - 1 - turn : turn];
			struct np_outcome outcome = { .ns = ns };
			const struct np_block block = { .arm = visit->arm,
							.position = state->cursor,
							.fixed = fixed,
							.messages = shape->messages,
							.batches = batches,
							.patience_ns = patience };

			rc = run_block(campaign, state, &block, &outcome, error);
			if (rc == 0)
				store_block(visit, pair, ns, &outcome);
		}
	}
	free(ns);
	return rc;
}

/* Remembers how long a sample takes in the slower arm.  Samples that turn out
 * far shorter than they should be were calibrated in a bad moment. */
static void remember_time(struct np_campaign *campaign, struct np_size_state *state,
			  struct np_visit *const *visits, size_t arm_count)
{
	const double trips = campaign->results->operation == NP_PINGPONG ? 2 : 1;
	double slowest = 0;

	for (size_t i = 0; i < arm_count; i++) {
		const double seconds =
			np_visit_median(campaign->results, visits[i], 0, visits[i]->blocks);
		const double batch = seconds * 1e9 * trips * (double)visits[i]->messages;

		slowest = batch > slowest ? batch : slowest;
	}
	if (slowest >= 1)
		state->batch_ns = slowest;
	if (slowest < 0.35 * (double)campaign->plan->sample_ns &&
	    fixed_messages(campaign, state->length) == 0 &&
	    state->messages < messages_limit(campaign, state->length))
		state->messages = 0;
}

/* Stores the visits and tells of them; takes them over in any case. */
static int store_visits(struct np_campaign *campaign, struct np_visit **visits,
			size_t arm_count, struct np_error *error)
{
	const struct np_listener *listener = campaign->listener;
	int rc = 0;

	for (size_t i = 0; i < arm_count; i++) {
		const struct np_visit *visit = visits[i];
		const int added = np_results_add(campaign->results, visits[i]);

		visits[i] = NULL;
		if (added != 0)
			rc = np_fail_errno(error, added, "no memory for results");
		else if (rc == 0 && listener->visit != NULL)
			rc = listener->visit(listener->context, visit, error);
	}
	return rc;
}

static struct np_visit *new_visit(const struct np_campaign *campaign,
				  const struct np_size_state *state, enum np_arm arm,
				  const struct shape *shape, size_t blocks)
{
	struct np_visit *visit = np_visit_new(blocks, shape->settle, shape->samples);

	if (visit == NULL)
		return NULL;
	visit->launch = campaign->launch;
	visit->pass = campaign->pass;
	visit->serial = campaign->serial;
	visit->length = state->length;
	visit->arm = arm;
	visit->messages = shape->messages;
	snprintf(visit->variant, sizeof(visit->variant), "%s",
		 campaign->end->endpoint->variant->name);
	return visit;
}

static void free_visits(struct np_visit **visits, size_t count)
{
	for (size_t i = 0; i < count; i++)
		np_visit_free(visits[i]);
}

static int measure_arms(struct np_campaign *campaign, struct np_size_state *state,
			const enum np_arm *arms, size_t arm_count, bool sentinel,
			struct np_error *error)
{
	struct np_visit *visits[NP_ARMS] = { NULL };
	struct np_outcome handover = { .ns = NULL };
	/* One buffer, but another at each visit: its place in a page would
	 * otherwise pass for an effect of reuse. */
	const uint64_t fixed = np_random_next(&campaign->random) >> 1;
	int rc = 0;

	if (state->messages == 0) {
		const struct np_block like = { .arm = arms[0], .fixed = fixed };

		rc = calibrate(campaign, state, &like, error);
	}
	if (rc == 0 && campaign->end->handover != NULL) {
		const struct np_command probe = { .kind = NP_COMMAND_HANDOVER };

		rc = np_command_both(campaign->end, &probe, &handover, error);
	}
	if (rc != 0)
		return rc;
	const struct shape shape = shape_block(campaign, state);
	const size_t pairs = count_pairs(campaign, state, &shape);
	for (size_t i = 0; i < arm_count; i++) {
		visits[i] = new_visit(campaign, state, arms[i], &shape, pairs);
		if (visits[i] == NULL) {
			free_visits(visits, i);
			return np_fail_errno(error, ENOMEM, "no memory for samples");
		}
		visits[i]->sentinel = sentinel;
		visits[i]->handover_ns = handover.handover_ns;
	}
	campaign->serial++;
	rc = run_blocks(campaign, state, visits, arm_count, &shape, fixed, error);
	if (rc == 0) {
		/* The sentinel's one arm would pass for the slower of two. */
		if (!sentinel)
			remember_time(campaign, state, visits, arm_count);
		rc = store_visits(campaign, visits, arm_count, error);
	}
	free_visits(visits, arm_count);
	return rc;
}

int np_visit_size(struct np_campaign *campaign, struct np_size_state *state,
		  const enum np_arm *arms, size_t arm_count, bool sentinel,
		  struct np_error *error)
{
	const struct np_command arm = { .kind = NP_COMMAND_ARM, .length = state->length };
	const struct np_command disarm = { .kind = NP_COMMAND_DISARM };
	int rc = np_command_both(campaign->end, &arm, NULL, error);

	if (rc == 0)
		rc = measure_arms(campaign, state, arms, arm_count, sentinel, error);
	return rc != 0 ? rc : np_command_both(campaign->end, &disarm, NULL, error);
}
