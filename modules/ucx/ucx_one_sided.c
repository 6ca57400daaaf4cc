/*
 * ucx_one_sided.c - hooks of puts and gets of a transmitter that works alone.
 *
 * With a window of 1 each is complete, at the peer's memory too, before the next; with
 * more they overlap, and the flush at the end of a sample completes all.
 */
#include "ucx_hot.h"

NP_ALWAYS_INLINE int put(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	const int rc = np_ucx_drain(ucx, ucx->send_limit, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	ucx->sent++;
	return np_ucx_start_put(ep, slot);
}

NP_ALWAYS_INLINE int get(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];
	const struct np_ucx_keys *keys = &ucx->keys;
	const int rc = np_ucx_drain(ucx, ucx->send_limit, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	np_ucx_aim(keys, &ucx->send_param, at->recv);
	return np_ucx_start(ucx,
			    ucp_get_nbx(ucx->peer, at->recv, ep->transfer->length,
					keys->remote_base + (size_t)(at->send - keys->base),
					keys->remote[np_ucx_part(keys, at->send)],
					&ucx->send_param),
			    "ucp_get_nbx");
}

NP_ALWAYS_INLINE int put_and_wait(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	const int rc = put(ep, slot, sleeps);

	return rc != 0 ? rc : np_ucx_flush_peer(np_ucx_of(ep), sleeps);
}

NP_ALWAYS_INLINE int get_and_wait(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	const int rc = get(ep, slot, sleeps);

	return rc != 0 ? rc : np_ucx_drain(np_ucx_of(ep), 0, sleeps);
}

NP_SLOT_HOOKS(put)
NP_SLOT_HOOKS(put_and_wait)
NP_SLOT_HOOKS(get)
NP_SLOT_HOOKS(get_and_wait)

#define STEP_PATH(NAME, label, one_step, flushing, how)                                    \
	static const struct np_hot NAME##_hot =                                            \
		NP_UCX_HOOKS(np_no_hook_slot, np_no_hook_slot, np_no_hook_slot, flushing,  \
			     one_step, how);                                               \
	NP_LOOP(NAME##_loop, np_loop_one_sided, NAME##_hot)                                \
	static const struct np_code_path NAME = {                                          \
		.name = (label),                                                           \
		.hot = &NAME##_hot,                                                        \
		.loops = { [NP_ONE_SIDED] = { NAME##_loop, np_loop_idle } }                \
	}

/* Nothing to flush: at the end of a block, when rank 1 no longer calls UCX. */
static int flush_all(struct np_endpoint *ep, bool sleeps)
{
	struct np_ucx *ucx = np_ucx_of(ep);

	if (ucx->flushed == ucx->sent)
		return np_ucx_drain(ucx, 0, sleeps);
	ucx->flushed = ucx->sent;
	return np_ucx_flush_peer(ucx, sleeps);
}

static int flush_all_polling(struct np_endpoint *ep)
{
	return flush_all(ep, false);
}

static int flush_all_sleeping(struct np_endpoint *ep)
{
	return flush_all(ep, true);
}

STEP_PATH(put_poll, "put, poll", put_polling, flush_all_polling, polling);
STEP_PATH(put_event, "put, event", put_sleeping, flush_all_sleeping, sleeping);
STEP_PATH(put_wait_poll, "put, poll", put_and_wait_polling, np_ucx_flush_polling, polling);
STEP_PATH(put_wait_event, "put, event", put_and_wait_sleeping, np_ucx_flush_sleeping,
	  sleeping);
STEP_PATH(get_poll, "get, poll", get_polling, np_ucx_flush_polling, polling);
STEP_PATH(get_event, "get, event", get_sleeping, np_ucx_flush_sleeping, sleeping);
STEP_PATH(get_wait_poll, "get, poll", get_and_wait_polling, np_ucx_flush_polling, polling);
STEP_PATH(get_wait_event, "get, event", get_and_wait_sleeping, np_ucx_flush_sleeping,
	  sleeping);

const struct np_code_path *np_ucx_one_sided(struct np_ucx *ucx, bool sleeps)
{
	const bool waits = ucx->endpoint.transfer->window == 1;

	if (np_ucx_options_of(ucx)->transfer == NP_UCX_GET) {
		if (waits)
			return sleeps ? &get_wait_event : &get_wait_poll;
		return sleeps ? &get_event : &get_poll;
	}
	if (waits)
		return sleeps ? &put_wait_event : &put_wait_poll;
	return sleeps ? &put_event : &put_poll;
}
