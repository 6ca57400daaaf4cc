/*
 * sim_chance.c - entries that leave by lot.
 */
#include "sim_chance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int np_sim_chance_make(struct np_sim_chance *chance, uint32_t entries)
{
	chance->held = calloc(entries, sizeof(*chance->held));
	if (chance->held == NULL)
		return -ENOMEM;
	chance->entries = entries;
	return 0;
}

int np_sim_chance_reserve(struct np_sim_chance *chance, uint64_t keys)
{
	uint32_t *where;

	if (keys <= chance->keys)
		return 0;
	if (keys > INT32_MAX)
		return -ENOMEM;
	where = calloc((size_t)keys, sizeof(*where));
	if (where == NULL)
		return -ENOMEM;
	if (chance->keys != 0)
		memcpy(where, chance->where, (size_t)chance->keys * sizeof(*where));
	free(chance->where);
	chance->where = where;
	chance->keys = keys;
	return 0;
}

void np_sim_chance_reset(struct np_sim_chance *chance, uint64_t seed)
{
	for (uint32_t i = 0; i < chance->count; i++)
		chance->where[chance->held[i]] = 0;
	chance->count = 0;
	chance->random.state = seed;
}

bool np_sim_chance_use(struct np_sim_chance *chance, uint64_t key)
{
	uint32_t entry;

	if (chance->where[key] != 0)
		return true;
	if (chance->count < chance->entries) {
		entry = chance->count++;
	} else {
		entry = (uint32_t)np_random_below(&chance->random, chance->entries);
		chance->where[chance->held[entry]] = 0;
	}
	chance->held[entry] = (uint32_t)key;
	chance->where[key] = entry + 1;
	return false;
}

void np_sim_chance_forget(struct np_sim_chance *chance, uint64_t key)
{
	if (key >= chance->keys || chance->where[key] == 0)
		return;
	const uint32_t entry = chance->where[key] - 1;
	const uint32_t last = chance->held[--chance->count];

	/* The last one fills the gap. */
	chance->where[key] = 0;
	if (last != key) {
		chance->held[entry] = last;
		chance->where[last] = entry + 1;
	}
}

void np_sim_chance_free(struct np_sim_chance *chance)
{
	free(chance->held);
	free(chance->where);
	*chance = (struct np_sim_chance){ .held = NULL };
}
