/*
 * link_accept.c - the waiting side of a link: tell a peer from a stranger.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "frame.h"
#include "link.h"
#include "link_hello.h"

enum {
	GUESTS_MAX = 16,
	HELLO_TIMEOUT_MS = 3000 /* for the 64 bytes of a hello */
};

/* Somebody who has connected and not yet finished saying hello. */
struct guest {
	int fd;
	uint64_t deadline_ns;
	size_t received;
	unsigned char hello[NP_HELLO_LENGTH];
	struct sockaddr_storage address;
};

struct reception {
	struct guest guests[GUESTS_MAX];
	size_t count;
};

static void __attribute__((format(printf, 3, 4)))
tell(const struct np_link_wait *wait, const struct guest *guest, const char *format, ...)
{
	char address[64], text[200], line[300];
	va_list arguments;

	if (wait->notes == NULL)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	np_link_address_text((const struct sockaddr *)&guest->address, address,
			     sizeof(address));
	snprintf(line, sizeof(line), "dropped a connection from %s: %s", address, text);
	wait->notes->note(wait->notes->context, line);
}

static void show_out(struct reception *reception, size_t index)
{
	close(reception->guests[index].fd);
	reception->guests[index] = reception->guests[--reception->count];
}

static int let_in(int listener, struct reception *reception)
{
	struct guest guest = { .deadline_ns =
				       np_clock_ns() + HELLO_TIMEOUT_MS * 1000000ull };
	socklen_t length = sizeof(guest.address);

	guest.fd =
		accept4(listener, (struct sockaddr *)&guest.address, &length, SOCK_CLOEXEC);
	if (guest.fd < 0)
		return errno == EMFILE || errno == ENFILE ? -errno : 0;
	/* The listening socket does not block, what it accepts shall. */
	fcntl(guest.fd, F_SETFL, fcntl(guest.fd, F_GETFL) & ~O_NONBLOCK);
	reception->guests[reception->count++] = guest;
	return 0;
}

/* True once the guest has said a hello that fits. */
static bool check_hello(const struct guest *guest, const struct np_link_wait *wait)
{
	char reason[160];

	switch (np_hello_check(guest->hello, wait, reason, sizeof(reason))) {
	case NP_HELLO_FITS:
		return np_frame_send(guest->fd, NP_FRAME_WELCOME, NULL, 0) == 0;
	case NP_HELLO_REFUSED:
		np_frame_send(guest->fd, NP_FRAME_REFUSAL, reason, strlen(reason));
		tell(wait, guest, "%s", reason);
		return false;
	default:
		tell(wait, guest, "it does not speak this protocol");
		return false;
	}
}

/* Reads what a guest has to say.  Returns 1 if it is the one, 0 to keep it,
 * -1 to show it out. */
static int listen_to(struct guest *guest, const struct np_link_wait *wait)
{
	const ssize_t received = recv(guest->fd, guest->hello + guest->received,
				      sizeof(guest->hello) - guest->received, MSG_DONTWAIT);

	if (received < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if (received == 0) {
		tell(wait, guest, "it closed without a word");
		return -1;
	}
	guest->received += (size_t)received;
	/* A stranger is known by its first bytes; no need to wait for all. */
	if (!np_hello_begins(guest->hello, guest->received)) {
		tell(wait, guest, "it does not speak this protocol");
		return -1;
	}
	if (guest->received < sizeof(guest->hello))
		return 0;
	return check_hello(guest, wait) ? 1 : -1;
}

static void drop_silent(struct reception *reception, const struct np_link_wait *wait)
{
	for (size_t i = reception->count; i-- > 0;) {
		if (np_clock_ns() >= reception->guests[i].deadline_ns) {
			tell(wait, &reception->guests[i], "it said nothing for %d s",
			     HELLO_TIMEOUT_MS / 1000);
			show_out(reception, i);
		}
	}
}

/* Hears every guest that has spoken.  Returns true and *fd for the right one. */
static bool hear_guests(struct reception *reception, const struct pollfd *ready,
			const struct np_link_wait *wait, int *fd)
{
	for (size_t i = reception->count; i-- > 0;) {
		if (ready[i].revents == 0)
			continue;
		const int verdict = listen_to(&reception->guests[i], wait);
		if (verdict < 0) {
			show_out(reception, i);
		} else if (verdict > 0) {
			*fd = reception->guests[i].fd;
			reception->guests[i] = reception->guests[--reception->count];
			return true;
		}
	}
	return false;
}

static int receive_guests(int listener, const struct np_link_wait *wait,
			  struct reception *reception, int *fd, struct np_error *error)
{
	const uint64_t deadline =
		wait->timeout_ms < 0 ? UINT64_MAX :
				       np_clock_ns() + (uint64_t)wait->timeout_ms * 1000000;

	for (;;) {
		struct pollfd ready[GUESTS_MAX + 2];
		const size_t count = reception->count;

		for (size_t i = 0; i < count; i++)
			ready[i] = (struct pollfd){ .fd = reception->guests[i].fd,
						    .events = POLLIN };
		ready[count] = (struct pollfd){ .fd = wait->wake, .events = POLLIN };
		ready[count + 1] =
			(struct pollfd){ .fd = count < GUESTS_MAX ? listener : -1,
					 .events = POLLIN };
		if (poll(ready, count + 2, 200) < 0 && errno != EINTR)
			return np_fail_errno(error, errno, "cannot wait for the peer");
		if (ready[count].revents != 0)
			return -EINTR;
		if (hear_guests(reception, ready, wait, fd))
			return 0;
		drop_silent(reception, wait);
		if (ready[count + 1].revents != 0) {
			const int rc = let_in(listener, reception);
			if (rc != 0)
				return np_fail_errno(error, rc, "cannot accept the peer");
		}
		if (np_clock_ns() >= deadline)
			return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
				       "the peer did not connect within %d s",
				       wait->timeout_ms / 1000);
	}
}

int np_link_accept(int listener, const struct np_link_wait *wait, int *fd,
		   struct np_error *error)
{
	struct reception reception = { .count = 0 };
	const int rc = receive_guests(listener, wait, &reception, fd, error);

	while (reception.count > 0)
		show_out(&reception, reception.count - 1);
	return rc;
}
