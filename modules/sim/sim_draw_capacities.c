/*
 * sim_draw_capacities.c - --plant capacities: profiles in which a capacity sweep has to
 * distinguish kinds of capacities.
 *
 * One in seven profiles has no capacity, two in seven have two kinds, and the others have
 * one: CPU caches, CPU TLB, pages or registrations of the adapter.
 */
#include "sim_private.h"

enum kind { CPU_CACHES, CPU_TLB, ADAPTER_PAGES, REGISTRATIONS, KINDS };

/* Two misses per message, one for each of its buffers, take 2 to 100 % of its time. */
static double draw_miss(struct np_random *random, const struct np_sim_profile *profile)
{
	return np_sim_one_way(profile, 64) * np_sim_draw_scale(random, 0.02, 1) / 2;
}

/* Draws a number of entries, for sets a multiple of NP_SIM_WAYS: all sets are full. */
static uint64_t draw_entries(struct np_random *random, double low, double high,
			     enum np_sim_replacement replacement)
{
	const uint64_t entries = (uint64_t)np_sim_draw_scale(random, low, high);

	return replacement == NP_SIM_SETS ? entries / NP_SIM_WAYS * NP_SIM_WAYS : entries;
}

/* A message has one miss of registrations, since both buffers lie in one; of pages two. */
static void plant_translation(struct np_random *random, struct np_sim_profile *profile,
			      enum np_sim_unit unit)
{
	const bool parts = unit == NP_SIM_REGISTRATIONS;
	struct np_sim_translation *translation =
		&profile->translations[profile->translation_count++];

	*translation = (struct np_sim_translation){
		.unit = unit,
		.page = parts ? 0 : 4096,
		.miss_ns = draw_miss(random, profile) * (parts ? 2 : 1),
		.replacement = (enum np_sim_replacement)np_random_below(
			random, NP_SIM_REPLACEMENTS),
	};
	translation->entries = draw_entries(random, parts ? 8 : 32, parts ? 128 : 1024,
					    translation->replacement);
}

/* Lets the CPU copy, as only copies use its caches and TLB.  Cache levels of equal cost
 * are no capacity. */
static void let_copy(struct np_sim_profile *profile)
{
	profile->copy = NP_SIM_COPY_ALWAYS;
	for (size_t i = 0; i < profile->level_count; i++)
		profile->levels[i].load_ns = 0;
	profile->memory_load_ns = 0;
}

static void plant(struct np_random *random, struct np_sim_profile *profile, enum kind kind)
{
	switch (kind) {
	case CPU_CACHES:
		profile->memory_load_ns = draw_miss(random, profile);
		profile->levels[2].load_ns = profile->memory_load_ns / 5;
		profile->levels[1].load_ns = profile->memory_load_ns / 15;
		profile->levels[0].load_ns = profile->memory_load_ns / 50;
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

void np_sim_draw_capacities(struct np_random *random, struct np_sim_profile *profile)
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
		plant(random, profile, kinds[i]);
}
