/*
 * sim_keys_memory.c - profile keys of caches, translations and the registration cache.
 */
#include "sim_keys.h"

static enum np_sim_parsed parse_copy(struct np_sim_reading *reading,
				     const struct np_sim_key *key,
				     const struct np_sim_items *items)
{
	static const char *const names[] = { "never", "eager", "always" };

	(void)key;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (np_sim_is_word(items->list[0], names[i])) {
			reading->profile->copy = (enum np_sim_copy)i;
			return NP_SIM_PARSED;
		}
	}
	return NP_SIM_MALFORMED;
}

static bool read_two_times(const struct np_sim_items *items, size_t first, double *load,
			   double *line)
{
	double values[2];

	for (size_t i = 0; i < 2; i++) {
		if (!np_sim_read_time(items->list[first + i], &values[i]) || values[i] < 0)
			return false;
	}
	*load = values[0];
	*line = values[1];
	return true;
}

/* The first cache line of a text replaces the caches of the texts before it. */
static enum np_sim_parsed parse_cache(struct np_sim_reading *reading,
				      const struct np_sim_key *key,
				      const struct np_sim_items *items)
{
	struct np_sim_profile *profile = reading->profile;
	struct np_sim_level level;

	(void)key;
	if (!reading->own_caches || np_sim_is_none(items))
		profile->level_count = 0;
	reading->own_caches = true;
	if (np_sim_is_none(items))
		return NP_SIM_PARSED;
	if (items->count != 3 || !np_sim_read_size(items->list[0], &level.bytes) ||
	    !read_two_times(items, 1, &level.load_ns, &level.line_ns))
		return NP_SIM_MALFORMED;
	if (profile->level_count == NP_SIM_LEVELS)
		return NP_SIM_TOO_MANY;
	profile->levels[profile->level_count++] = level;
	return NP_SIM_PARSED;
}

static enum np_sim_parsed parse_memory(struct np_sim_reading *reading,
				       const struct np_sim_key *key,
				       const struct np_sim_items *items)
{
	(void)key;
	return np_sim_parsed_if(read_two_times(items, 0, &reading->profile->memory_load_ns,
					       &reading->profile->memory_line_ns));
}

static enum np_sim_parsed add_translation(struct np_sim_reading *reading,
					  const struct np_sim_translation *translation)
{
	struct np_sim_profile *profile = reading->profile;

	if (translation->entries == 0 || translation->entries > UINT32_MAX / 2 ||
	    translation->miss_ns < 0)
		return NP_SIM_MALFORMED;
	if (profile->translation_count == NP_SIM_TRANSLATIONS)
		return NP_SIM_TOO_MANY;
	profile->translations[profile->translation_count++] = *translation;
	return NP_SIM_PARSED;
}

static bool read_replacement(const char *word, enum np_sim_replacement *replacement)
{
	for (*replacement = 0; *replacement < NP_SIM_REPLACEMENTS; (*replacement)++) {
		if (np_sim_is_word(word, np_sim_replacement_name(*replacement)))
			return true;
	}
	return false;
}

/* Of pages: entries, page, time, replacement; of registrations: no page. */
static enum np_sim_parsed parse_translation(struct np_sim_reading *reading,
					    const struct np_sim_key *key,
					    const struct np_sim_items *items)
{
	struct np_sim_translation translation = { .page = 0 };
	const bool pages = np_sim_is_word(items->list[0], "pages");
	const size_t at = pages ? 3 : 2;

	(void)key;
	if (np_sim_is_none(items)) {
		reading->profile->translation_count = 0;
		return NP_SIM_PARSED;
	}
	if (items->count != at + 2 ||
	    (!pages && !np_sim_is_word(items->list[0], "registrations")) ||
	    !np_sim_read_count(items->list[1], &translation.entries) ||
	    (pages && !np_sim_read_size(items->list[2], &translation.page)) ||
	    !np_sim_read_time(items->list[at], &translation.miss_ns) ||
	    !read_replacement(items->list[at + 1], &translation.replacement))
		return NP_SIM_MALFORMED;
	translation.unit = pages ? NP_SIM_PAGES : NP_SIM_REGISTRATIONS;
	return add_translation(reading, &translation);
}

static enum np_sim_parsed parse_tlb(struct np_sim_reading *reading,
				    const struct np_sim_key *key,
				    const struct np_sim_items *items)
{
	struct np_sim_translation translation = { .unit = NP_SIM_TLB };

	(void)key;
	if (!np_sim_read_count(items->list[0], &translation.entries) ||
	    !np_sim_read_size(items->list[1], &translation.page) ||
	    !np_sim_read_time(items->list[2], &translation.miss_ns) ||
	    (items->count == 4 &&
	     !read_replacement(items->list[3], &translation.replacement)))
		return NP_SIM_MALFORMED;
	return add_translation(reading, &translation);
}

static enum np_sim_parsed parse_registrations(struct np_sim_reading *reading,
					      const struct np_sim_key *key,
					      const struct np_sim_items *items)
{
	struct np_sim_profile *profile = reading->profile;
	uint64_t entries;

	(void)key;
	profile->registers = false;
	if (np_sim_is_none(items))
		return NP_SIM_PARSED;
	if (items->count != 3 || !np_sim_read_count(items->list[0], &entries) ||
	    entries == 0 || entries > UINT32_MAX / 2 ||
	    !read_two_times(items, 1, &profile->registration_ns,
			    &profile->registration_page_ns))
		return NP_SIM_MALFORMED;
	profile->registration_entries = entries;
	profile->registers = true;
	return NP_SIM_PARSED;
}

#define AT(member) offsetof(struct np_sim_profile, member)

// clang-format off
const struct np_sim_key np_sim_memory_keys[] = {
	{ "copy", "never, eager or always", 1, 1, parse_copy, 0 },
	{ "line", "SIZE", 1, 1, np_sim_parse_size, AT(line) },
	{ "cache", "SIZE, TIME, TIME", 1, 3, parse_cache, 0 },
	{ "memory", "TIME, TIME", 2, 2, parse_memory, 0 },
	{ "translation", "pages, COUNT, SIZE, TIME, lru, random or sets; or "
	  "registrations, COUNT, TIME, lru, random or sets", 1, 5, parse_translation, 0 },
	{ "large_page", "SIZE", 1, 1, np_sim_parse_size, AT(large_page) },
	{ "tlb", "COUNT, SIZE, TIME, lru, random or sets", 3, 4, parse_tlb, 0 },
	{ "registration_cache", "COUNT, TIME, TIME", 1, 3, parse_registrations, 0 },
	{ NULL, NULL, 0, 0, NULL, 0 }
};
// clang-format on
