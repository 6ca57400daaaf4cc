/*
 * calibrate.c - calibration: messages a sample, samples a block, blocks a visit.
 */
#include "run/calibrate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "endpoint/block_timeout.h"
#include "endpoint/slots.h"

enum {
	SAMPLES_MAX = 64,	   /* samples of a block */
	SAMPLES_MAX_SINGLE = 4096, /* the same with --per-message */
	TRIAL_BATCHES = 6,	   /* samples of a trial, of which the fastest counts */
	SHARE_MESSAGES = 16,	   /* capacity sweep: minimum of messages a sample */
	SHARE_SAMPLES = 8,	   /* minimum of such samples a block */
	ALTERNATE_STREAM = 8,	   /* --why with a stream: messages a sample */
	ALTERNATE_SLOTS = 16	   /* --why: most slots timed in a block */
};

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
			 "-B: of %zu bytes at most %" PRIu64
			 " receives can be posted before a block, and a sample of %" PRIu64
			 " messages is asked for",
			 length, most, messages);
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
	const double most = np_campaign_visit_ns(campaign) /
			    (double)(plan->pairs * SHARE_SAMPLES) / message_ns;
	const double least = fmin(fmin(most, SHARE_MESSAGES), (double)limit);

	if (plan->sweep_count == 0 || (double)messages >= least)
		return messages;
	state->batch_ns = message_ns * floor(least);
	return (uint64_t)least;
}

int np_calibrate(struct np_campaign *campaign, struct np_size_state *state,
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

	while (rc == 0 && state->batch_ns < np_campaign_visit_ns(campaign)) {
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

/* Returns the blocks of each mode in a visit.  Visits that are shorter for lack of time
 * have fewer, not shorter ones: beside a busy process what precedes a block takes longer
 * than the block. */
static size_t count_blocks(const struct np_campaign *campaign)
{
	return (size_t)fmax(1, ceil(campaign->pace * campaign->plan->pairs));
}

size_t np_count_rounds(const struct np_campaign *campaign,
		       const struct np_size_state *state,
		       const struct np_block_plan *block_plan)
{
	const double block =
		state->batch_ns * (double)(block_plan->warmup + block_plan->samples);
	const double fit = 2 * np_campaign_visit_ns(campaign) / block;
	const size_t max =
		campaign->plan->alternate ? campaign->plan->pairs : count_blocks(campaign);

	return fit >= (double)max ? max : fit > 1 ? (size_t)fit : 1;
}

/* --why: every other sample reuses one slot and counts as warm-up; the slots of the timed
 * samples must fit in the cache together. */
static struct np_block_plan plan_alternating(const struct np_campaign *campaign,
					     const struct np_size_state *state)
{
	const double fit = (double)campaign->plan->touch_bytes / pair_bytes(state);
	const uint64_t slots = fit >= ALTERNATE_SLOTS ? ALTERNATE_SLOTS :
			       fit >= 1		      ? (uint64_t)fit :
							1;
	const uint64_t batches = slots / state->messages;

	return (struct np_block_plan){ .messages = state->messages,
				       .warmup = batches != 0 ? (size_t)batches : 1,
				       .samples = batches != 0 ? (size_t)batches : 1 };
}

/* Cuts a block to `most` samples, one of them warm-up where there are several. */
static struct np_block_plan limit_block(struct np_block_plan block_plan, uint64_t most)
{
	if (block_plan.warmup + block_plan.samples <= most)
		return block_plan;
	block_plan.warmup = most > 1 ? 1 : 0;
	block_plan.samples = (size_t)most - block_plan.warmup;
	return block_plan;
}

struct np_block_plan np_block_plan_make(const struct np_campaign *campaign,
					const struct np_size_state *state)
{
	if (campaign->plan->alternate)
		return plan_alternating(campaign, state);
	const double time = np_campaign_visit_ns(campaign) / (double)count_blocks(campaign);
	const size_t max =
		campaign->options->per_message ? SAMPLES_MAX_SINGLE : SAMPLES_MAX;
	const uint64_t most = np_process_block_most(campaign->process) / state->messages;
	const uint64_t fit = campaign->plan->capacity / state->messages;
	struct np_block_plan block_plan = { .messages = state->messages };
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

void np_calibration_update(const struct np_campaign *campaign, struct np_size_state *state,
			   double batch_ns)
{
	if (batch_ns >= 1)
		state->batch_ns = batch_ns;
	if (batch_ns < 0.35 * (double)campaign->plan->sample_ns &&
	    fixed_messages(campaign) == 0 &&
	    state->messages < limit_messages(campaign, state->length))
		state->messages = 0;
}
