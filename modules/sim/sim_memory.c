/*
 * sim_memory.c - CPU caches, address translations and registration cache of one process.
 */
#include <errno.h>
#include <stdlib.h>

#include "sim_private.h"

double np_sim_load_time(const struct np_sim_profile *profile, size_t level)
{
	return level < profile->level_count ? profile->levels[level].load_ns :
					      profile->memory_load_ns;
}

double np_sim_copy_time(const struct np_sim_profile *profile, size_t level, uint64_t lines)
{
	const double line_ns = level < profile->level_count ?
				       profile->levels[level].line_ns :
				       profile->memory_line_ns;

	if (lines == 0)
		return 0;
	return np_sim_load_time(profile, level) + (double)(lines - 1) * line_ns;
}

size_t np_sim_level_of(const struct np_sim_profile *profile, uint64_t bytes)
{
	size_t level = 0;

	while (level < profile->level_count && profile->levels[level].bytes < bytes)
		level++;
	return level;
}

static unsigned shift_of(size_t power)
{
	return (unsigned)__builtin_ctzll(power);
}

static int make_translator(struct np_sim_translator *translator)
{
	const uint64_t entries = translator->translation->entries;

	switch (translator->translation->replacement) {
	case NP_SIM_RANDOM:
		return np_sim_random_cache_make(&translator->random_cache,
						(uint32_t)entries);
	case NP_SIM_SETS:
		return np_sim_set_cache_make(&translator->set_cache, entries);
	default:
		return 0;
	}
}

/* Permits keys from 0 to `keys` - 1.  Returns 0 or -ENOMEM. */
static int reserve_translator(struct np_sim_translator *translator, uint64_t keys)
{
	switch (translator->translation->replacement) {
	case NP_SIM_RANDOM:
		return np_sim_random_cache_reserve(&translator->random_cache, keys);
	case NP_SIM_SETS:
		return 0;
	default:
		return np_sim_lru_reserve(&translator->lru, keys);
	}
}

static void reset_translator(struct np_sim_translator *translator, uint64_t seed)
{
	switch (translator->translation->replacement) {
	case NP_SIM_RANDOM:
		np_sim_random_cache_reset(&translator->random_cache, seed);
		break;
	case NP_SIM_SETS:
		np_sim_set_cache_reset(&translator->set_cache, seed);
		break;
	default:
		np_sim_lru_reset(&translator->lru, &translator->translation->entries, 1);
	}
}

static void forget_translation(struct np_sim_translator *translator, uint64_t key)
{
	switch (translator->translation->replacement) {
	case NP_SIM_RANDOM:
		np_sim_random_cache_forget(&translator->random_cache, key);
		break;
	case NP_SIM_SETS:
		np_sim_set_cache_forget(&translator->set_cache, key);
		break;
	default:
		np_sim_lru_forget(&translator->lru, key);
	}
}

/* Returns true on a hit; inserts the key on a miss. */
static bool translate(struct np_sim_translator *translator, uint64_t key)
{
	switch (translator->translation->replacement) {
	case NP_SIM_RANDOM:
		return np_sim_random_cache_use(&translator->random_cache, key);
	case NP_SIM_SETS:
		return np_sim_set_cache_use(&translator->set_cache, key);
	default:
		return np_sim_lru_use(&translator->lru, key) == 0;
	}
}

int np_sim_memory_make(struct np_sim_memory *memory, const struct np_sim_profile *profile)
{
	memory->profile = profile;
	memory->unit_shift = shift_of(profile->line);
	for (size_t i = 0; i < profile->translation_count; i++) {
		struct np_sim_translator *translator = &memory->translators[i];

		translator->translation = &profile->translations[i];
		const int rc = make_translator(translator);

		if (rc != 0)
			return rc;
	}
	return 0;
}

static uint64_t end_of(const struct np_sim_space *space)
{
	return space->fresh.base != NULL ? space->fresh_begin + space->fresh.length :
					   space->fresh_begin;
}

/* Key of a buffer in a translation cache; the first key of a buffer of several pages. */
static uint64_t key_of(const struct np_sim_translator *translator,
		       const struct np_sim_place *place)
{
	switch (translator->translation->unit) {
	case NP_SIM_REGISTRATIONS:
		return place->part;
	case NP_SIM_QUEUE_PAIRS:
		return place->queue_pair;
	default:
		return place->offset >> translator->shift;
	}
}

static int reserve(struct np_sim_memory *memory, const struct np_sim_space *space)
{
	const uint64_t end = end_of(space), pages = end / NP_SIM_PAGE + 1;
	const struct np_sim_place last = { .offset = end,
					   .part = space->parts,
					   .queue_pair = space->queue_pairs };
	int rc = np_sim_lru_reserve(&memory->buffers, (end >> memory->unit_shift) + 1);

	for (size_t i = 0; rc == 0 && i < memory->profile->translation_count; i++) {
		struct np_sim_translator *translator = &memory->translators[i];

		rc = reserve_translator(translator, key_of(translator, &last) + 1);
	}
	if (rc != 0 || !memory->profile->registers || pages <= memory->covered_keys)
		return rc;
	uint64_t *covered =
		realloc(memory->covered, (size_t)pages * sizeof(*memory->covered));
	if (covered == NULL)
		return -ENOMEM;
	memory->covered = covered;
	memory->covered_keys = pages;
	return np_sim_lru_reserve(&memory->registered, pages);
}

static void reset_buffers(struct np_sim_memory *memory)
{
	const struct np_sim_profile *profile = memory->profile;
	const uint64_t bytes = memory->lines * profile->line;
	uint64_t entries[NP_SIM_LEVELS];

	for (size_t i = 0; i < profile->level_count; i++)
		entries[i] = bytes != 0 ? profile->levels[i].bytes / bytes : 0;
	np_sim_lru_reset(&memory->buffers, entries, profile->level_count);
}

int np_sim_memory_renew(struct np_sim_memory *memory, const struct np_sim_space *space,
			uint64_t seed)
{
	const struct np_sim_profile *profile = memory->profile;

	for (size_t i = 0; i < profile->translation_count; i++) {
		struct np_sim_translator *translator = &memory->translators[i];

		if (np_sim_maps_pages(translator->translation->unit))
			translator->shift = shift_of(np_sim_page_of(
				profile, translator->translation, space->page_size));
		reset_translator(translator, seed + i);
	}
	np_sim_lru_reset(&memory->registered, &profile->registration_entries, 1);
	reset_buffers(memory);
	return reserve(memory, space);
}

int np_sim_memory_add_fresh(struct np_sim_memory *memory, const struct np_sim_space *space)
{
	return reserve(memory, space);
}

void np_sim_memory_drop_fresh(struct np_sim_memory *memory,
			      const struct np_sim_space *space)
{
	const uint64_t begin = space->fresh_begin, end = end_of(space);
	const struct np_sim_place first = { .offset = begin, .part = space->parts };
	const struct np_sim_place last = { .offset = end, .part = space->parts };

	for (uint64_t key = begin >> memory->unit_shift; key <= end >> memory->unit_shift;
	     key++)
		np_sim_lru_forget(&memory->buffers, key);
	for (size_t i = 0; i < memory->profile->translation_count; i++) {
		struct np_sim_translator *translator = &memory->translators[i];
		uint64_t key = key_of(translator, &first);

		/* Queue pairs outlive the fresh buffers. */
		if (translator->translation->unit == NP_SIM_QUEUE_PAIRS)
			continue;
		for (; key <= key_of(translator, &last); key++)
			forget_translation(translator, key);
	}
	for (uint64_t key = begin / NP_SIM_PAGE; key <= end / NP_SIM_PAGE; key++)
		np_sim_lru_forget(&memory->registered, key);
}

int np_sim_memory_arm(struct np_sim_memory *memory, const struct np_sim_space *space,
		      size_t length)
{
	const struct np_sim_profile *profile = memory->profile;
	size_t unit = profile->line;

	while (unit <= length / 2)
		unit *= 2;
	memory->length = length;
	memory->unit_shift = shift_of(unit);
	memory->lines = (length + profile->line - 1) / profile->line;
	memory->copies = np_sim_copies(profile, length);
	memory->registers = profile->registers && length > profile->eager;
	reset_buffers(memory);
	return reserve(memory, space);
}

static double translate_buffer(struct np_sim_memory *memory,
			       struct np_sim_translator *translator,
			       const struct np_sim_place *place)
{
	const bool pages = np_sim_maps_pages(translator->translation->unit);
	const uint64_t first = key_of(translator, place);
	const uint64_t last =
		pages ? (place->offset + memory->length - 1) >> translator->shift : first;
	uint64_t misses = 0;

	/* A message without bytes has no page. */
	if (memory->length == 0)
		return 0;
	for (uint64_t key = first; key <= last; key++)
		misses += !translate(translator, key);
	memory->counts.translation_misses += misses;
	return (double)misses * translator->translation->miss_ns;
}

static double register_buffer(struct np_sim_memory *memory,
			      const struct np_sim_place *place)
{
	const struct np_sim_profile *profile = memory->profile;
	const uint64_t page = place->offset / NP_SIM_PAGE;
	const uint64_t bytes = place->offset % NP_SIM_PAGE + memory->length;

	const bool known = np_sim_lru_use(&memory->registered, page) == 0;

	if (known && memory->covered[page] >= bytes)
		return 0;
	memory->covered[page] = bytes;
	const uint64_t pages = (bytes + NP_SIM_PAGE - 1) / NP_SIM_PAGE;

	memory->counts.registrations++;
	return profile->registration_ns + (double)pages * profile->registration_page_ns;
}

static double copy_buffer(struct np_sim_memory *memory, const struct np_sim_place *place)
{
	const struct np_sim_profile *profile = memory->profile;
	const size_t level =
		np_sim_lru_use(&memory->buffers, place->offset >> memory->unit_shift);

	if (level == profile->level_count)
		memory->counts.memory_lines += memory->lines;
	return np_sim_copy_time(profile, level, memory->lines);
}

struct np_sim_cost np_sim_memory_use(struct np_sim_memory *memory,
				     const struct np_sim_place *place)
{
	struct np_sim_cost use = { .cpu_ns = 0 };

	if (memory->copies)
		use.cpu_ns += copy_buffer(memory, place);
	if (memory->registers)
		use.cpu_ns += register_buffer(memory, place);
	for (size_t i = 0; i < memory->profile->translation_count; i++) {
		struct np_sim_translator *translator = &memory->translators[i];

		if (translator->translation->unit != NP_SIM_TLB)
			use.adapter_ns += translate_buffer(memory, translator, place);
		else if (memory->copies)
			use.cpu_ns += translate_buffer(memory, translator, place);
	}
	return use;
}

void np_sim_memory_touch(struct np_sim_memory *memory, const struct np_sim_place *place)
{
	np_sim_lru_use(&memory->buffers, place->offset >> memory->unit_shift);
	for (size_t i = 0; i < memory->profile->translation_count; i++) {
		if (memory->translators[i].translation->unit == NP_SIM_TLB)
			translate_buffer(memory, &memory->translators[i], place);
	}
}

void np_sim_memory_evict(struct np_sim_memory *memory, const struct np_sim_place *place)
{
	np_sim_lru_forget(&memory->buffers, place->offset >> memory->unit_shift);
}

void np_sim_memory_free(struct np_sim_memory *memory)
{
	np_sim_lru_free(&memory->buffers);
	np_sim_lru_free(&memory->registered);
	for (size_t i = 0; i < NP_SIM_TRANSLATIONS; i++) {
		np_sim_lru_free(&memory->translators[i].lru);
		np_sim_random_cache_free(&memory->translators[i].random_cache);
		np_sim_set_cache_free(&memory->translators[i].set_cache);
	}
	free(memory->covered);
	*memory = (struct np_sim_memory){ .profile = NULL };
}
