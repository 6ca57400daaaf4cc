/*
 * sim_noise.h - how times scatter: what is drawn for a launch, a pass, a visit, a
 * block, a sample and a message, and what happens now and then.
 */
#ifndef NP_SIM_NOISE_H
#define NP_SIM_NOISE_H

#include "base/random.h"
#include "sim_profile.h"

struct np_sim_noise {
	const struct np_sim_profile *profile;
	struct np_random random;
	double factors[NP_SIM_SCOPES]; /* in force */
	double next_burst_ns;
};

/* The first memory of a launch: all that follows comes from the seed. */
void np_sim_noise_begin(struct np_sim_noise *noise, const struct np_sim_profile *profile,
			uint64_t seed);

/* Draws the factor of this scope anew. */
void np_sim_noise_draw(struct np_sim_noise *noise, enum np_sim_scope scope);

/* What becomes of a sample that would take this long, of so many messages of that
 * length, and begins at now_ns of the clock. */
double np_sim_noise_sample(struct np_sim_noise *noise, double ns, uint64_t messages,
			   size_t length, double now_ns);

/* One draw each: uniform from 0 to below 1; standard normal; exponential of mean 1. */
double np_sim_uniform(struct np_random *random);
double np_sim_normal(struct np_random *random);
double np_sim_exponential(struct np_random *random);

#endif
