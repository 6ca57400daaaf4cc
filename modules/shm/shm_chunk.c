/*
 * shm_chunk.c - hooks of the chunked ring where one process sends at a time: send()
 * returns when the whole message is in the ring; meanwhile the peer empties it.
 */
#include "shm_chunk.h"

NP_ALWAYS_INLINE int send_message(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);

	return shm_push_all(shm, shm->slots[slot].send, shm->length, sleeps);
}

NP_ALWAYS_INLINE int recv_message(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	unsigned char *to = shm->slots[slot].recv;

	for (size_t left = shm->length;;) {
		const size_t part = shm_part(left, shm->chunk);
		int rc = shm_await(shm, SHM_CELL, sleeps);

		if (NP_UNLIKELY(rc != 0))
			return rc;
		shm_pull(shm, to, part, SHM_CHUNK_OFFSET, sleeps);
		left -= part;
		if (left == 0)
			return 0;
		to += part;
	}
}

NP_ALWAYS_INLINE int flush_messages(struct np_endpoint *ep, const bool sleeps)
{
	(void)ep;
	(void)sleeps;
	return 0;
}

NP_CODE_PATH(spin_chunk, "ring, spinning", spin_hooks);
NP_CODE_PATH(sleep_chunk, "ring, futex", sleep_hooks);

const struct np_code_path *np_shm_chunk_path(bool sleeps)
{
	return sleeps ? &sleep_chunk : &spin_chunk;
}
