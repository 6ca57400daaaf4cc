/*
 * ibv_two_sided.c - hooks of RC send and receive, with or without immediate data, and of
 * UD datagrams.  They differ only in the prepared work requests.
 */
#include "ibv_wr.h"

NP_ALWAYS_INLINE int offer_buffer(struct np_endpoint *ep, size_t slot, bool shared)
{
	struct np_ibv *ibv = np_ibv_of(ep);

	np_ibv_aim_recv(ibv, ep->transfer->slots[slot].recv);
	return np_ibv_post_recv(ibv, slot, shared);
}

NP_ALWAYS_INLINE int send_message(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const int rc = np_ibv_wait_credit(ibv, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	struct np_ibv_queue *queue = np_ibv_next(ibv, &ibv->send_turn);

	np_ibv_aim_local(ibv, ep->transfer->slots[slot].send);
	/* Used by UD, ignored by RC. */
	ibv->send_request.wr.ud.remote_qpn = queue->remote;
	return np_ibv_post(ibv, queue, &ibv->send_request, ibv->send_flags, slot, sleeps);
}

static int post_recv(struct np_endpoint *ep, size_t slot)
{
	return offer_buffer(ep, slot, false);
}

static int post_recv_shared(struct np_endpoint *ep, size_t slot)
{
	return offer_buffer(ep, slot, true);
}

NP_SLOT_HOOKS(send_message)

static const struct np_hot poll_hot =
	NP_IBV_MESSAGE_HOOKS(post_recv, send_message_polling, np_ibv_recv_polling, polling);
static const struct np_hot event_hot = NP_IBV_MESSAGE_HOOKS(
	post_recv, send_message_sleeping, np_ibv_recv_sleeping, sleeping);

/* Event mode and shared receive queues use the generic loops, whose overhead is
 * negligible there. */
static const struct np_hot poll_shared_hot = NP_IBV_MESSAGE_HOOKS(
	post_recv_shared, send_message_polling, np_ibv_recv_polling, polling);
static const struct np_hot event_shared_hot = NP_IBV_MESSAGE_HOOKS(
	post_recv_shared, send_message_sleeping, np_ibv_recv_sleeping, sleeping);

NP_CODE_PATH(poll_path, "poll", poll_hot);
NP_CODE_PATH_BURST(poll_burst, "poll", poll_hot);

static const struct np_code_path event_path = { .name = "event", .hot = &event_hot };
static const struct np_code_path poll_shared_path = { .name = "poll, shared receives",
						      .hot = &poll_shared_hot };
static const struct np_code_path event_shared_path = { .name = "event, shared receives",
						       .hot = &event_shared_hot };

/* ---- --post wr ------------------------------------------------------------------ */

NP_ALWAYS_INLINE int wr_send(struct np_endpoint *ep, size_t slot, enum ibv_wr_opcode opcode,
			     bool inlined)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const int rc = np_ibv_wait_credit(ibv, false);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	np_ibv_aim_local(ibv, ep->transfer->slots[slot].send);
	return np_ibv_post_wr(ibv, slot, opcode, inlined);
}

NP_IBV_WR_HOOKS(wr_send, plain, IBV_WR_SEND)
NP_IBV_WR_HOOKS(wr_send, imm, IBV_WR_SEND_WITH_IMM)

#define WR_PATH(name)                                                                      \
	static const struct np_hot wr_##name##_hot = NP_IBV_MESSAGE_HOOKS(                 \
		post_recv, wr_send_##name, np_ibv_recv_polling, polling);                  \
	NP_CODE_PATH(wr_##name, "poll, ibv_wr", wr_##name##_hot)

WR_PATH(plain);
WR_PATH(plain_inlined);
WR_PATH(imm);
WR_PATH(imm_inlined);

static const struct np_code_path *choose_wr(const struct np_ibv *ibv)
{
	const bool inlined = (ibv->send_flags & IBV_SEND_INLINE) != 0;

	if (ibv->transport == NP_IBV_SEND_IMM)
		return inlined ? &wr_imm_inlined : &wr_imm;
	return inlined ? &wr_plain_inlined : &wr_plain;
}

const struct np_code_path *np_ibv_two_sided(const struct np_ibv *ibv)
{
	if (np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR)
		return choose_wr(ibv);
	if (ibv->completion == NP_IBV_EVENT)
		return ibv->srq != NULL ? &event_shared_path : &event_path;
	if (ibv->srq != NULL)
		return &poll_shared_path;
	return ibv->endpoint.burst ? &poll_burst : &poll_path;
}
