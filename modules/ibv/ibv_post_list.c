/*
 * ibv_post_list.c - --post-list: rank 0 of a stream posts several work requests by one
 * ibv_post_send(3), or one ibv_wr_complete(3).
 *
 * Hooks append requests to a list, which is posted when it is full, and at the end of a
 * sample.  A list is begun only when the send queue has room for all of it, and the
 * receiver has as many receives: no wait happens with requests in the list.  A list has at
 * most half of the requests in flight: signals and credits come at least that often, so
 * that neither wait is endless.
 */
#include <errno.h>
#include <stdlib.h>

#include "ibv_hot.h"

struct np_ibv_listed {
	struct ibv_send_wr request;
	struct ibv_sge part;
};

int np_ibv_list_make(struct np_ibv *ibv)
{
	ibv->list_length = (size_t)np_ibv_options_of(ibv)->post_list;
	if (ibv->list_length > 1 && ibv->list_length > ibv->send_depth / 2)
		return np_refuse(&ibv->endpoint.error,
				 "--post-list %zu: %s has send queues of %u, and lists of "
				 "half of that at most",
				 ibv->list_length, ibv->device.name, ibv->send_depth);
	ibv->list = calloc(ibv->list_length, sizeof(*ibv->list));
	return ibv->list != NULL ? 0 :
				   np_fail_errno(&ibv->endpoint.error, ENOMEM, "no memory");
}

void np_ibv_list_free(struct np_ibv *ibv)
{
	free(ibv->list);
	ibv->list = NULL;
	ibv->listed = 0;
}

/* Prepares the requests of the armed size; the hooks set addresses and keys. */
void np_ibv_list_arm(struct np_ibv *ibv)
{
	for (size_t i = 0; i < ibv->list_length; i++) {
		struct np_ibv_listed *listed = &ibv->list[i];

		listed->request = ibv->send_request;
		listed->request.sg_list = &listed->part;
		listed->request.next =
			i + 1 < ibv->list_length ? &ibv->list[i + 1].request : NULL;
	}
}

NP_ALWAYS_INLINE int post_list(struct np_ibv *ibv, enum np_ibv_call call)
{
	struct np_ibv_queue *queue = &ibv->queues[0];
	struct ibv_send_wr *bad;

	if (ibv->listed == 0)
		return 0;
	struct ibv_send_wr *last = &ibv->list[ibv->listed - 1].request, *next = last->next;

	ibv->listed = 0;
	if (call != NP_IBV_BY_SEND)
		return np_ibv_complete_wr(ibv, queue);
	last->next = NULL;
	const int rc = ibv_post_send(queue->qp, &ibv->list[0].request, &bad);

	last->next = next;
	return NP_UNLIKELY(rc != 0) ? np_ibv_post_failed(ibv, "ibv_post_send", rc) : 0;
}

/* Appends the work request for the current buffers to the list; posts a full list. */
NP_ALWAYS_INLINE int enlist(struct np_ibv *ibv, size_t slot,
			    enum np_ibv_transport transport, enum np_ibv_call call,
			    bool sleeps)
{
	struct np_ibv_queue *queue = &ibv->queues[0];
	int rc;

	while (ibv->listed == 0 &&
	       queue->posted - queue->completed + ibv->list_length > ibv->send_limit) {
		if ((rc = np_ibv_wait_send(ibv, queue, sleeps)) != 0)
			return rc;
	}
	if (call != NP_IBV_BY_SEND && ibv->listed == 0)
		ibv_wr_start(queue->extended);
	struct np_ibv_listed *listed = &ibv->list[ibv->listed++];
	const uint64_t id = np_ibv_id(queue->posted + 1, slot);
	const bool signals = queue->posted + 1 - queue->signalled >= ibv->signal_every;

	if (call != NP_IBV_BY_SEND) {
		np_ibv_build_wr(ibv, queue, id, signals, transport,
				call == NP_IBV_BY_WR_INLINE);
	} else {
		listed->part = ibv->send_part;
		listed->request.wr = ibv->send_request.wr;
		listed->request.wr_id = id;
		listed->request.send_flags =
			ibv->send_flags | (signals ? IBV_SEND_SIGNALED : 0);
	}
	np_ibv_count_post(ibv, queue, signals);
	return ibv->listed == ibv->list_length ? post_list(ibv, call) : 0;
}

NP_ALWAYS_INLINE int list_send(struct np_endpoint *ep, size_t slot,
			       enum np_ibv_transport transport, enum np_ibv_call call,
			       bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const uint64_t left = ibv->expected - ibv->sent;
	const uint64_t most = left < ibv->list_length ? left : ibv->list_length;

	while (ibv->listed == 0 && ibv->allowed - ibv->sent < most) {
		const int rc = np_ibv_wait_control(ibv, sleeps);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	ibv->sent++;
	np_ibv_aim_local(ibv, ep->transfer->slots[slot].send);
	return enlist(ibv, slot, transport, call, sleeps);
}

NP_ALWAYS_INLINE int list_write(struct np_endpoint *ep, size_t slot,
				enum np_ibv_transport transport, enum np_ibv_call call,
				bool sleeps)
{
	np_ibv_aim_remote(np_ibv_of(ep), ep->transfer->slots[slot].recv);
	return list_send(ep, slot, transport, call, sleeps);
}

NP_ALWAYS_INLINE int list_get(struct np_endpoint *ep, size_t slot,
			      enum np_ibv_transport transport, enum np_ibv_call call,
			      bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);

	np_ibv_aim_local(ibv, ep->transfer->slots[slot].recv);
	np_ibv_aim_remote(ibv, ep->transfer->slots[slot].send);
	return enlist(ibv, slot, transport, call, sleeps);
}

#define FLUSH(call, how)                                                                   \
	static int flush_##call##_##how(struct np_endpoint *ep)                            \
	{                                                                                  \
		const int rc = post_list(np_ibv_of(ep), (call));                           \
                                                                                           \
		return rc != 0 ? rc : np_ibv_flush_##how(ep);                              \
	}
FLUSH(NP_IBV_BY_SEND, polling)
FLUSH(NP_IBV_BY_SEND, sleeping)
FLUSH(NP_IBV_BY_WR, polling)
FLUSH(NP_IBV_BY_WR, sleeping)

#define LIST_HOOKS(act, flushing, how)                                                     \
	{                                                                                  \
		.post_recv = np_no_hook_slot, .send = act##_##how,                         \
		.recv = np_no_hook_slot, .flush = flush_##flushing##_##how,                \
		.send_ack = np_ibv_send_ack, .recv_ack = np_ibv_recv_ack_##how,            \
		.step = act##_##how,                                                       \
	}

/* Code paths NAME[sleeps] of the operation `act`: own loops with polling, generic ones with
 * events. */
#define LIST_PATHS(NAME, label, act, transport, call, flushing)                            \
	NP_IBV_POSTING_HOOKS(NAME##_act, act, transport, call)                             \
	static const struct np_hot NAME##_poll_hot =                                       \
		LIST_HOOKS(NAME##_act, flushing, polling);                                 \
	static const struct np_hot NAME##_event_hot =                                      \
		LIST_HOOKS(NAME##_act, flushing, sleeping);                                \
	NP_LOOP(NAME##_stream, np_loop_stream_out, NAME##_poll_hot)                        \
	NP_LOOP(NAME##_steps, np_loop_one_sided, NAME##_poll_hot)                          \
	static const struct np_code_path NAME##_poll = {                                   \
		.name = "poll, " label,                                                    \
		.hot = &NAME##_poll_hot,                                                   \
		.loops = { [NP_STREAM] = { NAME##_stream, NULL },                          \
			   [NP_ONE_SIDED] = { NAME##_steps, np_loop_idle } }               \
	};                                                                                 \
	static const struct np_code_path NAME##_event = { .name = "event, " label,         \
							  .hot = &NAME##_event_hot };      \
	static const struct np_code_path *const NAME[2] = { &NAME##_poll, &NAME##_event }

#define SEND_PATHS(NAME, act, transport)                                                   \
	LIST_PATHS(NAME, "lists", act, transport, NP_IBV_BY_SEND, NP_IBV_BY_SEND)
#define WR_PATHS(NAME, act, transport)                                                     \
	LIST_PATHS(NAME, "ibv_wr, lists", act, transport, NP_IBV_BY_WR, NP_IBV_BY_WR)
/* Defines NAME and, with inline data, NAME_inline. */
#define INLINE_PATHS(NAME, act, transport)                                                 \
	WR_PATHS(NAME, act, transport);                                                    \
	LIST_PATHS(NAME##_inline, "ibv_wr, lists", act, transport, NP_IBV_BY_WR_INLINE,    \
		   NP_IBV_BY_WR)

/* With ibv_post_send() transports differ only in the prepared requests. */
SEND_PATHS(lists_of_sends, list_send, NP_IBV_SEND);
SEND_PATHS(lists_of_writes, list_write, NP_IBV_WRITE);
SEND_PATHS(lists_of_gets, list_get, NP_IBV_READ);
INLINE_PATHS(wr_send, list_send, NP_IBV_SEND);
INLINE_PATHS(wr_send_imm, list_send, NP_IBV_SEND_IMM);
INLINE_PATHS(wr_write, list_write, NP_IBV_WRITE);
INLINE_PATHS(wr_write_imm, list_write, NP_IBV_WRITE_IMM);
INLINE_PATHS(wr_datagram, list_send, NP_IBV_UD);
WR_PATHS(wr_read, list_get, NP_IBV_READ);
WR_PATHS(wr_add, list_get, NP_IBV_FETCH_ADD);
WR_PATHS(wr_swap, list_get, NP_IBV_COMPARE_SWAP);

/* [transport][sleeps], and [transport][inline data][sleeps]. */
static const struct np_code_path *const *const by_send[NP_IBV_TRANSPORTS] = {
	[NP_IBV_SEND] = lists_of_sends,	      [NP_IBV_SEND_IMM] = lists_of_sends,
	[NP_IBV_UD] = lists_of_sends,	      [NP_IBV_WRITE] = lists_of_writes,
	[NP_IBV_WRITE_IMM] = lists_of_writes, [NP_IBV_READ] = lists_of_gets,
	[NP_IBV_FETCH_ADD] = lists_of_gets,   [NP_IBV_COMPARE_SWAP] = lists_of_gets,
};
static const struct np_code_path *const *const by_wr[NP_IBV_TRANSPORTS][2] = {
	[NP_IBV_SEND] = { wr_send, wr_send_inline },
	[NP_IBV_SEND_IMM] = { wr_send_imm, wr_send_imm_inline },
	[NP_IBV_WRITE] = { wr_write, wr_write_inline },
	[NP_IBV_WRITE_IMM] = { wr_write_imm, wr_write_imm_inline },
	[NP_IBV_READ] = { wr_read },
	[NP_IBV_UD] = { wr_datagram, wr_datagram_inline },
	[NP_IBV_FETCH_ADD] = { wr_add },
	[NP_IBV_COMPARE_SWAP] = { wr_swap },
};

const struct np_code_path *np_ibv_post_lists(const struct np_ibv *ibv)
{
	const bool sleeps = ibv->completion == NP_IBV_EVENT;

	if (np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR)
		return by_wr[ibv->transport][np_ibv_inlines(ibv)][sleeps];
	return by_send[ibv->transport][sleeps];
}
