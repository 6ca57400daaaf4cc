/*
 * ibv_hot.h - posts work requests and waits for their completions, for the hooks of
 * every code path.
 *
 * Selective signalling: every k-th request of a send queue is signalled.  A post waits
 * while the queue is full.  A flush whose last request is unsignalled posts a signalled
 * RDMA write of 0 bytes (a fence), except in a ping-pong, where the reply has proved
 * that the message arrived.
 *
 * `sleeps` is a compile-time constant of each code path.
 */
#pragma once

#include <arpa/inet.h>
#include <string.h>

#include "ibv_private.h"
#include "contract/np_loop.h"

/* Control messages: the kind and a 30-bit value, in network byte order. */
enum {
	NP_IBV_CREDIT = 0,     /* value: receives posted in this block so far */
	NP_IBV_ACK = 1u << 30, /* acknowledgement */
	NP_IBV_KIND = 3u << 30
};

/* Index of the memory region that contains an offset of the pool, bytes: a division by the
 * pages of a region, as a multiplication (reciprocal() in ibv_region.c). */
NP_ALWAYS_INLINE size_t np_ibv_part(const struct np_ibv_keys *keys, size_t offset)
{
	return (size_t)((unsigned __int128)(offset >> 12) * keys->pages_to_part >> 64);
}

NP_ALWAYS_INLINE size_t np_ibv_offset(const struct np_ibv_keys *keys,
				      const unsigned char *address)
{
	return (size_t)(address - keys->base);
}

NP_ALWAYS_INLINE struct np_ibv_queue *np_ibv_next(struct np_ibv *ibv, size_t *turn)
{
	struct np_ibv_queue *queue = &ibv->queues[*turn];

	*turn = *turn + 1 == ibv->turns ? 0 : *turn + 1;
	return queue;
}

/* During a long wait: yields the CPU, checks the stop flag, and polls the send queues
 * for errors.  Returns 0 or -errno. */
int np_ibv_pause(struct np_ibv *ibv) __attribute__((noinline));

/* Yields the CPU and checks the stop flag during a wait for a send completion.  Returns 0
 * or -ECANCELED. */
int np_ibv_pause_sending(struct np_ibv *ibv) __attribute__((noinline));

/* Waits for one completion of a queue's send or receive side. */
NP_ALWAYS_INLINE int np_ibv_wait_completion(struct np_ibv *ibv, struct np_ibv_queue *queue,
					    bool send, bool sleeps,
					    struct ibv_wc *completion)
{
	struct ibv_cq *cq = send ? queue->send_cq : queue->recv_cq;
	uint32_t polls = 0;
	bool slept = false;
	int found, rc;

	while ((found = ibv_poll_cq(cq, 1, completion)) == 0) {
		if (sleeps) {
			/* A wake-up without a completion of this queue: all queue pairs
			 * share the channel. */
			if (slept) {
				rc = send ? np_ibv_pause_sending(ibv) : np_ibv_pause(ibv);
				if (rc != 0)
					return rc;
			}
			slept = true;
			/* No event comes for a completion between the poll and the
			 * request for notification: poll once more. */
			if ((rc = ibv_req_notify_cq(cq, 0)) != 0)
				return np_ibv_post_failed(ibv, "ibv_req_notify_cq", rc);
			if ((found = ibv_poll_cq(cq, 1, completion)) != 0)
				break;
			rc = np_ibv_sleep(ibv, send);
			if (rc != 0)
				return rc;
		} else if (++polls == ibv->cq_poll_interval) {
			polls = 0;
			rc = send ? np_ibv_pause_sending(ibv) : np_ibv_pause(ibv);
			if (rc != 0)
				return rc;
		}
	}
	if (NP_UNLIKELY(found < 0))
		return np_ibv_post_failed(ibv, "ibv_poll_cq", EIO);
	if (NP_UNLIKELY(completion->status != IBV_WC_SUCCESS))
		return np_ibv_completion_failed(ibv, queue, completion, send);
	return 0;
}

/* Waits for the next completion of the send queue. */
NP_ALWAYS_INLINE int np_ibv_wait_send(struct np_ibv *ibv, struct np_ibv_queue *queue,
				      bool sleeps)
{
	struct ibv_wc completion;
	const int rc = np_ibv_wait_completion(ibv, queue, true, sleeps, &completion);

	if (rc == 0)
		queue->completed = np_ibv_id_number(completion.wr_id);
	return rc;
}

/* Waits until the send queue has room for one more. */
NP_ALWAYS_INLINE int np_ibv_wait_room(struct np_ibv *ibv, struct np_ibv_queue *queue,
				      bool sleeps)
{
	while (NP_UNLIKELY(queue->posted - queue->completed >= ibv->send_limit)) {
		const int rc = np_ibv_wait_send(ibv, queue, sleeps);

		if (rc != 0)
			return rc;
	}
	return 0;
}

/* Counts a request as posted. */
NP_ALWAYS_INLINE void np_ibv_count_post(struct np_ibv *ibv, struct np_ibv_queue *queue,
					bool signals)
{
	queue->posted++;
	ibv->unflushed++;
	queue->signalled = signals ? queue->posted : queue->signalled;
}

/* Posts a prepared request; IBV_SEND_SIGNALED is added to the flags as needed. */
NP_ALWAYS_INLINE int np_ibv_post(struct np_ibv *ibv, struct np_ibv_queue *queue,
				 struct ibv_send_wr *request, unsigned flags, size_t slot,
				 bool sleeps)
{
	struct ibv_send_wr *bad;
	int rc = np_ibv_wait_room(ibv, queue, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	const uint64_t number = queue->posted + 1;
	const bool signals = number - queue->signalled >= ibv->signal_every;

	request->wr_id = np_ibv_id(number, slot);
	request->send_flags = flags | (signals ? IBV_SEND_SIGNALED : 0);
	rc = ibv_post_send(queue->qp, request, &bad);
	if (NP_UNLIKELY(rc != 0))
		return np_ibv_post_failed(ibv, "ibv_post_send", rc);
	np_ibv_count_post(ibv, queue, signals);
	return 0;
}

/* Posts a signalled request of 0 bytes: its completion implies all before it. */
int np_ibv_fence(struct np_ibv *ibv, struct np_ibv_queue *queue) __attribute__((noinline));

NP_ALWAYS_INLINE int np_ibv_flush_queue(struct np_ibv *ibv, struct np_ibv_queue *queue,
					bool sleeps)
{
	int rc;

	if (queue->posted == queue->completed || queue->posted == queue->proven)
		return 0;
	if (queue->posted != queue->signalled && (rc = np_ibv_fence(ibv, queue)) != 0)
		return rc;
	while (queue->completed != queue->posted) {
		if ((rc = np_ibv_wait_send(ibv, queue, sleeps)) != 0)
			return rc;
	}
	return 0;
}

/* Flushes the queues used since the last flush, and the first one, which control messages
 * use.  Visiting all queues would add time of the program to the measurement. */
NP_ALWAYS_INLINE int np_ibv_flush(struct np_ibv *ibv, bool sleeps)
{
	const size_t all = ibv->turns, used = ibv->unflushed < all ? ibv->unflushed : all;
	size_t turn = ibv->send_turn >= used ? ibv->send_turn - used :
					       ibv->send_turn + all - used;
	int rc = np_ibv_flush_queue(ibv, &ibv->queues[0], sleeps);

	for (size_t i = 0; i < used && rc == 0; i++)
		rc = np_ibv_flush_queue(ibv, np_ibv_next(ibv, &turn), sleeps);
	ibv->unflushed = 0;
	return rc;
}

/* ---- Acknowledgements and credits -------------------------------------------- */

/* Handles a control message and posts its receive again. */
NP_ALWAYS_INLINE int np_ibv_handle_control(struct np_ibv *ibv,
					   const struct ibv_wc *completion)
{
	const size_t index = np_ibv_id_number(completion->wr_id);
	uint32_t bytes;

	memcpy(&bytes, np_ibv_control_buffer(ibv, index) + ibv->recv_lead, sizeof(bytes));
	const uint32_t word = ntohl(bytes), rest = word & ~NP_IBV_KIND;

	if ((word & NP_IBV_KIND) == NP_IBV_ACK)
		ibv->acks++;
	else
		ibv->allowed += (rest - (uint32_t)ibv->allowed) & ~NP_IBV_KIND;
	return np_ibv_post_control_receive(ibv, index);
}

NP_ALWAYS_INLINE int np_ibv_wait_control(struct np_ibv *ibv, bool sleeps)
{
	struct ibv_wc completion;
	const int rc =
		np_ibv_wait_completion(ibv, &ibv->queues[0], false, sleeps, &completion);

	return rc != 0 ? rc : np_ibv_handle_control(ibv, &completion);
}

NP_ALWAYS_INLINE int np_ibv_recv_ack(struct np_ibv *ibv, bool sleeps)
{
	while (ibv->acks == 0) {
		const int rc = np_ibv_wait_control(ibv, sleeps);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	ibv->acks--;
	/* Proves the sends of the last queue; earlier ones proved those of the others. */
	struct np_ibv_queue *queue =
		&ibv->queues[(ibv->send_turn != 0 ? ibv->send_turn : ibv->turns) - 1];

	queue->proven = queue->posted & ibv->proves;
	return 0;
}

/* Waits for a credit of the receiver. */
NP_ALWAYS_INLINE int np_ibv_wait_credit(struct np_ibv *ibv, bool sleeps)
{
	while (NP_UNLIKELY(ibv->sent == ibv->allowed)) {
		const int rc = np_ibv_wait_control(ibv, sleeps);

		if (rc != 0)
			return rc;
	}
	ibv->sent++;
	return 0;
}

/* Sends the transmitter credits for the receives posted. */
int np_ibv_grant(struct np_ibv *ibv) __attribute__((noinline));

NP_ALWAYS_INLINE int np_ibv_count_offer(struct np_ibv *ibv)
{
	ibv->offered++;
	return NP_UNLIKELY(ibv->offered == ibv->next_grant) ? np_ibv_grant(ibv) : 0;
}

/* ---- Messages ----------------------------------------------------------------- */

/* Sets the local buffer of the send request. */
NP_ALWAYS_INLINE void np_ibv_aim_local(struct np_ibv *ibv, const unsigned char *buffer)
{
	const size_t part = np_ibv_part(&ibv->keys, np_ibv_offset(&ibv->keys, buffer));

	ibv->send_part.addr = (uintptr_t)buffer;
	ibv->send_part.lkey = ibv->keys.local[part];
}

/* Sets the remote buffer of the send request: the peer's at the offset of `twin` in the
 * local pool. */
NP_ALWAYS_INLINE void np_ibv_aim_remote(struct np_ibv *ibv, const unsigned char *twin)
{
	const size_t offset = np_ibv_offset(&ibv->keys, twin);

	ibv->send_request.wr.rdma.remote_addr = ibv->keys.remote_base + offset;
	*ibv->remote_key = ibv->keys.remote[np_ibv_part(&ibv->keys, offset)];
}

/* Posts the prepared receive. */
NP_ALWAYS_INLINE int np_ibv_post_recv(struct np_ibv *ibv, size_t slot, bool shared)
{
	struct np_ibv_queue *queue = np_ibv_next(ibv, &ibv->post_turn);
	struct ibv_recv_wr *bad;
	int rc;

	ibv->recv_request.wr_id = np_ibv_id(ibv->offered, slot);
	rc = shared ? ibv_post_srq_recv(ibv->srq, &ibv->recv_request, &bad) :
		      ibv_post_recv(queue->qp, &ibv->recv_request, &bad);
	if (NP_UNLIKELY(rc != 0))
		return np_ibv_post_failed(ibv, "ibv_post_recv", rc);
	return np_ibv_count_offer(ibv);
}

/* Sets the buffer of the receive. */
NP_ALWAYS_INLINE void np_ibv_aim_recv(struct np_ibv *ibv, unsigned char *buffer)
{
	const size_t part = np_ibv_part(&ibv->keys, np_ibv_offset(&ibv->keys, buffer));

	ibv->recv_part.addr = (uintptr_t)buffer - ibv->recv_lead;
	ibv->recv_part.lkey = ibv->keys.local[part];
}

NP_ALWAYS_INLINE int np_ibv_receive(struct np_ibv *ibv, bool sleeps)
{
	struct np_ibv_queue *queue = np_ibv_next(ibv, &ibv->recv_turn);
	struct ibv_wc completion;
	const int rc = np_ibv_wait_completion(ibv, queue, false, sleeps, &completion);

	queue->proven = queue->posted & ibv->proves;
	return rc;
}

/* np_hot.recv, here so that it is inlined into the loops. */
NP_ALWAYS_INLINE int np_ibv_recv(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	(void)slot;
	return np_ibv_receive(np_ibv_of(ep), sleeps);
}

NP_SLOT_HOOKS(np_ibv_recv)

/* A table of hooks; how: polling or sleeping. */
#define NP_IBV_HOOKS(offering, sending, receiving, one_step, how)                          \
	{                                                                                  \
		.post_recv = (offering), .send = (sending), .recv = (receiving),           \
		.flush = np_ibv_flush_##how, .send_ack = np_ibv_send_ack,                  \
		.recv_ack = np_ibv_recv_ack_##how, .step = (one_step),                     \
	}
#define NP_IBV_MESSAGE_HOOKS(offering, sending, receiving, how)                            \
	NP_IBV_HOOKS(offering, sending, receiving, np_no_hook_slot, how)
#define NP_IBV_STEP_HOOKS(one_step, how)                                                   \
	NP_IBV_HOOKS(np_no_hook_slot, np_no_hook_slot, np_no_hook_slot, one_step, how)

/*
 * Posts a message by ibv_post_send(3), or with --post wr by ibv_wr_start(3) to
 * ibv_wr_complete(3).
 *
 * `transport` and `call` are compile-time constants of each code path.  Fences and control
 * messages always go by ibv_post_send(3), which the same queue pair takes.
 */

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
	/* librxe requires this flag for inline data; other drivers ignore it. */
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
		/* The code path of all transports sets it: UD needs it, RC ignores it. */
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

/* Defines the hooks NAME_polling() and NAME_sleeping() of the operation `act` on a slot. */
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
