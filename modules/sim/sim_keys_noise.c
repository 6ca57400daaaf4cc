/*
 * sim_keys_noise.c - profile keys of noise: log-normal factors, bursts, drift, bimodal
 * times.
 */
#include "sim_keys.h"

static enum np_sim_parsed parse_bimodal(struct np_sim_reading *reading,
					const struct np_sim_key *key,
					const struct np_sim_items *items)
{
	struct np_sim_profile *profile = reading->profile;
	struct np_sim_second_mode mode = { .last = SIZE_MAX };
	double more;

	(void)key;
	if (np_sim_is_none(items)) {
		profile->second_mode_count = 0;
		return NP_SIM_PARSED;
	}
	if (items->count < 2 || !np_sim_read_percent(items->list[0], &mode.share) ||
	    mode.share <= 0 || mode.share >= 1 ||
	    !np_sim_read_percent(items->list[1], &more) ||
	    (items->count == 3 &&
	     !np_sim_read_range(items->list[2], &mode.first, &mode.last)))
		return NP_SIM_MALFORMED;
	if (profile->second_mode_count == NP_SIM_STEPS)
		return NP_SIM_TOO_MANY;
	mode.factor = 1 + more;
	profile->second_modes[profile->second_mode_count++] = mode;
	return NP_SIM_PARSED;
}

static enum np_sim_parsed parse_noise(struct np_sim_reading *reading,
				      const struct np_sim_key *key,
				      const struct np_sim_items *items)
{
	double *noise = reading->profile->noise, share;

	(void)key;
	if (np_sim_is_none(items)) {
		memset(noise, 0, sizeof(reading->profile->noise));
		return NP_SIM_PARSED;
	}
	if (items->count != 2 || !np_sim_read_percent(items->list[1], &share) ||
	    share < 0 || share > 1)
		return NP_SIM_MALFORMED;
	for (size_t i = 0; i < NP_SIM_SCOPES; i++) {
		if (!np_sim_is_word(items->list[0],
				    np_sim_scope_name((enum np_sim_scope)i)))
			continue;
		noise[i] = share;
		return NP_SIM_PARSED;
	}
	return NP_SIM_MALFORMED;
}

static enum np_sim_parsed parse_burst(struct np_sim_reading *reading,
				      const struct np_sim_key *key,
				      const struct np_sim_items *items)
{
	struct np_sim_profile *profile = reading->profile;
	double every, length;

	(void)key;
	if (np_sim_is_none(items)) {
		profile->burst_every_ns = profile->burst_ns = 0;
		return NP_SIM_PARSED;
	}
	/* Bursts that fill all the time would make a sample endless. */
	if (items->count != 2 || !np_sim_read_time(items->list[0], &every) ||
	    !np_sim_read_time(items->list[1], &length) || length < 0 || every < 1000 ||
	    every < 2 * length)
		return NP_SIM_MALFORMED;
	profile->burst_every_ns = every;
	profile->burst_ns = length;
	return NP_SIM_PARSED;
}

static enum np_sim_parsed parse_drift(struct np_sim_reading *reading,
				      const struct np_sim_key *key,
				      const struct np_sim_items *items)
{
	double drift;

	(void)key;
	if (!np_sim_read_percent(items->list[0], &drift) || drift > 1)
		return NP_SIM_MALFORMED;
	reading->profile->drift = drift;
	return NP_SIM_PARSED;
}

// clang-format off
const struct np_sim_key np_sim_noise_keys[] = {
	{ "noise", "message, sample, block, visit, pass or launch, PERCENT", 1, 2, parse_noise, 0 },
	{ "burst", "TIME, TIME", 1, 2, parse_burst, 0 },
	{ "drift", "PERCENT", 1, 1, parse_drift, 0 },
	{ "two_valued", "PERCENT, PERCENT[, SIZE-SIZE]", 1, 3, parse_bimodal, 0 },
	{ NULL, NULL, 0, 0, NULL, 0 }
};
// clang-format on
