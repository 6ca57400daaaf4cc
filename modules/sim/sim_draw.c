/*
 * sim_draw.c - --draw: random profiles, so that an analysis cannot be tuned to the
 * shipped ones.
 *
 * The noise is that of a shared virtual machine: standard deviations of 1 to 3 % per
 * sample, 1 to 2 % per pass, 3 to 5 % per run, and bursts.
 */
#include <math.h>
#include <stdio.h>

#include "sim_private.h"

static double between(struct np_random *random, double low, double high)
{
	return low + (high - low) * np_sim_uniform(random);
}

/* Log-uniform in [low, high). */
double np_sim_draw_scale(struct np_random *random, double low, double high)
{
	return low * exp(np_sim_uniform(random) * log(high / low));
}

static void draw_transport(struct np_random *random, struct np_sim_profile *profile)
{
	const double time = np_sim_draw_scale(random, 600, 20000);
	const double share = between(random, 0.05, 0.25);

	profile->latency_ns = time * (1 - 2 * share);
	profile->overhead_ns[0] = profile->overhead_ns[1] = time * share;
	profile->gap_ns = time * between(random, 0.2, 0.6);
	profile->byte_ns = 1 / np_sim_draw_scale(random, 0.1, 10);
	/* Small caches, since a pool has to exceed them. */
	profile->levels[0].bytes = (size_t)32768 << np_random_below(random, 2);
	profile->levels[1].bytes = (size_t)262144 << np_random_below(random, 2);
	profile->levels[2].bytes = (size_t)2097152 << np_random_below(random, 2);
}

static void draw_noise(struct np_random *random, struct np_sim_profile *profile)
{
	profile->noise[NP_SIM_MESSAGE] = between(random, 0.01, 0.03);
	profile->noise[NP_SIM_SAMPLE] = between(random, 0.01, 0.03);
	profile->noise[NP_SIM_BLOCK] = between(random, 0.001, 0.004);
	profile->noise[NP_SIM_VISIT] = between(random, 0.003, 0.008);
	profile->noise[NP_SIM_PASS] = between(random, 0.01, 0.02);
	profile->noise[NP_SIM_RUN] = between(random, 0.03, 0.05);
	profile->burst_every_ns = np_sim_draw_scale(random, 5e6, 50e6);
	profile->burst_ns = np_sim_draw_scale(random, 10e3, 200e3);
}

/* Steps and dropouts are at least a factor of 4 apart, to be separable. */
static bool is_free(const struct np_sim_profile *profile, size_t bytes)
{
	for (size_t i = 0; i < profile->step_count + profile->dropout_count; i++) {
		const size_t other =
			i < profile->step_count ?
				profile->steps[i].from :
				profile->dropouts[i - profile->step_count].first;

		if (bytes < 4 * other && other < 4 * bytes)
			return false;
	}
	return true;
}

/* Number of sizes of a run from 1 byte to 8 MiB with --quick: powers of two, and the sizes
 * halfway between. */
enum { SCHEDULED = 46 };

static size_t scheduled_size(uint64_t i)
{
	return i % 2 == 0 && i != 0 ? (size_t)3 << (i / 2 - 1) : (size_t)1 << ((i + 1) / 2);
}

static bool is_scheduled(size_t bytes)
{
	for (uint64_t i = 0; i < SCHEDULED; i++) {
		if (scheduled_size(i) == bytes)
			return true;
	}
	return false;
}

/* A step of at least 5 %, between two sizes of the schedule. */
static void plant_step(struct np_random *random, struct np_sim_profile *profile)
{
	struct np_sim_step *step = &profile->steps[profile->step_count];
	size_t from;

	do
		from = (size_t)np_sim_draw_scale(random, 40, 1 << 20);
	while (is_scheduled(from) || !is_free(profile, from));
	*step = (struct np_sim_step){
		.from = from,
		.effect.factor = 1 + np_sim_draw_scale(random, 0.05, 0.4),
	};
	profile->step_count++;
}

/* A dropout at one size of the schedule, larger than the noise of samples. */
static void plant_dropout(struct np_random *random, struct np_sim_profile *profile)
{
	struct np_sim_dropout *dropout = &profile->dropouts[profile->dropout_count];
	size_t size;

	do
		size = scheduled_size(np_random_below(random, SCHEDULED));
	while (size < 12 || size > 1 << 20 || !is_free(profile, size));
	*dropout = (struct np_sim_dropout){
		.first = size,
		.last = size,
		.effect.factor = 1 + np_sim_draw_scale(random, 0.08, 0.6),
	};
	profile->dropout_count++;
}

/* Two misses per message, one in each process, take 15 to 100 % of its time. */
static double draw_miss(struct np_random *random, const struct np_sim_profile *profile)
{
	return np_sim_one_way(profile, 64) * np_sim_draw_scale(random, 0.15, 1) / 2;
}

static void plant_capacity(struct np_random *random, struct np_sim_profile *profile)
{
	struct np_sim_translation *translation = &profile->translations[0];

	switch (np_random_below(random, 3)) {
	case 0:
		*translation = (struct np_sim_translation){
			.unit = NP_SIM_PAGES,
			.page = 4096,
			.entries = (uint64_t)np_sim_draw_scale(random, 32, 1024),
		};
		break;
	case 1:
		*translation = (struct np_sim_translation){
			.unit = NP_SIM_REGISTRATIONS,
			.entries = (uint64_t)np_sim_draw_scale(random, 8, 128),
		};
		break;
	default:
		/* CPU caches only matter to copies. */
		profile->copy = NP_SIM_COPY_ALWAYS;
		profile->memory_load_ns = draw_miss(random, profile);
		profile->levels[2].load_ns = profile->memory_load_ns / 5;
		profile->levels[1].load_ns = profile->memory_load_ns / 15;
		profile->levels[0].load_ns = profile->memory_load_ns / 50;
		return;
	}
	translation->miss_ns = draw_miss(random, profile);
	profile->translation_count = 1;
}

static void plant_curve(struct np_random *random, struct np_sim_profile *profile,
			enum np_sim_plant plant)
{
	const uint64_t steps = 1 + np_random_below(random, 2);
	const uint64_t dropouts = 1 + np_random_below(random, 2);

	for (uint64_t i = 0; plant != NP_SIM_PLANT_DROPOUTS && i < steps; i++)
		plant_step(random, profile);
	for (uint64_t i = 0; plant != NP_SIM_PLANT_STEPS && i < dropouts; i++)
		plant_dropout(random, profile);
}

void np_sim_draw(struct np_sim_profile *profile, uint64_t seed, enum np_sim_plant plant)
{
	struct np_random random = { .state = seed };
	char name[NP_SIM_NAME];

	snprintf(name, sizeof(name), "drawn_%llu", (unsigned long long)seed);
	np_sim_profile_init(profile, name);
	draw_transport(&random, profile);
	draw_noise(&random, profile);
	if (plant == NP_SIM_PLANT_STEPS || plant == NP_SIM_PLANT_DROPOUTS ||
	    plant == NP_SIM_PLANT_ALL)
		plant_curve(&random, profile, plant);
	if (plant == NP_SIM_PLANT_CAPACITY || plant == NP_SIM_PLANT_ALL)
		plant_capacity(&random, profile);
	if (plant == NP_SIM_PLANT_CAPACITIES)
		np_sim_draw_capacities(&random, profile);
	if (plant == NP_SIM_PLANT_ROUGH || plant == NP_SIM_PLANT_ROUGH_BREAKS)
		np_sim_draw_rough(&random, profile, plant == NP_SIM_PLANT_ROUGH_BREAKS);
}
