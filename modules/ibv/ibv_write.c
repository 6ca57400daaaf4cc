/*
 * ibv_write.c - RDMA writes into the peer's buffers.
 *
 * How the receiver learns of one: by its last byte (local_poll), or, of a write
 * with immediate data, by the receive that it completes.
 *
 * For the last byte, the receiver puts a mark there before the message may come
 * and waits until it is another value.  The message itself stays as it is, byte
 * for byte: where it happens to end in the mark, the transmitter says by a
 * control message that it is there (without immediate data), or the receive
 * that it completes does.  That bytes of one write become visible in their
 * order is what every implementation of memory polling relies on, and no
 * specification promises.
 */
#include <errno.h>

#include "ibv_hot.h"

/* The mark, and loads of the last byte between two looks at the completion queue:
 * a message that ends in the mark is seen within a microsecond or so. */
enum { MARK = 0x9d, LOOK = 1024 };

NP_ALWAYS_INLINE volatile unsigned char *last_byte(const struct np_endpoint *ep,
						   size_t slot)
{
	return ep->transfer->slots[slot].recv + ep->transfer->length - 1;
}

/* The peer must not see a message come before it has seen it go. */
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
			ibv, NP_IBV_UNSEEN | ((uint32_t)ibv->sent & ~NP_IBV_KIND));
	return 0;
}

static int write_polling(struct np_endpoint *ep, size_t slot)
{
	return write_message(ep, slot, false);
}

static int write_sleeping(struct np_endpoint *ep, size_t slot)
{
	return write_message(ep, slot, true);
}

static int mark(struct np_endpoint *ep, size_t slot)
{
	*last_byte(ep, slot) = MARK;
	return 0;
}

/* A write with immediate data takes a receive, whose own buffer it ignores. */
static int offer_nothing(struct np_endpoint *ep, size_t slot)
{
	return np_ibv_post_recv(np_ibv_of(ep), slot, false);
}

static int mark_and_offer(struct np_endpoint *ep, size_t slot)
{
	*last_byte(ep, slot) = MARK;
	return np_ibv_post_recv(np_ibv_of(ep), slot, false);
}

NP_ALWAYS_INLINE void arrived(struct np_ibv *ibv)
{
	struct np_ibv_queue *queue = np_ibv_next(ibv, &ibv->recv_turn);

	queue->proven = queue->posted & ibv->proves;
	ibv->received++;
}

static int pause_seldom(struct np_ibv *ibv, uint32_t *polls)
{
	if (*polls < ibv->byte_patience)
		return 0;
	*polls = 0;
	return np_ibv_pause(ibv);
}

/* The peer may have said so while this end did not yet wait for it. */
static bool is_unseen(const struct np_ibv *ibv)
{
	return ibv->unseen == ((uint32_t)(ibv->received + 1) & ~(uint32_t)NP_IBV_KIND);
}

/* Looks, while the last byte does not change, for a control message that says
 * why.  Returns 1 if the message is there all the same. */
static int look_for_unseen(struct np_ibv *ibv)
{
	struct np_ibv_queue *queue = &ibv->queues[0];
	struct ibv_wc completion;
	const int found = ibv_poll_cq(queue->recv_cq, 1, &completion);

	if (found < 0)
		return np_ibv_post_failed(ibv, "ibv_poll_cq", EIO);
	if (found == 0)
		return is_unseen(ibv) ? 1 : 0;
	if (completion.status != IBV_WC_SUCCESS)
		return np_ibv_completion_failed(ibv, queue, &completion, false);
	const int rc = np_ibv_hear(ibv, ntohl(completion.imm_data));

	if (rc != 0)
		return rc;
	return is_unseen(ibv) ? 1 : 0;
}

/* Waits for the last byte to change, or for look() to say that the message is there
 * all the same.  Each caller's look() is known when this is compiled. */
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
	return await_last_byte(ep, slot, look_for_unseen);
}

int np_ibv_drain(struct np_ibv *ibv)
{
	struct np_ibv_queue *queue = &ibv->queues[0];
	struct ibv_wc completion;

	while (ibv->drained < ibv->received) {
		const int rc = np_ibv_take(ibv, queue, false, false, &completion);

		if (rc != 0)
			return rc;
		ibv->drained++;
	}
	return 0;
}

/* As look_for_unseen(), by the completion of the message's own receive. */
static int look_for_completion(struct np_ibv *ibv)
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
	const int rc = await_last_byte(ep, slot, look_for_completion);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	/* One completion a message, mostly that of the message before. */
	if (ibv->drained < ibv->received &&
	    ibv_poll_cq(ibv->queues[0].recv_cq, 1, &completion) == 1) {
		if (completion.status != IBV_WC_SUCCESS)
			return np_ibv_completion_failed(ibv, &ibv->queues[0], &completion,
							false);
		ibv->drained++;
	}
	return ibv->received - ibv->drained < ibv->recv_depth / 2 ? 0 : np_ibv_drain(ibv);
}

static int recv_polling(struct np_endpoint *ep, size_t slot)
{
	(void)slot;
	return np_ibv_recv(np_ibv_of(ep), false);
}

static int recv_sleeping(struct np_endpoint *ep, size_t slot)
{
	(void)slot;
	return np_ibv_recv(np_ibv_of(ep), true);
}

/* Whatever comes next finds no completion of these messages. */
static int flush_immediate(struct np_endpoint *ep)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const int rc = np_ibv_flush(ibv, false);

	return rc != 0 ? rc : np_ibv_drain(ibv);
}

static const struct np_hot marked_hot = {
	.post_recv = mark,
	.send = write_marked,
	.recv = recv_marked,
	.flush = np_ibv_flush_polling,
	.send_ack = np_ibv_send_ack,
	.recv_ack = np_ibv_recv_ack_polling,
	.step = np_no_hook_slot,
};

static const struct np_hot marked_immediate_hot = {
	.post_recv = mark_and_offer,
	.send = write_polling,
	.recv = recv_marked_immediate,
	.flush = flush_immediate,
	.send_ack = np_ibv_send_ack,
	.recv_ack = np_ibv_recv_ack_polling,
	.step = np_no_hook_slot,
};

static const struct np_hot poll_hot = {
	.post_recv = offer_nothing,
	.send = write_polling,
	.recv = recv_polling,
	.flush = np_ibv_flush_polling,
	.send_ack = np_ibv_send_ack,
	.recv_ack = np_ibv_recv_ack_polling,
	.step = np_no_hook_slot,
};

static const struct np_hot event_hot = {
	.post_recv = offer_nothing,
	.send = write_sleeping,
	.recv = recv_sleeping,
	.flush = np_ibv_flush_sleeping,
	.send_ack = np_ibv_send_ack,
	.recv_ack = np_ibv_recv_ack_sleeping,
	.step = np_no_hook_slot,
};

NP_CODE_PATH(marked_path, "local_poll", marked_hot);
NP_CODE_PATH(poll_path, "poll", poll_hot);
NP_CODE_PATH(marked_immediate_path, "local_poll", marked_immediate_hot);

static const struct np_code_path event_path = { .name = "event", .hot = &event_hot };

const struct np_code_path *np_ibv_write(const struct np_ibv *ibv)
{
	if (ibv->transport == NP_IBV_WRITE)
		return &marked_path;
	switch (ibv->completion) {
	case NP_IBV_LOCAL_POLL:
		return &marked_immediate_path;
	case NP_IBV_EVENT:
		return &event_path;
	default:
		return &poll_path;
	}
}
