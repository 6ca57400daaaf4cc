/*
 * ucx_one_sided.c - hooks of puts and gets.
 *
 * With a window of 1 the transmitter completes each operation, in the peer's memory as
 * well, before the next.  With a larger window they overlap, and the flush at the end of a
 * sample completes all.
 *
 * A put generates no completion at the target.  With -c poll the receiver of a ping-pong
 * writes NP_MARK into the last byte before the message may arrive, and waits until the byte
 * changes: no message contains that value (memory.h).  The receiver calls UCX meanwhile,
 * since over some transports the UCX of the target writes the data.  The last byte must
 * become visible last, which UCX does not guarantee and -i tests.  With -c event each put
 * is flushed and then announced by an active message.
 */
#include <stdatomic.h>

#include "ucx_hot.h"

/* Starts the put from the send buffer of a slot to the receive buffer of the peer. */
NP_ALWAYS_INLINE int start_put(struct np_ucx *ucx, size_t slot)
{
	const struct np_slot *at = &ucx->endpoint.transfer->slots[slot];
	const struct np_ucx_keys *keys = &ucx->keys;

	ucx->sent++;
	np_ucx_aim(keys, &ucx->send_param, at->send);
	return np_ucx_start(
		ucx,
		ucp_put_nbx(ucx->peer, at->send, ucx->endpoint.transfer->length,
			    keys->remote_base + (size_t)(at->recv - keys->pool.base),
			    keys->remote[np_region_part(&keys->pool, at->recv)],
			    &ucx->send_param),
		"ucp_put_nbx");
}

/* Starts the get from the send buffer of the peer to the receive buffer of a slot.  Gets
 * need no flush and are not counted as sent. */
NP_ALWAYS_INLINE int start_get(struct np_ucx *ucx, size_t slot)
{
	const struct np_slot *at = &ucx->endpoint.transfer->slots[slot];
	const struct np_ucx_keys *keys = &ucx->keys;

	np_ucx_aim(keys, &ucx->send_param, at->recv);
	return np_ucx_start(
		ucx,
		ucp_get_nbx(ucx->peer, at->recv, ucx->endpoint.transfer->length,
			    keys->remote_base + (size_t)(at->send - keys->pool.base),
			    keys->remote[np_region_part(&keys->pool, at->send)],
			    &ucx->send_param),
		"ucp_get_nbx");
}

/* ---- transmitter alone --------------------------------------------------- */

/* Flushes puts since the last flush.  Skipped after gets, and at the end of a block, when
 * rank 1 no longer calls UCX. */
NP_ALWAYS_INLINE int flush_all(struct np_ucx *ucx, bool sleeps)
{
	if (ucx->flushed == ucx->sent)
		return np_ucx_drain(ucx, 0, sleeps);
	ucx->flushed = ucx->sent;
	return np_ucx_flush_peer(ucx, sleeps);
}

/* All but the slot are compile-time constants of each code path. */
NP_ALWAYS_INLINE int step(struct np_endpoint *ep, size_t slot, bool gets, bool waits,
			  bool sleeps)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	int rc = np_ucx_drain(ucx, ucx->send_limit, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	rc = gets ? start_get(ucx, slot) : start_put(ucx, slot);
	return rc != 0 || !waits ? rc : flush_all(ucx, sleeps);
}

NP_UCX_HOOK_BY_WAIT(flush_all)

#define STEP_PATH(NAME, label, hook, how)                                                  \
	static const struct np_hot NAME##_hot =                                            \
		NP_UCX_HOOKS(np_no_hook_slot, np_no_hook_slot, np_no_hook_slot,            \
			     flush_all_##how, hook##_##how, how);                          \
	NP_STEP_PATH(NAME, label, NAME##_hot)

#define STEP_PATHS(NAME, label, gets, waits)                                               \
	NP_ALWAYS_INLINE int NAME(struct np_endpoint *ep, size_t slot, bool sleeps)        \
	{                                                                                  \
		return step(ep, slot, gets, waits, sleeps);                                \
	}                                                                                  \
	NP_SLOT_HOOKS(NAME)                                                                \
	STEP_PATH(NAME##_poll, label ", poll", NAME, polling);                             \
	STEP_PATH(NAME##_event, label ", event", NAME, sleeping)

STEP_PATHS(put, "put", false, false);
STEP_PATHS(put_and_wait, "put", false, true);
STEP_PATHS(get, "get", true, false);
STEP_PATHS(get_and_wait, "get", true, true);

const struct np_code_path *np_ucx_one_sided(struct np_ucx *ucx, bool sleeps)
{
	static const struct np_code_path *const paths[2][2][2] = {
		{ { &put_poll, &put_event }, { &put_and_wait_poll, &put_and_wait_event } },
		{ { &get_poll, &get_event }, { &get_and_wait_poll, &get_and_wait_event } },
	};
	const bool gets = np_ucx_options_of(ucx)->transfer == NP_UCX_GET;

	return paths[gets][ucx->endpoint.transfer->window == 1][sleeps];
}

/* ---- puts in both directions --------------------------------------------- */

static int send_marked(struct np_endpoint *ep, size_t slot)
{
	return start_put(np_ucx_of(ep), slot);
}

static int recv_marked(struct np_endpoint *ep, size_t slot)
{
	const volatile unsigned char *last = np_last_byte(ep, slot);
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
	int rc = start_put(ucx, slot);

	if (rc == 0)
		rc = np_ucx_flush_peer(ucx, true);
	return rc != 0 ? rc : np_ucx_send_control(ucx, NP_UCX_ANNOUNCED, ucx->sent);
}

static int recv_announced(struct np_endpoint *ep, size_t slot)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	int rc = 0;

	(void)slot;
	while (rc == 0 && ucx->announced <= ucx->received)
		rc = np_ucx_progress(ucx, true);
	ucx->received++;
	return rc;
}

NP_UCX_PATH(marked, "put, last byte", np_mark_last_byte, send_marked, recv_marked, polling);
NP_UCX_PATH(announced, "put, announced", np_no_hook_slot, send_announced, recv_announced,
	    sleeping);

const struct np_code_path *np_ucx_put(bool sleeps)
{
	return sleeps ? &announced : &marked;
}
