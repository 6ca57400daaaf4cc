/*
 * ibv_write.c - hooks of RDMA write, with or without immediate data.
 *
 * The receiver polls the last byte of its buffer (local_poll), or, with immediate data,
 * may wait for a receive completion instead.
 *
 * Memory poll: the receiver writes a mark into the last byte before the message may
 * arrive, and waits until it changes.  The message is not altered: if it ends in the
 * mark, the transmitter announces it by a control message (without immediate data), or
 * its receive completes.  The method relies on the bytes of a write becoming visible in
 * order, which no specification guarantees.
 */
#include <errno.h>

#include "ibv_hot.h"

/* The mark, and loads of the last byte between two polls of the completion queue: a
 * message that ends in the mark is noticed within about 1 us. */
enum { MARK = 0x9d, LOOK = 1024 };

NP_ALWAYS_INLINE volatile unsigned char *last_byte(const struct np_endpoint *ep,
						   size_t slot)
{
	return ep->transfer->slots[slot].recv + ep->transfer->length - 1;
}

NP_ALWAYS_INLINE int write_message(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];
	const int rc = np_ibv_wait_credit(ibv, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	np_ibv_aim_local(ibv, at->send);
	np_ibv_aim_remote(ibv, at->recv);
	return np_ibv_post(ibv, np_ibv_next(ibv, &ibv->send_turn), &ibv->send_request,
			   ibv->send_flags, slot, sleeps);
}

static int write_marked(struct np_endpoint *ep, size_t slot)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const int rc = write_message(ep, slot, false);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	if (NP_UNLIKELY(ep->transfer->slots[slot].send[ep->transfer->length - 1] == MARK))
		return np_ibv_send_control(
			ibv, NP_IBV_ANNOUNCED | ((uint32_t)ibv->sent & ~NP_IBV_KIND));
	return 0;
}

NP_SLOT_HOOKS(write_message)

static int mark(struct np_endpoint *ep, size_t slot)
{
	*last_byte(ep, slot) = MARK;
	return 0;
}

/* A write with immediate data consumes a receive, but not its buffer. */
static int offer_nothing(struct np_endpoint *ep, size_t slot)
{
	return np_ibv_post_recv(np_ibv_of(ep), slot, false);
}

static int mark_and_offer(struct np_endpoint *ep, size_t slot)
{
	mark(ep, slot);
	return offer_nothing(ep, slot);
}

NP_ALWAYS_INLINE void arrived(struct np_ibv *ibv)
{
	struct np_ibv_queue *queue = np_ibv_next(ibv, &ibv->recv_turn);

	queue->proven = queue->posted & ibv->proves;
	ibv->received++;
}

static int pause_seldom(struct np_ibv *ibv, uint32_t *polls)
{
	if (*polls < ibv->byte_poll_interval)
		return 0;
	*polls = 0;
	return np_ibv_pause(ibv);
}

/* True if the peer has announced the next message, perhaps before this wait began. */
static bool is_announced(const struct np_ibv *ibv)
{
	return ibv->announced == ((uint32_t)(ibv->received + 1) & ~(uint32_t)NP_IBV_KIND);
}

/* Polls for the control message that announces the message.  Returns 1 if the message
 * has arrived, 0 if not, or -errno. */
static int poll_announcement(struct np_ibv *ibv)
{
	struct np_ibv_queue *queue = &ibv->queues[0];
	struct ibv_wc completion;
	const int found = ibv_poll_cq(queue->recv_cq, 1, &completion);

	if (found < 0)
		return np_ibv_post_failed(ibv, "ibv_poll_cq", EIO);
	if (found == 0)
		return is_announced(ibv) ? 1 : 0;
	if (completion.status != IBV_WC_SUCCESS)
		return np_ibv_completion_failed(ibv, queue, &completion, false);
	const int rc = np_ibv_handle_control(ibv, ntohl(completion.imm_data));

	if (rc != 0)
		return rc;
	return is_announced(ibv) ? 1 : 0;
}

/* Waits until the last byte changes or look(), a compile-time constant, returns 1. */
NP_ALWAYS_INLINE int await_last_byte(struct np_endpoint *ep, size_t slot,
				     int (*look)(struct np_ibv *))
{
	const volatile unsigned char *last = last_byte(ep, slot);
	struct np_ibv *ibv = np_ibv_of(ep);
	uint32_t polls = 0;

	while (*last == MARK) {
		if (++polls % LOOK != 0)
			continue;
		int rc = look(ibv);

		if (rc == 0)
			rc = pause_seldom(ibv, &polls);
		if (rc < 0)
			return rc;
		if (rc > 0)
			break;
	}
	atomic_thread_fence(memory_order_acquire);
	arrived(ibv);
	return 0;
}

static int recv_marked(struct np_endpoint *ep, size_t slot)
{
	return await_last_byte(ep, slot, poll_announcement);
}

int np_ibv_drain(struct np_ibv *ibv)
{
	struct np_ibv_queue *queue = &ibv->queues[0];
	struct ibv_wc completion;

	while (ibv->drained < ibv->received) {
		const int rc =
			np_ibv_wait_completion(ibv, queue, false, false, &completion);

		if (rc != 0)
			return rc;
		ibv->drained++;
	}
	return 0;
}

/* As poll_announcement(), by the receive completion of the message. */
static int poll_receive(struct np_ibv *ibv)
{
	struct np_ibv_queue *queue = &ibv->queues[0];
	struct ibv_wc completion;
	const int found = ibv_poll_cq(queue->recv_cq, 1, &completion);

	if (found < 0)
		return np_ibv_post_failed(ibv, "ibv_poll_cq", EIO);
	if (found != 0 && completion.status != IBV_WC_SUCCESS)
		return np_ibv_completion_failed(ibv, queue, &completion, false);
	ibv->drained += (uint64_t)found;
	return ibv->drained > ibv->received ? 1 : 0;
}

static int recv_marked_immediate(struct np_endpoint *ep, size_t slot)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	struct ibv_wc completion;
	const int rc = await_last_byte(ep, slot, poll_receive);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	/* Consume one completion per message, usually that of the previous one. */
	if (ibv->drained < ibv->received &&
	    ibv_poll_cq(ibv->queues[0].recv_cq, 1, &completion) == 1) {
		if (completion.status != IBV_WC_SUCCESS)
			return np_ibv_completion_failed(ibv, &ibv->queues[0], &completion,
							false);
		ibv->drained++;
	}
	return ibv->received - ibv->drained < ibv->recv_depth / 2 ? 0 : np_ibv_drain(ibv);
}

/* Leaves no completions of this block to the next one. */
static int flush_immediate(struct np_endpoint *ep)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const int rc = np_ibv_flush(ibv, false);

	return rc != 0 ? rc : np_ibv_drain(ibv);
}

static const struct np_hot marked_hot =
	NP_IBV_MESSAGE_HOOKS(mark, write_marked, recv_marked, polling);

static const struct np_hot marked_immediate_hot = {
	.post_recv = mark_and_offer,
	.send = write_message_polling,
	.recv = recv_marked_immediate,
	.flush = flush_immediate,
	.send_ack = np_ibv_send_ack,
	.recv_ack = np_ibv_recv_ack_polling,
	.step = np_no_hook_slot,
};

static const struct np_hot poll_hot = NP_IBV_MESSAGE_HOOKS(
	offer_nothing, write_message_polling, np_ibv_recv_polling, polling);
static const struct np_hot event_hot = NP_IBV_MESSAGE_HOOKS(
	offer_nothing, write_message_sleeping, np_ibv_recv_sleeping, sleeping);

NP_CODE_PATH(marked_path, "local_poll", marked_hot);
NP_CODE_PATH(poll_path, "poll", poll_hot);
NP_CODE_PATH_BURST(poll_burst, "poll", poll_hot);
NP_CODE_PATH(marked_immediate_path, "local_poll", marked_immediate_hot);
NP_CODE_PATH_BURST(marked_immediate_burst, "local_poll", marked_immediate_hot);

static const struct np_code_path event_path = { .name = "event", .hot = &event_hot };

const struct np_code_path *np_ibv_write(const struct np_ibv *ibv)
{
	if (ibv->transport == NP_IBV_WRITE)
		return &marked_path;
	switch (ibv->completion) {
	case NP_IBV_LOCAL_POLL:
		return ibv->endpoint.burst ? &marked_immediate_burst :
					     &marked_immediate_path;
	case NP_IBV_EVENT:
		return &event_path;
	default:
		return ibv->endpoint.burst ? &poll_burst : &poll_path;
	}
}
