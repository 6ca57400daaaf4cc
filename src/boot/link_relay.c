/*
 * link_relay.c - descriptor passing (SCM_RIGHTS) from the server to a run's process.
 *
 * Under --serve one process keeps the listening socket and another performs the run.  Links
 * of the run go to the latter through a UNIX-domain socket: a byte with the kind of link,
 * and the descriptor.
 */
#include "boot/link_relay.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* Ancillary data: one descriptor. */
union rights {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int np_link_relay_send(int relay, enum np_link_kind kind, int fd)
{
	unsigned char byte = (unsigned char)kind;
	union rights rights = { .bytes = { 0 } };
	struct iovec text = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &text,
				  .msg_iovlen = 1,
				  .msg_control = &rights,
				  .msg_controllen = sizeof(rights.bytes) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	return sendmsg(relay, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

/* Receives one link of any kind.  Returns 0, -EAGAIN if there is none, or -errno. */
static int receive_one(int relay, enum np_link_kind *kind, int *fd)
{
	unsigned char byte = 0;
	union rights rights;
	struct iovec text = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &text,
				  .msg_iovlen = 1,
				  .msg_control = &rights,
				  .msg_controllen = sizeof(rights.bytes) };
	const ssize_t received = recvmsg(relay, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

	if (received < 0)
		return -errno;
	const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (received == 0 || header == NULL || header->cmsg_type != SCM_RIGHTS)
		return -ECONNRESET;
	memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	*kind = (enum np_link_kind)byte;
	return 0;
}

int np_link_relay_receive(int relay, const struct np_link_wait *wait, int *fd,
			  struct np_error *error)
{
	const uint64_t deadline = np_clock_ns() + (uint64_t)wait->timeout_ms * 1000000;
	enum np_link_kind kind = NP_LINK_NONE;

	for (;;) {
		struct pollfd fds[2] = { { .fd = relay, .events = POLLIN },
					 /* hang-up only: data is read later */
					 { .fd = wait->wake, .events = POLLRDHUP } };
		const uint64_t now = np_clock_ns();

		if (now >= deadline)
			return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
				       "the peer did not connect within %d s",
				       wait->timeout_ms / 1000);
		if (poll(fds, 2, (int)((deadline - now) / 1000000) + 1) < 0)
			continue;
		/* The relay first: links that were passed before a hang-up count. */
		if (fds[0].revents != 0) {
			const int rc = receive_one(relay, &kind, fd);
			if (rc != 0 && rc != -EAGAIN)
				return np_fail_errno(error, rc, "cannot take a link");
			if (rc == 0 && (wait->kinds & np_link_bit(kind)) != 0)
				return 0;
			if (rc == 0)
				close(*fd);
		} else if (fds[1].revents != 0) {
			return -EINTR;
		}
	}
}
