/*
 * sim_chance.h - a cache that puts out any of its entries, each equally likely.
 *
 * Keys that come in turn find it otherwise than one that puts out the longest
 * unused: of some more keys than entries a part is still there.
 */
#ifndef NP_SIM_CHANCE_H
#define NP_SIM_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

/* Zeroed, it holds nothing and np_sim_chance_free() copes with it. */
struct np_sim_chance {
	uint32_t *held;	 /* the key of each entry */
	uint32_t *where; /* of each key the entry, counted from 1; 0: in none */
	uint64_t keys;
	uint32_t entries, count;
	struct np_random random;
};

/* Makes it one of so many entries.  Returns 0 or -ENOMEM. */
int np_sim_chance_make(struct np_sim_chance *chance, uint32_t entries);

/* Makes room for keys from 0 to below `keys`, fewer than 2^31; what it holds stays
 * in it.  Returns 0 or -ENOMEM. */
int np_sim_chance_reserve(struct np_sim_chance *chance, uint64_t keys);

void np_sim_chance_reset(struct np_sim_chance *chance, uint64_t seed);

/* Uses a key, which is then in it.  Returns whether it was. */
bool np_sim_chance_use(struct np_sim_chance *chance, uint64_t key);

void np_sim_chance_forget(struct np_sim_chance *chance, uint64_t key);

void np_sim_chance_free(struct np_sim_chance *chance);

#endif
