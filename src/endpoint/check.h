/*
 * check.h - integrity check (-i): every byte of every message, untimed.
 *
 * Each message carries a pattern of its own (run seed, sequence number, position).
 * Before a receive is posted its buffer and the bytes around it are poisoned;
 * afterwards every byte of the message must be the sender's and every byte around it
 * still poison.  This detects stale, torn, shifted, short and overlong messages; the
 * error names the first wrong byte.
 */
#pragma once

#include "endpoint/block.h"

/*
 * Sends and checks block->messages * block->batches messages through the module's hooks
 * in the run's operation; both processes call it.  sequence: number of the first
 * message.  Returns 0, or -EBADMSG with NP_ERROR_DATA for damage found in this process,
 * or another -errno.
 */
int np_check_run(struct np_process *process, const struct np_block *block,
		 uint64_t sequence, struct np_error *error);
