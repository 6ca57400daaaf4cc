/*
 * visit.c - visit of a size: calibration, then blocks of each mode and variant in turn.
 *
 * Blocks are measured in rounds, one of each mode and variant, in a balanced order in
 * which each one follows every other equally often (plan/order.h).  All blocks have the
 * same numbers of messages in a sample, of samples and of warm-up samples, which depend on
 * the size only through the time of a message.
 */
#include "run/visit.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint/block_timeout.h"
#include "endpoint/slots.h"
#include "plan/order.h"

/* ---- calibration -------------------------------------------------------------------- */

enum {
	SAMPLES_MAX = 64,	   /* samples of a block */
	SAMPLES_MAX_SINGLE = 4096, /* the same with --per-message */
	TRIAL_BATCHES = 6,	   /* samples of a trial, of which the fastest counts */
	SHARE_MESSAGES = 16,	   /* capacity sweep: minimum of messages a sample */
	SHARE_SAMPLES = 8,	   /* minimum of such samples a block */
	ALTERNATE_STREAM = 8,	   /* --why with a stream: messages a sample */
	ALTERNATE_SLOTS = 16	   /* --why: most slots timed in a block */
};

/* Composition of a block. */
struct block_plan {
	uint64_t messages;	/* messages of a sample */
	size_t warmup, samples; /* samples that precede the timed ones; timed samples */
};

/* Returns the duration of a mode and variant in a visit, ns. */
static double mode_ns(const struct np_campaign *campaign)
{
	return campaign->pace * (double)campaign->plan->visit_ns;
}

/* Returns bytes of a pair of buffers without guards and alignment, at least 1. */
static double pair_bytes(const struct np_size_state *state)
{
	return 2.0 * (double)state->length + 1;
}

int np_calibration_fixed(const struct np_campaign *campaign, size_t length,
			 uint64_t messages, struct np_error *error)
{
	const uint64_t most = np_process_block_most(campaign->process);

	if (messages <= most)
		return 0;
	return np_refuse(error,
			 "-B: at most %" PRIu64
			 " receives of %zu bytes can be posted before "
			 "a block, and a sample has %" PRIu64 " messages: lower -n",
			 most, length, messages);
}

int np_campaign_block(struct np_campaign *campaign, struct np_size_state *state,
		      const struct np_block *block, struct np_outcome *outcome,
		      struct np_error *error)
{
	const struct np_command command = { .kind = NP_COMMAND_BLOCK,
					    .length = state->length,
					    .block = *block };
	const int rc = np_command_both(campaign->process, &command, outcome, error);
	double measured_ns = 0;

	for (uint64_t i = 0; rc == 0 && i < block->batches; i++)
		measured_ns += (double)outcome->ns[i];
	state->stretch =
		measured_ns > 0 ? (double)campaign->process->passed_ns / measured_ns : 1;
	if (np_slots_rotate(block->mode))
		state->cursor += block->messages * block->batches;
	return rc;
}

/* Returns the messages of a sample that the options fix; 0: they fix none. */
static uint64_t fixed_messages(const struct np_campaign *campaign)
{
	const struct np_options *options = campaign->options;

	if (options->per_message)
		return 1;
	/* --why: a sample is one message, which changes the cache state of its slot for
	 * later ones.  A stream needs several. */
	if (campaign->plan->alternate)
		return campaign->plan->operation == NP_STREAM ? ALTERNATE_STREAM : 1;
	return options->messages;
}

/* Returns the upper limit of the messages of a sample: a block of four samples has to fit
 * the slot table and, if its buffers are touched, the cache. */
static uint64_t limit_messages(const struct np_campaign *campaign, size_t length)
{
	const uint64_t most = np_process_block_most(campaign->process);
	uint64_t limit = campaign->plan->capacity / 4;

	limit = most / 4 < limit ? most / 4 : limit;
	if (campaign->plan->block_bytes != 0) {
		const uint64_t fit = campaign->plan->block_bytes / (2 * length + 1) / 4;

		limit = fit < limit ? fit : limit;
	}
	if (campaign->plan->touch_bytes != 0 && length != 0) {
		const uint64_t touched = campaign->plan->touch_bytes / (2 * length) / 4;

		if (touched < limit)
			limit = touched;
	}
	return limit != 0 ? limit : 1;
}

/* Measures `batches` samples of `messages` messages, and sets state->batch_ns to the
 * duration of the fastest. */
static int try_batches(struct np_campaign *campaign, struct np_size_state *state,
		       const struct np_block *template, uint64_t messages, uint64_t batches,
		       uint64_t timeout_ns, struct np_error *error)
{
	struct np_block block = *template;
	uint64_t ns[TRIAL_BATCHES], fastest = UINT64_MAX;
	struct np_outcome outcome = { .ns = ns };

	block.messages = messages;
	block.batches = batches;
	block.position = state->cursor;
	block.timeout_ns = timeout_ns;
	const int rc = np_campaign_block(campaign, state, &block, &outcome, error);
	if (rc != 0)
		return rc;
	for (uint64_t i = 0; i < batches; i++)
		fastest = ns[i] < fastest ? ns[i] : fastest;
	state->batch_ns = (fastest > 0 ? (double)fastest : 1) * state->stretch;
	return 0;
}

/* Raises the messages of a sample in a capacity sweep.  With few messages the median hides
 * the miss rate: at a rate of 0.8 more than half of the samples of three messages have
 * three misses.  Returns the messages of a sample. */
static uint64_t show_share(const struct np_campaign *campaign, struct np_size_state *state,
			   uint64_t messages, uint64_t limit)
{
	const struct np_plan *plan = campaign->plan;
	const double message_ns = state->batch_ns / (double)messages;
	const double most =
		mode_ns(campaign) / (double)(plan->pairs * SHARE_SAMPLES) / message_ns;
	const double least = fmin(fmin(most, SHARE_MESSAGES), (double)limit);

	if (plan->sweep_count == 0 || (double)messages >= least)
		return messages;
	state->batch_ns = message_ns * floor(least);
	return (uint64_t)least;
}

/*
 * Sets state->messages, the messages of a sample, and state->batch_ns: the number grows
 * from 1 until a sample has its target duration.  The first sample is measured alone;
 * unless it is longer than a visit, the fastest of several samples counts.  `template`
 * gives mode and slot.  Returns 0 or -errno.
 */
static int calibrate(struct np_campaign *campaign, struct np_size_state *state,
		     const struct np_block *template, struct np_error *error)
{
	const double target = (double)campaign->plan->sample_ns;
	const uint64_t fixed = fixed_messages(campaign);
	const uint64_t limit = limit_messages(campaign, state->length);
	const uint64_t most = np_process_block_most(campaign->process);
	uint64_t messages = fixed != 0 ? fixed : 1;
	int rc = np_calibration_fixed(campaign, state->length, fixed, error);

	if (rc == 0)
		rc = try_batches(campaign, state, template, messages, 1,
				 np_block_timeout_unknown(state->length, messages), error);
	double expected_ns = state->batch_ns;

	while (rc == 0 && state->batch_ns < mode_ns(campaign)) {
		const uint64_t batches =
			most / messages < TRIAL_BATCHES ? most / messages : TRIAL_BATCHES;

		rc = try_batches(campaign, state, template, messages, batches,
				 np_block_timeout_expected((double)batches * expected_ns),
				 error);
		if (rc != 0)
			break;
		if (fixed != 0 || messages >= limit || state->batch_ns >= 0.7 * target)
			break;
		const double grow = target / state->batch_ns;
		messages = (uint64_t)((double)messages * (grow < 16 ? grow : 16)) + 1;
		if (messages > limit)
			messages = limit;
		expected_ns = state->batch_ns * (grow < 16 ? grow : 16);
	}
	state->messages = fixed != 0 || rc != 0 ?
				  messages :
				  show_share(campaign, state, messages, limit);
	return rc;
}

/* Returns the blocks of each mode in a visit.  A visit that is shortened for lack of time
 * has fewer blocks of equal length: beside a busy process the command of a block takes
 * longer than the block. */
static size_t count_blocks(const struct np_campaign *campaign)
{
	return (size_t)fmax(1, ceil(campaign->pace * campaign->plan->pairs));
}

/* Returns the number of blocks of each mode and variant in a visit, at least 1: fewer than
 * planned if a block is longer than its share of a visit. */
static size_t count_rounds(const struct np_campaign *campaign,
			   const struct np_size_state *state,
			   const struct block_plan *block_plan)
{
	const double block =
		state->batch_ns * (double)(block_plan->warmup + block_plan->samples);
	const double fit = 2 * mode_ns(campaign) / block;
	const size_t max =
		campaign->plan->alternate ? campaign->plan->pairs : count_blocks(campaign);

	return fit >= (double)max ? max : fit > 1 ? (size_t)fit : 1;
}

/* --why: every other sample reuses one slot and counts as warm-up; the slots of the timed
 * samples must fit in the cache together. */
static struct block_plan plan_alternating(const struct np_campaign *campaign,
					  const struct np_size_state *state)
{
	const double fit = (double)campaign->plan->touch_bytes / pair_bytes(state);
	const uint64_t slots = fit >= ALTERNATE_SLOTS ? ALTERNATE_SLOTS :
			       fit >= 1		      ? (uint64_t)fit :
							1;
	const uint64_t batches = slots / state->messages;

	return (struct block_plan){ .messages = state->messages,
				    .warmup = batches != 0 ? (size_t)batches : 1,
				    .samples = batches != 0 ? (size_t)batches : 1 };
}

/* Cuts a block to `most` samples, one of them warm-up where there are several. */
static struct block_plan limit_block(struct block_plan block_plan, uint64_t most)
{
	if (block_plan.warmup + block_plan.samples <= most)
		return block_plan;
	block_plan.warmup = most > 1 ? 1 : 0;
	block_plan.samples = (size_t)most - block_plan.warmup;
	return block_plan;
}

/* Returns the composition of a block of a calibrated size. */
static struct block_plan plan_block(const struct np_campaign *campaign,
				    const struct np_size_state *state)
{
	if (campaign->plan->alternate)
		return plan_alternating(campaign, state);
	const double time = mode_ns(campaign) / (double)count_blocks(campaign);
	const size_t max =
		campaign->options->per_message ? SAMPLES_MAX_SINGLE : SAMPLES_MAX;
	const uint64_t most = np_process_block_most(campaign->process) / state->messages;
	const uint64_t fit = campaign->plan->capacity / state->messages;
	struct block_plan block_plan = { .messages = state->messages };
	double batches = time / state->batch_ns;

	if (campaign->plan->touch_bytes != 0 && state->length != 0) {
		const double touched = (double)campaign->plan->touch_bytes /
				       (2.0 * (double)state->length) /
				       (double)state->messages;
		if (batches > touched)
			batches = touched;
		/* A touched buffer stays in the cache only if no warm-up sample precedes
		 * its use. */
		if (touched < 2) {
			block_plan.samples = 1;
			return block_plan;
		}
	}
	if (batches > (double)fit)
		batches = (double)fit;
	if (campaign->plan->block_bytes != 0) {
		const double held = (double)campaign->plan->block_bytes /
				    pair_bytes(state) / (double)state->messages;

		batches = batches > held ? held : batches;
	}
	const size_t with_warmup = max + max / 8;
	if (batches > (double)with_warmup)
		batches = (double)with_warmup;
	/* About an eighth of the samples is warm-up; one more where it is one message. */
	block_plan.warmup = 1 + (size_t)batches / 9 + (state->messages == 1 ? 1 : 0);
	block_plan.samples = batches > (double)block_plan.warmup + 1 ?
				     (size_t)batches - block_plan.warmup :
				     1;
	return limit_block(block_plan, most);
}

/* Sets the expected duration of a sample to a measured one, batch_ns.  A size whose samples
 * are much shorter than the target is calibrated again at its next visit: the calibration
 * was disturbed. */
static void update_calibration(const struct np_campaign *campaign,
			       struct np_size_state *state, double batch_ns)
{
	if (batch_ns >= 1)
		state->batch_ns = batch_ns;
	if (batch_ns < 0.35 * (double)campaign->plan->sample_ns &&
	    fixed_messages(campaign) == 0 &&
	    state->messages < limit_messages(campaign, state->length))
		state->messages = 0;
}

/* ---- visit -------------------------------------------------------------------------- */

enum { VISITS_MAX = NP_MODES * NP_VARIANTS_MAX };

/* Time limit of the messages that warm up a point of a capacity sweep, ns. */
static const double ROTATION_NS = 250e6;

/* State of a visit. */
struct visiting {
	struct np_campaign *campaign;
	struct np_size_state *state;
	bool sentinel;
	struct np_measured *visits[VISITS_MAX]; /* by variant, then mode */
	size_t visit_count;
	uint64_t fixed; /* slot of the modes that reuse */
	bool armed;
	size_t variant; /* armed in both processes */
};

static void store_block(struct np_measured *measured, size_t block, bool alternate,
			const uint64_t *ns, const struct np_outcome *outcome)
{
	uint64_t *warmup = measured->warmup_ns + block * measured->warmup_per_block;
	uint64_t *samples = measured->samples_ns + block * measured->samples_per_block;

	for (size_t i = 0; i < measured->samples_per_block && alternate; i++) {
		warmup[i] = ns[2 * i];
		samples[i] = ns[2 * i + 1];
	}
	if (!alternate) {
		memcpy(warmup, ns, measured->warmup_per_block * sizeof(*ns));
		memcpy(samples, ns + measured->warmup_per_block,
		       measured->samples_per_block * sizeof(*ns));
	}
	for (size_t i = 0; i < outcome->counts.count; i++)
		np_counts_add(&measured->counts, outcome->counts.list[i].name,
			      outcome->counts.list[i].value);
}

static int disarm(struct visiting *visiting, struct np_error *error)
{
	const struct np_command command = { .kind = NP_COMMAND_DISARM };

	if (!visiting->armed)
		return 0;
	visiting->armed = false;
	return np_command_both(visiting->campaign->process, &command, NULL, error);
}

/* Arms both processes for a variant, unless they are. */
static int arm_for(struct visiting *visiting, size_t variant, struct np_error *error)
{
	const bool other = visiting->state->factor == NP_FACTOR_WAIT && !visiting->sentinel;
	const struct np_command command = { .kind = NP_COMMAND_ARM,
					    .length = visiting->state->length,
					    .variant = variant,
					    .other_wait = other };

	if (visiting->armed && visiting->variant == variant)
		return 0;
	int rc = disarm(visiting, error);
	if (rc == 0)
		rc = np_command_both(visiting->campaign->process, &command, NULL, error);
	visiting->armed = rc == 0;
	visiting->variant = variant;
	return rc;
}

/* Measures one block, and stores its samples and counts in its visit. */
static int measure_block(struct visiting *visiting, struct np_measured *measured,
			 size_t round, uint64_t *ns, struct np_error *error)
{
	struct np_campaign *campaign = visiting->campaign;
	const struct np_visit *visit = &measured->visit;
	const size_t batches = measured->warmup_per_block + measured->samples_per_block;
	const uint64_t timeout =
		np_block_timeout_expected(visiting->state->batch_ns * (double)batches);
	struct np_outcome outcome = { .ns = ns };
	int rc = arm_for(visiting, visit->variant, error);
	const bool alternate = campaign->plan->alternate;
	const struct np_block block = { .mode = visit->mode,
					.axis = visit->axis,
					.buffers = visit->buffers,
					.alternate = alternate,
					.position = visiting->state->cursor,
					.fixed = visiting->fixed,
					.messages = visit->messages,
					.batches = batches,
					.timeout_ns = timeout };

	if (rc != 0)
		return rc;
	snprintf(measured->code_path, sizeof(measured->code_path), "%s",
		 campaign->process->endpoint->code_path->name);
	rc = np_campaign_block(campaign, visiting->state, &block, &outcome, error);
	if (rc == 0)
		store_block(measured, round, alternate, ns, &outcome);
	return rc;
}

/*
 * Warm-up at a point of a sweep: one full rotation through its buffers, by the CPU, and
 * by messages as far as a visit has time for them.
 */
static int rotate_once(struct visiting *visiting, const struct block_plan *block_plan,
		       struct np_error *error)
{
	struct np_campaign *campaign = visiting->campaign;
	struct np_size_state *state = visiting->state;
	const double message_ns = state->batch_ns / (double)block_plan->messages;
	const double fit = ROTATION_NS / (message_ns > 1 ? message_ns : 1);
	uint64_t messages = state->at.buffers;

	if (state->at.axis == NP_AXIS_NONE || visiting->sentinel)
		return 0;
	if (messages > campaign->plan->capacity / 2)
		messages = campaign->plan->capacity / 2;
	if ((double)messages > fit)
		messages = fit > 1 ? (uint64_t)fit : 1;
	const struct np_block rotation = { .mode = NP_MODE_ROTATE,
					   .axis = state->at.axis,
					   .buffers = state->at.buffers,
					   .touch_all = true,
					   .position = state->cursor,
					   .messages = messages,
					   .batches = 1,
					   .timeout_ns = np_block_timeout_expected(
						   message_ns * (double)messages) };
	uint64_t ns;
	struct np_outcome outcome = { .ns = &ns };

	return np_campaign_block(campaign, state, &rotation, &outcome, error);
}

/* Measures the blocks of all modes and variants: one of each in a round, in the balanced
 * order of that round. */
static int measure_blocks(struct visiting *visiting, const struct block_plan *block_plan,
			  size_t rounds, struct np_error *error)
{
	uint64_t *ns = calloc(block_plan->warmup + block_plan->samples, sizeof(*ns));
	const size_t count = visiting->visit_count;
	struct np_size_state *state = visiting->state;
	int rc = 0;

	if (ns == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for samples");
	for (size_t round = 0; round < rounds && rc == 0; round++) {
		for (size_t turn = 0; turn < count && rc == 0; turn++)
			rc = measure_block(visiting,
					   visiting->visits[np_balanced_at(
						   count, state->round + round, turn)],
					   round, ns, error);
	}
	/* The sentinel, which has one mode, advances no balanced order. */
	if (!visiting->sentinel)
		state->round += rounds;
	free(ns);
	return rc;
}

/* Adds the visits to the results and calls observer->visit().  The slowest mode's sample
 * determines the blocks of later visits; the sentinel has one mode, which may not be the
 * slowest. */
static int store_visits(const struct visiting *visiting, struct np_error *error)
{
	const struct np_campaign *campaign = visiting->campaign;
	const struct np_observer *observer = campaign->observer;
	const double trips = campaign->results->operation == NP_PINGPONG ? 2 : 1;
	double slowest = 0;
	int rc = 0;

	for (size_t i = 0; i < visiting->visit_count; i++) {
		const struct np_measured *measured = visiting->visits[i];
		const struct np_visit *visit = np_results_add(campaign->results, measured);

		if (visit == NULL)
			return np_fail_errno(error, ENOMEM, "no memory for results");
		slowest = fmax(slowest,
			       visit->median_s * 1e9 * trips * (double)visit->messages);
		if (rc == 0 && observer->visit != NULL)
			rc = observer->visit(observer->context, measured, error);
	}
	if (!visiting->sentinel)
		update_calibration(campaign, visiting->state,
				   slowest * visiting->state->stretch);
	return rc;
}

static struct np_measured *new_visit(const struct visiting *visiting, enum np_mode mode,
				     size_t variant, const struct block_plan *block_plan,
				     size_t blocks)
{
	const struct np_campaign *campaign = visiting->campaign;
	struct np_measured *measured =
		np_measured_new(blocks, block_plan->warmup, block_plan->samples);

	if (measured == NULL)
		return NULL;
	measured->visit = (struct np_visit){ .run_index = campaign->run_index,
					     .pass = campaign->pass,
					     .serial = campaign->serial,
					     .length = visiting->state->length,
					     .mode = mode,
					     .variant = variant,
					     .factor = visiting->state->factor,
					     .axis = visiting->state->at.axis,
					     .buffers = visiting->state->at.buffers,
					     .sentinel = visiting->sentinel,
					     .refine = campaign->refining,
					     .messages = block_plan->messages };
	return measured;
}

/* Returns the number of modes of a visit, from the first of the plan: 2 (reuse and rotate)
 * where queue pairs take turns.  A condition has all modes of the base: fewer would leave
 * other contents in CPU caches and translation caches. */
static size_t count_modes(const struct visiting *visiting)
{
	if (visiting->sentinel)
		return 1;
	return visiting->state->at.axis == NP_AXIS_QUEUE_PAIRS ?
		       2 :
		       visiting->campaign->plan->mode_count;
}

/* Returns the mode measured in place of rotation at a point of --replay. */
static enum np_mode mode_at(const struct visiting *visiting, enum np_mode mode)
{
	const struct np_sweep *at = &visiting->state->at;

	return mode == NP_MODE_ROTATE && np_axis_is_replay(at->axis) && at->buffers == 1 &&
			       !visiting->sentinel ?
		       NP_MODE_FRESH :
		       mode;
}

/* Allocates a visit for each mode and variant; one for the sentinel. */
static int make_visits(struct visiting *visiting, const struct block_plan *block_plan,
		       size_t blocks, double core_latency_ns, struct np_error *error)
{
	const struct np_plan *plan = visiting->campaign->plan;
	const size_t variants = visiting->sentinel ? 1 : plan->variant_count;
	const size_t modes = count_modes(visiting);

	for (size_t i = 0; i < variants * modes && i < VISITS_MAX; i++) {
		const enum np_mode mode = plan->modes[i % modes];

		if (!np_plan_measures(plan, mode, i / modes) ||
		    !np_process_holds(visiting->campaign->process, i / modes))
			continue;
		struct np_measured *measured = new_visit(visiting, mode_at(visiting, mode),
							 i / modes, block_plan, blocks);

		if (measured == NULL)
			return np_fail_errno(error, ENOMEM, "no memory for samples");
		measured->visit.core_latency_ns = core_latency_ns;
		visiting->visits[visiting->visit_count++] = measured;
	}
	return 0;
}

/* Measures a visit; both processes are armed for the first variant. */
static int measure(struct visiting *visiting, struct np_error *error)
{
	struct np_campaign *campaign = visiting->campaign;
	struct np_size_state *state = visiting->state;
	struct np_outcome core_latency = { .ns = NULL };
	int rc = 0;

	if (state->messages == 0) {
		const struct np_block template = { .mode = campaign->plan->modes[0],
						   .fixed = visiting->fixed };

		rc = calibrate(campaign, state, &template, error);
	}
	if (rc == 0 && np_process_probes(campaign->process)) {
		const struct np_command probe = { .kind = NP_COMMAND_CORE_LATENCY };

		rc = np_command_both(campaign->process, &probe, &core_latency, error);
	}
	if (rc != 0)
		return rc;
	const struct block_plan block_plan = plan_block(campaign, state);
	const size_t rounds = count_rounds(campaign, state, &block_plan);

	rc = make_visits(visiting, &block_plan, rounds, core_latency.core_latency_ns,
			 error);
	campaign->serial++;
	if (rc == 0)
		rc = rotate_once(visiting, &block_plan, error);
	if (rc == 0)
		rc = measure_blocks(visiting, &block_plan, rounds, error);
	return rc == 0 ? store_visits(visiting, error) : rc;
}

int np_visit_size(struct np_campaign *campaign, struct np_size_state *state, bool sentinel,
		  struct np_error *error)
{
	struct visiting visiting = {
		.campaign = campaign,
		.state = state,
		.sentinel = sentinel,
		/* Another slot at each visit: an effect of the slot's offset in a page
		 * would otherwise pass for an effect of reuse. */
		.fixed = np_random_next(&campaign->random) >> 1,
	};
	int rc = arm_for(&visiting, 0, error);

	if (rc == 0)
		rc = measure(&visiting, error);
	for (size_t i = 0; i < visiting.visit_count; i++)
		np_measured_free(visiting.visits[i]);
	return rc == 0 ? disarm(&visiting, error) : rc;
}
