/*
 * tcp_move.c - the timed hooks and loops: one-way messages and bidirectional ones.
 *
 * The functions of one message are inlined into the loops.  Partial transfers are normal
 * for large messages; errors are handled in cold functions, so that the hot path is the
 * system call and two tests.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "contract/np_loop.h"
#include "tcp_private.h"

/*
 * Errors of system calls on the data connection, kept out of the code of
 * the timed loops.
 */

/* Error codes of a lost connection. */
static bool is_lost(int code)
{
	switch (code) {
	case ECONNRESET:
	case EPIPE:
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case ENETUNREACH:
	case ENETDOWN:
		return true;
	default:
		return false;
	}
}

/*
 * Errors of system calls.  n is the result of recv(2), errno as it left it; `done` of
 * `length` bytes of the message had been moved before.  Returns -ECANCELED without a
 * text if the run was stopped, otherwise -errno with the text.
 */
__attribute__((cold, noinline)) static int tcp_receive_failed(struct np_tcp *tcp, ssize_t n,
							      size_t done, size_t length)
{
	const int code = n == 0 ? ECONNRESET : errno;
	struct np_error *error = &tcp->endpoint.error;

	if (np_should_stop(&tcp->endpoint))
		return -ECANCELED;
	if (code == ECONNRESET)
		return np_fail(error, NP_ERROR_PEER, code,
			       "the peer closed the data connection after %zu of %zu bytes "
			       "of a message",
			       done, length);
	if (is_lost(code))
		return np_fail(error, NP_ERROR_PEER, code,
			       "the data connection was lost after %zu of %zu bytes of a "
			       "message: %s",
			       done, length, strerror(code));
	return np_fail_errno(error, code, "cannot receive from the data connection");
}

__attribute__((cold, noinline)) static int tcp_send_failed(struct np_tcp *tcp, size_t done,
							   size_t length)
{
	const int code = errno;
	struct np_error *error = &tcp->endpoint.error;

	if (np_should_stop(&tcp->endpoint))
		return -ECANCELED;
	if (code == ECONNRESET || code == EPIPE)
		return np_fail(error, NP_ERROR_PEER, code,
			       "the peer closed the data connection after %zu of %zu bytes "
			       "of a message had been sent",
			       done, length);
	if (is_lost(code))
		return np_fail(error, NP_ERROR_PEER, code,
			       "the data connection was lost after %zu of %zu bytes of a "
			       "message had been sent: %s",
			       done, length, strerror(code));
	return np_fail_errno(error, code, "cannot send over the data connection");
}

__attribute__((cold, noinline)) static int tcp_wait_failed(struct np_tcp *tcp)
{
	const int code = errno;

	if (np_should_stop(&tcp->endpoint))
		return -ECANCELED;
	return np_fail_errno(&tcp->endpoint.error, code,
			     "cannot wait for the data connection");
}

/* Empty polls between two checks of the stop flag: about 0.25 ms. */
enum { POLLS = 1000 };

NP_ALWAYS_INLINE struct np_tcp *tcp_of(struct np_endpoint *endpoint)
{
	return (struct np_tcp *)endpoint;
}

/* Sends a whole message; sleeps while the socket buffer is full. */
NP_ALWAYS_INLINE int send_blocking(struct np_tcp *tcp, const unsigned char *from,
				   size_t length)
{
	size_t left = length;

	for (;;) {
		const ssize_t n = send(tcp->fd, from, left, MSG_NOSIGNAL);

		if (NP_UNLIKELY(n < 0)) {
			if (errno == EINTR)
				continue;
			return tcp_send_failed(tcp, length - left, length);
		}
		left -= (size_t)n;
		if (left == 0)
			return 0;
		from += n;
	}
}

/* Receives the last `left` of a message's `length` bytes.  MSG_WAITALL needs one call,
 * except beyond 2 GiB or after a signal. */
NP_ALWAYS_INLINE int receive_blocking(struct np_tcp *tcp, unsigned char *to, size_t left,
				      size_t length)
{
	for (;;) {
		const ssize_t n = recv(tcp->fd, to, left, MSG_WAITALL);

		if (NP_UNLIKELY(n <= 0)) {
			if (n < 0 && errno == EINTR)
				continue;
			return tcp_receive_failed(tcp, n, length - left, length);
		}
		left -= (size_t)n;
		if (left == 0)
			return 0;
		to += n;
	}
}

/* True if a nonblocking call must be repeated.  EINTR cannot happen, as it does not
 * sleep. */
NP_ALWAYS_INLINE bool not_yet(ssize_t n)
{
	return n < 0 && errno == EAGAIN;
}

/* Counts a poll that found nothing. */
NP_ALWAYS_INLINE int wait_spinning(struct np_tcp *tcp, unsigned *polls)
{
	if (NP_UNLIKELY(++*polls == POLLS)) {
		if (np_give_way(&tcp->endpoint))
			return -ECANCELED;
		*polls = 0;
	}
	return 0;
}

/*
 * Sleeps until the state of the socket changes; interrupt() changes it, too.  The
 * registration is edge-triggered: to lose no event, the caller must have seen EAGAIN
 * since the last call.
 */
NP_ALWAYS_INLINE int wait_event(struct np_tcp *tcp)
{
	struct epoll_event event;

	if (NP_UNLIKELY(epoll_wait(tcp->epoll, &event, 1, -1) < 0 && errno != EINTR))
		return tcp_wait_failed(tcp);
	return 0;
}

/* Sends a whole message by polling. */
NP_ALWAYS_INLINE int send_spinning(struct np_tcp *tcp, const unsigned char *from,
				   size_t length)
{
	size_t left = length;
	unsigned polls = 0;

	for (;;) {
		const ssize_t n = send(tcp->fd, from, left, MSG_DONTWAIT | MSG_NOSIGNAL);
		int rc;

		if (n > 0) {
			left -= (size_t)n;
			if (left == 0)
				return 0;
			from += n;
		} else if (NP_UNLIKELY(!not_yet(n))) {
			return tcp_send_failed(tcp, length - left, length);
		} else if (NP_UNLIKELY((rc = wait_spinning(tcp, &polls)) != 0)) {
			return rc;
		}
	}
}

/* Receives the last `left` bytes of a message; `sleeps` is a constant. */
NP_ALWAYS_INLINE int receive_nonblocking(struct np_tcp *tcp, unsigned char *to, size_t left,
					 size_t length, bool sleeps)
{
	unsigned polls = 0;

	for (;;) {
		const ssize_t n = recv(tcp->fd, to, left, MSG_DONTWAIT);
		int rc;

		if (n > 0) {
			left -= (size_t)n;
			if (left == 0)
				return 0;
			to += n;
			continue;
		}
		if (NP_UNLIKELY(!not_yet(n)))
			return tcp_receive_failed(tcp, n, length - left, length);
		rc = sleeps ? wait_event(tcp) : wait_spinning(tcp, &polls);
		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
}

NP_ALWAYS_INLINE int receive_spinning(struct np_tcp *tcp, unsigned char *to, size_t left,
				      size_t length)
{
	return receive_nonblocking(tcp, to, left, length, false);
}

NP_ALWAYS_INLINE int receive_epoll(struct np_tcp *tcp, unsigned char *to, size_t left,
				   size_t length)
{
	return receive_nonblocking(tcp, to, left, length, true);
}

/*
 * Ping-pong, streams and one direction at a time, in each mode.
 *
 * A message is one send(2) if it fits the socket buffer, and, in blocking mode, one
 * recv(2).  A blocking send() cannot deadlock: the peer is in its recv(), and
 * interrupt() wakes it.
 */

/* Defines the hooks and loops of a mode from its functions that send and receive. */
#define ONE_WAY(mode, label, sending, receiving)                                           \
	static int mode##_send(struct np_endpoint *ep, size_t slot)                        \
	{                                                                                  \
		const struct np_transfer *transfer = ep->transfer;                         \
                                                                                           \
		return sending(tcp_of(ep), transfer->slots[slot].send, transfer->length);  \
	}                                                                                  \
	static int mode##_recv(struct np_endpoint *ep, size_t slot)                        \
	{                                                                                  \
		const struct np_transfer *transfer = ep->transfer;                         \
                                                                                           \
		return receiving(tcp_of(ep), transfer->slots[slot].recv, transfer->length, \
				 transfer->length);                                        \
	}                                                                                  \
	static int mode##_send_ack(struct np_endpoint *ep)                                 \
	{                                                                                  \
		return sending(tcp_of(ep), &tcp_of(ep)->ack, 1);                           \
	}                                                                                  \
	static int mode##_recv_ack(struct np_endpoint *ep)                                 \
	{                                                                                  \
		return receiving(tcp_of(ep), &tcp_of(ep)->ack, 1, 1);                      \
	}                                                                                  \
	static const struct np_hot mode##_hot = {                                          \
		.post_recv = np_no_hook_slot,                                              \
		.send = mode##_send,                                                       \
		.recv = mode##_recv,                                                       \
		.flush = np_no_hook,                                                       \
		.send_ack = mode##_send_ack,                                               \
		.recv_ack = mode##_recv_ack,                                               \
		.step = np_no_hook_slot,                                                   \
	};                                                                                 \
	NP_CODE_PATH(mode##_path, label, mode##_hot)

ONE_WAY(blocking, "blocking", send_blocking, receive_blocking);
ONE_WAY(poll, "poll", send_spinning, receive_spinning);
ONE_WAY(epoll, "epoll", send_blocking, receive_epoll);

/*
 * Bidirectional messages.
 *
 * Deadlock: if both processes blocked in send(2), both socket buffers would fill and
 * neither process would read.  So send() sends what the socket accepts at once, recv()
 * moves both directions until its own message is complete, and flush() sends the rest.
 * flush() may wait for the socket buffer only: the peer stays in its recv() until it
 * has all of this message.
 */

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
	if (NP_UNLIKELY(!not_yet(n))) {
		const size_t length = tcp->endpoint.transfer->length;

		return tcp_send_failed(tcp, length - tcp->unsent_length, length);
	}
	return 0;
}

NP_ALWAYS_INLINE int wait_asleep(struct np_tcp *tcp, short events)
{
	struct pollfd wait = { .fd = tcp->fd, .events = events };

	if (NP_UNLIKELY(poll(&wait, 1, -1) < 0 && errno != EINTR))
		return tcp_wait_failed(tcp);
	return 0;
}

/* `mode` is a constant wherever this is inlined. */
NP_ALWAYS_INLINE int wait_for(struct np_tcp *tcp, enum np_tcp_receive mode, short events,
			      unsigned *polls)
{
	if (mode == NP_TCP_POLL)
		return wait_spinning(tcp, polls);
	if (mode == NP_TCP_EPOLL)
		return wait_event(tcp);
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
	struct np_tcp *tcp = tcp_of(ep);
	int rc;

	if (NP_UNLIKELY((rc = finish_send(tcp, mode)) != 0))
		return rc;
	tcp->unsent = ep->transfer->slots[slot].send;
	tcp->unsent_length = ep->transfer->length;
	rc = push_unsent(tcp);
	return NP_UNLIKELY(rc < 0) ? rc : 0;
}

/* Receives the last `left` bytes of a message; nothing is left to send. */
NP_ALWAYS_INLINE int receive_rest(struct np_tcp *tcp, enum np_tcp_receive mode,
				  unsigned char *to, size_t left, size_t length)
{
	if (mode == NP_TCP_POLL)
		return receive_spinning(tcp, to, left, length);
	if (mode == NP_TCP_EPOLL)
		return receive_epoll(tcp, to, left, length);
	return receive_blocking(tcp, to, left, length);
}

NP_ALWAYS_INLINE int receive_while_sending(struct np_endpoint *ep, size_t slot,
					   enum np_tcp_receive mode)
{
	struct np_tcp *tcp = tcp_of(ep);
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
		} else if (NP_UNLIKELY(!not_yet(n))) {
			return tcp_receive_failed(tcp, n, length - left, length);
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
		return finish_send(tcp_of(ep), mode);                                      \
	}                                                                                  \
	static int mode_name##_send_ack(struct np_endpoint *ep)                            \
	{                                                                                  \
		const int rc = finish_send(tcp_of(ep), mode);                              \
                                                                                           \
		return rc != 0 ? rc : send_blocking(tcp_of(ep), &tcp_of(ep)->ack, 1);      \
	}                                                                                  \
	static int mode_name##_recv_ack(struct np_endpoint *ep)                            \
	{                                                                                  \
		return receive_rest(tcp_of(ep), mode, &tcp_of(ep)->ack, 1, 1);             \
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

BIDIRECTIONAL(both_blocking, "blocking", NP_TCP_BLOCKING);
BIDIRECTIONAL(both_poll, "poll", NP_TCP_POLL);
BIDIRECTIONAL(both_epoll, "epoll", NP_TCP_EPOLL);

const struct np_code_path *np_tcp_code_path(enum np_tcp_receive receive, bool bidirectional)
{
	static const struct np_code_path *const code_paths[NP_TCP_RECEIVES][2] = {
		[NP_TCP_BLOCKING] = { &blocking_path, &both_blocking_path },
		[NP_TCP_POLL] = { &poll_path, &both_poll_path },
		[NP_TCP_EPOLL] = { &epoll_path, &both_epoll_path },
	};

	return code_paths[receive][bidirectional];
}
