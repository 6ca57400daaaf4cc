/*
 * condition.c - conditions of --why: the setting of each factor that is compared with the
 * base.
 */
#include "plan/condition.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "contract/np_module.h"
#include "plan/layout.h"

enum {
	REGISTRATIONS_MAX = 1024, /* more than adapters cache, fewer than they support */
	LINE = 64
};

static void skip(struct np_condition *condition, const char *reason)
{
	condition->asked = false;
	snprintf(condition->reason, sizeof(condition->reason), "%s", reason);
}

static struct np_layout layout_of(const struct np_condition_setting *setting,
				  const struct np_memory *memory)
{
	return np_layout_of_memory(setting->options, memory, setting->request->head_room);
}

/* Returns the number of slots of the pool, rounded up to whole pages, with these memory
 * settings. */
static uint64_t count_slots(const struct np_condition_setting *setting,
			    const struct np_memory *memory)
{
	const struct np_layout layout = layout_of(setting, memory);
	const size_t unit = np_page_size(memory->pages);
	const size_t mapped = (setting->pool_bytes + unit - 1) / unit * unit;
	struct np_cut cut;

	return np_layout_cut(&layout, mapped, setting->length, &cut) == 0 ? cut.slots : 0;
}

static bool fits_pool(const struct np_condition_setting *setting,
		      const struct np_memory *memory)
{
	return count_slots(setting, memory) > 1;
}

static void name_registrations(const struct np_memory *memory, char name[NP_LEVEL])
{
	snprintf(name, NP_LEVEL, "%" PRIu64 " registration%s", memory->regions,
		 np_plural(memory->regions));
}

/* Returns the largest number of parts, a power of two, that loses at most 1/16 of the slots
 * of the whole pool.  A part has at least two pages: in one, send and receive buffers would
 * share it. */
static uint64_t most_parts(const struct np_condition_setting *setting,
			   const struct np_memory *memory)
{
	const uint64_t whole = count_slots(setting, memory);
	struct np_memory parted = *memory;

	for (parted.parts = REGISTRATIONS_MAX; parted.parts > 1; parted.parts /= 2) {
		if (setting->pool_bytes / parted.parts >= 2 * np_page_size(memory->pages) &&
		    count_slots(setting, &parted) >= whole - whole / 16)
			break;
	}
	return parted.parts;
}

/* Varies the number of registrations: one for the whole pool if the base has several, else
 * as many as have room for buffers, REGISTRATIONS_MAX at most.  Both have one layout. */
static void vary_registrations(const struct np_condition_setting *setting,
			       struct np_condition *condition)
{
	struct np_memory *memory = &condition->memory;

	name_registrations(memory, condition->base);
	if ((setting->request->capabilities & NP_CAN_REGISTER) == 0) {
		skip(condition, "this transport itself registers no memory");
		return;
	}
	if (memory->regions > 1) {
		memory->regions = 1;
	} else {
		memory->parts = most_parts(setting, memory);
		memory->regions = memory->parts;
	}
	name_registrations(memory, condition->other);
	condition->asked = true;
	if (memory->regions == 1 && setting->options->regions <= 1)
		skip(condition, "the pool has no room for two parts with buffers");
}

static void name_pages(const struct np_memory *memory, char name[NP_LEVEL])
{
	snprintf(name, NP_LEVEL, "%s pages", np_page_words[memory->pages]);
}

/* Varies pages: huge ones, or 4 KiB if the options have huge ones. */
static void vary_pages(const struct np_condition_setting *setting,
		       struct np_condition *condition)
{
	struct np_memory *memory = &condition->memory;
	const size_t page = np_page_size(NP_PAGES_2M);
	const size_t needed = (setting->pool_bytes + page - 1) / page * page;

	name_pages(memory, condition->base);
	if (setting->request->own_pages) {
		skip(condition, "the pool lies in memory of the transport");
		return;
	}
	if (memory->pages != NP_PAGES_4K) {
		memory->pages = NP_PAGES_4K;
	} else if (setting->models || setting->huge_bytes >= needed) {
		memory->pages = NP_PAGES_2M;
	} else if (setting->transparent) {
		memory->pages = NP_PAGES_THP;
	} else {
		snprintf(condition->reason, sizeof(condition->reason),
			 "of %zu MiB in pages of 2 MiB %zu are reserved and free "
			 "(nr_hugepages), and transparent ones are off",
			 needed >> 20, setting->huge_bytes >> 20);
		return;
	}
	name_pages(memory, condition->other);
	condition->asked = true;
	/* Rounded up to huge pages the pool would hold over 1 % more buffers: another
	 * working set. */
	if (needed - setting->pool_bytes > setting->pool_bytes / 100)
		skip(condition, "--pool is no whole number of pages of 2 MiB");
	if (!fits_pool(setting, memory))
		skip(condition, "a registered part would be smaller than such a page");
}

static bool is_line_aligned(const struct np_memory *memory)
{
	return memory->align >= LINE && memory->offsets[0] % LINE == 0 &&
	       memory->offsets[1] % LINE == 0;
}

static void name_alignment(const struct np_memory *memory, char name[NP_LEVEL])
{
	const size_t past[2] = { memory->offsets[0] % memory->align,
				 memory->offsets[1] % memory->align };

	if (past[0] == 0 && past[1] == 0)
		snprintf(name, NP_LEVEL, "buffers at multiples of %zu", memory->align);
	else if (past[0] == past[1])
		snprintf(name, NP_LEVEL, "buffers %zu B past multiples of %zu", past[0],
			 memory->align);
	else
		snprintf(name, NP_LEVEL, "buffers %zu and %zu B past multiples of %zu",
			 past[0], past[1], memory->align);
}

/*
 * Varies the alignment: a cache line, if the base is not aligned to one; a page, if the
 * pool then has as many lines; else the middle of a line, since short buffers in pages of
 * their own would be few enough for a cache.
 */
static void vary_alignment(const struct np_condition_setting *setting,
			   struct np_condition *condition)
{
	struct np_memory *memory = &condition->memory;
	const size_t page = np_page_size(NP_PAGES_4K);
	const bool at_lines = is_line_aligned(memory);

	name_alignment(memory, condition->base);
	if (!at_lines || (setting->length >= page && memory->align >= page)) {
		memory->align = LINE;
		memory->offsets[0] = memory->offsets[1] = 0;
	} else if (setting->length >= page) {
		memory->align = page;
		memory->offsets[0] = memory->offsets[1] = 0;
	} else {
		memory->offsets[0] = memory->offsets[1] = LINE / 2;
	}
	name_alignment(memory, condition->other);
	condition->asked = true;
	if (!fits_pool(setting, memory))
		skip(condition, "the pool has no room for two such pairs of buffers");
}

static void vary_wait(const struct np_condition_setting *setting,
		      struct np_condition *condition)
{
	const char *const *waits = setting->request->waits;

	if (waits[0] == NULL || waits[1] == NULL) {
		skip(condition,
		     "this transport has one completion mode with these options");
		return;
	}
	snprintf(condition->base, NP_LEVEL, "waiting by %s", waits[0]);
	snprintf(condition->other, NP_LEVEL, "waiting by %s", waits[1]);
	condition->asked = true;
}

void np_conditions_plan(const struct np_condition_setting *setting,
			struct np_condition conditions[NP_FACTORS])
{
	const struct np_memory base = np_memory_of(setting->options);

	for (enum np_factor factor = NP_FACTOR_NONE; factor < NP_FACTORS; factor++)
		conditions[factor] = (struct np_condition){ .memory = base };
	conditions[NP_FACTOR_NONE].asked = true;
	if (setting->options->why == 0)
		return;
	vary_registrations(setting, &conditions[NP_FACTOR_REGISTRATIONS]);
	for (enum np_factor factor = NP_FACTOR_NONE; factor < NP_FACTORS; factor++)
		conditions[factor].memory.parts =
			conditions[NP_FACTOR_REGISTRATIONS].memory.parts;
	vary_pages(setting, &conditions[NP_FACTOR_PAGES]);
	vary_alignment(setting, &conditions[NP_FACTOR_ALIGNMENT]);
	vary_wait(setting, &conditions[NP_FACTOR_WAIT]);
}

size_t np_conditions_asked(const struct np_condition conditions[NP_FACTORS])
{
	size_t count = 0;

	for (enum np_factor factor = NP_FACTOR_NONE + 1; factor < NP_FACTORS; factor++)
		count += conditions[factor].asked;
	return count;
}
