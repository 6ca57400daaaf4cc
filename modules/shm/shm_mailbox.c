/*
 * shm_mailbox.c - messages that travel in one cell, payload right behind the
 * header: one of at most 56 bytes moves a single cache line.
 *
 * It never blocks both ends: an end in send() waits for room only after a whole
 * window of messages that the peer has yet to take, and a bidirectional
 * exchange has room for two of which the older was taken before the peer sent
 * the message that this end has just received.
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
