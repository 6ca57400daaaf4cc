/*
 * sim_random_cache.c - a cache with random replacement, in O(1) per access.
 */
#include "sim_random_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int np_sim_random_cache_make(struct np_sim_random_cache *cache, uint32_t entries)
{
	cache->keys_held = calloc(entries, sizeof(*cache->keys_held));
	if (cache->keys_held == NULL)
		return -ENOMEM;
	cache->entries = entries;
	return 0;
}

int np_sim_random_cache_reserve(struct np_sim_random_cache *cache, uint64_t keys)
{
	uint32_t *entry_of;

	if (keys <= cache->keys)
		return 0;
	if (keys > INT32_MAX)
		return -ENOMEM;
	entry_of = calloc((size_t)keys, sizeof(*entry_of));
	if (entry_of == NULL)
		return -ENOMEM;
	if (cache->keys != 0)
		memcpy(entry_of, cache->entry_of, (size_t)cache->keys * sizeof(*entry_of));
	free(cache->entry_of);
	cache->entry_of = entry_of;
	cache->keys = keys;
	return 0;
}

void np_sim_random_cache_reset(struct np_sim_random_cache *cache, uint64_t seed)
{
	for (uint32_t i = 0; i < cache->count; i++)
		cache->entry_of[cache->keys_held[i]] = 0;
	cache->count = 0;
	cache->random.state = seed;
}

bool np_sim_random_cache_use(struct np_sim_random_cache *cache, uint64_t key)
{
	uint32_t entry;

	if (cache->entry_of[key] != 0)
		return true;
	if (cache->count < cache->entries) {
		entry = cache->count++;
	} else {
		entry = (uint32_t)np_random_below(&cache->random, cache->entries);
		cache->entry_of[cache->keys_held[entry]] = 0;
	}
	cache->keys_held[entry] = (uint32_t)key;
	cache->entry_of[key] = entry + 1;
	return false;
}

void np_sim_random_cache_forget(struct np_sim_random_cache *cache, uint64_t key)
{
	if (key >= cache->keys || cache->entry_of[key] == 0)
		return;
	const uint32_t entry = cache->entry_of[key] - 1;
	const uint32_t last = cache->keys_held[--cache->count];

	/* Keep the array dense: move the last entry into the gap. */
	cache->entry_of[key] = 0;
	if (last != key) {
		cache->keys_held[entry] = last;
		cache->entry_of[last] = entry + 1;
	}
}

void np_sim_random_cache_free(struct np_sim_random_cache *cache)
{
	free(cache->keys_held);
	free(cache->entry_of);
	*cache = (struct np_sim_random_cache){ .keys_held = NULL };
}
