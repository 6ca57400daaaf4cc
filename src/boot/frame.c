/*
 * frame.c - control protocol: framed messages over a stream socket.
 */
#include "boot/frame.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/deadline.h"

enum {
	HEADER_LENGTH = 8,
	SEND_TIMEOUT_MS = 7000,
	/* Time for which a receiver polls before it sleeps.  Both processes execute the
	 * same command at the same time: most frames are already on their way, and waking a
	 * sleeping core takes longer (doc/results.md). */
	POLL_NS = 100000
};

void np_put_u32(unsigned char *at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

void np_put_u64(unsigned char *at, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

uint32_t np_get_u32(const unsigned char *at)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 4; i++)
		value |= (uint32_t)at[i] << (8 * i);
	return value;
}

uint64_t np_get_u64(const unsigned char *at)
{
	return np_get_u32(at) | (uint64_t)np_get_u32(at + 4) << 32;
}

/* Waits until fd is ready for `events`. A ready descriptor is reported even after the
 * deadline: a process that was not scheduled must not take its peer for dead.  Returns 0,
 * -ETIMEDOUT or -errno. */
static int wait_ready(int fd, short events, struct np_deadline deadline)
{
	for (;;) {
		struct pollfd wait = { .fd = fd, .events = events };
		const int timeout_ms = np_deadline_left_ms(deadline, -1);
		const int ready = poll(&wait, 1, timeout_ms);

		if (ready > 0)
			return 0;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready == 0 && timeout_ms == 0)
			return -ETIMEDOUT;
	}
}

/* Sends all bytes, or fails after SEND_TIMEOUT_MS: a peer that reads nothing fills the
 * socket. */
static int send_bytes(int fd, const void *buffer, size_t length)
{
	const struct np_deadline deadline = np_deadline_in(SEND_TIMEOUT_MS);
	const unsigned char *at = buffer;

	while (length != 0) {
		const ssize_t sent = send(fd, at, length, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0) {
			const int code = errno;
			const int rc = code == EAGAIN ? wait_ready(fd, POLLOUT, deadline) :
				       code == EINTR  ? 0 :
							-code;

			if (rc != 0)
				return rc;
			continue;
		}
		at += sent;
		length -= (size_t)sent;
	}
	return 0;
}

int np_frame_send(int fd, enum np_frame_kind kind, const void *payload, size_t length)
{
	unsigned char small[512] = { 'N', 'P', (unsigned char)kind, 0 };
	int rc;

	if (length > NP_FRAME_MAX)
		return -EMSGSIZE;
	np_put_u32(small + 4, (uint32_t)length);

	/* One send() for a short frame: header and payload leave in one segment. */
	if (HEADER_LENGTH + length <= sizeof(small)) {
		if (length != 0)
			memcpy(small + HEADER_LENGTH, payload, length);
		return send_bytes(fd, small, HEADER_LENGTH + length);
	}
	rc = send_bytes(fd, small, HEADER_LENGTH);
	return rc != 0 ? rc : send_bytes(fd, payload, length);
}

/* Receives exactly length bytes before the deadline: polls for a while, then sleeps.
 * Returns as np_frame_receive(). */
static int receive_bytes(int fd, void *buffer, size_t length, struct np_deadline deadline)
{
	const uint64_t poll_until = np_clock_ns() + POLL_NS;
	unsigned char *at = buffer;

	while (length != 0) {
		const ssize_t received = recv(fd, at, length, MSG_DONTWAIT);

		if (received == 0)
			return -ECONNRESET;
		if (received > 0) {
			at += received;
			length -= (size_t)received;
			continue;
		}
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
		/* Yield: the peer may run on this processor. */
		if (np_clock_ns() < poll_until) {
			sched_yield();
			continue;
		}
		const int rc = wait_ready(fd, POLLIN, deadline);

		if (rc != 0)
			return rc;
	}
	return 0;
}

int np_frame_receive(int fd, struct np_frame *frame, struct np_deadline deadline)
{
	unsigned char header[HEADER_LENGTH];
	int rc = receive_bytes(fd, header, sizeof(header), deadline);

	if (rc != 0)
		return rc;
	const size_t length = np_get_u32(header + 4);
	if (header[0] != 'N' || header[1] != 'P' || header[3] != 0 ||
	    header[2] < NP_FRAME_WELCOME || header[2] > NP_FRAME_BUSY ||
	    length > NP_FRAME_MAX)
		return -EPROTO;

	unsigned char *payload = malloc(length + 1);
	if (payload == NULL)
		return -ENOMEM;
	rc = receive_bytes(fd, payload, length, deadline);
	if (rc != 0) {
		free(payload);
		return rc;
	}
	payload[length] = 0;
	*frame = (struct np_frame){ .kind = header[2],
				    .length = length,
				    .payload = payload };
	return 0;
}
