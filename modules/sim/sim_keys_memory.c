/*
 * sim_keys_memory.c - profile keys of caches, translations and the registration cache.
 */
#include "sim_keys.h"

static bool parse_copy(struct np_sim_reading *reading, void *member)
{
	static const char *const names[] = { "never", "eager", "always" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (np_sim_is_word(reading->items[0], names[i])) {
			*(enum np_sim_copy *)member = (enum np_sim_copy)i;
			return true;
		}
	}
	return false;
}

static bool read_two_times(char *const *items, double *first, double *second)
{
	return np_sim_read_time(items[0], first) && *first >= 0 &&
	       np_sim_read_time(items[1], second) && *second >= 0;
}

static bool parse_cache(struct np_sim_reading *reading, void *member)
{
	struct np_sim_level *level = member;

	return reading->count == 3 && np_sim_read_size(reading->items[0], &level->bytes) &&
	       read_two_times(&reading->items[1], &level->load_ns, &level->line_ns);
}

static bool parse_memory(struct np_sim_reading *reading, void *member)
{
	struct np_sim_profile *profile = member;

	return read_two_times(reading->items, &profile->memory_load_ns,
			      &profile->memory_line_ns);
}

static bool is_number_of_entries(uint64_t entries)
{
	return entries != 0 && entries <= UINT32_MAX / 2;
}

static bool read_replacement(const char *word, enum np_sim_replacement *replacement)
{
	for (*replacement = 0; *replacement < NP_SIM_REPLACEMENTS; (*replacement)++) {
		if (np_sim_is_word(word, np_sim_replacement_name(*replacement)))
			return true;
	}
	return false;
}

/* Items: unit, entries, page size (pages only), time of a miss, replacement. */
static bool parse_translation(struct np_sim_reading *reading, void *member)
{
	struct np_sim_translation *translation = member;
	char *const *items = reading->items;
	const bool pages = np_sim_is_word(items[0], "pages");
	const bool parts = np_sim_is_word(items[0], "registrations");
	const size_t at = pages ? 3 : 2;

	*translation = (struct np_sim_translation){ .unit = pages ? NP_SIM_PAGES :
							    parts ? NP_SIM_REGISTRATIONS :
								    NP_SIM_QUEUE_PAIRS };
	return reading->count == at + 2 &&
	       (pages || parts || np_sim_is_word(items[0], "queue_pairs")) &&
	       np_sim_read_count(items[1], &translation->entries) &&
	       (!pages || np_sim_read_size(items[2], &translation->page)) &&
	       np_sim_read_time(items[at], &translation->miss_ns) &&
	       read_replacement(items[at + 1], &translation->replacement) &&
	       is_number_of_entries(translation->entries) && translation->miss_ns >= 0;
}

static bool parse_tlb(struct np_sim_reading *reading, void *member)
{
	struct np_sim_translation *translation = member;

	*translation = (struct np_sim_translation){ .unit = NP_SIM_TLB };
	return np_sim_read_count(reading->items[0], &translation->entries) &&
	       np_sim_read_size(reading->items[1], &translation->page) &&
	       np_sim_read_time(reading->items[2], &translation->miss_ns) &&
	       (reading->count != 4 ||
		read_replacement(reading->items[3], &translation->replacement)) &&
	       is_number_of_entries(translation->entries) && translation->miss_ns >= 0;
}

static bool parse_registrations(struct np_sim_reading *reading, void *member)
{
	struct np_sim_profile *profile = member;

	profile->registers = !np_sim_is_none(reading);
	return !profile->registers ||
	       (reading->count == 3 &&
		np_sim_read_count(reading->items[0], &profile->registration_entries) &&
		is_number_of_entries(profile->registration_entries) &&
		read_two_times(&reading->items[1], &profile->registration_ns,
			       &profile->registration_page_ns));
}

#define AT NP_SIM_AT

// clang-format off
const struct np_sim_key np_sim_memory_keys[] = {
	{ "copy", "never, eager or always", 1, 1, parse_copy, AT(copy), { 0 } },
	{ "line", "SIZE", 1, 1, np_sim_parse_size, AT(line), { 0 } },
	{ "cache", "SIZE, TIME, TIME", 1, 3, parse_cache,
	  NP_SIM_LIST(levels, level_count, NP_SIM_LEVELS, NP_SIM_OWN_CACHES) },
	{ "memory", "TIME, TIME", 2, 2, parse_memory, 0, { 0 } },
	{ "translation", "pages, COUNT, SIZE, TIME, lru, random or sets; or "
	  "registrations or queue_pairs, COUNT, TIME, lru, random or sets", 1, 5, parse_translation,
	  NP_SIM_LIST(translations, translation_count, NP_SIM_TRANSLATIONS, 0) },
	{ "large_page", "SIZE", 1, 1, np_sim_parse_size, AT(large_page), { 0 } },
	{ "tlb", "COUNT, SIZE, TIME, lru, random or sets", 3, 4, parse_tlb,
	  NP_SIM_LIST(translations, translation_count, NP_SIM_TRANSLATIONS, 0) },
	{ "registration_cache", "COUNT, TIME, TIME", 1, 3, parse_registrations, 0, { 0 } },
	{ NULL, NULL, 0, 0, NULL, 0, { 0 } }
};
// clang-format on
