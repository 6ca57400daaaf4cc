/*
 * sim_memory.h - cost of accessing a buffer: CPU caches, address translations and the
 * registration cache of one process.
 */
#pragma once

#include "sim_random_cache.h"
#include "sim_lru.h"
#include "sim_profile.h"
#include "sim_set_cache.h"
#include "sim_space.h"

/* State of one of the profile's translation caches. */
struct np_sim_translator {
	const struct np_sim_translation *translation;
	/* One of the three is used, by translation->replacement. */
	struct np_sim_lru lru;
	struct np_sim_random_cache random_cache;
	struct np_sim_set_cache set_cache;
	unsigned shift; /* log2 of the page size */
};

/* Monotonic counters. */
struct np_sim_counts {
	uint64_t memory_lines, translation_misses, registrations;
};

/*
 * The memory of one process.  Zeroed, it may be passed to np_sim_memory_free().
 *
 * The LRU of the CPU caches holds whole buffers instead of lines.  This is exact: all
 * buffers between two calls of np_sim_memory_arm() have the same length and are read or
 * written whole, so a cache of N lines holds the most recently used buffers that fit.
 */
struct np_sim_memory {
	const struct np_sim_profile *profile;
	struct np_sim_lru buffers; /* CPU caches; key: offset >> unit_shift */
	struct np_sim_translator translators[NP_SIM_TRANSLATIONS];
	struct np_sim_lru registered; /* registration cache; key: the first page */
	uint64_t *covered; /* per first page: registered bytes from its start on */
	uint64_t covered_keys;
	struct np_sim_counts counts;

	/* State of the armed message size. */
	size_t length;
	unsigned unit_shift; /* log2 of a unit, in which at most one buffer begins */
	uint64_t lines;
	bool copies, registers;
};

/* Time of the process's CPU and of its adapter. */
struct np_sim_cost {
	double cpu_ns, adapter_ns;
};

/* The profile must outlive the memory.  Returns 0 or -ENOMEM. */
int np_sim_memory_make(struct np_sim_memory *memory, const struct np_sim_profile *profile);

/* Empties all caches: a new pass maps new memory.  Returns 0 or -ENOMEM. */
int np_sim_memory_renew(struct np_sim_memory *memory, const struct np_sim_space *space,
			uint64_t seed);

/* Extends the key spaces to a region of fresh buffers once it is mapped (returns 0 or
 * -ENOMEM); evicts its keys before it is unmapped. */
int np_sim_memory_add_fresh(struct np_sim_memory *memory, const struct np_sim_space *space);
void np_sim_memory_drop_fresh(struct np_sim_memory *memory,
			      const struct np_sim_space *space);

/* Sets the message size and empties the CPU caches.  Returns 0 or -ENOMEM. */
int np_sim_memory_arm(struct np_sim_memory *memory, const struct np_sim_space *space,
		      size_t length);

/* Accesses a message's buffer and returns the cost. */
struct np_sim_cost np_sim_memory_use(struct np_sim_memory *memory,
				     const struct np_sim_place *place);

/* Loads a buffer into the CPU caches and TLB, or evicts it from the caches; untimed. */
void np_sim_memory_touch(struct np_sim_memory *memory, const struct np_sim_place *place);
void np_sim_memory_evict(struct np_sim_memory *memory, const struct np_sim_place *place);

void np_sim_memory_free(struct np_sim_memory *memory);

/* The smallest cache level that holds `bytes`; level_count: main memory. */
size_t np_sim_level_of(const struct np_sim_profile *profile, uint64_t bytes);

/* Time in ns to copy lines from a level, and of a dependent load from it. */
double np_sim_copy_time(const struct np_sim_profile *profile, size_t level, uint64_t lines);
double np_sim_load_time(const struct np_sim_profile *profile, size_t level);
