/*
 * sim_lru.c - a multi-level LRU cache: one doubly linked list, cut into levels.
 */
#include "sim_lru.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	/* The last level was full: its least recently used entry is evicted. */
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
