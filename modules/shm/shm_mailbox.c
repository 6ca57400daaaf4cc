/*
 * shm_mailbox.c - hooks of the mailbox: a message is one cell, its payload follows the
 * header, and up to 56 bytes move a single cache line.
 *
 * No deadlock: send() waits for a free cell only after a whole window of messages that
 * the peer has yet to take; a bidirectional exchange has two cells, and the peer took
 * the older one before it sent the message that this process has just received.
 */
#include "shm_hooks.h"

NP_ALWAYS_INLINE int send_message(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	int rc = shm_await_room(shm, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	shm_push(shm, shm->slots[slot].send, shm->length, SHM_HEADER, sleeps);
	return 0;
}

NP_ALWAYS_INLINE int recv_message(struct np_endpoint *ep, size_t slot, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	int rc = shm_await(shm, SHM_CELL, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	shm_pull(shm, shm->slots[slot].recv, shm->length, SHM_HEADER, sleeps);
	return 0;
}

NP_ALWAYS_INLINE int flush_messages(struct np_endpoint *ep, const bool sleeps)
{
	(void)ep;
	(void)sleeps;
	return 0;
}

NP_CODE_PATH(spin_mailbox, "mailbox, spinning", spin_hooks);
NP_CODE_PATH(sleep_mailbox, "mailbox, futex", sleep_hooks);

const struct np_code_path *np_shm_mailbox_path(bool sleeps)
{
	return sleeps ? &sleep_mailbox : &spin_mailbox;
}
