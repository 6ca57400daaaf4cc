/*
 * block.h - a block: batches of messages in one mode, back to back.
 *
 * The receiver runs a block as one call of its loop.  The transmitter runs one
 * call a batch and reads the clock between two calls, once; so the time of a
 * batch is one reading's cost longer than its messages, and nothing else.
 */
#ifndef NP_BLOCK_H
#define NP_BLOCK_H

#include "base/counts.h"
#include "endpoint/process.h"

struct np_block {
	enum np_mode mode;
	enum np_axis axis;    /* of a capacity sweep; none: all of the pool */
	uint64_t buffers;     /* distinct ones that rotate then, >= 1 */
	uint64_t position;    /* of the first message in the slots' order (rotate) */
	uint64_t fixed;	      /* the slot of what does not rotate */
	bool alternate;	      /* every other batch, from the first on, is one slot's:
				 the others meet each slot once in the block */
	bool lap;	      /* have the CPU cache see all buffers before */
	uint64_t messages;    /* of a batch, >= 1 */
	uint64_t batches;     /* >= 1 */
	uint64_t patience_ns; /* after which a message must have been lost; 0: never */
};

/*
 * Runs a block on this end; the peer runs its half at the same time.  At rank
 * 0, ns[i] becomes the duration of batch i in nanoseconds; at rank 1 ns is not
 * used.  counts gets what this end counted.  Returns 0 or -errno.
 */
int np_block_run(struct np_process *process, const struct np_block *block, uint64_t *ns,
		 struct np_counts *counts, struct np_error *error);

/*
 * Makes the first receives of a block available and tells, or waits for, the
 * peer: what a checked block does as well.  Sets the ring and the table.
 */
int np_block_enter(struct np_process *process, const struct np_block *block,
		   struct np_error *error);

/* Offers slots [0, count) of the ring to the first messages. */
int np_block_offer(struct np_process *process, uint64_t count, struct np_error *error);

/* Tells the watcher until when the block must be over. */
void np_block_deadline(struct np_process *process, const struct np_block *block);

/* Each end waits until the other has posted its first receives. */
int np_block_meet(struct np_process *process, struct np_error *error);

#endif
