/*
 * drawn_profile.c - random profiles of NPsim: an analysis cannot be tuned to them.
 *
 * The noise is that of a shared virtual machine: standard deviations of 1 to 3 % per
 * sample, 1 to 2 % per pass, 3 to 5 % per run, and bursts.
 */
#include <math.h>
#include <stdio.h>

#include "drawn_profile.h"

static double between(struct np_random *random, double low, double high)
{
	return low + (high - low) * np_sim_uniform(random);
}

/* Log-uniform in [low, high). */
static double draw_scale(struct np_random *random, double low, double high)
{
	return low * exp(np_sim_uniform(random) * log(high / low));
}

static void draw_transport(struct np_random *random, struct np_sim_profile *profile)
{
	const double time = draw_scale(random, 600, 20000);
	const double share = between(random, 0.05, 0.25);

	profile->latency_ns = time * (1 - 2 * share);
	profile->overhead_ns[0] = profile->overhead_ns[1] = time * share;
	profile->gap_ns = time * between(random, 0.2, 0.6);
	profile->byte_ns = 1 / draw_scale(random, 0.1, 10);
	/* Small caches: a pool has to exceed them. */
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
	profile->burst_every_ns = draw_scale(random, 5e6, 50e6);
	profile->burst_ns = draw_scale(random, 10e3, 200e3);
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
		from = (size_t)draw_scale(random, 40, 1 << 20);
	while (is_scheduled(from) || !is_free(profile, from));
	*step = (struct np_sim_step){
		.from = from,
		.effect.factor = 1 + draw_scale(random, 0.05, 0.4),
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
		.effect.factor = 1 + draw_scale(random, 0.08, 0.6),
	};
	profile->dropout_count++;
}

/* Two misses per message, one in each process, take 15 to 100 % of its time. */
static double draw_miss(struct np_random *random, const struct np_sim_profile *profile)
{
	return np_sim_one_way(profile, 64) * draw_scale(random, 0.15, 1) / 2;
}

static void set_load_times(struct np_sim_profile *profile, double memory_ns)
{
	profile->memory_load_ns = memory_ns;
	profile->levels[2].load_ns = memory_ns / 5;
	profile->levels[1].load_ns = memory_ns / 15;
	profile->levels[0].load_ns = memory_ns / 50;
}

static void plant_capacity(struct np_random *random, struct np_sim_profile *profile)
{
	struct np_sim_translation *translation = &profile->translations[0];

	switch (np_random_below(random, 3)) {
	case 0:
		*translation = (struct np_sim_translation){
			.unit = NP_SIM_PAGES,
			.page = 4096,
			.entries = (uint64_t)draw_scale(random, 32, 1024),
		};
		break;
	case 1:
		*translation = (struct np_sim_translation){
			.unit = NP_SIM_REGISTRATIONS,
			.entries = (uint64_t)draw_scale(random, 8, 128),
		};
		break;
	default:
		/* CPU caches only matter to copies. */
		profile->copy = NP_SIM_COPY_ALWAYS;
		set_load_times(profile, draw_miss(random, profile));
		return;
	}
	translation->miss_ns = draw_miss(random, profile);
	profile->translation_count = 1;
}

static void plant_curve(struct np_random *random, struct np_sim_profile *profile,
			enum plant plant)
{
	const uint64_t steps = 1 + np_random_below(random, 2);
	const uint64_t dropouts = 1 + np_random_below(random, 2);

	for (uint64_t i = 0; plant != PLANT_DROPOUTS && i < steps; i++)
		plant_step(random, profile);
	for (uint64_t i = 0; plant != PLANT_STEPS && i < dropouts; i++)
		plant_dropout(random, profile);
}

/*
 * Plant "capacities": profiles in which a capacity sweep distinguishes kinds of capacities.
 *
 * One in seven profiles has no capacity, two in seven have two kinds, and the others have
 * one: CPU caches, CPU TLB, pages or registrations of the adapter.
 */

enum kind { CPU_CACHES, CPU_TLB, ADAPTER_PAGES, REGISTRATIONS, KINDS };

/* Two misses per message, one for each of its buffers, take 2 to 100 % of its time. */
static double draw_capacity_miss(struct np_random *random,
				 const struct np_sim_profile *profile)
{
	return np_sim_one_way(profile, 64) * draw_scale(random, 0.02, 1) / 2;
}

/* Draws a number of entries, for sets a multiple of NP_SIM_WAYS: all sets are full. */
static uint64_t draw_entries(struct np_random *random, double low, double high,
			     enum np_sim_replacement replacement)
{
	const uint64_t entries = (uint64_t)draw_scale(random, low, high);

	return replacement == NP_SIM_SETS ? entries / NP_SIM_WAYS * NP_SIM_WAYS : entries;
}

/* Misses per message: one of registrations, since both buffers lie in one; two of pages. */
static void plant_translation(struct np_random *random, struct np_sim_profile *profile,
			      enum np_sim_unit unit)
{
	const bool parts = unit == NP_SIM_REGISTRATIONS;
	struct np_sim_translation *translation =
		&profile->translations[profile->translation_count++];

	*translation = (struct np_sim_translation){
		.unit = unit,
		.page = parts ? 0 : 4096,
		.miss_ns = draw_capacity_miss(random, profile) * (parts ? 2 : 1),
		.replacement = (enum np_sim_replacement)np_random_below(
			random, NP_SIM_REPLACEMENTS),
	};
	translation->entries = draw_entries(random, parts ? 8 : 32, parts ? 128 : 1024,
					    translation->replacement);
}

/* Makes the CPU copy messages, since only copies use its caches and TLB; all cache levels
 * cost 0, so that none is a capacity unless planted. */
static void let_copy(struct np_sim_profile *profile)
{
	profile->copy = NP_SIM_COPY_ALWAYS;
	for (size_t i = 0; i < profile->level_count; i++)
		profile->levels[i].load_ns = 0;
	profile->memory_load_ns = 0;
}

static void plant_kind(struct np_random *random, struct np_sim_profile *profile,
		       enum kind kind)
{
	switch (kind) {
	case CPU_CACHES:
		set_load_times(profile, draw_capacity_miss(random, profile));
		break;
	case CPU_TLB:
		plant_translation(random, profile, NP_SIM_TLB);
		break;
	case ADAPTER_PAGES:
		plant_translation(random, profile, NP_SIM_PAGES);
		break;
	default:
		plant_translation(random, profile, NP_SIM_REGISTRATIONS);
	}
}

static void draw_capacities(struct np_random *random, struct np_sim_profile *profile)
{
	const uint64_t draw = np_random_below(random, 7);
	const size_t count = draw == 0 ? 0 : draw <= 2 ? 2 : 1;
	const uint64_t first = np_random_below(random, KINDS);
	/* A kind other than the first. */
	const uint64_t second = (first + 1 + np_random_below(random, KINDS - 1)) % KINDS;
	const enum kind kinds[2] = { (enum kind)first, (enum kind)second };

	for (size_t i = 0; i < count; i++) {
		if (kinds[i] == CPU_CACHES || kinds[i] == CPU_TLB)
			let_copy(profile);
	}
	for (size_t i = 0; i < count; i++)
		plant_kind(random, profile, kinds[i]);
}

/*
 * Plant "tables": capacities that look like others.  A large table of an adapter, mostly
 * replaced at random, is alone where the CPU copies nothing, or has a CPU TLB near it or
 * far below it, registrations, or CPU caches beside it.
 */
static void draw_tables(struct np_random *random, struct np_sim_profile *profile)
{
	struct np_sim_translation *table = &profile->translations[0];
	const uint64_t beside = np_random_below(random, 6);

	profile->levels[2].bytes = (size_t)2097152 << np_random_below(random, 4);
	plant_translation(random, profile, NP_SIM_PAGES);
	table->entries = (uint64_t)draw_scale(random, 700, 6000);
	if (np_random_below(random, 4) != 0)
		table->replacement = NP_SIM_RANDOM;
	else if (table->replacement == NP_SIM_SETS)
		table->entries = table->entries / NP_SIM_WAYS * NP_SIM_WAYS;
	if (beside == 3)
		plant_translation(random, profile, NP_SIM_REGISTRATIONS);
	if (beside < 4)
		return;
	let_copy(profile);
	if (beside == 4) {
		plant_kind(random, profile, CPU_CACHES);
		return;
	}
	plant_translation(random, profile, NP_SIM_TLB);
	struct np_sim_translation *tlb = &profile->translations[1];
	const double share = np_random_below(random, 2) == 0 ?
				     1 / draw_scale(random, 4, 20) :
				     draw_scale(random, 0.4, 2.5);

	tlb->entries =
		(uint64_t)((double)table->entries * share) / NP_SIM_WAYS * NP_SIM_WAYS;
}

/*
 * Plants "rough" and "rough-breaks": profiles with the irregularities of real machines.
 *
 * Segments are curved, host states last for seconds and change the core-to-core latency or
 * not, and noise is correlated over tenths of a second to seconds.  With breaks, steps may
 * be close together, dropouts lie at sizes of a schedule or between them, and misses of a
 * capacity take 1 to 5 % of a message.
 */

static void draw_curvings(struct np_random *random, struct np_sim_profile *profile)
{
	const uint64_t count = 1 + np_random_below(random, 3);

	for (uint64_t i = 0; i < count; i++)
		profile->curvings[profile->curving_count++] = (struct np_sim_curving){
			.around = (size_t)draw_scale(random, 256, 2 << 20),
			.factor = draw_scale(random, 0.6, 2.5),
			.octaves = between(random, 3, 6),
		};
}

static void draw_slow_noise(struct np_random *random, struct np_sim_profile *profile)
{
	profile->correlated = between(random, 0.01, 0.04);
	profile->correlated_ns = draw_scale(random, 1e8, 3e9);
	if (np_random_below(random, 4) == 0)
		return;
	profile->states = (struct np_sim_states){
		.every_ns = draw_scale(random, 2e9, 20e9),
		.lasts_ns = draw_scale(random, 5e8, 6e9),
		.factor = 1 + draw_scale(random, 0.05, 2),
		.unseen = np_random_below(random, 3) == 0,
	};
}

/* Draws one or two steps, the second at 1.2 to 8 times the size. */
static void draw_steps(struct np_random *random, struct np_sim_profile *profile)
{
	size_t from = (size_t)draw_scale(random, 40, 1 << 18);
	const uint64_t count = 1 + np_random_below(random, 2);

	for (uint64_t i = 0; i < count; i++) {
		profile->steps[profile->step_count++] = (struct np_sim_step){
			.from = from,
			.effect.factor = 1 + draw_scale(random, 0.03, 0.8),
		};
		from = (size_t)((double)from * draw_scale(random, 1.2, 8));
	}
}

/* Draws a dropout at a power of two, or over 1 to 20 % of sizes anywhere. */
static void draw_dip(struct np_random *random, struct np_sim_profile *profile)
{
	const bool scheduled = np_random_below(random, 2) == 0;
	const size_t first = scheduled ? (size_t)1 << (5 + np_random_below(random, 15)) :
					 (size_t)draw_scale(random, 64, 1 << 20);
	const double wide = scheduled ? 1 : draw_scale(random, 1.01, 1.2);

	profile->dropouts[profile->dropout_count++] = (struct np_sim_dropout){
		.first = first,
		.last = (size_t)((double)first * wide),
		.effect.factor = 1 + draw_scale(random, 0.05, 1),
	};
}

static void draw_rough(struct np_random *random, struct np_sim_profile *profile,
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
		.entries = (uint64_t)draw_scale(random, 32, 1024),
		.miss_ns = np_sim_one_way(profile, 64) * draw_scale(random, 0.01, 0.05) / 2,
	};
	profile->translation_count = 1;
}

void draw_profile(struct np_sim_profile *profile, uint64_t seed, enum plant plant)
{
	struct np_random random = { .state = seed };
	char name[NP_SIM_NAME];

	snprintf(name, sizeof(name), "drawn_%llu", (unsigned long long)seed);
	np_sim_profile_init(profile, name);
	draw_transport(&random, profile);
	draw_noise(&random, profile);
	if (plant == PLANT_STEPS || plant == PLANT_DROPOUTS || plant == PLANT_ALL)
		plant_curve(&random, profile, plant);
	if (plant == PLANT_CAPACITY || plant == PLANT_ALL)
		plant_capacity(&random, profile);
	if (plant == PLANT_CAPACITIES)
		draw_capacities(&random, profile);
	if (plant == PLANT_TABLES)
		draw_tables(&random, profile);
	if (plant == PLANT_ROUGH || plant == PLANT_ROUGH_BREAKS)
		draw_rough(&random, profile, plant == PLANT_ROUGH_BREAKS);
}
