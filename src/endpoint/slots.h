/*
 * slots.h - slots of a block: the buffers that it uses, and their state in the CPU cache
 * before it. Modes differ in nothing else: the timed loop sees only a table of addresses.
 */
#pragma once

#include "endpoint/block.h"

/*
 * Sets the endpoint's ring and the slot table for a block, and maps the buffers of a
 * fresh block, which np_slots_release() unmaps.  Returns 0 or -errno.
 */
int np_slots_fill(struct np_process *process, const struct np_block *block,
		  struct np_error *error);

/* Loads the buffers into the CPU cache or evicts them, by the block's mode. */
void np_slots_prepare(struct np_process *process, const struct np_block *block);

/* Number of receives posted at the same time in a block, each with a buffer of its own. */
uint64_t np_slots_receives(const struct np_process *process, const struct np_block *block);

/* Unmaps the buffers of a fresh block; does nothing if none are mapped. */
void np_slots_release(struct np_process *process);

/* Returns true if the mode rotates: its next block continues in the order of slots. */
bool np_slots_rotate(enum np_mode mode);
