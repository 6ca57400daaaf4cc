/*
 * ibv_paths.c - hooks and loops of the transports: send and receive, RDMA write, and
 * one-sided operations.
 */
#include <errno.h>

#include "ibv_hot.h"

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

/* NP_IBV_UD makes the code path set the number of the peer's queue pair, which requests of
 * other transports ignore. */
NP_IBV_MESSAGE_PATHS(any, "", post_recv, send_message, NP_IBV_UD, NP_IBV_BY_SEND);
NP_CODE_PATH_BURST(any_burst, "poll", any_poll_hot);

/* Shared receive queues run the generic loops. */
static const struct np_hot shared_poll_hot = NP_IBV_MESSAGE_HOOKS(
	post_recv_shared, any_act_polling, np_ibv_recv_polling, polling);
static const struct np_hot shared_event_hot = NP_IBV_MESSAGE_HOOKS(
	post_recv_shared, any_act_sleeping, np_ibv_recv_sleeping, sleeping);
static const struct np_code_path shared_poll = { .name = "poll, shared receives",
						 .hot = &shared_poll_hot };
static const struct np_code_path shared_event = { .name = "event, shared receives",
						  .hot = &shared_event_hot };

NP_IBV_WR_PATHS(send, post_recv, send_message, NP_IBV_SEND);
NP_IBV_WR_PATHS(send_imm, post_recv, send_message, NP_IBV_SEND_IMM);
NP_IBV_WR_PATHS(datagram, post_recv, send_message, NP_IBV_UD);

const struct np_code_path *np_ibv_two_sided(const struct np_ibv *ibv)
{
	const bool inlined = np_ibv_inlines(ibv), sleeps = ibv->completion == NP_IBV_EVENT;

	if (np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR)
		return ibv->transport == NP_IBV_UD	 ? datagram_paths[inlined][sleeps] :
		       ibv->transport == NP_IBV_SEND_IMM ? send_imm_paths[inlined][sleeps] :
							   send_paths[inlined][sleeps];
	if (ibv->srq != NULL)
		return sleeps ? &shared_event : &shared_poll;
	if (sleeps)
		return &any_event;
	return ibv->endpoint.burst ? &any_burst : &any_poll;
}

/*
 * RDMA write, with or without immediate data.
 *
 * The receiver polls the last byte of its buffer (local_poll), or, with immediate data,
 * may wait for a receive completion instead.
 *
 * Memory poll: the receiver writes NP_MARK into the last byte before the message may
 * arrive, and waits until it changes.  No message contains that value (memory.h), so
 * each is one RDMA write of its own length.  The method relies on the bytes of a write
 * becoming visible in order, which no specification guarantees.
 */

NP_ALWAYS_INLINE int write_message(struct np_endpoint *ep, size_t slot,
				   enum np_ibv_transport transport, enum np_ibv_call call,
				   bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];
	const int rc = np_ibv_wait_credit(ibv, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	np_ibv_aim_local(ibv, at->send);
	np_ibv_aim_remote(ibv, at->recv);
	return np_ibv_post_message(ibv, slot, transport, call, sleeps);
}

/* A write with immediate data consumes a receive, but not its buffer. */
static int offer_nothing(struct np_endpoint *ep, size_t slot)
{
	return np_ibv_post_recv(np_ibv_of(ep), slot, false);
}

static int mark_and_offer(struct np_endpoint *ep, size_t slot)
{
	np_mark_last_byte(ep, slot);
	return offer_nothing(ep, slot);
}

NP_ALWAYS_INLINE void arrived(struct np_ibv *ibv)
{
	struct np_ibv_queue *queue = np_ibv_next(ibv, &ibv->recv_turn);

	queue->proven = queue->posted & ibv->proves;
	ibv->received++;
}

/* Waits until the last byte changes.  pause(), a compile-time constant, is called
 * between many loads, and returns 1 if the message has arrived. */
NP_ALWAYS_INLINE int await_last_byte(struct np_endpoint *ep, size_t slot,
				     int (*pause)(struct np_ibv *))
{
	const volatile unsigned char *last = np_last_byte(ep, slot);
	struct np_ibv *ibv = np_ibv_of(ep);
	uint32_t polls = 0;

	while (*last == NP_MARK) {
		if (++polls < ibv->byte_poll_interval)
			continue;
		polls = 0;
		const int rc = pause(ibv);

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
	return await_last_byte(ep, slot, np_ibv_pause);
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

/* As np_ibv_pause(), and polls for a failed receive.  Returns 1 if the receive of the
 * message has completed, 0 if not, or -errno. */
static int pause_receiving(struct np_ibv *ibv)
{
	struct np_ibv_queue *queue = &ibv->queues[0];
	struct ibv_wc completion;
	const int rc = np_ibv_pause(ibv);

	if (rc != 0)
		return rc;
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
	const int rc = await_last_byte(ep, slot, pause_receiving);

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

/* ---- the code paths ------------------------------------------------------------- */

/* Code paths of memory poll: NAME_bare, and NAME_marked with immediate data. */
#define MARKED_PATHS(NAME, label, call)                                                    \
	static int NAME##_write(struct np_endpoint *ep, size_t slot)                       \
	{                                                                                  \
		return write_message(ep, slot, NP_IBV_WRITE, (call), false);               \
	}                                                                                  \
	static int NAME##_write_imm(struct np_endpoint *ep, size_t slot)                   \
	{                                                                                  \
		return write_message(ep, slot, NP_IBV_WRITE_IMM, (call), false);           \
	}                                                                                  \
	static const struct np_hot NAME##_bare_hot = NP_IBV_MESSAGE_HOOKS(                 \
		np_mark_last_byte, NAME##_write, recv_marked, polling);                    \
	static const struct np_hot NAME##_marked_hot = {                                   \
		.post_recv = mark_and_offer,                                               \
		.send = NAME##_write_imm,                                                  \
		.recv = recv_marked_immediate,                                             \
		.flush = flush_immediate,                                                  \
		.send_ack = np_ibv_send_ack,                                               \
		.recv_ack = np_ibv_recv_ack_polling,                                       \
		.step = np_no_hook_slot,                                                   \
	};                                                                                 \
	NP_CODE_PATH(NAME##_bare, "local_poll" label, NAME##_bare_hot);                    \
	NP_CODE_PATH(NAME##_marked, "local_poll" label, NAME##_marked_hot)

MARKED_PATHS(by_send, "", NP_IBV_BY_SEND);
MARKED_PATHS(by_wr, ", ibv_wr", NP_IBV_BY_WR);
MARKED_PATHS(by_inline, ", ibv_wr", NP_IBV_BY_WR_INLINE);
NP_CODE_PATH_BURST(by_send_marked_burst, "local_poll", by_send_marked_hot);

NP_IBV_MESSAGE_PATHS(write_imm, "", offer_nothing, write_message, NP_IBV_WRITE_IMM,
		     NP_IBV_BY_SEND);
NP_CODE_PATH_BURST(write_imm_burst, "poll", write_imm_poll_hot);
NP_IBV_WR_PATHS(write_imm, offer_nothing, write_message, NP_IBV_WRITE_IMM);

static const struct np_code_path *write_by_wr(const struct np_ibv *ibv)
{
	static const struct np_code_path *const bare[] = { &by_wr_bare, &by_inline_bare },
						*const marked[] = { &by_wr_marked,
								    &by_inline_marked };
	const bool inlined = np_ibv_inlines(ibv);

	if (ibv->transport == NP_IBV_WRITE)
		return bare[inlined];
	if (ibv->completion == NP_IBV_LOCAL_POLL)
		return marked[inlined];
	return write_imm_paths[inlined][ibv->completion == NP_IBV_EVENT];
}

const struct np_code_path *np_ibv_write(const struct np_ibv *ibv)
{
	const bool burst = ibv->endpoint.burst;

	if (np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR)
		return write_by_wr(ibv);
	if (ibv->transport == NP_IBV_WRITE)
		return &by_send_bare;
	switch (ibv->completion) {
	case NP_IBV_LOCAL_POLL:
		return burst ? &by_send_marked_burst : &by_send_marked;
	case NP_IBV_EVENT:
		return &write_imm_event;
	default:
		return burst ? &write_imm_burst : &write_imm_poll;
	}
}

/*
 * One-sided: RDMA write and read, and atomic operations, without the peer's CPU, which
 * sleeps meanwhile.
 *
 * With a window of 1 each operation is completed before the next (latency); with more
 * they overlap, and the flush at the end of a sample completes all.
 */

NP_ALWAYS_INLINE int put(struct np_endpoint *ep, size_t slot,
			 enum np_ibv_transport transport, enum np_ibv_call call,
			 bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];

	np_ibv_aim_local(ibv, at->send);
	np_ibv_aim_remote(ibv, at->recv);
	return np_ibv_post_message(ibv, slot, transport, call, sleeps);
}

NP_ALWAYS_INLINE int get(struct np_endpoint *ep, size_t slot,
			 enum np_ibv_transport transport, enum np_ibv_call call,
			 bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];

	np_ibv_aim_local(ibv, at->recv);
	np_ibv_aim_remote(ibv, at->send);
	return np_ibv_post_message(ibv, slot, transport, call, sleeps);
}

NP_ALWAYS_INLINE int get_and_wait(struct np_endpoint *ep, size_t slot,
				  enum np_ibv_transport transport, enum np_ibv_call call,
				  bool sleeps)
{
	const int rc = get(ep, slot, transport, call, sleeps);

	return rc != 0 ? rc : np_ibv_flush(np_ibv_of(ep), sleeps);
}

/* Code paths NAME[sleeps] of the one-sided operation `act`. */
#define STEP_PATHS(NAME, label, act, transport, call)                                      \
	NP_IBV_POSTING_HOOKS(NAME##_act, act, transport, call)                             \
	static const struct np_hot NAME##_poll_hot =                                       \
		NP_IBV_STEP_HOOKS(NAME##_act_polling, polling);                            \
	static const struct np_hot NAME##_event_hot =                                      \
		NP_IBV_STEP_HOOKS(NAME##_act_sleeping, sleeping);                          \
	NP_STEP_PATH(NAME##_poll, "poll" label, NAME##_poll_hot);                          \
	static const struct np_code_path NAME##_event = { .name = "event" label,           \
							  .hot = &NAME##_event_hot };      \
	static const struct np_code_path *const NAME[2] = { &NAME##_poll, &NAME##_event }

/* Code paths NAME[waits][sleeps] of a get; waits: each completes before the next. */
#define GET_PATHS(NAME, label, transport, call)                                            \
	STEP_PATHS(NAME##_many, label, get, transport, call);                              \
	STEP_PATHS(NAME##_each, label, get_and_wait, transport, call);                     \
	static const struct np_code_path *const *const NAME[2] = { NAME##_many,            \
								   NAME##_each }

STEP_PATHS(put_any, "", put, NP_IBV_WRITE, NP_IBV_BY_SEND);
STEP_PATHS(put_wr, ", ibv_wr", put, NP_IBV_WRITE, NP_IBV_BY_WR);
STEP_PATHS(put_inline, ", ibv_wr", put, NP_IBV_WRITE, NP_IBV_BY_WR_INLINE);
GET_PATHS(get_any, "", NP_IBV_READ, NP_IBV_BY_SEND);
GET_PATHS(get_wr, ", ibv_wr", NP_IBV_READ, NP_IBV_BY_WR);
GET_PATHS(add_wr, ", ibv_wr", NP_IBV_FETCH_ADD, NP_IBV_BY_WR);
GET_PATHS(swap_wr, ", ibv_wr", NP_IBV_COMPARE_SWAP, NP_IBV_BY_WR);

const struct np_code_path *np_ibv_one_sided(const struct np_ibv *ibv)
{
	const bool by_wr = np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR;
	const bool waits = ibv->endpoint.transfer->window == 1;
	/* Rank 1 is idle until the end of the block, and leaves its core to others, as
	 * the kernel threads of RDMA in software. */
	const bool sleeps = ibv->completion == NP_IBV_EVENT || ibv->endpoint.rank == 1;

	if (!by_wr)
		return np_ibv_gets(ibv->transport) ? get_any[waits][sleeps] :
						     put_any[sleeps];
	switch (ibv->transport) {
	case NP_IBV_READ:
		return get_wr[waits][sleeps];
	case NP_IBV_FETCH_ADD:
		return add_wr[waits][sleeps];
	case NP_IBV_COMPARE_SWAP:
		return swap_wr[waits][sleeps];
	default:
		return (np_ibv_inlines(ibv) ? put_inline : put_wr)[sleeps];
	}
}
