/*
 * sim_draw_rough.c - --plant rough and rough-breaks: profiles with the irregularities of
 * real machines.
 *
 * Segments are curved, host states last for seconds and show in the core-to-core latency or
 * not, and noise is correlated over tenths of a second to seconds.  With breaks, steps may
 * be close together, dropouts lie at sizes of a schedule or between them, and misses of a
 * capacity take 1 to 5 % of a message.
 */
#include "sim_private.h"

static double between(struct np_random *random, double low, double high)
{
	return low + (high - low) * np_sim_uniform(random);
}

static void draw_curvings(struct np_random *random, struct np_sim_profile *profile)
{
	const uint64_t count = 1 + np_random_below(random, 3);

	for (uint64_t i = 0; i < count; i++)
		profile->curvings[profile->curving_count++] = (struct np_sim_curving){
			.around = (size_t)np_sim_draw_scale(random, 256, 2 << 20),
			.factor = np_sim_draw_scale(random, 0.6, 2.5),
			.octaves = between(random, 3, 6),
		};
}

static void draw_slow_noise(struct np_random *random, struct np_sim_profile *profile)
{
	profile->correlated = between(random, 0.01, 0.04);
	profile->correlated_ns = np_sim_draw_scale(random, 1e8, 3e9);
	if (np_random_below(random, 4) == 0)
		return;
	profile->states = (struct np_sim_states){
		.every_ns = np_sim_draw_scale(random, 2e9, 20e9),
		.lasts_ns = np_sim_draw_scale(random, 5e8, 6e9),
		.factor = 1 + np_sim_draw_scale(random, 0.05, 2),
		.unseen = np_random_below(random, 3) == 0,
	};
}

/* Draws one or two steps, the second at 1.2 to 8 times the size. */
static void draw_steps(struct np_random *random, struct np_sim_profile *profile)
{
	size_t from = (size_t)np_sim_draw_scale(random, 40, 1 << 18);
	const uint64_t count = 1 + np_random_below(random, 2);

	for (uint64_t i = 0; i < count; i++) {
		profile->steps[profile->step_count++] = (struct np_sim_step){
			.from = from,
			.effect.factor = 1 + np_sim_draw_scale(random, 0.03, 0.8),
		};
		from = (size_t)((double)from * np_sim_draw_scale(random, 1.2, 8));
	}
}

/* Draws a dropout at a power of two, or over 1 to 20 % of sizes anywhere. */
static void draw_dip(struct np_random *random, struct np_sim_profile *profile)
{
	const bool scheduled = np_random_below(random, 2) == 0;
	const size_t first = scheduled ? (size_t)1 << (5 + np_random_below(random, 15)) :
					 (size_t)np_sim_draw_scale(random, 64, 1 << 20);
	const double wide = scheduled ? 1 : np_sim_draw_scale(random, 1.01, 1.2);

	profile->dropouts[profile->dropout_count++] = (struct np_sim_dropout){
		.first = first,
		.last = (size_t)((double)first * wide),
		.effect.factor = 1 + np_sim_draw_scale(random, 0.05, 1),
	};
}

void np_sim_draw_rough(struct np_random *random, struct np_sim_profile *profile,
		       bool breaks)
{
	draw_curvings(random, profile);
	draw_slow_noise(random, profile);
	if (!breaks)
		return;
	draw_steps(random, profile);
	draw_dip(random, profile);
	profile->translations[0] = (struct np_sim_translation){
		.unit = NP_SIM_PAGES,
		.page = 4096,
		.entries = (uint64_t)np_sim_draw_scale(random, 32, 1024),
		.miss_ns = np_sim_one_way(profile, 64) *
			   np_sim_draw_scale(random, 0.01, 0.05) / 2,
	};
	profile->translation_count = 1;
}
