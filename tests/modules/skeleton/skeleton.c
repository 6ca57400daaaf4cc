/*
 * skeleton.c - NPskeleton: messages over one TCP connection, the least transport that
 * there can be.  doc/adding-a-module.md explains each part of it.
 */
#include <errno.h>
#include <unistd.h>

#include "contract/np_module.h"

/* Moves all bytes of a message: a call may stop half-way. */
static int move(struct np_endpoint *ep, unsigned char *at, size_t length, bool sends)
{
	const int fd = atomic_load(&ep->socket);

	for (ssize_t n; length != 0; at += n, length -= (size_t)n) {
		n = sends ? send(fd, at, length, MSG_NOSIGNAL) : recv(fd, at, length, 0);
		if (n <= 0)
			return np_fail(&ep->error, NP_ERROR_PEER, ECONNRESET,
				       "the connection is lost");
	}
	return 0;
}

static int send_message(struct np_endpoint *ep, size_t slot)
{
	return move(ep, ep->transfer->slots[slot].send, ep->transfer->length, true);
}

static int recv_message(struct np_endpoint *ep, size_t slot)
{
	return move(ep, ep->transfer->slots[slot].recv, ep->transfer->length, false);
}

static int send_ack(struct np_endpoint *ep)
{
	return move(ep, &(unsigned char){ 0 }, 1, true);
}

static int recv_ack(struct np_endpoint *ep)
{
	return move(ep, &(unsigned char){ 0 }, 1, false);
}

static const struct np_hot hot = {
	.post_recv = np_no_hook_slot,
	.send = send_message,
	.recv = recv_message,
	.flush = np_no_hook,
	.send_ack = send_ack,
	.recv_ack = recv_ack,
	.step = np_no_hook_slot,
};
static const struct np_code_path path = { .name = "socket", .hot = &hot };

static int connect_endpoint(struct np_endpoint *ep)
{
	int fd = -1;
	const int rc = np_boot_link(ep->boot, NULL, NULL, &fd, &ep->error);

	atomic_store(&ep->socket, fd);
	ep->code_path = &path;
	return rc;
}

static void close_endpoint(struct np_endpoint *ep)
{
	close(atomic_load(&ep->socket));
}

const struct np_module np_module_skeleton = {
	NP_MODULE_NAMED("skeleton"),
	.summary = "messages over a TCP connection; the example for authors",
	.capabilities = NP_CAN_STREAM | NP_CAN_RECONNECT | NP_CAN_FRESH,
	.endpoint_size = sizeof(struct np_endpoint),
	.connect = connect_endpoint,
	.close = close_endpoint,
};
