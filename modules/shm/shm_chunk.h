/*
 * shm_chunk.h - pipelined messages, one chunk per cell: while the receiver copies a
 * chunk out, the sender copies the next one in.
 *
 * The payload starts on its own cache line, so that both copies are aligned.
 */
#pragma once

#include "shm_hooks.h"

enum { SHM_CHUNK_OFFSET = SHM_LINE };

NP_ALWAYS_INLINE size_t shm_part(size_t left, size_t chunk)
{
	return left < chunk ? left : chunk;
}

/* Pushes a whole message, waiting for free cells; an empty message is one cell. */
NP_ALWAYS_INLINE int shm_push_all(struct shm_endpoint *shm, const unsigned char *from,
				  size_t left, const bool sleeps)
{
	for (;;) {
		const size_t part = shm_part(left, shm->chunk);
		int rc = shm_await_room(shm, sleeps);

		if (NP_UNLIKELY(rc != 0))
			return rc;
		shm_push(shm, from, part, SHM_CHUNK_OFFSET, sleeps);
		left -= part;
		if (left == 0)
			return 0;
		from += part;
	}
}
