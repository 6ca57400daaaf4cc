/*
 * ibv_wr.h - --post wr: posts a message by ibv_wr_start(3) to ibv_wr_complete(3).
 *
 * `opcode` and `inlined` are compile-time constants of each code path.  Fences and control
 * messages go by ibv_post_send(3), which the same queue pair takes.
 */
#pragma once

#include "ibv_hot.h"

NP_ALWAYS_INLINE void np_ibv_begin_wr(const struct np_ibv *ibv, struct ibv_qp_ex *pair,
				      enum ibv_wr_opcode opcode)
{
	const struct ibv_send_wr *wr = &ibv->send_request;

	switch (opcode) {
	case IBV_WR_SEND:
		ibv_wr_send(pair);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(pair, 0);
		break;
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(pair, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(pair, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, 0);
		break;
	default:
		ibv_wr_rdma_read(pair, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	}
}

/* Posts a message of the local and remote buffer that are aimed at, and polls. */
NP_ALWAYS_INLINE int np_ibv_post_wr(struct np_ibv *ibv, size_t slot,
				    enum ibv_wr_opcode opcode, bool inlined)
{
	struct np_ibv_queue *queue = np_ibv_next(ibv, &ibv->send_turn);
	struct ibv_qp_ex *pair = queue->extended;
	const struct ibv_sge *part = &ibv->send_part;
	int rc = np_ibv_wait_room(ibv, queue, false);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	const uint64_t number = queue->posted + 1;
	const bool signals = number - queue->signalled >= ibv->signal_every;

	ibv_wr_start(pair);
	pair->wr_id = np_ibv_id(number, slot);
	/* librxe takes inline data only with the flag, which others ignore. */
	pair->wr_flags =
		(signals ? IBV_SEND_SIGNALED : 0) | (inlined ? IBV_SEND_INLINE : 0);
	np_ibv_begin_wr(ibv, pair, opcode);
	if (inlined)
		ibv_wr_set_inline_data(pair, (void *)(uintptr_t)part->addr, part->length);
	else
		ibv_wr_set_sge(pair, part->lkey, part->addr, part->length);
	rc = ibv_wr_complete(pair);
	if (NP_UNLIKELY(rc != 0))
		return np_ibv_post_failed(ibv, "ibv_wr_complete", rc);
	np_ibv_count_post(ibv, queue, signals);
	return 0;
}

/* The hook act_NAME, and of what may be inlined act_NAME_inlined. */
#define NP_IBV_WR_HOOK(act, name, opcode)                                                  \
	static int act##_##name(struct np_endpoint *ep, size_t slot)                       \
	{                                                                                  \
		return act(ep, slot, (opcode), false);                                     \
	}
#define NP_IBV_WR_HOOKS(act, name, opcode)                                                 \
	NP_IBV_WR_HOOK(act, name, opcode)                                                  \
	static int act##_##name##_inlined(struct np_endpoint *ep, size_t slot)             \
	{                                                                                  \
		return act(ep, slot, (opcode), true);                                      \
	}
