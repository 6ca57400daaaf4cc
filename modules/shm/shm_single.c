/*
 * shm_single.c - hooks of the single copy: the sender passes the address of its buffer
 * in a cell, and the receiver copies from there by process_vm_readv(2).
 *
 * The release of the cell means that the copy is complete; so every release is published,
 * and flush() waits for all.  send() waits for a free cell only, so both processes may
 * send first.
 */
#include "shm_hooks.h"

#include <errno.h>
#include <sys/uio.h>

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

NP_ALWAYS_INLINE int send_message(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	const uintptr_t address = (uintptr_t)shm->slots[slot].send;
	int rc = shm_await_room(shm, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	shm_push(shm, &address, sizeof(address), SHM_HEADER, sleeps);
	return 0;
}

NP_ALWAYS_INLINE int recv_message(struct np_endpoint *ep, size_t slot, const bool sleeps)
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

NP_ALWAYS_INLINE int flush_messages(struct np_endpoint *ep, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);

	return shm_is_drained(&shm->port) ? 0 : shm_await(shm, SHM_DRAINED, sleeps);
}

NP_CODE_PATH(spin_single, "single copy, spinning", spin_hooks);
NP_CODE_PATH(sleep_single, "single copy, futex", sleep_hooks);

const struct np_code_path *np_shm_single_path(bool sleeps)
{
	return sleeps ? &sleep_single : &spin_single;
}
