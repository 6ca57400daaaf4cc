/*
 * link.c - sockets of links: listen, accept until a handshake succeeds, connect,
 * addresses as text.
 *
 * Under --serve one process keeps the listening socket and another performs the run.  Links
 * of the run go to the latter through a UNIX-domain socket: a byte with the kind of link,
 * and the descriptor.
 */
#include "boot/link.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/deadline.h"
#include "boot/pending.h"

enum { LISTEN_BACKLOG = 128 };

/* Interval at which the deadlines of pending connections are checked. */
enum { POLL_MS = 200 };

const struct np_identity np_link_data_identity = { .program = "data", .version = "1" };

/* Waits for a connect in progress.  Returns 0 or -errno. */
static int finish_connect(int fd, struct np_deadline deadline)
{
	int failure = 0;
	socklen_t length = sizeof(failure);

	for (;;) {
		struct pollfd wait = { .fd = fd, .events = POLLOUT };

		if (np_deadline_is_over(deadline))
			return -ETIMEDOUT;
		const int ready = poll(&wait, 1, np_deadline_left_ms(deadline, -1));
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready > 0)
			break;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &length) != 0)
		return -errno;
	return -failure;
}

int np_link_connect(int fd, const struct sockaddr *address, socklen_t length,
		    struct np_deadline deadline)
{
	const int flags = fcntl(fd, F_GETFL);
	int rc;

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
		return -errno;
	rc = connect(fd, address, length) == 0 ? 0 : -errno;
	if (rc == -EINPROGRESS || rc == -EINTR)
		rc = finish_connect(fd, deadline);
	if (rc == 0 && fcntl(fd, F_SETFL, flags) != 0)
		rc = -errno;
	return rc;
}

static int listen_at(const struct addrinfo *at, bool both_families, int *listener)
{
	const int on = 1, only_v6 = !both_families;
	const int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	/* SO_REUSEADDR: connections of the previous run may be in TIME_WAIT at this port.
	 */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (at->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, sizeof(only_v6));
	if (bind(fd, at->ai_addr, at->ai_addrlen) != 0 || listen(fd, LISTEN_BACKLOG) != 0) {
		const int rc = -errno;

		close(fd);
		return rc;
	}
	*listener = fd;
	return 0;
}

int np_link_listen(const char *host, uint16_t port, int *listener, struct np_error *error)
{
	struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	char service[8];
	int rc = -EADDRNOTAVAIL;

	snprintf(service, sizeof(service), "%u", (unsigned)port);
	const int failure = getaddrinfo(host, service, &hints, &list);
	if (failure != 0)
		return np_fail(error, NP_ERROR_FAILED, EADDRNOTAVAIL,
			       "cannot listen at %s: no address of this host (%s)",
			       host != NULL ? host : "any", gai_strerror(failure));
	/* IPv6 first: without a host its socket is dual-stack. */
	for (int want_v6 = 1; want_v6 >= 0 && rc != 0; want_v6--) {
		for (const struct addrinfo *at = list; at != NULL && rc != 0;
		     at = at->ai_next) {
			if ((at->ai_family == AF_INET6) == (want_v6 == 1))
				rc = listen_at(at, host == NULL, listener);
		}
		if (rc == -EADDRINUSE)
			break;
	}
	freeaddrinfo(list);
	if (rc == -EADDRNOTAVAIL && host != NULL)
		return np_fail(error, NP_ERROR_FAILED, EADDRNOTAVAIL,
			       "cannot listen at %s: no address of this host", host);
	if (rc == -EADDRINUSE)
		return np_fail(error, NP_ERROR_FAILED, EADDRINUSE,
			       "cannot listen on port %u: %s; -P 0 takes a free one",
			       (unsigned)port, strerror(EADDRINUSE));
	return rc == 0 ?
		       0 :
		       np_fail_errno(error, rc, "cannot listen on port %u", (unsigned)port);
}

/* Opens a listening socket that shares address and port of `old`, which permits it
 * (SO_REUSEPORT), as only processes of this user can.  Returns 0 or -errno. */
static int share_port(int old, int *listener)
{
	struct sockaddr_storage address = { .ss_family = AF_UNSPEC };
	socklen_t length = sizeof(address), size = sizeof(int);
	int on = 1, only_v6 = 0;

	if (getsockname(old, (struct sockaddr *)&address, &length) != 0 ||
	    setsockopt(old, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0)
		return -errno;
	const int fd =
		socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (address.ss_family == AF_INET6 &&
	    getsockopt(old, IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, &size) == 0)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, sizeof(only_v6));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0 ||
	    bind(fd, (const struct sockaddr *)&address, length) != 0 ||
	    listen(fd, LISTEN_BACKLOG) != 0) {
		const int rc = -errno;

		close(fd);
		return rc;
	}
	*listener = fd;
	return 0;
}

int np_link_listen_beside(int old, int *listener, struct np_error *error)
{
	const int off = 0;
	const int rc = share_port(old, listener);

	/* A second server of this user must not share the port. */
	setsockopt(old, SOL_SOCKET, SO_REUSEPORT, &off, sizeof(off));
	if (rc != 0)
		return np_fail_errno(error, rc, "cannot listen anew on port %u",
				     (unsigned)np_link_port(old));
	setsockopt(*listener, SOL_SOCKET, SO_REUSEPORT, &off, sizeof(off));
	return 0;
}

void np_link_address_text(const struct sockaddr *address, char *text, size_t size)
{
	const socklen_t length = address->sa_family == AF_INET6 ?
					 sizeof(struct sockaddr_in6) :
					 sizeof(struct sockaddr_in);
	char host[48], port[8];

	if (getnameinfo(address, length, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		snprintf(text, size, "an unknown address");
	else
		snprintf(text, size, address->sa_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
			 host, port);
}

uint16_t np_link_port(int fd)
{
	struct sockaddr_storage address = { .ss_family = AF_UNSPEC };
	socklen_t length = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &length) != 0)
		return 0;
	if (address.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
	return address.ss_family == AF_INET ?
		       ntohs(((struct sockaddr_in *)&address)->sin_port) :
		       0;
}

static int accept_until(int listener, const struct np_link_wait *wait,
			struct np_pending *pending, int *fd, struct np_error *error)
{
	for (;;) {
		struct pollfd fds[NP_PENDING_FDS + 1];
		const size_t count = np_pending_pollfds(pending, listener, fds);
		struct np_pending_connection accepted;

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
		if (np_deadline_is_over(wait->deadline))
			return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
				       "the peer did not connect within %u s",
				       wait->deadline.seconds);
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
	enum np_link_kind kind = NP_LINK_NONE;

	for (;;) {
		struct pollfd fds[2] = { { .fd = relay, .events = POLLIN },
					 /* hang-up only: data is read later */
					 { .fd = wait->wake, .events = POLLRDHUP } };

		if (np_deadline_is_over(wait->deadline))
			return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
				       "the peer did not connect within %u s",
				       wait->deadline.seconds);
		if (poll(fds, 2, np_deadline_left_ms(wait->deadline, -1)) < 0)
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
