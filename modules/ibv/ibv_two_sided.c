/*
 * ibv_two_sided.c - hooks of RC send and receive, with or without immediate data, and of
 * UD datagrams.  They differ only in the prepared work requests.
 */
#include "ibv_hot.h"

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

const struct np_code_path *np_ibv_two_sided(const struct np_ibv *ibv)
{
	if (ibv->completion == NP_IBV_EVENT)
		return ibv->srq != NULL ? &event_shared_path : &event_path;
	if (ibv->srq != NULL)
		return &poll_shared_path;
	return ibv->endpoint.burst ? &poll_burst : &poll_path;
}
