/*
 * tcp_move.h - sends and receives the bytes of one message, for the timed hooks.
 *
 * Everything is inlined into the loops.  Partial transfers are normal for large
 * messages; errors are handled in the cold functions of tcp_error.c, so that the hot
 * path is the system call and two tests.
 */
#pragma once

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "contract/np_loop.h"
#include "tcp_private.h"

/* Empty polls between two checks of the stop flag: about 0.25 ms. */
enum { NP_TCP_POLLS = 1000 };

NP_ALWAYS_INLINE struct np_tcp *np_tcp_of(struct np_endpoint *endpoint)
{
	return (struct np_tcp *)endpoint;
}

/* Sends a whole message; sleeps while the socket buffer is full. */
NP_ALWAYS_INLINE int np_tcp_send_blocking(struct np_tcp *tcp, const unsigned char *from,
					  size_t length)
{
	size_t left = length;

	for (;;) {
		const ssize_t n = send(tcp->fd, from, left, MSG_NOSIGNAL);

		if (NP_UNLIKELY(n < 0)) {
			if (errno == EINTR)
				continue;
			return np_tcp_send_failed(tcp, length - left, length);
		}
		left -= (size_t)n;
		if (left == 0)
			return 0;
		from += n;
	}
}

/* Receives the last `left` of a message's `length` bytes.  MSG_WAITALL needs one call,
 * except beyond 2 GiB or after a signal. */
NP_ALWAYS_INLINE int np_tcp_receive_blocking(struct np_tcp *tcp, unsigned char *to,
					     size_t left, size_t length)
{
	for (;;) {
		const ssize_t n = recv(tcp->fd, to, left, MSG_WAITALL);

		if (NP_UNLIKELY(n <= 0)) {
			if (n < 0 && errno == EINTR)
				continue;
			return np_tcp_receive_failed(tcp, n, length - left, length);
		}
		left -= (size_t)n;
		if (left == 0)
			return 0;
		to += n;
	}
}

/* True if a nonblocking call must be repeated.  EINTR cannot happen, as it does not
 * sleep. */
NP_ALWAYS_INLINE bool np_tcp_not_yet(ssize_t n)
{
	return n < 0 && errno == EAGAIN;
}

/* Counts a poll that found nothing. */
NP_ALWAYS_INLINE int np_tcp_wait_spinning(struct np_tcp *tcp, unsigned *polls)
{
	if (NP_UNLIKELY(++*polls == NP_TCP_POLLS)) {
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
NP_ALWAYS_INLINE int np_tcp_wait_event(struct np_tcp *tcp)
{
	struct epoll_event event;

	if (NP_UNLIKELY(epoll_wait(tcp->epoll, &event, 1, -1) < 0 && errno != EINTR))
		return np_tcp_wait_failed(tcp);
	return 0;
}

/* Sends a whole message by polling. */
NP_ALWAYS_INLINE int np_tcp_send_spinning(struct np_tcp *tcp, const unsigned char *from,
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
		} else if (NP_UNLIKELY(!np_tcp_not_yet(n))) {
			return np_tcp_send_failed(tcp, length - left, length);
		} else if (NP_UNLIKELY((rc = np_tcp_wait_spinning(tcp, &polls)) != 0)) {
			return rc;
		}
	}
}

/* Receives the last `left` bytes of a message; `sleeps` is a constant. */
NP_ALWAYS_INLINE int np_tcp_receive_nonblocking(struct np_tcp *tcp, unsigned char *to,
						size_t left, size_t length, bool sleeps)
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
		if (NP_UNLIKELY(!np_tcp_not_yet(n)))
			return np_tcp_receive_failed(tcp, n, length - left, length);
		rc = sleeps ? np_tcp_wait_event(tcp) : np_tcp_wait_spinning(tcp, &polls);
		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
}

NP_ALWAYS_INLINE int np_tcp_receive_spinning(struct np_tcp *tcp, unsigned char *to,
					     size_t left, size_t length)
{
	return np_tcp_receive_nonblocking(tcp, to, left, length, false);
}

NP_ALWAYS_INLINE int np_tcp_receive_epoll(struct np_tcp *tcp, unsigned char *to,
					  size_t left, size_t length)
{
	return np_tcp_receive_nonblocking(tcp, to, left, length, true);
}
