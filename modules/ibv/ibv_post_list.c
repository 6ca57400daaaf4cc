/*
 * ibv_post_list.c - --post-list: rank 0 of a stream posts several work requests by one
 * ibv_post_send(3).
 *
 * Hooks put requests into a list, which is posted when it is full, and at the end of a
 * sample. A list is begun when the send queue has room for all of it, and the receiver as
 * many receives, so that nothing is waited for while requests lie in it. It has at most
 * half of what is in flight: that much is always signalled, and granted.
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

/* As the armed size has the requests; the hooks set addresses and keys. */
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

NP_ALWAYS_INLINE int post_list(struct np_ibv *ibv)
{
	struct ibv_send_wr *bad;

	if (ibv->listed == 0)
		return 0;
	struct ibv_send_wr *last = &ibv->list[ibv->listed - 1].request, *next = last->next;

	last->next = NULL;
	const int rc = ibv_post_send(ibv->queues[0].qp, &ibv->list[0].request, &bad);

	last->next = next;
	ibv->listed = 0;
	return NP_UNLIKELY(rc != 0) ? np_ibv_post_failed(ibv, "ibv_post_send", rc) : 0;
}

/* Lists the prepared request. */
NP_ALWAYS_INLINE int enlist(struct np_ibv *ibv, size_t slot, bool sleeps)
{
	struct np_ibv_queue *queue = &ibv->queues[0];
	int rc;

	while (ibv->listed == 0 &&
	       queue->posted - queue->completed + ibv->list_length > ibv->send_limit) {
		if ((rc = np_ibv_wait_send(ibv, queue, sleeps)) != 0)
			return rc;
	}
	struct np_ibv_listed *listed = &ibv->list[ibv->listed++];
	const uint64_t number = ++queue->posted;
	const bool signals = number - queue->signalled >= ibv->signal_every;

	listed->part = ibv->send_part;
	listed->request.wr = ibv->send_request.wr;
	listed->request.wr_id = np_ibv_id(number, slot);
	listed->request.send_flags = ibv->send_flags | (signals ? IBV_SEND_SIGNALED : 0);
	queue->signalled = signals ? number : queue->signalled;
	ibv->unflushed++;
	return ibv->listed == ibv->list_length ? post_list(ibv) : 0;
}

NP_ALWAYS_INLINE int list_send(struct np_endpoint *ep, size_t slot, bool sleeps)
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
	return enlist(ibv, slot, sleeps);
}

NP_ALWAYS_INLINE int list_write(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	np_ibv_aim_remote(np_ibv_of(ep), ep->transfer->slots[slot].recv);
	return list_send(ep, slot, sleeps);
}

NP_ALWAYS_INLINE int list_get(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);

	np_ibv_aim_local(ibv, ep->transfer->slots[slot].recv);
	np_ibv_aim_remote(ibv, ep->transfer->slots[slot].send);
	return enlist(ibv, slot, sleeps);
}

static int flush_polling(struct np_endpoint *ep)
{
	const int rc = post_list(np_ibv_of(ep));

	return rc != 0 ? rc : np_ibv_flush_polling(ep);
}

static int flush_sleeping(struct np_endpoint *ep)
{
	const int rc = post_list(np_ibv_of(ep));

	return rc != 0 ? rc : np_ibv_flush_sleeping(ep);
}

NP_SLOT_HOOKS(list_send)
NP_SLOT_HOOKS(list_write)
NP_SLOT_HOOKS(list_get)

#define LIST_HOOKS(act, how)                                                               \
	{                                                                                  \
		.post_recv = np_no_hook_slot, .send = act##_##how,                         \
		.recv = np_no_hook_slot, .flush = flush_##how,                             \
		.send_ack = np_ibv_send_ack, .recv_ack = np_ibv_recv_ack_##how,            \
		.step = act##_##how,                                                       \
	}

/* The code paths of an act: its loops by polling, and asleep the generic ones. */
#define LIST_PATHS(act)                                                                    \
	static const struct np_hot act##_poll_hot = LIST_HOOKS(act, polling);              \
	static const struct np_hot act##_event_hot = LIST_HOOKS(act, sleeping);            \
	NP_LOOP(act##_stream, np_loop_stream_out, act##_poll_hot)                          \
	NP_LOOP(act##_steps, np_loop_one_sided, act##_poll_hot)                            \
	static const struct np_code_path act##_poll = {                                    \
		.name = "poll, lists",                                                     \
		.hot = &act##_poll_hot,                                                    \
		.loops = { [NP_STREAM] = { act##_stream, NULL },                           \
			   [NP_ONE_SIDED] = { act##_steps, np_loop_idle } }                \
	};                                                                                 \
	static const struct np_code_path act##_event = { .name = "event, lists",           \
							 .hot = &act##_event_hot }

LIST_PATHS(list_send);
LIST_PATHS(list_write);
LIST_PATHS(list_get);

const struct np_code_path *np_ibv_post_lists(const struct np_ibv *ibv)
{
	const bool sleeps = ibv->completion == NP_IBV_EVENT;

	if (np_ibv_gets(ibv->transport))
		return sleeps ? &list_get_event : &list_get_poll;
	if (ibv->transport == NP_IBV_WRITE || ibv->transport == NP_IBV_WRITE_IMM)
		return sleeps ? &list_write_event : &list_write_poll;
	return sleeps ? &list_send_event : &list_send_poll;
}
