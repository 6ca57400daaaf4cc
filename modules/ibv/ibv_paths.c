/*
 * ibv_paths.c - hooks and loops of the transports: send and receive, RDMA write, one-sided
 * operations, lists of work requests, and registration of each message.
 */
#include <errno.h>
#include <stdlib.h>

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

static const struct np_code_path *choose_two_sided(const struct np_ibv *ibv)
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

static const struct np_code_path *choose_write(const struct np_ibv *ibv)
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

static const struct np_code_path *choose_one_sided(const struct np_ibv *ibv)
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

/*
 * --post-list: rank 0 of a stream posts several work requests by one ibv_post_send(3), or
 * one ibv_wr_complete(3).
 *
 * Hooks append requests to a list, which is posted when it is full, and at the end of a
 * sample.  A list is begun only when the send queue has room for all of it, and the
 * receiver has as many receives: no wait happens with requests in the list.  A list has at
 * most half of the requests in flight: signals and credits come at least that often, so
 * that neither wait is endless.
 */

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

#define SEND_LISTS(NAME, act, transport)                                                   \
	LIST_PATHS(NAME, "lists", act, transport, NP_IBV_BY_SEND, NP_IBV_BY_SEND)
#define WR_LISTS(NAME, act, transport)                                                     \
	LIST_PATHS(NAME, "ibv_wr, lists", act, transport, NP_IBV_BY_WR, NP_IBV_BY_WR)
/* Defines NAME and, with inline data, NAME_inline. */
#define INLINE_LISTS(NAME, act, transport)                                                 \
	WR_LISTS(NAME, act, transport);                                                    \
	LIST_PATHS(NAME##_inline, "ibv_wr, lists", act, transport, NP_IBV_BY_WR_INLINE,    \
		   NP_IBV_BY_WR)

/* With ibv_post_send() transports differ only in the prepared requests. */
SEND_LISTS(lists_of_sends, list_send, NP_IBV_SEND);
SEND_LISTS(lists_of_writes, list_write, NP_IBV_WRITE);
SEND_LISTS(lists_of_gets, list_get, NP_IBV_READ);
INLINE_LISTS(wr_send, list_send, NP_IBV_SEND);
INLINE_LISTS(wr_send_imm, list_send, NP_IBV_SEND_IMM);
INLINE_LISTS(wr_write, list_write, NP_IBV_WRITE);
INLINE_LISTS(wr_write_imm, list_write, NP_IBV_WRITE_IMM);
INLINE_LISTS(wr_datagram, list_send, NP_IBV_UD);
WR_LISTS(wr_read, list_get, NP_IBV_READ);
WR_LISTS(wr_add, list_get, NP_IBV_FETCH_ADD);
WR_LISTS(wr_swap, list_get, NP_IBV_COMPARE_SWAP);

/* [transport][sleeps], and [transport][inline data][sleeps]. */
static const struct np_code_path *const *const send_lists[NP_IBV_TRANSPORTS] = {
	[NP_IBV_SEND] = lists_of_sends,	      [NP_IBV_SEND_IMM] = lists_of_sends,
	[NP_IBV_UD] = lists_of_sends,	      [NP_IBV_WRITE] = lists_of_writes,
	[NP_IBV_WRITE_IMM] = lists_of_writes, [NP_IBV_READ] = lists_of_gets,
	[NP_IBV_FETCH_ADD] = lists_of_gets,   [NP_IBV_COMPARE_SWAP] = lists_of_gets,
};
static const struct np_code_path *const *const wr_lists[NP_IBV_TRANSPORTS][2] = {
	[NP_IBV_SEND] = { wr_send, wr_send_inline },
	[NP_IBV_SEND_IMM] = { wr_send_imm, wr_send_imm_inline },
	[NP_IBV_WRITE] = { wr_write, wr_write_inline },
	[NP_IBV_WRITE_IMM] = { wr_write_imm, wr_write_imm_inline },
	[NP_IBV_READ] = { wr_read },
	[NP_IBV_UD] = { wr_datagram, wr_datagram_inline },
	[NP_IBV_FETCH_ADD] = { wr_add },
	[NP_IBV_COMPARE_SWAP] = { wr_swap },
};

static const struct np_code_path *choose_lists(const struct np_ibv *ibv)
{
	const bool sleeps = ibv->completion == NP_IBV_EVENT;

	if (np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR)
		return wr_lists[ibv->transport][np_ibv_inlines(ibv)][sleeps];
	return send_lists[ibv->transport][sleeps];
}

/*
 * Registration in the timed loop: around every message, as in a library without a
 * registration cache (--register each), or without messages (--register cost).
 */

/* Registers a message's buffer; an empty message as one byte. */
static struct ibv_mr *register_buffer(struct np_ibv *ibv, unsigned char *buffer)
{
	const size_t length = ibv->endpoint.transfer->length;

	return np_ibv_register(ibv, buffer, length != 0 ? length : 1);
}

static int deregister(struct np_ibv *ibv, struct ibv_mr *region)
{
	const int rc = ibv_dereg_mr(region);

	return rc == 0 ? 0 : np_ibv_post_failed(ibv, "ibv_dereg_mr", rc);
}

static int store_region(struct np_ibv *ibv, struct ibv_mr *region)
{
	if (region == NULL)
		return ibv->endpoint.error.code;
	const size_t at = ibv->kept_first + ibv->kept_count;

	ibv->kept[at < ibv->kept_capacity ? at : at - ibv->kept_capacity] = region;
	ibv->kept_count++;
	return 0;
}

static int deregister_oldest(struct np_ibv *ibv)
{
	struct ibv_mr *region = ibv->kept[ibv->kept_first];

	ibv->kept_first =
		ibv->kept_first + 1 < ibv->kept_capacity ? ibv->kept_first + 1 : 0;
	ibv->kept_count--;
	return deregister(ibv, region);
}

/* Allocates `kept`, which must be empty, for `count` regions. */
static int reserve_kept(struct np_ibv *ibv, size_t count)
{
	if (ibv->kept_capacity >= count)
		return 0;
	free(ibv->kept);
	ibv->kept_capacity = 0;
	ibv->kept_first = 0;
	ibv->kept = calloc(count, sizeof(struct ibv_mr *));
	if (ibv->kept == NULL)
		return np_fail_errno(&ibv->endpoint.error, ENOMEM,
				     "no memory for %zu registrations", count);
	ibv->kept_capacity = count;
	return 0;
}

void np_ibv_register_end(struct np_ibv *ibv)
{
	while (ibv->kept_count != 0)
		deregister_oldest(ibv);
	free(ibv->kept);
	ibv->kept = NULL;
	ibv->kept_capacity = 0;
	ibv->kept_first = 0;
}

/* ---- --register each ----------------------------------------------------------- */

static int post_recv_each(struct np_endpoint *ep, size_t slot)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	unsigned char *buffer = ep->transfer->slots[slot].recv;
	struct ibv_mr *region = register_buffer(ibv, buffer);
	const int rc = store_region(ibv, region);

	if (rc != 0)
		return rc;
	ibv->recv_part.addr = (uintptr_t)buffer;
	ibv->recv_part.lkey = region->lkey;
	return np_ibv_post_recv(ibv, slot, false);
}

NP_ALWAYS_INLINE int recv_each(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const int rc = np_ibv_recv(ep, slot, sleeps);

	return rc != 0 ? rc : deregister_oldest(ibv);
}

NP_ALWAYS_INLINE int send_each(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	unsigned char *buffer = ep->transfer->slots[slot].send;
	int rc = np_ibv_wait_credit(ibv, sleeps);

	if (rc != 0)
		return rc;
	struct ibv_mr *region = register_buffer(ibv, buffer);
	if (region == NULL)
		return ep->error.code;
	struct np_ibv_queue *queue = np_ibv_next(ibv, &ibv->send_turn);

	ibv->send_part.addr = (uintptr_t)buffer;
	ibv->send_part.lkey = region->lkey;
	rc = np_ibv_post(ibv, queue, &ibv->send_request, ibv->send_flags, slot, sleeps);
	while (rc == 0 && queue->completed != queue->posted)
		rc = np_ibv_wait_send(ibv, queue, sleeps);
	const int freed = deregister(ibv, region);
	return rc != 0 ? rc : freed;
}

NP_SLOT_HOOKS(recv_each)
NP_SLOT_HOOKS(send_each)

static const struct np_hot each_poll_hot =
	NP_IBV_MESSAGE_HOOKS(post_recv_each, send_each_polling, recv_each_polling, polling);
static const struct np_hot each_event_hot = NP_IBV_MESSAGE_HOOKS(
	post_recv_each, send_each_sleeping, recv_each_sleeping, sleeping);

/* Generic loops: their overhead is negligible beside a registration. */
static const struct np_code_path each_poll = { .name = "poll, registered each",
					       .hot = &each_poll_hot };
static const struct np_code_path each_event = { .name = "event, registered each",
						.hot = &each_event_hot };

int np_ibv_register_arm(struct np_ibv *ibv, const struct np_transfer *transfer)
{
	return reserve_kept(ibv, transfer->window + 2);
}

/* ---- --register cost ------------------------------------------------------------ */

static int step_register(struct np_endpoint *ep, size_t slot)
{
	struct np_ibv *ibv = np_ibv_of(ep);

	return store_region(ibv, register_buffer(ibv, ep->transfer->slots[slot].send));
}

static int step_deregister(struct np_endpoint *ep, size_t slot)
{
	(void)slot;
	return deregister_oldest(np_ibv_of(ep));
}

/* Untimed: deregisters the regions of the last block, and registers those that a block of
 * deregistrations needs. */
int np_ibv_register_begin(struct np_ibv *ibv, uint64_t messages)
{
	struct np_endpoint *ep = &ibv->endpoint;
	size_t slot = ep->ring_begin;
	int rc = 0;

	if (ep->rank != 0)
		return 0;
	while (rc == 0 && ibv->kept_count != 0)
		rc = deregister_oldest(ibv);
	if (rc == 0)
		rc = reserve_kept(ibv, (size_t)messages);
	for (uint64_t i = 0; rc == 0 && ep->transfer->variant == 1 && i < messages; i++) {
		rc = step_register(ep, slot);
		slot = np_next_slot(slot, ep->ring_begin, ep->ring_end);
	}
	return rc;
}

static const struct np_hot register_hot = NP_IBV_STEP_HOOKS(step_register, polling);
static const struct np_hot deregister_hot = NP_IBV_STEP_HOOKS(step_deregister, polling);

static const struct np_code_path register_path = { .name = "ibv_reg_mr",
						   .hot = &register_hot };
static const struct np_code_path deregister_path = { .name = "ibv_dereg_mr",
						     .hot = &deregister_hot };

/* ---- choice --------------------------------------------------------------------- */

const struct np_code_path *np_ibv_path(const struct np_ibv *ibv)
{
	const struct np_ibv_options *options = np_ibv_options_of(ibv);

	if (options->registering == NP_IBV_REGISTER_COST)
		return ibv->endpoint.transfer->variant == 0 ? &register_path :
							      &deregister_path;
	if (options->registering == NP_IBV_REGISTER_EACH)
		return ibv->completion == NP_IBV_EVENT ? &each_event : &each_poll;
	if (ibv->list_length > 1 && ibv->endpoint.rank == 0)
		return choose_lists(ibv);
	if (ibv->endpoint.transfer->operation == NP_ONE_SIDED)
		return choose_one_sided(ibv);
	if (ibv->transport == NP_IBV_WRITE || ibv->transport == NP_IBV_WRITE_IMM)
		return choose_write(ibv);
	return choose_two_sided(ibv);
}
