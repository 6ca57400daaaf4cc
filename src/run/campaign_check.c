/*
 * campaign_check.c - -i: checks the data of each size, mode and variant in turn.
 */
#include "run/campaign_check.h"

#include "endpoint/block_timeout.h"
#include "run/calibrate.h"
#include "run/campaign_memory.h"

static int check_mode(struct np_campaign *campaign, struct np_size_state *state,
		      enum np_mode mode, size_t variant, struct np_error *error)
{
	const struct np_plan *plan = campaign->plan;
	const uint64_t most = np_process_block_most(campaign->process);
	uint64_t messages = campaign->options->messages;
	int rc = np_calibration_fixed(campaign, state->length, messages, error);

	if (rc != 0)
		return rc;
	if (messages == 0) {
		messages = plan->check_volume / (state->length + 1);
		messages = messages > 64 ? 64 : messages < 3 ? 3 : messages;
		messages = messages < most ? messages : most;
	}
	const struct np_command check = {
		.kind = NP_COMMAND_CHECK,
		.length = state->length,
		.block = { .mode = mode,
			   .position = state->cursor,
			   .fixed = np_random_next(&campaign->random) >> 1,
			   .messages = messages,
			   .batches = 1,
			   .timeout_ns =
				   np_block_timeout_unknown(state->length, messages) },
		.sequence = campaign->serial,
	};

	rc = np_command_both(campaign->process, &check, NULL, error);
	state->cursor += messages;
	campaign->serial += messages;
	if (rc != 0 || campaign->observer->checked == NULL)
		return rc;
	return campaign->observer->checked(campaign->observer->context, state->length, mode,
					   variant, messages, error);
}

static int check_variant(struct np_campaign *campaign, struct np_size_state *state,
			 size_t variant, struct np_error *error)
{
	const struct np_plan *plan = campaign->plan;
	const struct np_command arm = { .kind = NP_COMMAND_ARM,
					.length = state->length,
					.variant = variant };
	const struct np_command disarm = { .kind = NP_COMMAND_DISARM };
	int rc = np_command_both(campaign->process, &arm, NULL, error);

	for (size_t i = 0; i < plan->mode_count && rc == 0; i++)
		rc = check_mode(campaign, state, plan->modes[i], variant, error);
	return rc == 0 ? np_command_both(campaign->process, &disarm, NULL, error) : rc;
}

int np_campaign_check(struct np_campaign *campaign, struct np_error *error)
{
	const struct np_plan *plan = campaign->plan;
	int rc = 0;

	for (size_t i = 0; i < plan->size_count && rc == 0; i++) {
		struct np_size_state *state = &campaign->states[i];

		rc = np_campaign_renew_for_size(campaign, error);
		for (size_t variant = 0; variant < plan->variant_count && rc == 0;
		     variant++) {
			if (np_process_holds(campaign->process, variant))
				rc = check_variant(campaign, state, variant, error);
		}
	}
	return rc;
}
