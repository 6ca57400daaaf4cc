/*
 * sim_set_cache.c - a set-associative cache, in O(ways) per access.
 */
#include "sim_set_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

int np_sim_set_cache_make(struct np_sim_set_cache *cache, uint64_t entries)
{
	cache->ways = entries < NP_SIM_WAYS ? (size_t)entries : NP_SIM_WAYS;
	cache->sets = (size_t)entries / cache->ways;
	cache->keys = calloc(cache->sets * cache->ways, sizeof(*cache->keys));
	return cache->keys == NULL ? -ENOMEM : 0;
}

void np_sim_set_cache_reset(struct np_sim_set_cache *cache, uint64_t seed)
{
	memset(cache->keys, 0, cache->sets * cache->ways * sizeof(*cache->keys));
	cache->seed = seed;
}

static uint64_t *set_of(const struct np_sim_set_cache *cache, uint64_t key)
{
	struct np_random hash = { .state = key ^ cache->seed << 32 };

	return cache->keys + np_random_below(&hash, cache->sets) * cache->ways;
}

bool np_sim_set_cache_use(struct np_sim_set_cache *cache, uint64_t key)
{
	uint64_t *set = set_of(cache, key);
	size_t at = 0;

	while (at < cache->ways && set[at] != key + 1)
		at++;
	const bool hit = at < cache->ways;

	/* The last of a full set is overwritten. */
	memmove(set + 1, set, (hit ? at : cache->ways - 1) * sizeof(*set));
	set[0] = key + 1;
	return hit;
}

void np_sim_set_cache_forget(struct np_sim_set_cache *cache, uint64_t key)
{
	uint64_t *set = set_of(cache, key);

	for (size_t i = 0; i < cache->ways; i++) {
		if (set[i] == key + 1)
			set[i] = 0;
	}
}

void np_sim_set_cache_free(struct np_sim_set_cache *cache)
{
	free(cache->keys);
	*cache = (struct np_sim_set_cache){ .keys = NULL };
}
