/*
 * sim_noise.h - noise of the model: a random factor for each run, pass, visit, block,
 * sample and message; bursts; drift; bimodal times.
 */
#pragma once

#include "base/random.h"
#include "sim_noise_slow.h"
#include "sim_profile.h"

struct np_sim_noise {
	const struct np_sim_profile *profile;
	struct np_random random;
	double factors[NP_SIM_SCOPES]; /* current */
	double next_burst_ns;
	struct np_sim_slow slow;
};

/* Seeds the generator at the start of a run. */
void np_sim_noise_begin(struct np_sim_noise *noise, const struct np_sim_profile *profile,
			uint64_t seed);

/* Draws a new factor for a scope. */
void np_sim_noise_draw(struct np_sim_noise *noise, enum np_sim_scope scope);

/* Applies the noise to a sample of `ns` without noise, of `messages` of `length` bytes,
 * that begins at now_ns of the virtual clock.  Returns ns. */
double np_sim_noise_sample(struct np_sim_noise *noise, double ns, uint64_t messages,
			   size_t length, double now_ns);

/* Random variates: uniform in [0, 1), exponential of mean 1, standard normal. */
double np_sim_uniform(struct np_random *random);
double np_sim_exponential(struct np_random *random);
double np_sim_normal(struct np_random *random);
