/*
 * sim_set_cache.h - a set-associative cache: a hash selects the set of a key; LRU within a
 * set.
 *
 * Pages of physical memory fall into sets at random, so that some sets overflow before
 * the whole capacity is used, and others later.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
