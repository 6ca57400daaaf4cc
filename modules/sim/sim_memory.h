/*
 * sim_memory.h - what it costs an end to use a buffer: the CPU's caches, the
 * translation of pages, and the registration of memory.
 */
#ifndef NP_SIM_MEMORY_H
#define NP_SIM_MEMORY_H

#include "sim_chance.h"
#include "sim_lru.h"
#include "sim_profile.h"
#include "sim_space.h"

/* One of the profile's translations, at work. */
struct np_sim_translator {
	const struct np_sim_translation *translation;
	struct np_sim_lru lru;
	struct np_sim_chance chance; /* in its place, if replacement is random */
	unsigned shift;		     /* of a page */
};

/* What was counted; it only grows. */
struct np_sim_counts {
	uint64_t memory_lines, translation_misses, registrations;
};

/*
 * Of one end.  Zeroed, np_sim_memory_free() copes with it.
 *
 * Lines are not counted one by one.  All buffers between two calls of
 * np_sim_memory_arm() have one length and are read or written whole; then a cache of
 * so many lines holds exactly the buffers, last used first, that fit it, and a
 * buffer costs as much time to model as a line.
 */
struct np_sim_memory {
	const struct np_sim_profile *profile;
	struct np_sim_lru buffers; /* in the CPU's caches */
	struct np_sim_translator translators[NP_SIM_TRANSLATIONS];
	struct np_sim_lru registered; /* buffers, by their first page */
	uint64_t *covered; /* bytes from the begin of that page that are registered */
	uint64_t covered_keys;
	struct np_sim_counts counts;

	/* Of this length of messages. */
	size_t length;
	unsigned unit_shift; /* two buffers do not begin within one unit */
	uint64_t lines;
	bool copies, registers;
};

/* Nanoseconds of an end's processor, and of its adapter. */
struct np_sim_use {
	double cpu_ns, adapter_ns;
};

/* The profile has to outlive it.  Returns 0 or -ENOMEM. */
int np_sim_memory_make(struct np_sim_memory *memory, const struct np_sim_profile *profile);

/* Forgets everything: this is other memory.  Returns 0 or -ENOMEM. */
int np_sim_memory_renew(struct np_sim_memory *memory, const struct np_sim_space *space,
			uint64_t seed);

/* Makes ready for what has been mapped besides, and forgets it again. */
int np_sim_memory_add_fresh(struct np_sim_memory *memory, const struct np_sim_space *space);
void np_sim_memory_drop_fresh(struct np_sim_memory *memory,
			      const struct np_sim_space *space);

/* Messages of this length from now on, and cold CPU caches.  Returns 0 or
 * -ENOMEM. */
int np_sim_memory_arm(struct np_sim_memory *memory, const struct np_sim_space *space,
		      size_t length);

/* A message's buffer is used. */
struct np_sim_use np_sim_memory_use(struct np_sim_memory *memory,
				    const struct np_sim_place *place);

/* A buffer is read by the CPU, untimed, or put out of its caches. */
void np_sim_memory_touch(struct np_sim_memory *memory, const struct np_sim_place *place);
void np_sim_memory_evict(struct np_sim_memory *memory, const struct np_sim_place *place);

void np_sim_memory_free(struct np_sim_memory *memory);

/* The level that holds so many bytes; level_count: memory. */
size_t np_sim_level_of(const struct np_sim_profile *profile, uint64_t bytes);

/* What it costs to copy so many lines from a level, and to load one. */
double np_sim_copy_time(const struct np_sim_profile *profile, size_t level, uint64_t lines);
double np_sim_load_time(const struct np_sim_profile *profile, size_t level);

#endif
