/*
 * sim_noise.c - factors around 1, bursts and drift.
 *
 * Factors are log-normal with median 1: what an analysis of medians is to find is
 * what was planted, not that times a bias.
 */
#include "sim_noise.h"

#include <math.h>

double np_sim_uniform(struct np_random *random)
{
	return (double)(np_random_next(random) >> 11) * 0x1p-53;
}

double np_sim_exponential(struct np_random *random)
{
	return -log1p(-np_sim_uniform(random));
}

/* G. Marsaglia, T. A. Bray, "A Convenient Method for Generating Normal Variables",
 * SIAM Review 6(3), 1964; of the two that it gives the second is left. */
double np_sim_normal(struct np_random *random)
{
	double x, y, square;

	do {
		x = 2 * np_sim_uniform(random) - 1;
		y = 2 * np_sim_uniform(random) - 1;
		square = x * x + y * y;
	} while (square >= 1 || square <= 0);
	return x * sqrt(-2 * log(square) / square);
}

void np_sim_noise_begin(struct np_sim_noise *noise, const struct np_sim_profile *profile,
			uint64_t seed)
{
	*noise = (struct np_sim_noise){ .profile = profile, .random.state = seed };
	for (size_t i = 0; i < NP_SIM_SCOPES; i++)
		noise->factors[i] = 1;
	if (profile->burst_every_ns > 0)
		noise->next_burst_ns =
			profile->burst_every_ns * np_sim_exponential(&noise->random);
	np_sim_noise_draw(noise, NP_SIM_RUN);
}

void np_sim_noise_draw(struct np_sim_noise *noise, enum np_sim_scope scope)
{
	const double deviation = noise->profile->noise[scope];

	if (deviation > 0)
		noise->factors[scope] = exp(deviation * np_sim_normal(&noise->random));
}

/* The mean of so many log-normal factors; of many, the normal that it tends to. */
static double mean_of_messages(struct np_sim_noise *noise, uint64_t messages)
{
	const double deviation = noise->profile->noise[NP_SIM_MESSAGE];
	const double variance = deviation * deviation;
	double sum = 0;

	if (!(deviation > 0))
		return 1;
	if (messages > 16) {
		const double scatter =
			sqrt(expm1(variance) * exp(variance) / (double)messages);
		const double mean =
			exp(variance / 2) + scatter * np_sim_normal(&noise->random);

		return mean > 0 ? mean : 0;
	}
	for (uint64_t i = 0; i < messages; i++)
		sum += exp(deviation * np_sim_normal(&noise->random));
	return sum / (double)messages;
}

static double state_of(struct np_sim_noise *noise, size_t length)
{
	const struct np_sim_profile *profile = noise->profile;
	double factor = 1;

	for (size_t i = 0; i < profile->state_count; i++) {
		const struct np_sim_state *state = &profile->states[i];

		if (length >= state->first && length <= state->last &&
		    np_sim_uniform(&noise->random) < state->share)
			factor *= state->factor;
	}
	return factor;
}

/* Bursts that begin while the sample lasts make it longer; those that came and went
 * between two samples disturbed nobody. */
static double bursts_of(struct np_sim_noise *noise, double ns, double now_ns)
{
	const struct np_sim_profile *profile = noise->profile;
	double longer = 0;

	if (!(profile->burst_every_ns > 0))
		return 0;
	while (noise->next_burst_ns < now_ns + ns + longer) {
		if (noise->next_burst_ns >= now_ns)
			longer += profile->burst_ns * np_sim_exponential(&noise->random);
		noise->next_burst_ns +=
			profile->burst_every_ns * np_sim_exponential(&noise->random);
	}
	return longer;
}

double np_sim_noise_sample(struct np_sim_noise *noise, double ns, uint64_t messages,
			   size_t length, double now_ns)
{
	const struct np_sim_profile *profile = noise->profile;

	np_sim_noise_draw(noise, NP_SIM_SAMPLE);
	for (size_t i = NP_SIM_SAMPLE; i < NP_SIM_SCOPES; i++)
		ns *= noise->factors[i];
	ns *= mean_of_messages(noise, messages) * state_of(noise, length);
	if (profile->drift != 0)
		ns *= exp(log1p(profile->drift) * now_ns / 60e9);
	return ns + bursts_of(noise, ns, now_ns);
}
