/*
 * tcp_one_way.c - hooks and loops for ping-pong and streams, in each mode.
 *
 * A message is one send(2) if it fits the socket buffer, and, in blocking mode, one
 * recv(2).  A blocking send() cannot deadlock: the peer is in its recv(), and
 * interrupt() wakes it.
 */
#include "tcp_move.h"

/* The hooks and the loops of one mode: which function sends, and which receives. */
#define ONE_WAY(mode, label, sending, receiving)                                           \
	static int mode##_send(struct np_endpoint *ep, size_t slot)                        \
	{                                                                                  \
		const struct np_transfer *transfer = ep->transfer;                         \
                                                                                           \
		return sending(np_tcp_of(ep), transfer->slots[slot].send,                  \
			       transfer->length);                                          \
	}                                                                                  \
	static int mode##_recv(struct np_endpoint *ep, size_t slot)                        \
	{                                                                                  \
		const struct np_transfer *transfer = ep->transfer;                         \
                                                                                           \
		return receiving(np_tcp_of(ep), transfer->slots[slot].recv,                \
				 transfer->length, transfer->length);                      \
	}                                                                                  \
	static int mode##_send_ack(struct np_endpoint *ep)                                 \
	{                                                                                  \
		return sending(np_tcp_of(ep), &np_tcp_of(ep)->ack, 1);                     \
	}                                                                                  \
	static int mode##_recv_ack(struct np_endpoint *ep)                                 \
	{                                                                                  \
		return receiving(np_tcp_of(ep), &np_tcp_of(ep)->ack, 1, 1);                \
	}                                                                                  \
	static const struct np_hot mode##_hot = {                                          \
		.post_recv = np_no_hook_slot,                                              \
		.send = mode##_send,                                                       \
		.recv = mode##_recv,                                                       \
		.flush = np_no_hook,                                                       \
		.send_ack = mode##_send_ack,                                               \
		.recv_ack = mode##_recv_ack,                                               \
		.step = np_no_hook_slot,                                                   \
	};                                                                                 \
	NP_CODE_PATH(mode##_path, label, mode##_hot)

ONE_WAY(blocking, "blocking", np_tcp_send_blocking, np_tcp_receive_blocking);
ONE_WAY(poll, "poll", np_tcp_send_spinning, np_tcp_receive_spinning);
ONE_WAY(epoll, "epoll", np_tcp_send_blocking, np_tcp_receive_epoll);

const struct np_code_path *np_tcp_one_way(enum np_tcp_receive receive)
{
	static const struct np_code_path *const code_paths[NP_TCP_RECEIVES] = {
		[NP_TCP_BLOCKING] = &blocking_path,
		[NP_TCP_POLL] = &poll_path,
		[NP_TCP_EPOLL] = &epoll_path,
	};

	return code_paths[receive];
}
