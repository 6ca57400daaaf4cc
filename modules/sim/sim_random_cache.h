/*
 * sim_random_cache.h - a fully associative cache with random replacement.
 *
 * Unlike LRU, a cyclic access to slightly more keys than entries still hits for a part
 * of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

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
