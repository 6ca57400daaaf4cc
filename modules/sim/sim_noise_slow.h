/*
 * sim_noise_slow.h - noise that lasts: host states, correlated noise, and the noise that a
 * real machine had.  What one visit has of it the next one has, too.
 */
#pragma once

#include "base/random.h"
#include "sim_profile.h"

struct np_sim_slow {
	bool in_state;
	double next_change_ns;	/* of the host state */
	double deviation;	/* of the logarithm, now, correlated */
	double last_ns;		/* when that was drawn; below 0: not yet */
	double replay_begin_ns; /* where in the recording the run begins */
};

/* Draws only what the profile has, so that other profiles keep their times. */
struct np_sim_slow np_sim_slow_begin(const struct np_sim_profile *profile,
				     struct np_random *random);

/* What times are multiplied by at now_ns, which never decreases. */
double np_sim_slow_factor(struct np_sim_slow *slow, const struct np_sim_profile *profile,
			  struct np_random *random, double now_ns);

/* The core-to-core latency at the time of the last factor, of a profile that has host
 * states that show in it; else 0. */
double np_sim_slow_core_latency(const struct np_sim_slow *slow,
				const struct np_sim_profile *profile, double now_ns);
