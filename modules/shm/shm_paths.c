/*
 * shm_paths.c - the hooks and loops of transfers between processes: mailbox, chunked ring
 * (one process sends at a time, or both), and single copy.
 *
 * Each has a code path that spins and one that sleeps on futexes.  The hooks call the
 * functions of a transfer with `sleeps` as a constant, so that no hook tests it at run
 * time.
 */
#include <errno.h>
#include <sys/uio.h>

#include "shm_wait.h"

/* An acknowledgement is a cell without payload.  memcpy() needs a valid pointer even
 * for 0 bytes. */
NP_ALWAYS_INLINE int send_ack(struct np_endpoint *ep, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	int rc = shm_await_room(shm, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	shm_push(shm, "", 0, SHM_HEADER, sleeps);
	return 0;
}

NP_ALWAYS_INLINE int recv_ack(struct np_endpoint *ep, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	int rc = shm_await(shm, SHM_CELL, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	shm_release_cell(shm, sleeps);
	return 0;
}

/* Defines the code path NAME: hooks that call SEND, RECV and FLUSH, and their loops. */
#define SHM_PATH(name, label, sleeps, SEND, RECV, FLUSH)                                   \
	static inline int name##_send(struct np_endpoint *ep, size_t slot)                 \
	{                                                                                  \
		return SEND(ep, slot, sleeps);                                             \
	}                                                                                  \
	static inline int name##_recv(struct np_endpoint *ep, size_t slot)                 \
	{                                                                                  \
		return RECV(ep, slot, sleeps);                                             \
	}                                                                                  \
	static inline int name##_flush(struct np_endpoint *ep)                             \
	{                                                                                  \
		return FLUSH(ep, sleeps);                                                  \
	}                                                                                  \
	static inline int name##_send_ack(struct np_endpoint *ep)                          \
	{                                                                                  \
		return send_ack(ep, sleeps);                                               \
	}                                                                                  \
	static inline int name##_recv_ack(struct np_endpoint *ep)                          \
	{                                                                                  \
		return recv_ack(ep, sleeps);                                               \
	}                                                                                  \
	static const struct np_hot name##_hooks = {                                        \
		.post_recv = np_no_hook_slot,                                              \
		.send = name##_send,                                                       \
		.recv = name##_recv,                                                       \
		.flush = name##_flush,                                                     \
		.send_ack = name##_send_ack,                                               \
		.recv_ack = name##_recv_ack,                                               \
		.step = np_no_hook_slot,                                                   \
	};                                                                                 \
	NP_CODE_PATH(name, label, name##_hooks)

/* Nothing is left to flush: send() returns when the whole message is in the ring. */
NP_ALWAYS_INLINE int flush_nothing(struct np_endpoint *ep, const bool sleeps)
{
	(void)ep;
	(void)sleeps;
	return 0;
}

/*
 * Mailbox: a message is one cell, its payload follows the header, and up to 56 bytes move
 * a single cache line.
 *
 * No deadlock: send() waits for a free cell only after a whole window of messages that
 * the peer has yet to take; a bidirectional exchange has two cells, and the peer took
 * the older one before it sent the message that this process has just received.
 */

NP_ALWAYS_INLINE int mailbox_send(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	int rc = shm_await_room(shm, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	shm_push(shm, shm->slots[slot].send, shm->length, SHM_HEADER, sleeps);
	return 0;
}

NP_ALWAYS_INLINE int mailbox_recv(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	int rc = shm_await(shm, SHM_CELL, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	shm_pull(shm, shm->slots[slot].recv, shm->length, SHM_HEADER, sleeps);
	return 0;
}

SHM_PATH(spin_mailbox, "mailbox, spinning", false, mailbox_send, mailbox_recv,
	 flush_nothing);
SHM_PATH(sleep_mailbox, "mailbox, futex", true, mailbox_send, mailbox_recv, flush_nothing);

/*
 * Chunked ring: one chunk per cell.  While the receiver copies a chunk out, the sender
 * copies the next one in.  The payload starts on its own cache line, so that both copies
 * are aligned.
 */

enum { CHUNK_OFFSET = SHM_LINE };

NP_ALWAYS_INLINE size_t chunk_part(size_t left, size_t chunk)
{
	return left < chunk ? left : chunk;
}

/* Pushes a whole message, waiting for free cells; an empty message is one cell. */
NP_ALWAYS_INLINE int push_all(struct shm_endpoint *shm, const unsigned char *from,
			      size_t left, const bool sleeps)
{
	for (;;) {
		const size_t part = chunk_part(left, shm->chunk);
		int rc = shm_await_room(shm, sleeps);

		if (NP_UNLIKELY(rc != 0))
			return rc;
		shm_push(shm, from, part, CHUNK_OFFSET, sleeps);
		left -= part;
		if (left == 0)
			return 0;
		from += part;
	}
}

/* One process sends at a time: send() returns when the whole message is in the ring;
 * meanwhile the peer empties it. */
NP_ALWAYS_INLINE int chunk_send(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);

	return push_all(shm, shm->slots[slot].send, shm->length, sleeps);
}

NP_ALWAYS_INLINE int chunk_recv(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	unsigned char *to = shm->slots[slot].recv;

	for (size_t left = shm->length;;) {
		const size_t part = chunk_part(left, shm->chunk);
		int rc = shm_await(shm, SHM_CELL, sleeps);

		if (NP_UNLIKELY(rc != 0))
			return rc;
		shm_pull(shm, to, part, CHUNK_OFFSET, sleeps);
		left -= part;
		if (left == 0)
			return 0;
		to += part;
	}
}

SHM_PATH(spin_chunk, "ring, spinning", false, chunk_send, chunk_recv, flush_nothing);
SHM_PATH(sleep_chunk, "ring, futex", true, chunk_send, chunk_recv, flush_nothing);

/*
 * Chunked ring, bidirectional messages.
 *
 * Deadlock: both processes send first, and a message may be longer than the ring, so
 * send() must not wait for free cells.  send() pushes while there are free cells; recv()
 * pushes and pulls alternately; flush() pushes the rest.
 *
 * flush() may wait for free cells: this process has the peer's whole message, so the
 * peer is in recv() or later, and recv() returns only when it has pulled everything
 * that this process has yet to push.
 */

/* Pushes the next chunk of the unsent part; a cell must be free. */
NP_ALWAYS_INLINE void push_chunk(struct shm_endpoint *shm, const bool sleeps)
{
	struct shm_rest *rest = &shm->rest;
	const size_t part = chunk_part(rest->length, shm->chunk);

	shm_push(shm, rest->next, part, CHUNK_OFFSET, sleeps);
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

NP_ALWAYS_INLINE int both_flush(struct np_endpoint *ep, const bool sleeps)
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

NP_ALWAYS_INLINE int both_send(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);

	shm->rest = (struct shm_rest){ .next = shm->slots[slot].send,
				       .length = shm->length,
				       .pending = true };
	while (shm->rest.pending && find_room(shm))
		push_chunk(shm, sleeps);
	return 0;
}

NP_ALWAYS_INLINE int both_recv(struct np_endpoint *ep, size_t slot, const bool sleeps)
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
		const size_t part = chunk_part(left, shm->chunk);

		shm_pull(shm, to, part, CHUNK_OFFSET, sleeps);
		left -= part;
		if (left == 0)
			return 0;
		to += part;
	}
}

SHM_PATH(spin_both, "ring, spinning, both at once", false, both_send, both_recv,
	 both_flush);
SHM_PATH(sleep_both, "ring, futex, both at once", true, both_send, both_recv, both_flush);

/*
 * Single copy: the sender passes the address of its buffer
 * in a cell, and the receiver copies from there by process_vm_readv(2).
 *
 * The release of the cell means that the copy is complete; so every release is published,
 * and flush() waits for all.  send() waits for a free cell only, so both processes may
 * send first.
 */

static int __attribute__((cold, noinline)) fail_read(struct shm_endpoint *shm)
{
	const int code = errno;

	/* EFAULT: an exiting peer unmaps its memory before its process is gone. */
	if (code == ESRCH || code == EFAULT)
		return np_fail(&shm->np.error, NP_ERROR_PEER, code,
			       "the peer's process, or its memory, is gone");
	return np_fail_errno(&shm->np.error, code, "cannot read the peer's memory");
}

/* Loops, since a call copies less than 2 GiB. */
static int copy_from_peer(struct shm_endpoint *shm, unsigned char *to, uintptr_t from,
			  size_t left)
{
	while (left != 0) {
		const struct iovec local = { .iov_base = to, .iov_len = left };
		const struct iovec remote = { .iov_base = (void *)from, .iov_len = left };
		const ssize_t got = process_vm_readv(shm->peer, &local, 1, &remote, 1, 0);

		if (NP_UNLIKELY(got == 0))
			errno = EIO; /* 0 bytes sets no errno */
		if (NP_UNLIKELY(got <= 0))
			return fail_read(shm);
		to += got;
		from += (size_t)got;
		left -= (size_t)got;
	}
	return 0;
}

NP_ALWAYS_INLINE int single_send(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	const uintptr_t address = (uintptr_t)shm->slots[slot].send;
	int rc = shm_await_room(shm, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	shm_push(shm, &address, sizeof(address), SHM_HEADER, sleeps);
	return 0;
}

NP_ALWAYS_INLINE int single_recv(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	uintptr_t address;
	int rc = shm_await(shm, SHM_CELL, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	memcpy(&address, shm->port.reader.next + SHM_HEADER, sizeof(address));
	rc = copy_from_peer(shm, shm->slots[slot].recv, address, shm->length);
	if (NP_UNLIKELY(rc != 0))
		return rc;
	shm_release_cell(shm, sleeps);
	return 0;
}

NP_ALWAYS_INLINE int single_flush(struct np_endpoint *ep, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);

	return shm_is_drained(&shm->port) ? 0 : shm_await(shm, SHM_DRAINED, sleeps);
}

SHM_PATH(spin_single, "single copy, spinning", false, single_send, single_recv,
	 single_flush);
SHM_PATH(sleep_single, "single copy, futex", true, single_send, single_recv, single_flush);

const struct np_code_path *np_shm_path(enum shm_path path, bool sleeps)
{
	static const struct np_code_path *const paths[SHM_PATHS][2] = {
		[SHM_PATH_MAILBOX] = { &spin_mailbox, &sleep_mailbox },
		[SHM_PATH_CHUNK] = { &spin_chunk, &sleep_chunk },
		[SHM_PATH_BOTH] = { &spin_both, &sleep_both },
		[SHM_PATH_SINGLE] = { &spin_single, &sleep_single },
	};

	return paths[path][sleeps];
}
