/*
 * link_accept.c - waiting for the one link that fits.
 */
#include <errno.h>
#include <poll.h>

#include "base/clock.h"
#include "boot/link.h"
#include "boot/reception.h"

/* Between two looks at who dawdles. */
enum { LOOK_MS = 200 };

static int receive_guests(int listener, const struct np_link_wait *wait,
			  struct np_reception *reception, int *fd, struct np_error *error)
{
	const uint64_t deadline =
		wait->timeout_ms < 0 ? UINT64_MAX :
				       np_clock_ns() + (uint64_t)wait->timeout_ms * 1000000;

	for (;;) {
		struct pollfd fds[NP_RECEPTION_FDS + 1];
		const size_t count = np_reception_watch(reception, listener, fds);
		struct np_guest fits;

		fds[count] = (struct pollfd){ .fd = wait->wake, .events = POLLIN };
		if (poll(fds, count + 1, LOOK_MS) < 0 && errno != EINTR)
			return np_fail_errno(error, errno, "cannot wait for the peer");
		if (fds[count].revents != 0)
			return -EINTR;
		const int rc =
			np_reception_hear(reception, listener, fds, wait, &fits, error);
		if (rc > 0)
			*fd = fits.fd;
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
	struct np_reception reception = { .count = 0 };
	const int rc = receive_guests(listener, wait, &reception, fd, error);

	np_reception_close(&reception);
	return rc;
}
