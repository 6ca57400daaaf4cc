/*
 * ucx_hot.h - progress, waits and counts of operations, for the hooks of all code paths.
 *
 * An operation that is incomplete when its call returns is pending until its callback
 * runs.  Each receive has an entry in a ring, since rendezvous receives may complete out of
 * order.  `sleeps` is a compile-time constant of each code path.
 */
#pragma once

#include "contract/np_loop.h"
#include "ucx_private.h"

/* Identifiers of active messages. */
enum { NP_UCX_MESSAGE = 1, NP_UCX_CONTROL = 2 };

NP_ALWAYS_INLINE int np_ucx_progress(struct np_ucx *ucx, bool sleeps)
{
	const unsigned events = ucp_worker_progress(ucx->worker);

	if (NP_UNLIKELY(ucx->failure != UCS_OK))
		return np_ucx_report(ucx);
	if (events != 0) {
		ucx->polls = 0;
		return 0;
	}
	if (sleeps)
		return np_ucx_sleep(ucx);
	return NP_UNLIKELY(++ucx->polls >= ucx->poll_interval) ? np_ucx_pause(ucx) : 0;
}

/* Counts an operation as pending unless its call completed it.  Returns 0 or -errno. */
NP_ALWAYS_INLINE int np_ucx_start(struct np_ucx *ucx, ucs_status_ptr_t request,
				  const char *call)
{
	if (request == NULL)
		return 0;
	if (NP_UNLIKELY(UCS_PTR_IS_ERR(request)))
		return np_ucx_failed(ucx, UCS_PTR_STATUS(request), call);
	ucx->pending++;
	return 0;
}

/* Waits until at most `most` operations are pending. */
NP_ALWAYS_INLINE int np_ucx_drain(struct np_ucx *ucx, uint64_t most, bool sleeps)
{
	while (NP_UNLIKELY(ucx->pending > most)) {
		const int rc = np_ucx_progress(ucx, sleeps);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	return 0;
}

/* Sets the memory handle of a buffer.  Fresh buffers never need one: check() excludes
 * registration with them. */
NP_ALWAYS_INLINE void np_ucx_aim(const struct np_ucx_keys *keys, ucp_request_param_t *param,
				 const unsigned char *buffer)
{
	if (keys->local != NULL)
		param->memh = keys->local[np_region_part(&keys->pool, buffer)];
}

/* ---- receives ------------------------------------------------------------ */

/* Adds the entry of a receive in the order of posting. */
NP_ALWAYS_INLINE struct np_ucx_receive *np_ucx_enter_receive(struct np_ucx *ucx,
							     size_t slot)
{
	struct np_ucx_receive *receive = &ucx->receives[ucx->posted++ % NP_UCX_RING];

	receive->buffer = ucx->endpoint.transfer->slots[slot].recv;
	receive->slot = slot;
	receive->status = UCS_INPROGRESS;
	return receive;
}

/* np_hot.recv: waits for the oldest receive, which belongs to the slot. */
NP_ALWAYS_INLINE int np_ucx_recv(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	const struct np_ucx_receive *receive = &ucx->receives[ucx->received % NP_UCX_RING];

	(void)slot;
	while (receive->status == UCS_INPROGRESS) {
		const int rc = np_ucx_progress(ucx, sleeps);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	ucx->received++;
	return NP_UNLIKELY(receive->status != UCS_OK) ?
		       np_ucx_failed(ucx, receive->status, "a receive") :
		       0;
}

NP_SLOT_HOOKS(np_ucx_recv)

/* ---- flushes ------------------------------------------------------------- */

/* Defines NAME_polling() and NAME_sleeping(), hooks without a slot. */
#define NP_UCX_HOOK_BY_WAIT(NAME)                                                          \
	static inline int NAME##_polling(struct np_endpoint *ep)                           \
	{                                                                                  \
		return NAME(np_ucx_of(ep), false);                                         \
	}                                                                                  \
	static inline int NAME##_sleeping(struct np_endpoint *ep)                          \
	{                                                                                  \
		return NAME(np_ucx_of(ep), true);                                          \
	}

/* np_hot.flush: waits until the buffers of this process may be reused. */
NP_ALWAYS_INLINE int np_ucx_flush(struct np_ucx *ucx, bool sleeps)
{
	return np_ucx_drain(ucx, 0, sleeps);
}

NP_UCX_HOOK_BY_WAIT(np_ucx_flush)

NP_ALWAYS_INLINE int np_ucx_recv_ack(struct np_ucx *ucx, bool sleeps)
{
	while (ucx->acks == 0) {
		const int rc = np_ucx_progress(ucx, sleeps);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	ucx->acks--;
	return 0;
}

NP_UCX_HOOK_BY_WAIT(np_ucx_recv_ack)

/* Table of hooks; how: polling or sleeping. */
#define NP_UCX_HOOKS(offering, sending, receiving, flushing, one_step, how)                \
	{                                                                                  \
		.post_recv = (offering), .send = (sending), .recv = (receiving),           \
		.flush = (flushing), .send_ack = np_ucx_send_ack,                          \
		.recv_ack = np_ucx_recv_ack_##how, .step = (one_step),                     \
	}

/* Code path of messages. */
#define NP_UCX_PATH(NAME, label, offering, sending, receiving, how)                        \
	static const struct np_hot NAME##_hot = NP_UCX_HOOKS(                              \
		offering, sending, receiving, np_ucx_flush_##how, np_no_hook_slot, how);   \
	NP_CODE_PATH(NAME, label, NAME##_hot)
