/*
 * sim_keys_noise.c - the keys that say how times scatter.
 */
#include "sim_keys.h"

static enum np_sim_taken take_state(struct np_sim_reading *reading,
				    const struct np_sim_key *key,
				    const struct np_sim_items *items)
{
	struct np_sim_profile *profile = reading->profile;
	struct np_sim_state state = { .last = SIZE_MAX };
	double more;

	(void)key;
	if (np_sim_is_none(items)) {
		profile->state_count = 0;
		return NP_SIM_TAKEN;
	}
	if (items->count < 2 || !np_sim_read_percent(items->list[0], &state.share) ||
	    state.share <= 0 || state.share >= 1 ||
	    !np_sim_read_percent(items->list[1], &more) ||
	    (items->count == 3 &&
	     !np_sim_read_range(items->list[2], &state.first, &state.last)))
		return NP_SIM_NOT_THIS;
	if (profile->state_count == NP_SIM_STEPS)
		return NP_SIM_NO_ROOM;
	state.factor = 1 + more;
	profile->states[profile->state_count++] = state;
	return NP_SIM_TAKEN;
}

static enum np_sim_taken take_noise(struct np_sim_reading *reading,
				    const struct np_sim_key *key,
				    const struct np_sim_items *items)
{
	double *noise = reading->profile->noise, share;

	(void)key;
	if (np_sim_is_none(items)) {
		memset(noise, 0, sizeof(reading->profile->noise));
		return NP_SIM_TAKEN;
	}
	if (items->count != 2 || !np_sim_read_percent(items->list[1], &share) ||
	    share < 0 || share > 1)
		return NP_SIM_NOT_THIS;
	for (size_t i = 0; i < NP_SIM_SCOPES; i++) {
		if (!np_sim_is_word(items->list[0],
				    np_sim_scope_name((enum np_sim_scope)i)))
			continue;
		noise[i] = share;
		return NP_SIM_TAKEN;
	}
	return NP_SIM_NOT_THIS;
}

static enum np_sim_taken take_burst(struct np_sim_reading *reading,
				    const struct np_sim_key *key,
				    const struct np_sim_items *items)
{
	struct np_sim_profile *profile = reading->profile;
	double every, length;

	(void)key;
	if (np_sim_is_none(items)) {
		profile->burst_every_ns = profile->burst_ns = 0;
		return NP_SIM_TAKEN;
	}
	/* Bursts that come faster than they pass would leave no time to messages. */
	if (items->count != 2 || !np_sim_read_time(items->list[0], &every) ||
	    !np_sim_read_time(items->list[1], &length) || length < 0 || every < 1000 ||
	    every < 2 * length)
		return NP_SIM_NOT_THIS;
	profile->burst_every_ns = every;
	profile->burst_ns = length;
	return NP_SIM_TAKEN;
}

static enum np_sim_taken take_drift(struct np_sim_reading *reading,
				    const struct np_sim_key *key,
				    const struct np_sim_items *items)
{
	double drift;

	(void)key;
	if (!np_sim_read_percent(items->list[0], &drift) || drift > 1)
		return NP_SIM_NOT_THIS;
	reading->profile->drift = drift;
	return NP_SIM_TAKEN;
}

// clang-format off
const struct np_sim_key np_sim_noise_keys[] = {
	{ "noise", "message, sample, block, visit, pass or launch, PERCENT", 1, 2, take_noise, 0 },
	{ "burst", "TIME, TIME", 1, 2, take_burst, 0 },
	{ "drift", "PERCENT", 1, 1, take_drift, 0 },
	{ "two_valued", "PERCENT, PERCENT[, SIZE-SIZE]", 1, 3, take_state, 0 },
	{ NULL, NULL, 0, 0, NULL, 0 }
};
// clang-format on
