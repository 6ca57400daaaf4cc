/*
 * ibv_two_sided.c - hooks of RC send and receive, with or without immediate data, and of
 * UD datagrams.  By ibv_post_send(3) they differ only in the prepared work requests.
 */
#include "ibv_wr.h"

NP_ALWAYS_INLINE int offer_buffer(struct np_endpoint *ep, size_t slot, bool shared)
{
	struct np_ibv *ibv = np_ibv_of(ep);

	np_ibv_aim_recv(ibv, ep->transfer->slots[slot].recv);
	return np_ibv_post_recv(ibv, slot, shared);
}

NP_ALWAYS_INLINE int send_message(struct np_endpoint *ep, size_t slot,
				  enum np_ibv_transport transport, enum np_ibv_call call,
				  bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const int rc = np_ibv_wait_credit(ibv, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	np_ibv_aim_local(ibv, ep->transfer->slots[slot].send);
	return np_ibv_post_message(ibv, slot, transport, call, sleeps);
}

static int post_recv(struct np_endpoint *ep, size_t slot)
{
	return offer_buffer(ep, slot, false);
}

static int post_recv_shared(struct np_endpoint *ep, size_t slot)
{
	return offer_buffer(ep, slot, true);
}

/* NP_IBV_UD sets the number of the peer's queue pair, which other transports ignore. */
NP_IBV_MESSAGE_PATHS(any, "", post_recv, send_message, NP_IBV_UD, NP_IBV_BY_SEND);
NP_CODE_PATH_BURST(any_burst, "poll", any_poll_hot);

/* Shared receive queues use the generic loops, too. */
static const struct np_hot shared_poll_hot = NP_IBV_MESSAGE_HOOKS(
	post_recv_shared, any_act_polling, np_ibv_recv_polling, polling);
static const struct np_hot shared_event_hot = NP_IBV_MESSAGE_HOOKS(
	post_recv_shared, any_act_sleeping, np_ibv_recv_sleeping, sleeping);
static const struct np_code_path shared_poll = { .name = "poll, shared receives",
						 .hot = &shared_poll_hot };
static const struct np_code_path shared_event = { .name = "event, shared receives",
						  .hot = &shared_event_hot };

NP_IBV_WR_PATHS(send, post_recv, send_message, NP_IBV_SEND);
NP_IBV_WR_PATHS(immediate, post_recv, send_message, NP_IBV_SEND_IMM);
NP_IBV_WR_PATHS(datagram, post_recv, send_message, NP_IBV_UD);

const struct np_code_path *np_ibv_two_sided(const struct np_ibv *ibv)
{
	const bool inlined = np_ibv_inlines(ibv), sleeps = ibv->completion == NP_IBV_EVENT;

	if (np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR)
		return ibv->transport == NP_IBV_UD ? datagram_paths[inlined][sleeps] :
		       ibv->transport == NP_IBV_SEND_IMM ?
						     immediate_paths[inlined][sleeps] :
						     send_paths[inlined][sleeps];
	if (ibv->srq != NULL)
		return sleeps ? &shared_event : &shared_poll;
	if (sleeps)
		return &any_event;
	return ibv->endpoint.burst ? &any_burst : &any_poll;
}
