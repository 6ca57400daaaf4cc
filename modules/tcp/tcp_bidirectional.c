/*
 * tcp_bidirectional.c - hooks and loops for bidirectional messages.
 *
 * Deadlock: if both processes blocked in send(2), both socket buffers would fill and
 * neither process would read.  So send() sends what the socket accepts at once, recv()
 * moves both directions until its own message is complete, and flush() sends the rest.
 * flush() may wait for the socket buffer only: the peer stays in its recv() until it
 * has all of this message.
 */
#include <poll.h>

#include "tcp_move.h"

/* Sends as much of the current message as the socket accepts now.  Returns 1 if any
 * bytes moved, 0 if none, or -errno. */
NP_ALWAYS_INLINE int push_unsent(struct np_tcp *tcp)
{
	const ssize_t n =
		send(tcp->fd, tcp->unsent, tcp->unsent_length, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0) {
		tcp->unsent += n;
		tcp->unsent_length -= (size_t)n;
		return 1;
	}
	if (NP_UNLIKELY(!np_tcp_not_yet(n))) {
		const size_t length = tcp->endpoint.transfer->length;

		return np_tcp_send_failed(tcp, length - tcp->unsent_length, length);
	}
	return 0;
}

NP_ALWAYS_INLINE int wait_asleep(struct np_tcp *tcp, short events)
{
	struct pollfd wait = { .fd = tcp->fd, .events = events };

	if (NP_UNLIKELY(poll(&wait, 1, -1) < 0 && errno != EINTR))
		return np_tcp_wait_failed(tcp);
	return 0;
}

/* `mode` is a constant wherever this is inlined. */
NP_ALWAYS_INLINE int wait_for(struct np_tcp *tcp, enum np_tcp_receive mode, short events,
			      unsigned *polls)
{
	if (mode == NP_TCP_POLL)
		return np_tcp_wait_spinning(tcp, polls);
	if (mode == NP_TCP_EPOLL)
		return np_tcp_wait_event(tcp);
	return wait_asleep(tcp, events);
}

NP_ALWAYS_INLINE int finish_send(struct np_tcp *tcp, enum np_tcp_receive mode)
{
	unsigned polls = 0;

	while (tcp->unsent_length != 0) {
		int rc = push_unsent(tcp);

		if (rc == 0)
			rc = wait_for(tcp, mode, POLLOUT, &polls);
		if (NP_UNLIKELY(rc < 0))
			return rc;
	}
	return 0;
}

NP_ALWAYS_INLINE int start_send(struct np_endpoint *ep, size_t slot,
				enum np_tcp_receive mode)
{
	struct np_tcp *tcp = np_tcp_of(ep);
	int rc;

	if (NP_UNLIKELY((rc = finish_send(tcp, mode)) != 0))
		return rc;
	tcp->unsent = ep->transfer->slots[slot].send;
	tcp->unsent_length = ep->transfer->length;
	rc = push_unsent(tcp);
	return NP_UNLIKELY(rc < 0) ? rc : 0;
}

/* Receives the rest of a message after all has been sent. */
NP_ALWAYS_INLINE int receive_rest(struct np_tcp *tcp, enum np_tcp_receive mode,
				  unsigned char *to, size_t left, size_t length)
{
	if (mode == NP_TCP_POLL)
		return np_tcp_receive_spinning(tcp, to, left, length);
	if (mode == NP_TCP_EPOLL)
		return np_tcp_receive_epoll(tcp, to, left, length);
	return np_tcp_receive_blocking(tcp, to, left, length);
}

NP_ALWAYS_INLINE int receive_while_sending(struct np_endpoint *ep, size_t slot,
					   enum np_tcp_receive mode)
{
	struct np_tcp *tcp = np_tcp_of(ep);
	unsigned char *to = ep->transfer->slots[slot].recv;
	const size_t length = ep->transfer->length;
	size_t left = length;
	unsigned polls = 0;

	while (left != 0 && tcp->unsent_length != 0) {
		const ssize_t n = recv(tcp->fd, to, left, MSG_DONTWAIT);
		int rc;

		if (n > 0) {
			to += n;
			left -= (size_t)n;
		} else if (NP_UNLIKELY(!np_tcp_not_yet(n))) {
			return np_tcp_receive_failed(tcp, n, length - left, length);
		}
		rc = push_unsent(tcp);
		if (rc == 0 && n < 0)
			rc = wait_for(tcp, mode, POLLIN | POLLOUT, &polls);
		if (NP_UNLIKELY(rc < 0))
			return rc;
	}
	return left != 0 ? receive_rest(tcp, mode, to, left, length) : 0;
}

/* Compiles the hooks and the loop of one mode.  arm() selects this code path for
 * bidirectional messages only, so it has no other loops. */
#define BIDIRECTIONAL(mode_name, label, mode)                                              \
	static int mode_name##_send(struct np_endpoint *ep, size_t slot)                   \
	{                                                                                  \
		return start_send(ep, slot, mode);                                         \
	}                                                                                  \
	static int mode_name##_recv(struct np_endpoint *ep, size_t slot)                   \
	{                                                                                  \
		return receive_while_sending(ep, slot, mode);                              \
	}                                                                                  \
	static int mode_name##_flush(struct np_endpoint *ep)                               \
	{                                                                                  \
		return finish_send(np_tcp_of(ep), mode);                                   \
	}                                                                                  \
	static int mode_name##_send_ack(struct np_endpoint *ep)                            \
	{                                                                                  \
		const int rc = finish_send(np_tcp_of(ep), mode);                           \
                                                                                           \
		return rc != 0 ? rc :                                                      \
				 np_tcp_send_blocking(np_tcp_of(ep), &np_tcp_of(ep)->ack,  \
						      1);                                  \
	}                                                                                  \
	static int mode_name##_recv_ack(struct np_endpoint *ep)                            \
	{                                                                                  \
		return receive_rest(np_tcp_of(ep), mode, &np_tcp_of(ep)->ack, 1, 1);       \
	}                                                                                  \
	static const struct np_hot mode_name##_hot = {                                     \
		.post_recv = np_no_hook_slot,                                              \
		.send = mode_name##_send,                                                  \
		.recv = mode_name##_recv,                                                  \
		.flush = mode_name##_flush,                                                \
		.send_ack = mode_name##_send_ack,                                          \
		.recv_ack = mode_name##_recv_ack,                                          \
		.step = np_no_hook_slot,                                                   \
	};                                                                                 \
	NP_LOOP(mode_name##_exchange, np_loop_exchange, mode_name##_hot)                   \
	static const struct np_code_path mode_name##_path = {                             \
		.name = (label),                                                           \
		.hot = &mode_name##_hot,                                                   \
		.loops = {                                                                 \
			[NP_BIDIRECTIONAL] = { mode_name##_exchange,                       \
					       mode_name##_exchange },                     \
		},                                                                         \
	}

BIDIRECTIONAL(blocking, "blocking", NP_TCP_BLOCKING);
BIDIRECTIONAL(poll, "poll", NP_TCP_POLL);
BIDIRECTIONAL(epoll, "epoll", NP_TCP_EPOLL);

const struct np_code_path *np_tcp_bidirectional(enum np_tcp_receive receive)
{
	static const struct np_code_path *const code_paths[NP_TCP_RECEIVES] = {
		[NP_TCP_BLOCKING] = &blocking_path,
		[NP_TCP_POLL] = &poll_path,
		[NP_TCP_EPOLL] = &epoll_path,
	};

	return code_paths[receive];
}
