/*
 * mpi_nonblocking.c - hooks of MPI_Isend() and MPI_Irecv() with a window.
 *
 * With a full window the sender waits for its oldest request.  The receiver keeps as many
 * receives posted.
 */
#include <errno.h>
#include <stdlib.h>

#include "mpi_requests.h"

int np_mpi_requests_make(struct np_mpi_requests *requests, size_t most)
{
	size_t capacity = 4;

	while (capacity < most + 2)
		capacity *= 2;
	requests->list = malloc(capacity * sizeof(*requests->list));
	requests->mask = capacity - 1;
	requests->first = requests->next = 0;
	for (size_t i = 0; requests->list != NULL && i < capacity; i++)
		requests->list[i] = MPI_REQUEST_NULL;
	return requests->list != NULL ? 0 : -ENOMEM;
}

void np_mpi_requests_free(struct np_mpi_requests *requests)
{
	free(requests->list);
	requests->list = NULL;
}

#define SENDER(name, call)                                                                 \
	static int name(struct np_endpoint *ep, size_t slot)                               \
	{                                                                                  \
		struct np_mpi *mpi = np_mpi_of(ep);                                        \
		struct np_mpi_requests *sends = &mpi->sends;                               \
		int rc = 0;                                                                \
                                                                                           \
		if (sends->next - sends->first == mpi->window)                             \
			rc = np_mpi_wait_oldest(mpi);                                      \
		if (NP_UNLIKELY(rc != 0))                                                  \
			return rc;                                                         \
		return np_mpi_check_call(mpi,                                              \
					 call(ep->transfer->slots[slot].send, mpi->count,  \
					      mpi->type, mpi->peer, NP_MPI_TAG, mpi->comm, \
					      &sends->list[sends->next++ & sends->mask]),  \
					 #call);                                           \
	}

SENDER(send_standard, MPI_Isend)
SENDER(send_synchronous, MPI_Issend)
SENDER(send_ready, MPI_Irsend)

#define HOOKS(sending)                                                                     \
	{                                                                                  \
		.post_recv = np_mpi_post_receive, .send = (sending),                       \
		.recv = np_mpi_wait_received, .flush = np_mpi_wait_sent,                   \
		.send_ack = np_mpi_send_ack, .recv_ack = np_mpi_recv_ack,                  \
		.step = np_no_hook_slot,                                                   \
	}

static const struct np_hot standard_hot = HOOKS(send_standard);
NP_CODE_PATH(standard, "nonblocking", standard_hot);
NP_LOOP(exchange_window, np_loop_exchange_window, standard_hot)
static const struct np_code_path windowed = {
	.name = "nonblocking",
	.hot = &standard_hot,
	.loops = { [NP_BIDIRECTIONAL] = { exchange_window, exchange_window } },
};
NP_CODE_PATH_BURST(burst, "nonblocking", standard_hot);

static const struct np_hot synchronous_hot = HOOKS(send_synchronous);
static const struct np_hot ready_hot = HOOKS(send_ready);
static const struct np_code_path synchronous = { .name = "nonblocking, synchronous",
						 .hot = &synchronous_hot };
static const struct np_code_path ready = { .name = "nonblocking, ready",
					   .hot = &ready_hot };

const struct np_code_path *np_mpi_nonblocking(const struct np_mpi *mpi)
{
	switch (mpi->mode.send) {
	case NP_MPI_SYNCHRONOUS:
		return &synchronous;
	case NP_MPI_READY:
		return &ready;
	default:
		if (np_mpi_has_window_both(mpi))
			return &windowed;
		return mpi->endpoint.burst ? &burst : &standard;
	}
}
