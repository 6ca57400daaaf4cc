/*
 * np_loop.h - the timed loops, all of them, once.
 *
 * They are written against a table of hooks.  Given a constant table the
 * compiler inlines the hooks and no call through a pointer is left; given a
 * run-time table the same text is the generic loop.  There is no mode, no
 * clock and no check of data in here: which loop runs is chosen before.
 *
 * Errors are tested at every call, not added up: a loop that ignored a failed
 * send would wait for ever in the receive after it.
 */
#pragma once

#include "contract/np_module.h"

#define NP_ALWAYS_INLINE       static inline __attribute__((always_inline))
#define NP_UNLIKELY(condition) __builtin_expect((condition), 0)

/* Hooks of a function for each way to wait, of which its last parameter is a constant. */
#define NP_SLOT_HOOKS(name)                                                                \
	static inline int name##_polling(struct np_endpoint *ep, size_t slot)              \
	{                                                                                  \
		return name(ep, slot, false);                                              \
	}                                                                                  \
	static inline int name##_sleeping(struct np_endpoint *ep, size_t slot)             \
	{                                                                                  \
		return name(ep, slot, true);                                               \
	}

/* The last byte of a slot's message.  A receiver that polls it writes NP_MARK there before
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

NP_ALWAYS_INLINE size_t np_next_slot(size_t slot, size_t begin, size_t end)
{
	return slot + 1 < end ? slot + 1 : begin;
}

/* The transmitter's half of a ping-pong: its receive is offered before the
 * message leaves, so the answer never finds nobody waiting. */
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

/* The receiver's half.  The driver has offered the first slot; each further
 * one is offered before the reply that allows the peer to use it. */
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

/* The receiver of a stream keeps `window` receives offered: the driver has
 * offered the first ones, min(window, messages * batches). */
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

/* One acknowledgement a message is a stream of batches of one. */
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
 * Both ends run this one.  The driver has offered the first slot; the next is
 * offered before this exchange ends, so a peer that is ahead finds it, and one
 * more than is used stays offered: the driver closes a block with an untimed
 * exchange into that one.  send() only starts the message where a transport
 * could block both ends in it.
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

/* The same with transfer->window exchanges in flight: each call offers as many receives,
 * the first of which the driver has offered, and leaves one more than it used.  The module
 * holds as many sends. */
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

/* The receiver of one-sided operations waits until it is told that they are
 * over; waiting is what moves a transport that needs the target's CPU. */
int np_loop_idle(struct np_endpoint *ep, size_t slot, uint64_t messages, uint64_t batches);

/* The hooks of the loops of a burst, whose receives are all posted before. */
NP_ALWAYS_INLINE struct np_hot np_hot_of_burst(const struct np_hot *hooks)
{
	struct np_hot of_burst = *hooks;

	of_burst.post_recv = np_no_hook_slot;
	return of_burst;
}

/* Compiles one loop around the constant table `hooks`. */
#define NP_LOOP(function, loop, hooks)                                                     \
	static int function(struct np_endpoint *ep, size_t slot, uint64_t messages,        \
			    uint64_t batches)                                              \
	{                                                                                  \
		return loop(ep, &(hooks), slot, messages, batches);                        \
	}

/* The same for a burst. */
#define NP_LOOP_BURST(function, loop, hooks)                                               \
	static int function(struct np_endpoint *ep, size_t slot, uint64_t messages,        \
			    uint64_t batches)                                              \
	{                                                                                  \
		const struct np_hot of_burst = np_hot_of_burst(&(hooks));                  \
                                                                                           \
		return loop(ep, &of_burst, slot, messages, batches);                       \
	}

/* Every loop of a two-sided transport, NAME_ping() ..., and the table of them. */
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

/* Defines `static const struct np_code_path NAME` with every loop compiled around the
 * constant table `hooks`. */
#define NP_CODE_PATH(NAME, label, hooks)                                                   \
	NP_LOOPS(NP_LOOP, NAME, hooks)                                                     \
	static const struct np_code_path NAME = { .name = (label),                         \
						  .hot = &(hooks),                         \
						  .loops = NP_LOOP_TABLE(NAME) }

/* The same for endpoint->burst: loops without posts; all hooks outside of them. */
#define NP_CODE_PATH_BURST(NAME, label, hooks)                                             \
	NP_LOOPS(NP_LOOP_BURST, NAME, hooks)                                               \
	static const struct np_code_path NAME = { .name = (label),                         \
						  .hot = &(hooks),                         \
						  .loops = NP_LOOP_TABLE(NAME) }
