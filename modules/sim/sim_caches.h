/*
 * sim_caches.h - models of caches: LRU in levels, random replacement, sets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

/*
 * Hierarchy of LRU caches, kept as one LRU stack.
 *
 * The stack is a list from the most to the least recently used entry, and each level is a
 * segment of it.  This is exact because LRU has the inclusion property: a larger cache
 * holds everything that a smaller one holds (R. L. Mattson et al., "Evaluation techniques
 * for storage hierarchies", IBM Systems Journal 9(2), 1970).  An access moves one entry
 * across each boundary between levels: O(levels), whatever the size.
 */

enum { NP_SIM_LRU_LEVELS = 4 };

struct np_sim_lru_node;

/* Zeroed, it is empty and may be passed to np_sim_lru_free(). */
struct np_sim_lru {
	struct np_sim_lru_node *nodes; /* per key */
	uint64_t keys;
	uint32_t generation; /* nodes of other generations are not in the list */
	uint32_t head;	     /* most recently used */
	size_t levels;
	/* Per level: entries it can hold beside the levels above, entries it holds, and
	 * its least recently used entry. */
	uint32_t capacity[NP_SIM_LRU_LEVELS];
	uint32_t count[NP_SIM_LRU_LEVELS];
	uint32_t tail[NP_SIM_LRU_LEVELS];
};

/* Permits keys from 0 to `keys` - 1, `keys` < 2^31; the content is kept.  Returns 0 or
 * -ENOMEM. */
int np_sim_lru_reserve(struct np_sim_lru *lru, uint64_t keys);

/* Empties the cache and sets its levels: entries[i] is the capacity of levels 0 to i
 * together. */
void np_sim_lru_reset(struct np_sim_lru *lru, const uint64_t *entries, size_t levels);

/* Accesses a key, which becomes the most recently used.  Returns the level that held
 * it, or the number of levels on a miss. */
size_t np_sim_lru_use(struct np_sim_lru *lru, uint64_t key);

/* Evicts a key, if present. */
void np_sim_lru_forget(struct np_sim_lru *lru, uint64_t key);

void np_sim_lru_free(struct np_sim_lru *lru);

/*
 * A fully associative cache with random replacement.
 *
 * Unlike LRU, a cyclic access to slightly more keys than entries still hits for a part
 * of them.
 */

/* Zeroed, it is empty and may be passed to np_sim_random_cache_free(). */
struct np_sim_random_cache {
	uint32_t *keys_held; /* per entry */
	uint32_t *entry_of;  /* per key: its entry + 1; 0: not cached */
	uint64_t keys;
	uint32_t entries, count;
	struct np_random random;
};

/* Allocates the entries.  Returns 0 or -ENOMEM. */
int np_sim_random_cache_make(struct np_sim_random_cache *cache, uint32_t entries);

/* Permits keys from 0 to `keys` - 1, `keys` < 2^31; the content is kept.  Returns 0 or
 * -ENOMEM. */
int np_sim_random_cache_reserve(struct np_sim_random_cache *cache, uint64_t keys);

void np_sim_random_cache_reset(struct np_sim_random_cache *cache, uint64_t seed);

/* Accesses a key: inserts it on a miss.  Returns true on a hit. */
bool np_sim_random_cache_use(struct np_sim_random_cache *cache, uint64_t key);

void np_sim_random_cache_forget(struct np_sim_random_cache *cache, uint64_t key);

void np_sim_random_cache_free(struct np_sim_random_cache *cache);

/*
 * A set-associative cache: a hash selects the set of a key; LRU within a
 * set.
 *
 * Pages of physical memory fall into sets at random, so that some sets overflow before
 * the whole capacity is used, and others later.
 */

enum { NP_SIM_WAYS = 8 };

/* Zeroed, it may be passed to np_sim_set_cache_free(). */
struct np_sim_set_cache {
	uint64_t *keys; /* by set, the most recent first: key + 1; 0: empty */
	size_t sets, ways;
	uint64_t seed;
};

/* Allocates sets of NP_SIM_WAYS entries, or one set of fewer.  Returns 0 or -ENOMEM. */
int np_sim_set_cache_make(struct np_sim_set_cache *cache, uint64_t entries);

/* Empties the cache; another seed maps keys to other sets. */
void np_sim_set_cache_reset(struct np_sim_set_cache *cache, uint64_t seed);

/* Accesses a key: inserts it on a miss.  Returns true on a hit. */
bool np_sim_set_cache_use(struct np_sim_set_cache *cache, uint64_t key);

void np_sim_set_cache_forget(struct np_sim_set_cache *cache, uint64_t key);

void np_sim_set_cache_free(struct np_sim_set_cache *cache);
