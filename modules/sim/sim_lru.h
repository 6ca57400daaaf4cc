/*
 * sim_lru.h - a cache whose entries leave in the order of their last use, with
 * any number of levels in one list.
 *
 * Each level holds the entries that were used last, so many as it has room for:
 * the levels are stretches of one list from the last used to the longest unused,
 * and an entry that is used goes to its front.  What costs is one step at each
 * border between two levels; so a cache of a million lines is as fast as one of
 * ten.  R. L. Mattson et al., "Evaluation techniques for storage hierarchies",
 * IBM Systems Journal 9(2), 1970: a larger cache holds all that a smaller holds.
 */
#ifndef NP_SIM_LRU_H
#define NP_SIM_LRU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NP_SIM_LRU_LEVELS = 4 };

struct np_sim_lru_node;

/* Zeroed, it holds nothing and np_sim_lru_free() copes with it. */
struct np_sim_lru {
	struct np_sim_lru_node *nodes; /* of each key */
	uint64_t keys;
	uint32_t era; /* nodes of another one are not in the list */
	uint32_t head;
	size_t levels;
	uint32_t room[NP_SIM_LRU_LEVELS];  /* of each level alone */
	uint32_t count[NP_SIM_LRU_LEVELS]; /* in it */
	uint32_t tail[NP_SIM_LRU_LEVELS];  /* the longest unused of it */
};

/* Makes room for keys from 0 to below `keys`, fewer than 2^31; what it holds stays
 * in it.  Returns 0 or -ENOMEM. */
int np_sim_lru_reserve(struct np_sim_lru *lru, uint64_t keys);

/* Empties it, and sets how many entries the first, the first two, ... levels hold:
 * ascending. */
void np_sim_lru_reset(struct np_sim_lru *lru, const uint64_t *entries, size_t levels);

/* Uses a key, which is then the last used.  Returns the level it was in, or
 * the number of levels if it was in none. */
size_t np_sim_lru_use(struct np_sim_lru *lru, uint64_t key);

bool np_sim_lru_has(const struct np_sim_lru *lru, uint64_t key);

/* Puts a key out; does nothing if it is not in. */
void np_sim_lru_forget(struct np_sim_lru *lru, uint64_t key);

void np_sim_lru_free(struct np_sim_lru *lru);

#endif
