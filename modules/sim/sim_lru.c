/*
 * sim_lru.c - the list and its borders.
 */
#include "sim_lru.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct np_sim_lru_node {
	uint32_t newer, older;
	uint32_t era; /* 0: never used */
	uint32_t level;
};

static const uint32_t nobody = UINT32_MAX;

int np_sim_lru_reserve(struct np_sim_lru *lru, uint64_t keys)
{
	struct np_sim_lru_node *nodes;

	if (keys <= lru->keys)
		return 0;
	if (keys > INT32_MAX)
		return -ENOMEM;
	/* Fresh from the system it is zeroed without being touched, which realloc()
	 * does not promise; what was used moves over, it is rarely much. */
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

	lru->era++;
	/* Once in 2^32 times an era comes again, and its nodes must not. */
	if (lru->era == 0) {
		if (lru->keys != 0)
			memset(lru->nodes, 0, (size_t)lru->keys * sizeof(*lru->nodes));
		lru->era = 1;
	}
	lru->head = nobody;
	lru->levels = levels;
	for (size_t i = 0; i < levels; i++) {
		const uint64_t room = entries[i] - before;

		lru->room[i] = room < nobody ? (uint32_t)room : nobody - 1;
		lru->count[i] = 0;
		lru->tail[i] = nobody;
		before = entries[i];
	}
}

static void unlink_node(struct np_sim_lru *lru, uint32_t key)
{
	struct np_sim_lru_node *node = &lru->nodes[key];
	const size_t level = node->level;

	if (--lru->count[level] == 0)
		lru->tail[level] = nobody;
	else if (lru->tail[level] == key)
		lru->tail[level] = node->newer;
	if (node->newer != nobody)
		lru->nodes[node->newer].older = node->older;
	else
		lru->head = node->older;
	if (node->older != nobody)
		lru->nodes[node->older].newer = node->newer;
}

/* At the front, in the first level, which may now be too full; so what was the
 * longest unused of each level goes over into the next, until one has room. */
static void push_front(struct np_sim_lru *lru, uint32_t key)
{
	struct np_sim_lru_node *node = &lru->nodes[key];
	uint32_t moved = key;

	*node = (struct np_sim_lru_node){ .newer = nobody,
					  .older = lru->head,
					  .era = lru->era };
	if (lru->head != nobody)
		lru->nodes[lru->head].newer = key;
	lru->head = key;
	for (size_t level = 0; level < lru->levels; level++) {
		lru->nodes[moved].level = (uint32_t)level;
		if (lru->count[level]++ == 0)
			lru->tail[level] = moved;
		if (lru->count[level] <= lru->room[level])
			return;
		moved = lru->tail[level];
		lru->tail[level] =
			--lru->count[level] == 0 ? nobody : lru->nodes[moved].newer;
	}
	/* The last level was full: its longest unused is the list's end. */
	if (lru->nodes[moved].newer != nobody)
		lru->nodes[lru->nodes[moved].newer].older = nobody;
	else
		lru->head = nobody;
	lru->nodes[moved].era = 0;
}

bool np_sim_lru_has(const struct np_sim_lru *lru, uint64_t key)
{
	return lru->nodes[key].era == lru->era;
}

size_t np_sim_lru_use(struct np_sim_lru *lru, uint64_t key)
{
	size_t level;

	if (lru->levels == 0)
		return 0;
	/* The most frequent case of all. */
	if (key == lru->head)
		return lru->nodes[key].level;
	if (np_sim_lru_has(lru, key)) {
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
	if (lru->levels == 0 || key >= lru->keys || !np_sim_lru_has(lru, key))
		return;
	unlink_node(lru, (uint32_t)key);
	lru->nodes[key].era = 0;
}

void np_sim_lru_free(struct np_sim_lru *lru)
{
	free(lru->nodes);
	*lru = (struct np_sim_lru){ .nodes = NULL };
}
