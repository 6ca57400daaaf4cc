/*
 * block.h - block: consecutive samples of one mode, back to back; or the same, checked.
 *
 * Rank 1 runs a block as one call of its loop. Rank 0 makes one call a sample and reads the
 * clock once between two calls: the time of a sample includes one clock reading.
 */
#pragma once

#include "base/facts.h"
#include "endpoint/process.h"

struct np_block {
	enum np_mode mode;
	enum np_axis axis; /* axis of a capacity sweep; NP_AXIS_NONE: the whole pool */
	uint64_t buffers;  /* of a capacity sweep: distinct buffers, or queue pairs; >= 1 */
	uint64_t position; /* position of the first message in the order of slots */
	uint64_t fixed;	   /* slot of the buffers that do not rotate */
	bool alternate; /* samples 0, 2, ... reuse one slot; 1, 3, ... use each slot once */
	bool touch_all; /* touch all buffers of a capacity sweep first */
	uint64_t messages;   /* messages of a sample, >= 1 */
	uint64_t batches;    /* samples, >= 1 */
	uint64_t timeout_ns; /* time limit, ns, after which a message counts as lost; 0:
				none */
};

/*
 * Runs a block in this process; the peer runs its side at the same time. Rank 0 sets ns[i]
 * to the duration of sample i in nanoseconds, by the clock of the code path if it has one,
 * and process->passed_ns to the duration of the block; rank 1 does not use ns. Adds the
 * counts of this process to counts. Returns 0 or -errno.
 */
int np_block_run(struct np_process *process, const struct np_block *block, uint64_t *ns,
		 struct np_counts *counts, struct np_error *error);

/*
 * Prepares a timed or checked block: sets the ring and the slot table, caches or evicts the
 * buffers as the mode requires, and calls the module's begin(). Returns 0 or -errno.
 */
int np_block_enter(struct np_process *process, const struct np_block *block,
		   struct np_error *error);

/* Posts receives into slots [0, count) of the ring.  Returns 0 or -errno. */
int np_block_post_receives(struct np_process *process, uint64_t count,
			   struct np_error *error);

/* Barrier: both processes have posted their first receives.  Returns 0 or -errno. */
int np_block_barrier(struct np_process *process, struct np_error *error);

/*
 * Integrity check (-i): every byte of every message, untimed.  Each message carries a
 * pattern of its own (run seed, sequence number, position).  Before a receive is posted its
 * buffer and the bytes around it are poisoned; afterwards every byte of the message must be
 * the sender's and every byte around it still poison.  This detects stale, torn, shifted,
 * short and overlong messages; the error names the first wrong byte.
 *
 * Sends and checks block->messages * block->batches messages through the module's hooks
 * in the run's operation; both processes call it.  sequence: number of the first
 * message.  Returns 0, or -EBADMSG with NP_ERROR_DATA for damage found in this process,
 * or another -errno.
 */
int np_check_run(struct np_process *process, const struct np_block *block,
		 uint64_t sequence, struct np_error *error);
