/*
 * link_accept.c - the listening socket: accepts until a handshake succeeds.
 */
#include <errno.h>
#include <poll.h>

#include "base/clock.h"
#include "boot/link.h"
#include "boot/pending.h"

/* Interval at which the deadlines of pending connections are checked. */
enum { POLL_MS = 200 };

static int accept_until(int listener, const struct np_link_wait *wait,
			struct np_pending *pending, int *fd, struct np_error *error)
{
	const uint64_t deadline =
		wait->timeout_ms < 0 ? UINT64_MAX :
				       np_clock_ns() + (uint64_t)wait->timeout_ms * 1000000;

	for (;;) {
		struct pollfd fds[NP_PENDING_FDS + 1];
		const size_t count = np_pending_pollfds(pending, listener, fds);
		struct np_connection accepted;

		fds[count] = (struct pollfd){ .fd = wait->wake, .events = POLLIN };
		if (poll(fds, count + 1, POLL_MS) < 0 && errno != EINTR)
			return np_fail_errno(error, errno, "cannot wait for the peer");
		if (fds[count].revents != 0)
			return -EINTR;
		const int rc =
			np_pending_handle(pending, listener, fds, wait, &accepted, error);
		if (rc > 0)
			*fd = accepted.fd;
		if (rc != 0)
			return rc > 0 ? 0 : rc;
		if (np_clock_ns() >= deadline)
			return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
				       "the peer did not connect within %d s",
				       wait->timeout_ms / 1000);
	}
}

int np_link_accept(int listener, const struct np_link_wait *wait, int *fd,
		   struct np_error *error)
{
	struct np_pending pending = { .count = 0 };
	const int rc = accept_until(listener, wait, &pending, fd, error);

	np_pending_close(&pending);
	return rc;
}
