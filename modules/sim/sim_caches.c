/*
 * sim_caches.c - models of caches: LRU in levels, random replacement, sets.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim_caches.h"

/* ---- LRU: one doubly linked list, cut into levels --------------------------------- */

struct np_sim_lru_node {
	uint32_t newer, older;
	uint32_t generation; /* 0: never used */
	uint32_t level;
};

static const uint32_t no_node = UINT32_MAX;

int np_sim_lru_reserve(struct np_sim_lru *lru, uint64_t keys)
{
	struct np_sim_lru_node *nodes;

	if (keys <= lru->keys)
		return 0;
	if (keys > INT32_MAX)
		return -ENOMEM;
	/* calloc() gets zero pages from the kernel and does not touch them, unlike
	 * realloc() and memset(): a sparse key space costs little. */
	nodes = calloc((size_t)keys, sizeof(*nodes));
	if (nodes == NULL)
		return -ENOMEM;
	if (lru->keys != 0)
		memcpy(nodes, lru->nodes, (size_t)lru->keys * sizeof(*nodes));
	free(lru->nodes);
	lru->nodes = nodes;
	lru->keys = keys;
	return 0;
}

void np_sim_lru_reset(struct np_sim_lru *lru, const uint64_t *entries, size_t levels)
{
	uint64_t before = 0;

	lru->generation++;
	/* After 2^32 resets the counter wraps: invalidate the nodes of old generations. */
	if (lru->generation == 0) {
		if (lru->keys != 0)
			memset(lru->nodes, 0, (size_t)lru->keys * sizeof(*lru->nodes));
		lru->generation = 1;
	}
	lru->head = no_node;
	lru->levels = levels;
	for (size_t i = 0; i < levels; i++) {
		const uint64_t capacity = entries[i] - before;

		lru->capacity[i] = capacity < no_node ? (uint32_t)capacity : no_node - 1;
		lru->count[i] = 0;
		lru->tail[i] = no_node;
		before = entries[i];
	}
}

static void unlink_node(struct np_sim_lru *lru, uint32_t key)
{
	struct np_sim_lru_node *node = &lru->nodes[key];
	const size_t level = node->level;

	if (--lru->count[level] == 0)
		lru->tail[level] = no_node;
	else if (lru->tail[level] == key)
		lru->tail[level] = node->newer;
	if (node->newer != no_node)
		lru->nodes[node->newer].older = node->older;
	else
		lru->head = node->older;
	if (node->older != no_node)
		lru->nodes[node->older].newer = node->newer;
}

/* Inserts at the front, into the first level.  Each full level passes its least
 * recently used entry on to the next level. */
static void push_front(struct np_sim_lru *lru, uint32_t key)
{
	struct np_sim_lru_node *node = &lru->nodes[key];
	uint32_t moved = key;

	*node = (struct np_sim_lru_node){ .newer = no_node,
					  .older = lru->head,
					  .generation = lru->generation };
	if (lru->head != no_node)
		lru->nodes[lru->head].newer = key;
	lru->head = key;
	for (size_t level = 0; level < lru->levels; level++) {
		lru->nodes[moved].level = (uint32_t)level;
		if (lru->count[level]++ == 0)
			lru->tail[level] = moved;
		if (lru->count[level] <= lru->capacity[level])
			return;
		moved = lru->tail[level];
		lru->tail[level] =
			--lru->count[level] == 0 ? no_node : lru->nodes[moved].newer;
	}
	/* The last level overflows: evict its least recently used entry. */
	if (lru->nodes[moved].newer != no_node)
		lru->nodes[lru->nodes[moved].newer].older = no_node;
	else
		lru->head = no_node;
	lru->nodes[moved].generation = 0;
}

static bool is_in(const struct np_sim_lru *lru, uint64_t key)
{
	return lru->nodes[key].generation == lru->generation;
}

size_t np_sim_lru_use(struct np_sim_lru *lru, uint64_t key)
{
	size_t level;

	if (lru->levels == 0)
		return 0;
	/* Fast path: the most recently used key again. */
	if (key == lru->head)
		return lru->nodes[key].level;
	if (is_in(lru, key)) {
		level = lru->nodes[key].level;
		unlink_node(lru, (uint32_t)key);
	} else {
		level = lru->levels;
	}
	push_front(lru, (uint32_t)key);
	return level;
}

void np_sim_lru_forget(struct np_sim_lru *lru, uint64_t key)
{
	if (lru->levels == 0 || key >= lru->keys || !is_in(lru, key))
		return;
	unlink_node(lru, (uint32_t)key);
	lru->nodes[key].generation = 0;
}

void np_sim_lru_free(struct np_sim_lru *lru)
{
	free(lru->nodes);
	*lru = (struct np_sim_lru){ .nodes = NULL };
}

/* ---- random replacement, in O(1) per access ---------------------------------------- */

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

/* ---- set-associative, in O(ways) per access --------------------------------------- */

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

	/* On a miss in a full set the least recently used way is evicted. */
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
