/*
 * visit.c - visit of a size: calibration, then blocks of each mode and variant in turn.
 *
 * Blocks are measured in rounds, one of each mode and variant, in a balanced order in
 * which each follows each other equally often (plan/order.h).  All blocks have the same
 * numbers of messages in a sample, of samples and of warm-up samples, which depend on the
 * size only through the time of a message.
 */
#include "run/visit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint/block_timeout.h"
#include "plan/order.h"
#include "run/calibrate.h"

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
static int rotate_once(struct visiting *visiting, const struct np_block_plan *block_plan,
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
static int measure_blocks(struct visiting *visiting, const struct np_block_plan *block_plan,
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
		np_calibration_update(campaign, visiting->state,
				      slowest * visiting->state->stretch);
	return rc;
}

static struct np_measured *new_visit(const struct visiting *visiting, enum np_mode mode,
				     size_t variant, const struct np_block_plan *block_plan,
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
 * where queue pairs take turns.  A condition has all modes of the base: what they leave in
 * caches and tables of addresses would differ. */
static size_t count_modes(const struct visiting *visiting)
{
	if (visiting->sentinel)
		return 1;
	return visiting->state->at.axis == NP_AXIS_QUEUE_PAIRS ?
		       2 :
		       visiting->campaign->plan->mode_count;
}

/* Returns the mode that stands for rotation at a point of --replay. */
static enum np_mode mode_at(const struct visiting *visiting, enum np_mode mode)
{
	const struct np_sweep *at = &visiting->state->at;

	return mode == NP_MODE_ROTATE && np_axis_is_replay(at->axis) && at->buffers == 1 &&
			       !visiting->sentinel ?
		       NP_MODE_FRESH :
		       mode;
}

/* Allocates a visit for each mode and variant; one for the sentinel. */
static int make_visits(struct visiting *visiting, const struct np_block_plan *block_plan,
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

		rc = np_calibrate(campaign, state, &template, error);
	}
	if (rc == 0 && np_process_probes(campaign->process)) {
		const struct np_command probe = { .kind = NP_COMMAND_CORE_LATENCY };

		rc = np_command_both(campaign->process, &probe, &core_latency, error);
	}
	if (rc != 0)
		return rc;
	const struct np_block_plan block_plan = np_block_plan_make(campaign, state);
	const size_t rounds = np_count_rounds(campaign, state, &block_plan);

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
