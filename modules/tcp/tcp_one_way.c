/*
 * tcp_one_way.c - hooks and loops for ping-pong and streams, in each mode.
 *
 * A message is one send(2) if it fits the socket buffer, and, in blocking mode, one
 * recv(2).  A blocking send() cannot deadlock: the peer is in its recv(), and
 * interrupt() wakes it.
 */
#include "tcp_move.h"

static int send_blocking(struct np_endpoint *ep, size_t slot)
{
	const struct np_transfer *transfer = ep->transfer;

	return np_tcp_send_blocking(np_tcp_of(ep), transfer->slots[slot].send,
				    transfer->length);
}

static int recv_blocking(struct np_endpoint *ep, size_t slot)
{
	const struct np_transfer *transfer = ep->transfer;

	return np_tcp_receive_blocking(np_tcp_of(ep), transfer->slots[slot].recv,
				       transfer->length, transfer->length);
}

static int send_ack_blocking(struct np_endpoint *ep)
{
	return np_tcp_send_blocking(np_tcp_of(ep), &np_tcp_of(ep)->ack, 1);
}

static int recv_ack_blocking(struct np_endpoint *ep)
{
	return np_tcp_receive_blocking(np_tcp_of(ep), &np_tcp_of(ep)->ack, 1, 1);
}

static int send_spinning(struct np_endpoint *ep, size_t slot)
{
	const struct np_transfer *transfer = ep->transfer;

	return np_tcp_send_spinning(np_tcp_of(ep), transfer->slots[slot].send,
				    transfer->length);
}

static int recv_spinning(struct np_endpoint *ep, size_t slot)
{
	const struct np_transfer *transfer = ep->transfer;

	return np_tcp_receive_spinning(np_tcp_of(ep), transfer->slots[slot].recv,
				       transfer->length, transfer->length);
}

static int send_ack_spinning(struct np_endpoint *ep)
{
	return np_tcp_send_spinning(np_tcp_of(ep), &np_tcp_of(ep)->ack, 1);
}

static int recv_ack_spinning(struct np_endpoint *ep)
{
	return np_tcp_receive_spinning(np_tcp_of(ep), &np_tcp_of(ep)->ack, 1, 1);
}

static int recv_epoll(struct np_endpoint *ep, size_t slot)
{
	const struct np_transfer *transfer = ep->transfer;

	return np_tcp_receive_epoll(np_tcp_of(ep), transfer->slots[slot].recv,
				    transfer->length, transfer->length);
}

static int recv_ack_epoll(struct np_endpoint *ep)
{
	return np_tcp_receive_epoll(np_tcp_of(ep), &np_tcp_of(ep)->ack, 1, 1);
}

static const struct np_hot blocking_hot = {
	.post_recv = np_no_hook_slot,
	.send = send_blocking,
	.recv = recv_blocking,
	.flush = np_no_hook,
	.send_ack = send_ack_blocking,
	.recv_ack = recv_ack_blocking,
	.step = np_no_hook_slot,
};

static const struct np_hot poll_hot = {
	.post_recv = np_no_hook_slot,
	.send = send_spinning,
	.recv = recv_spinning,
	.flush = np_no_hook,
	.send_ack = send_ack_spinning,
	.recv_ack = recv_ack_spinning,
	.step = np_no_hook_slot,
};

static const struct np_hot epoll_hot = {
	.post_recv = np_no_hook_slot,
	.send = send_blocking,
	.recv = recv_epoll,
	.flush = np_no_hook,
	.send_ack = send_ack_blocking,
	.recv_ack = recv_ack_epoll,
	.step = np_no_hook_slot,
};

NP_CODE_PATH(blocking_path, "blocking", blocking_hot);
NP_CODE_PATH(poll_path, "poll", poll_hot);
NP_CODE_PATH(epoll_path, "epoll", epoll_hot);

const struct np_code_path *np_tcp_one_way(enum np_tcp_receive receive)
{
	static const struct np_code_path *const code_paths[NP_TCP_RECEIVES] = {
		[NP_TCP_BLOCKING] = &blocking_path,
		[NP_TCP_POLL] = &poll_path,
		[NP_TCP_EPOLL] = &epoll_path,
	};

	return code_paths[receive];
}
