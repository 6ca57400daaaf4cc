/*
 * ibv_wr.h - posts a message by ibv_post_send(3), or with --post wr by ibv_wr_start(3) to
 * ibv_wr_complete(3).
 *
 * `transport` and `call` are compile-time constants of each code path.  Fences and control
 * messages always go by ibv_post_send(3), which the same queue pair takes.
 */
#pragma once

#include "ibv_hot.h"

/* The calls that post a message. */
enum np_ibv_call { NP_IBV_BY_SEND, NP_IBV_BY_WR, NP_IBV_BY_WR_INLINE };

/* True if messages of the armed size are inline data. */
static inline bool np_ibv_inlines(const struct np_ibv *ibv)
{
	return (ibv->send_flags & IBV_SEND_INLINE) != 0;
}

NP_ALWAYS_INLINE void np_ibv_begin_wr(const struct np_ibv *ibv, struct ibv_qp_ex *pair,
				      enum np_ibv_transport transport)
{
	const struct ibv_send_wr *wr = &ibv->send_request;

	switch (transport) {
	case NP_IBV_SEND_IMM:
		ibv_wr_send_imm(pair, 0);
		break;
	case NP_IBV_WRITE:
		ibv_wr_rdma_write(pair, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	case NP_IBV_WRITE_IMM:
		ibv_wr_rdma_write_imm(pair, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, 0);
		break;
	case NP_IBV_READ:
		ibv_wr_rdma_read(pair, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	case NP_IBV_FETCH_ADD:
		ibv_wr_atomic_fetch_add(pair, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
					0);
		break;
	case NP_IBV_COMPARE_SWAP:
		ibv_wr_atomic_cmp_swp(pair, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
				      0, 0);
		break;
	default:
		ibv_wr_send(pair);
		break;
	}
}

/* Builds the message of the current local and remote buffer, between ibv_wr_start() and
 * ibv_wr_complete(). */
NP_ALWAYS_INLINE void np_ibv_build_wr(struct np_ibv *ibv, const struct np_ibv_queue *queue,
				      uint64_t id, bool signals,
				      enum np_ibv_transport transport, bool inlined)
{
	struct ibv_qp_ex *pair = queue->extended;
	const struct ibv_sge *part = &ibv->send_part;

	pair->wr_id = id;
	/* librxe takes inline data only with the flag, which others ignore. */
	pair->wr_flags =
		(signals ? IBV_SEND_SIGNALED : 0) | (inlined ? IBV_SEND_INLINE : 0);
	np_ibv_begin_wr(ibv, pair, transport);
	if (transport == NP_IBV_UD)
		ibv_wr_set_ud_addr(pair, ibv->peer_handle, queue->remote, NP_IBV_QKEY);
	if (inlined)
		ibv_wr_set_inline_data(pair, (void *)(uintptr_t)part->addr, part->length);
	else
		ibv_wr_set_sge(pair, part->lkey, part->addr, part->length);
}

NP_ALWAYS_INLINE int np_ibv_complete_wr(struct np_ibv *ibv, struct np_ibv_queue *queue)
{
	const int rc = ibv_wr_complete(queue->extended);

	return NP_UNLIKELY(rc != 0) ? np_ibv_post_failed(ibv, "ibv_wr_complete", rc) : 0;
}

/* Posts a message of the current buffers to the next queue pair. */
NP_ALWAYS_INLINE int np_ibv_post_message(struct np_ibv *ibv, size_t slot,
					 enum np_ibv_transport transport,
					 enum np_ibv_call call, bool sleeps)
{
	struct np_ibv_queue *queue = np_ibv_next(ibv, &ibv->send_turn);

	if (call == NP_IBV_BY_SEND) {
		/* Used by UD, ignored by RC. */
		if (transport == NP_IBV_UD)
			ibv->send_request.wr.ud.remote_qpn = queue->remote;
		return np_ibv_post(ibv, queue, &ibv->send_request, ibv->send_flags, slot,
				   sleeps);
	}
	int rc = np_ibv_wait_room(ibv, queue, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	const uint64_t number = queue->posted + 1;
	const bool signals = number - queue->signalled >= ibv->signal_every;

	ibv_wr_start(queue->extended);
	np_ibv_build_wr(ibv, queue, np_ibv_id(number, slot), signals, transport,
			call == NP_IBV_BY_WR_INLINE);
	rc = np_ibv_complete_wr(ibv, queue);
	if (rc == 0)
		np_ibv_count_post(ibv, queue, signals);
	return rc;
}

/* Defines the hooks NAME_polling() and NAME_sleeping() of an act on a slot. */
#define NP_IBV_POSTING_HOOKS(NAME, act, transport, call)                                   \
	NP_ALWAYS_INLINE int NAME(struct np_endpoint *ep, size_t slot, bool sleeps)        \
	{                                                                                  \
		return act(ep, slot, (transport), (call), sleeps);                         \
	}                                                                                  \
	NP_SLOT_HOOKS(NAME)

/* Messages that complete a receive: code paths NAME_poll, and NAME_event by the generic
 * loops, whose overhead is negligible there. */
#define NP_IBV_MESSAGE_PATHS(NAME, label, offering, act, transport, call)                  \
	NP_IBV_POSTING_HOOKS(NAME##_act, act, transport, call)                             \
	static const struct np_hot NAME##_poll_hot = NP_IBV_MESSAGE_HOOKS(                 \
		offering, NAME##_act_polling, np_ibv_recv_polling, polling);               \
	static const struct np_hot NAME##_event_hot = NP_IBV_MESSAGE_HOOKS(                \
		offering, NAME##_act_sleeping, np_ibv_recv_sleeping, sleeping);            \
	NP_CODE_PATH(NAME##_poll, "poll" label, NAME##_poll_hot);                          \
	static const struct np_code_path NAME##_event = { .name = "event" label,           \
							  .hot = &NAME##_event_hot }

/* Code paths of --post wr, [inline data][sleeps]. */
#define NP_IBV_WR_PATHS(NAME, offering, act, transport)                                    \
	NP_IBV_MESSAGE_PATHS(NAME##_wr, ", ibv_wr", offering, act, transport,              \
			     NP_IBV_BY_WR);                                                \
	NP_IBV_MESSAGE_PATHS(NAME##_inline, ", ibv_wr", offering, act, transport,          \
			     NP_IBV_BY_WR_INLINE);                                         \
	static const struct np_code_path *const NAME##_paths[2][2] = {                     \
		{ &NAME##_wr_poll, &NAME##_wr_event },                                     \
		{ &NAME##_inline_poll, &NAME##_inline_event }                              \
	}
