/*
 * shm_single.c - single copy: the sender says where the message lies, and the
 * receiver has the kernel copy it from there (process_vm_readv(2)).
 *
 * The address travels in a cell.  Giving the cell back says that the message
 * was copied, so cells are given back one by one, and flush() waits until all
 * were.  Both ends may send first: send() waits for nothing but room.
 */
#include "shm_hooks.h"

#include <errno.h>
#include <sys/uio.h>

/* Out of line: it happens once, and then the run is over. */
static int __attribute__((cold, noinline)) refused(struct shm_endpoint *shm)
{
	const int code = errno;

	/* A peer that ends unmaps its memory first. */
	if (code == ESRCH || code == EFAULT)
		return np_fail(&shm->np.error, NP_ERROR_PEER, code,
			       "the peer's process, or its memory, is gone");
	return np_fail_errno(&shm->np.error, code, "cannot read the peer's memory");
}

/* The kernel may copy less than it was asked for: it has an upper limit a call
 * that is below 2 GiB. */
static int fetch(struct shm_endpoint *shm, unsigned char *to, uintptr_t from, size_t left)
{
	while (left != 0) {
		const struct iovec local = { .iov_base = to, .iov_len = left };
		const struct iovec remote = { .iov_base = (void *)from, .iov_len = left };
		const ssize_t got = process_vm_readv(shm->peer, &local, 1, &remote, 1, 0);

		if (NP_UNLIKELY(got == 0))
			errno = EIO; /* nothing and no reason: the next line gives one */
		if (NP_UNLIKELY(got <= 0))
			return refused(shm);
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
	rc = fetch(shm, shm->slots[slot].recv, address, shm->length);
	if (NP_UNLIKELY(rc != 0))
		return rc;
	shm_give_back(shm, sleeps);
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
