/*
 * sim_keys_noise.c - profile keys of noise: log-normal factors, bursts, drift, bimodal
 * times.
 */
#include "sim_keys.h"

static bool parse_bimodal(struct np_sim_reading *reading, void *member)
{
	struct np_sim_second_mode *mode = member;
	double more;

	*mode = (struct np_sim_second_mode){ .last = SIZE_MAX };
	if (reading->count < 2 || !np_sim_read_percent(reading->items[0], &mode->share) ||
	    mode->share <= 0 || mode->share >= 1 ||
	    !np_sim_read_percent(reading->items[1], &more) ||
	    (reading->count == 3 &&
	     !np_sim_read_range(reading->items[2], &mode->first, &mode->last)))
		return false;
	mode->factor = 1 + more;
	return true;
}

static bool parse_noise(struct np_sim_reading *reading, void *member)
{
	double *noise = member, share;

	if (np_sim_is_none(reading)) {
		memset(noise, 0, sizeof(reading->profile->noise));
		return true;
	}
	if (reading->count != 2 || !np_sim_read_percent(reading->items[1], &share) ||
	    share < 0 || share > 1)
		return false;
	for (size_t i = 0; i < NP_SIM_SCOPES; i++) {
		if (np_sim_is_word(reading->items[0],
				   np_sim_scope_name((enum np_sim_scope)i))) {
			noise[i] = share;
			return true;
		}
	}
	return false;
}

static bool parse_burst(struct np_sim_reading *reading, void *member)
{
	struct np_sim_profile *profile = member;
	double every = 0, length = 0;

	/* Bursts that fill all the time would make a sample endless. */
	if (!np_sim_is_none(reading) &&
	    (reading->count != 2 || !np_sim_read_time(reading->items[0], &every) ||
	     !np_sim_read_time(reading->items[1], &length) || length < 0 || every < 1000 ||
	     every < 2 * length))
		return false;
	profile->burst_every_ns = every;
	profile->burst_ns = length;
	return true;
}

static bool parse_drift(struct np_sim_reading *reading, void *member)
{
	double *drift = member;

	return np_sim_read_percent(reading->items[0], drift) && *drift <= 1;
}

/* "unseen", or "from" and a time. */
static bool parse_state_word(char *item, struct np_sim_states *states)
{
	if (np_sim_is_word(item, "unseen"))
		return states->unseen = true;
	return strncmp(item, "from ", 5) == 0 &&
	       np_sim_read_time(item + 5, &states->from_ns) && states->from_ns > 0;
}

static bool parse_states(struct np_sim_reading *reading, void *member)
{
	struct np_sim_states *states = member;
	double more;

	*states = (struct np_sim_states){ .factor = 1 };
	if (np_sim_is_none(reading))
		return true;
	if (reading->count < 3 || !np_sim_read_time(reading->items[0], &states->every_ns) ||
	    !np_sim_read_time(reading->items[1], &states->lasts_ns) ||
	    !np_sim_read_percent(reading->items[2], &more) || states->every_ns < 1000 ||
	    states->lasts_ns < 1000)
		return false;
	for (size_t i = 3; i < reading->count; i++) {
		if (!parse_state_word(reading->items[i], states))
			return false;
	}
	states->factor = 1 + more;
	return states->factor > 0;
}

static bool parse_correlated(struct np_sim_reading *reading, void *member)
{
	struct np_sim_profile *profile = member;

	if (np_sim_is_none(reading)) {
		profile->correlated = 0;
		return true;
	}
	return reading->count == 2 &&
	       np_sim_read_percent(reading->items[0], &profile->correlated) &&
	       profile->correlated >= 0 && profile->correlated <= 1 &&
	       np_sim_read_time(reading->items[1], &profile->correlated_ns) &&
	       profile->correlated_ns > 0;
}

static bool parse_replay(struct np_sim_reading *reading, void *member)
{
	if (!np_sim_is_none(reading))
		return np_sim_read_replay(reading, reading->items[0]);
	*(size_t *)member = 0;
	return true;
}

// clang-format off
const struct np_sim_key np_sim_noise_keys[] = {
	{ "noise", "message, sample, block, visit, pass or run, PERCENT", 1, 2, parse_noise,
	  NP_SIM_AT(noise), { 0 } },
	{ "burst", "TIME, TIME", 1, 2, parse_burst, 0, { 0 } },
	{ "drift", "PERCENT", 1, 1, parse_drift, NP_SIM_AT(drift), { 0 } },
	{ "host_state", "TIME, TIME, PERCENT[, unseen][, from TIME]", 1, 5, parse_states,
	  NP_SIM_AT(states), { 0 } },
	{ "correlated", "PERCENT, TIME", 1, 2, parse_correlated, 0, { 0 } },
	{ "replay", "FILE", 1, 1, parse_replay, NP_SIM_AT(record_count), { 0 } },
	{ "bimodal", "PERCENT, PERCENT[, SIZE-SIZE]", 1, 3, parse_bimodal,
	  NP_SIM_LIST(second_modes, second_mode_count, NP_SIM_STEPS, 0) },
	{ NULL, NULL, 0, 0, NULL, 0, { 0 } }
};
// clang-format on
