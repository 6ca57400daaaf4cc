/*
 * ucx_put.c - hooks of puts in both directions.
 *
 * A put completes nothing at the target.  By poll, the receiver writes NP_MARK into the
 * last byte before the message may arrive, and waits until it changes: no message contains
 * that value (memory.h).  It calls UCX meanwhile, since over some transports the target's
 * UCX does the writing.  The method relies on the last byte becoming visible last, which
 * UCX does not guarantee: -i tests it.
 *
 * By event, each put is flushed and then announced by an active message.
 */
#include <stdatomic.h>

#include "ucx_hot.h"

NP_ALWAYS_INLINE volatile unsigned char *last_byte(const struct np_endpoint *ep,
						   size_t slot)
{
	return ep->transfer->slots[slot].recv + ep->transfer->length - 1;
}

static int mark(struct np_endpoint *ep, size_t slot)
{
	*last_byte(ep, slot) = NP_MARK;
	return 0;
}

static int announce(struct np_ucx *ucx)
{
	const int rc = np_ucx_flush_peer(ucx, true);

	return rc != 0 ? rc : np_ucx_send_control(ucx, NP_UCX_ANNOUNCED, ucx->sent);
}

static int send_marked(struct np_endpoint *ep, size_t slot)
{
	np_ucx_of(ep)->sent++;
	return np_ucx_start_put(ep, slot);
}

static int recv_marked(struct np_endpoint *ep, size_t slot)
{
	const volatile unsigned char *last = last_byte(ep, slot);
	struct np_ucx *ucx = np_ucx_of(ep);

	while (*last == NP_MARK) {
		const int rc = np_ucx_progress(ucx, false);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	atomic_thread_fence(memory_order_acquire);
	ucx->received++;
	return 0;
}

static int send_announced(struct np_endpoint *ep, size_t slot)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	const int rc = np_ucx_start_put(ep, slot);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	ucx->sent++;
	return announce(ucx);
}

static int recv_announced(struct np_endpoint *ep, size_t slot)
{
	struct np_ucx *ucx = np_ucx_of(ep);

	(void)slot;
	while (ucx->announced <= ucx->received) {
		const int rc = np_ucx_progress(ucx, true);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	ucx->received++;
	return 0;
}

NP_UCX_PATH(marked, "put, last byte", mark, send_marked, recv_marked, polling);
NP_UCX_PATH(announced, "put, announced", np_no_hook_slot, send_announced, recv_announced,
	    sleeping);

const struct np_code_path *np_ucx_put(struct np_ucx *ucx, bool sleeps)
{
	(void)ucx;
	return sleeps ? &announced : &marked;
}
