/*
 * shm_chunk_both.c - hooks of the chunked ring for bidirectional messages.
 *
 * Deadlock: both processes send first, and a message may be longer than the ring, so
 * send() must not wait for free cells.  send() pushes while there are free cells; recv()
 * pushes and pulls alternately; flush() pushes the rest.
 *
 * flush() may wait for free cells: this process has the peer's whole message, so the
 * peer is in recv() or later, and recv() returns only when it has pulled everything
 * that this process has yet to push.
 */
#include "shm_chunk.h"

/* Pushes one chunk of the rest; a cell must be free. */
NP_ALWAYS_INLINE void push_chunk(struct shm_endpoint *shm, const bool sleeps)
{
	struct shm_rest *rest = &shm->rest;
	const size_t part = shm_part(rest->length, shm->chunk);

	shm_push(shm, rest->next, part, SHM_CHUNK_OFFSET, sleeps);
	rest->next += part;
	rest->length -= part;
	rest->pending = rest->length != 0;
}

/* True if a cell is free; loads the peer's word only if none is known to be free. */
NP_ALWAYS_INLINE bool find_room(struct shm_endpoint *shm)
{
	return shm_has_room(&shm->port) ||
	       shm_happened(&shm->port, SHM_ROOM, memory_order_acquire);
}

NP_ALWAYS_INLINE int flush_messages(struct np_endpoint *ep, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);

	while (shm->rest.pending) {
		int rc = shm_await_room(shm, sleeps);

		if (NP_UNLIKELY(rc != 0))
			return rc;
		push_chunk(shm, sleeps);
	}
	return 0;
}

NP_ALWAYS_INLINE int send_message(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);

	shm->rest = (struct shm_rest){ .next = shm->slots[slot].send,
				       .length = shm->length,
				       .pending = true };
	while (shm->rest.pending && find_room(shm))
		push_chunk(shm, sleeps);
	return 0;
}

NP_ALWAYS_INLINE int recv_message(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	unsigned char *to = shm->slots[slot].recv;

	for (size_t left = shm->length;;) {
		if (shm->rest.pending && find_room(shm)) {
			push_chunk(shm, sleeps);
		} else {
			/* Two calls, so that `events` is a constant in each. */
			const int rc = shm->rest.pending ?
					       shm_await(shm, SHM_CELL | SHM_ROOM, sleeps) :
					       shm_await(shm, SHM_CELL, sleeps);
			if (NP_UNLIKELY(rc != 0))
				return rc;
		}
		if (!shm_has_cell(&shm->port, memory_order_acquire))
			continue;
		const size_t part = shm_part(left, shm->chunk);

		shm_pull(shm, to, part, SHM_CHUNK_OFFSET, sleeps);
		left -= part;
		if (left == 0)
			return 0;
		to += part;
	}
}

NP_CODE_PATH(spin_both, "ring, spinning, both at once", spin_hooks);
NP_CODE_PATH(sleep_both, "ring, futex, both at once", sleep_hooks);

const struct np_code_path *np_shm_chunk_both_path(bool sleeps)
{
	return sleeps ? &sleep_both : &spin_both;
}
