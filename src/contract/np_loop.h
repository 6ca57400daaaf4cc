/*
 * np_loop.h - the timed loops of all transports.
 *
 * Loops take a table of hooks.  For a constant table the compiler inlines the hooks, and no
 * call through a pointer is left; for a table known at run time the same text is the
 * generic loop.  A loop contains no mode, no clock and no check of data: the driver chooses
 * a loop before.
 *
 * Each call is tested for an error: a loop that ignored a failed send would wait for ever
 * in the next receive.
 */
#pragma once

#include "contract/np_module.h"

#define NP_ALWAYS_INLINE       static inline __attribute__((always_inline))
#define NP_UNLIKELY(condition) __builtin_expect((condition), 0)

/* Defines the hooks name_polling() and name_sleeping(): calls of name() with a constant
 * last parameter. */
#define NP_SLOT_HOOKS(name)                                                                \
	static inline int name##_polling(struct np_endpoint *ep, size_t slot)              \
	{                                                                                  \
		return name(ep, slot, false);                                              \
	}                                                                                  \
	static inline int name##_sleeping(struct np_endpoint *ep, size_t slot)             \
	{                                                                                  \
		return name(ep, slot, true);                                               \
	}

/* Last byte of a slot's message.  A receiver that polls it stores NP_MARK there before
 * the message may arrive. */
NP_ALWAYS_INLINE volatile unsigned char *np_last_byte(const struct np_endpoint *ep,
						      size_t slot)
{
	return ep->transfer->slots[slot].recv + ep->transfer->length - 1;
}

static inline int np_mark_last_byte(struct np_endpoint *ep, size_t slot)
{
	*np_last_byte(ep, slot) = NP_MARK;
	return 0;
}

/* Index of the registered part of a region that contains an address. */
NP_ALWAYS_INLINE size_t np_region_part(const struct np_region *region,
				       const unsigned char *address)
{
	return region->registrations == 1 ?
		       0 :
		       (size_t)(address - region->base) / region->part_size;
}

NP_ALWAYS_INLINE size_t np_next_slot(size_t slot, size_t begin, size_t end)
{
	return slot + 1 < end ? slot + 1 : begin;
}

/* Ping-pong at rank 0.  The receive is posted before the send, so that the reply always
 * finds it. */
NP_ALWAYS_INLINE int np_loop_ping(struct np_endpoint *ep, const struct np_hot *hot,
				  size_t slot, uint64_t messages, uint64_t batches)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	int rc;

	for (uint64_t left = messages * batches; left != 0; left--) {
		if (NP_UNLIKELY((rc = hot->post_recv(ep, slot)) != 0))
			return rc;
		if (NP_UNLIKELY((rc = hot->send(ep, slot)) != 0))
			return rc;
		if (NP_UNLIKELY((rc = hot->recv(ep, slot)) != 0))
			return rc;
		slot = np_next_slot(slot, begin, end);
	}
	return hot->flush(ep);
}

/* Ping-pong at rank 1.  The driver has posted the receive of the first slot; each
 * further one is posted before the reply that allows the peer to use it. */
NP_ALWAYS_INLINE int np_loop_pong(struct np_endpoint *ep, const struct np_hot *hot,
				  size_t slot, uint64_t messages, uint64_t batches)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	int rc;

	for (uint64_t left = messages * batches; left > 1; left--) {
		const size_t next = np_next_slot(slot, begin, end);

		if (NP_UNLIKELY((rc = hot->recv(ep, slot)) != 0))
			return rc;
		if (NP_UNLIKELY((rc = hot->post_recv(ep, next)) != 0))
			return rc;
		if (NP_UNLIKELY((rc = hot->send(ep, slot)) != 0))
			return rc;
		slot = next;
	}
	if ((rc = hot->recv(ep, slot)) != 0 || (rc = hot->send(ep, slot)) != 0)
		return rc;
	return hot->flush(ep);
}

NP_ALWAYS_INLINE int np_loop_stream_out(struct np_endpoint *ep, const struct np_hot *hot,
					size_t slot, uint64_t messages, uint64_t batches)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	int rc;

	for (; batches != 0; batches--) {
		for (uint64_t left = messages; left != 0; left--) {
			if (NP_UNLIKELY((rc = hot->send(ep, slot)) != 0))
				return rc;
			slot = np_next_slot(slot, begin, end);
		}
		if (NP_UNLIKELY((rc = hot->flush(ep)) != 0))
			return rc;
		if (NP_UNLIKELY((rc = hot->recv_ack(ep)) != 0))
			return rc;
	}
	return 0;
}

/* Receiver of a stream: `window` receives are posted at a time.  The driver has posted
 * the first min(window, messages * batches). */
NP_ALWAYS_INLINE int np_loop_stream_in(struct np_endpoint *ep, const struct np_hot *hot,
				       size_t slot, uint64_t messages, uint64_t batches)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	const uint64_t total = messages * batches;
	const uint64_t window = ep->transfer->window;
	uint64_t to_offer = total > window ? total - window : 0;
	size_t offer = begin + (size_t)((slot - begin + window) % (end - begin));
	int rc;

	for (; batches != 0; batches--) {
		for (uint64_t left = messages; left != 0; left--) {
			if (NP_UNLIKELY((rc = hot->recv(ep, slot)) != 0))
				return rc;
			if (to_offer != 0) {
				if (NP_UNLIKELY((rc = hot->post_recv(ep, offer)) != 0))
					return rc;
				offer = np_next_slot(offer, begin, end);
				to_offer--;
			}
			slot = np_next_slot(slot, begin, end);
		}
		if (NP_UNLIKELY((rc = hot->send_ack(ep)) != 0))
			return rc;
	}
	return hot->flush(ep);
}

/* Sender of a stream in which the peer acknowledges each message before the next. */
NP_ALWAYS_INLINE int np_loop_acked_out(struct np_endpoint *ep, const struct np_hot *hot,
				       size_t slot, uint64_t messages, uint64_t batches)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	int rc;

	for (uint64_t left = messages * batches; left != 0; left--) {
		if (NP_UNLIKELY((rc = hot->send(ep, slot)) != 0))
			return rc;
		if (NP_UNLIKELY((rc = hot->recv_ack(ep)) != 0))
			return rc;
		slot = np_next_slot(slot, begin, end);
	}
	return hot->flush(ep);
}

NP_ALWAYS_INLINE int np_loop_acked_in(struct np_endpoint *ep, const struct np_hot *hot,
				      size_t slot, uint64_t messages, uint64_t batches)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	int rc;

	for (uint64_t left = messages * batches; left > 1; left--) {
		const size_t next = np_next_slot(slot, begin, end);

		if (NP_UNLIKELY((rc = hot->recv(ep, slot)) != 0))
			return rc;
		if (NP_UNLIKELY((rc = hot->post_recv(ep, next)) != 0))
			return rc;
		if (NP_UNLIKELY((rc = hot->send_ack(ep)) != 0))
			return rc;
		slot = next;
	}
	if ((rc = hot->recv(ep, slot)) != 0 || (rc = hot->send_ack(ep)) != 0)
		return rc;
	return hot->flush(ep);
}

/*
 * Bidirectional exchange, at both ranks.  The driver has posted the receive of the first
 * slot.  The next is posted before this exchange ends, for a peer that is ahead.  One
 * receive more than messages is posted: the driver closes a block with an untimed exchange
 * into it.  send() only starts the message where blocking sends could deadlock.
 */
NP_ALWAYS_INLINE int np_loop_exchange(struct np_endpoint *ep, const struct np_hot *hot,
				      size_t slot, uint64_t messages, uint64_t batches)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	int rc;

	for (uint64_t left = messages * batches; left != 0; left--) {
		const size_t next = np_next_slot(slot, begin, end);

		if (NP_UNLIKELY((rc = hot->post_recv(ep, next)) != 0))
			return rc;
		if (NP_UNLIKELY((rc = hot->send(ep, slot)) != 0))
			return rc;
		if (NP_UNLIKELY((rc = hot->recv(ep, slot)) != 0))
			return rc;
		if (NP_UNLIKELY((rc = hot->flush(ep)) != 0))
			return rc;
		slot = next;
	}
	return 0;
}

/* Bidirectional exchange with transfer->window messages in flight.  The driver has posted
 * the first receive; a call posts the others of the window, and in all one more than it
 * consumes.  The module supports as many sends in flight. */
NP_ALWAYS_INLINE int np_loop_exchange_window(struct np_endpoint *ep,
					     const struct np_hot *hot, size_t slot,
					     uint64_t messages, uint64_t batches)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	const uint64_t total = messages * batches;
	const uint64_t window = ep->transfer->window < total ? ep->transfer->window : total;
	size_t to = slot, from = slot, offer = np_next_slot(slot, begin, end);
	uint64_t offered = 1;
	int rc;

	for (; offered < window; offered++) {
		if (NP_UNLIKELY((rc = hot->post_recv(ep, offer)) != 0))
			return rc;
		offer = np_next_slot(offer, begin, end);
	}
	for (uint64_t sent = 0; sent < total + window - 1; sent++) {
		if (sent < total) {
			if (NP_UNLIKELY((rc = hot->send(ep, from)) != 0))
				return rc;
			from = np_next_slot(from, begin, end);
		}
		if (sent + 1 < window)
			continue;
		if (NP_UNLIKELY((rc = hot->recv(ep, to)) != 0))
			return rc;
		to = np_next_slot(to, begin, end);
		if (offered <= total) {
			if (NP_UNLIKELY((rc = hot->post_recv(ep, offer)) != 0))
				return rc;
			offer = np_next_slot(offer, begin, end);
			offered++;
		}
	}
	return hot->flush(ep);
}

NP_ALWAYS_INLINE int np_loop_one_sided(struct np_endpoint *ep, const struct np_hot *hot,
				       size_t slot, uint64_t messages, uint64_t batches)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	int rc;

	for (; batches != 0; batches--) {
		for (uint64_t left = messages; left != 0; left--) {
			if (NP_UNLIKELY((rc = hot->step(ep, slot)) != 0))
				return rc;
			slot = np_next_slot(slot, begin, end);
		}
		if (NP_UNLIKELY((rc = hot->flush(ep)) != 0))
			return rc;
	}
	return 0;
}

/* Rank 1 of one-sided operations: waits for the end of the block in recv_ack(), which
 * progresses transports that need the target's CPU. */
int np_loop_idle(struct np_endpoint *ep, size_t slot, uint64_t messages, uint64_t batches);

/* Returns the hooks for loops of a burst, without post_recv(): all receives are posted
 * before the loop. */
NP_ALWAYS_INLINE struct np_hot np_hot_of_burst(const struct np_hot *hooks)
{
	struct np_hot of_burst = *hooks;

	of_burst.post_recv = np_no_hook_slot;
	return of_burst;
}

/* Defines one loop around the constant table `hooks`. */
#define NP_LOOP(function, loop, hooks)                                                     \
	static int function(struct np_endpoint *ep, size_t slot, uint64_t messages,        \
			    uint64_t batches)                                              \
	{                                                                                  \
		return loop(ep, &(hooks), slot, messages, batches);                        \
	}

/* Defines one loop of a burst. */
#define NP_LOOP_BURST(function, loop, hooks)                                               \
	static int function(struct np_endpoint *ep, size_t slot, uint64_t messages,        \
			    uint64_t batches)                                              \
	{                                                                                  \
		const struct np_hot of_burst = np_hot_of_burst(&(hooks));                  \
                                                                                           \
		return loop(ep, &of_burst, slot, messages, batches);                       \
	}

/* Defines all loops of a two-sided transport, NAME_ping() ..., and their table. */
#define NP_LOOPS(MAKE_LOOP, NAME, hooks)                                                   \
	MAKE_LOOP(NAME##_ping, np_loop_ping, hooks)                                        \
	MAKE_LOOP(NAME##_pong, np_loop_pong, hooks)                                        \
	MAKE_LOOP(NAME##_stream_out, np_loop_stream_out, hooks)                            \
	MAKE_LOOP(NAME##_stream_in, np_loop_stream_in, hooks)                              \
	MAKE_LOOP(NAME##_acked_out, np_loop_acked_out, hooks)                              \
	MAKE_LOOP(NAME##_acked_in, np_loop_acked_in, hooks)                                \
	MAKE_LOOP(NAME##_exchange, np_loop_exchange, hooks)                                \
	MAKE_LOOP(NAME##_step, np_loop_one_sided, hooks)
#define NP_LOOP_TABLE(NAME)                                                                \
	{                                                                                  \
		[NP_PINGPONG] = { NAME##_ping, NAME##_pong },                              \
		[NP_STREAM] = { NAME##_stream_out, NAME##_stream_in },                     \
		[NP_STREAM_ACKED] = { NAME##_acked_out, NAME##_acked_in },                 \
		[NP_BIDIRECTIONAL] = { NAME##_exchange, NAME##_exchange },                 \
		[NP_ONE_SIDED] = { NAME##_step, np_loop_idle },                            \
	}

/* Defines `static const struct np_code_path NAME` with all loops around the constant
 * table `hooks`. */
#define NP_CODE_PATH(NAME, label, hooks)                                                   \
	NP_LOOPS(NP_LOOP, NAME, hooks)                                                     \
	static const struct np_code_path NAME = { .name = (label),                         \
						  .hot = &(hooks),                         \
						  .loops = NP_LOOP_TABLE(NAME) }

/* Defines `static const struct np_code_path NAME` with the loop of NP_ONE_SIDED alone. */
#define NP_STEP_PATH(NAME, label, hooks)                                                   \
	NP_LOOP(NAME##_loop, np_loop_one_sided, hooks)                                     \
	static const struct np_code_path NAME = {                                          \
		.name = (label),                                                           \
		.hot = &(hooks),                                                           \
		.loops = { [NP_ONE_SIDED] = { NAME##_loop, np_loop_idle } },               \
	}

/* Defines the code path of endpoint->burst: loops that post no receives, and all hooks
 * for use outside of them. */
#define NP_CODE_PATH_BURST(NAME, label, hooks)                                             \
	NP_LOOPS(NP_LOOP_BURST, NAME, hooks)                                               \
	static const struct np_code_path NAME = { .name = (label),                         \
						  .hot = &(hooks),                         \
						  .loops = NP_LOOP_TABLE(NAME) }
