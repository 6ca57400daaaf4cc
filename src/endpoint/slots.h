/*
 * slots.h - which buffers a block visits, and whether they are warm when it
 * begins: what makes the modes differ.  The timed loop sees a table of addresses.
 */
#ifndef NP_SLOTS_H
#define NP_SLOTS_H

#include "endpoint/block.h"

/*
 * Lays out the endpoint's ring and the table of the end for a block, mapping what
 * a fresh block needs.  np_slots_release() gives that back.  Returns 0 or -errno.
 */
int np_slots_lay(struct np_process *process, const struct np_block *block,
		 struct np_error *error);

/* Brings them into, or out of, the CPU cache as the block's mode has it. */
void np_slots_prepare(struct np_process *process, const struct np_block *block);

/* Copes with a block that has mapped nothing. */
void np_slots_release(struct np_process *process);

/* Whether the mode goes on, in the order of the slots, where the last block of its
 * kind ended. */
bool np_slots_move(enum np_mode mode);

/* Of an alternating block: whether the i-th message is one of those that are timed
 * for themselves. */
static inline bool np_slots_apart(const struct np_block *block, uint64_t i)
{
	return block->alternate && i / block->messages % 2 == 1;
}

#endif
