/*
 * link_door.c - links that one process receives for another.
 *
 * Under --serve the process that listens stays, and answers whoever comes, while
 * another does the run.  What belongs to the run goes to it through a
 * UNIX-domain socket: a byte that names the kind of link, and the descriptor.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "boot/link.h"

/* Room for one descriptor beside the byte. */
union rights {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int np_link_hand(int door, enum np_link_kind kind, int fd)
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
	return sendmsg(door, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

/* Takes one link, whatever kind it is of.  Returns 0 or -errno. */
static int take_one(int door, enum np_link_kind *kind, int *fd)
{
	unsigned char byte = 0;
	union rights rights;
	struct iovec text = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &text,
				  .msg_iovlen = 1,
				  .msg_control = &rights,
				  .msg_controllen = sizeof(rights.bytes) };
	const ssize_t received = recvmsg(door, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

	if (received < 0)
		return -errno;
	const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (received == 0 || header == NULL || header->cmsg_type != SCM_RIGHTS)
		return -ECONNRESET;
	memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	*kind = (enum np_link_kind)byte;
	return 0;
}

int np_link_take(int door, const struct np_link_wait *wait, int *fd, struct np_error *error)
{
	const uint64_t deadline = np_clock_ns() + (uint64_t)wait->timeout_ms * 1000000;
	enum np_link_kind kind = NP_LINK_NONE;

	for (;;) {
		struct pollfd fds[2] = { { .fd = door, .events = POLLIN },
					 /* What the peer says there is not for
					  * now; that it leaves is. */
					 { .fd = wait->wake, .events = POLLRDHUP } };
		const uint64_t now = np_clock_ns();

		if (now >= deadline)
			return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
				       "the peer did not connect within %d s",
				       wait->timeout_ms / 1000);
		if (poll(fds, 2, (int)((deadline - now) / 1000000) + 1) < 0)
			continue;
		/* The door first: what was said behind it has come in. */
		if (fds[0].revents != 0) {
			const int rc = take_one(door, &kind, fd);
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
