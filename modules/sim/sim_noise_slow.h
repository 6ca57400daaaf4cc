/*
 * sim_noise_slow.h - noise that lasts longer than a visit: host states, correlated noise,
 * and recorded noise of a real machine.
 */
#pragma once

#include "base/random.h"
#include "sim_profile.h"

struct np_sim_slow {
	bool in_state;
	double next_change_ns;	/* of the host state */
	double deviation;	/* current, of the logarithm; correlated noise */
	double last_ns;		/* time of its last draw; below 0: none yet */
	double replay_begin_ns; /* place in the recording where the run begins */
};

/* Draws the initial state; only noise that the profile has takes random numbers, so that
 * other profiles keep their times. */
struct np_sim_slow np_sim_slow_begin(const struct np_sim_profile *profile,
				     struct np_random *random);

/* Factor of times at now_ns, which never decreases. */
double np_sim_slow_factor(struct np_sim_slow *slow, const struct np_sim_profile *profile,
			  struct np_random *random, double now_ns);

/* Core-to-core latency in ns at the time of the last factor; 0 if the profile has no host
 * states that show in it. */
double np_sim_slow_core_latency(const struct np_sim_slow *slow,
				const struct np_sim_profile *profile, double now_ns);
