/*
 * mpi_persistent.c - hooks of persistent requests (MPI_Send_init(), MPI_Start()).
 *
 * A persistent request is bound to a buffer, so there is one per slot and direction;
 * they are made before the timed block.
 */
#include <errno.h>
#include <stdlib.h>

#include "mpi_private.h"

static int start_receive(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(mpi, MPI_Start(&mpi->slot_receives[slot]), "MPI_Start");
}

static int wait_received(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(
		mpi, MPI_Wait(&mpi->slot_receives[slot], MPI_STATUS_IGNORE), "MPI_Wait");
}

/* Slots are sent in order, so the oldest request is that of slot `oldest`. */
NP_ALWAYS_INLINE int wait_oldest(struct np_mpi *mpi)
{
	const size_t slot = mpi->oldest;

	mpi->oldest = np_next_slot(slot, mpi->endpoint.ring_begin, mpi->endpoint.ring_end);
	mpi->in_flight--;
	return np_mpi_check_call(mpi, MPI_Wait(&mpi->slot_sends[slot], MPI_STATUS_IGNORE),
				 "MPI_Wait");
}

static int start_send(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc = 0;

	if (mpi->in_flight == 0)
		mpi->oldest = slot;
	else if (mpi->in_flight == mpi->window || mpi->in_flight == ep->ring_end)
		rc = wait_oldest(mpi);
	if (NP_UNLIKELY(rc != 0))
		return rc;
	mpi->in_flight++;
	return np_mpi_check_call(mpi, MPI_Start(&mpi->slot_sends[slot]), "MPI_Start");
}

static int wait_sent(struct np_endpoint *ep)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc;

	while (mpi->in_flight != 0) {
		if (NP_UNLIKELY((rc = wait_oldest(mpi)) != 0))
			return rc;
	}
	return 0;
}

static const struct np_hot hot = {
	.post_recv = start_receive,
	.send = start_send,
	.recv = wait_received,
	.flush = wait_sent,
	.send_ack = np_mpi_send_ack,
	.recv_ack = np_mpi_recv_ack,
	.step = np_no_hook_slot,
};

NP_CODE_PATH(persistent, "persistent", hot);
NP_LOOP(exchange_window, np_loop_exchange_window, hot)
static const struct np_code_path windowed = {
	.name = "persistent",
	.hot = &hot,
	.loops = { [NP_BIDIRECTIONAL] = { exchange_window, exchange_window } },
};
NP_CODE_PATH_BURST(burst, "persistent", hot);

const struct np_code_path *np_mpi_persistent(const struct np_mpi *mpi)
{
	if (np_mpi_has_window_both(mpi))
		return &windowed;
	return mpi->endpoint.burst ? &burst : &persistent;
}

static int make_send(struct np_mpi *mpi, const void *buffer, MPI_Request *request)
{
	static int (*const makers[NP_MPI_SENDS])(const void *, int, MPI_Datatype, int, int,
						 MPI_Comm, MPI_Request *) = {
		[NP_MPI_STANDARD] = MPI_Send_init,
		[NP_MPI_SYNCHRONOUS] = MPI_Ssend_init,
		[NP_MPI_READY] = MPI_Rsend_init,
	};

	return makers[mpi->mode.send](buffer, mpi->count, mpi->type, mpi->peer, NP_MPI_TAG,
				      mpi->comm, request);
}

static void free_requests(MPI_Request *requests, size_t count)
{
	for (size_t i = 0; requests != NULL && i < count; i++) {
		if (requests[i] != MPI_REQUEST_NULL)
			MPI_Request_free(&requests[i]);
	}
	free(requests);
}

void np_mpi_persistent_end(struct np_mpi *mpi)
{
	free_requests(mpi->slot_sends, mpi->slot_requests);
	free_requests(mpi->slot_receives, mpi->slot_requests);
	mpi->slot_sends = mpi->slot_receives = NULL;
	mpi->slot_requests = 0;
}

static MPI_Request *no_requests(size_t count)
{
	MPI_Request *requests = malloc(count * sizeof(*requests));

	for (size_t i = 0; requests != NULL && i < count; i++)
		requests[i] = MPI_REQUEST_NULL;
	return requests;
}

int np_mpi_persistent_begin(struct np_mpi *mpi)
{
	const struct np_slot *slots = mpi->endpoint.transfer->slots;
	const size_t count = mpi->endpoint.ring_end;
	int code = MPI_SUCCESS;

	np_mpi_persistent_end(mpi);
	mpi->slot_sends = no_requests(count);
	mpi->slot_receives = no_requests(count);
	mpi->slot_requests = count;
	mpi->in_flight = 0;
	if (mpi->slot_sends == NULL || mpi->slot_receives == NULL)
		return np_fail_errno(&mpi->endpoint.error, ENOMEM,
				     "no memory for persistent requests");
	for (size_t i = 0; i < count && code == MPI_SUCCESS; i++) {
		code = make_send(mpi, slots[i].send, &mpi->slot_sends[i]);
		if (code == MPI_SUCCESS)
			code = MPI_Recv_init(slots[i].recv, mpi->count, mpi->type,
					     mpi->source, NP_MPI_TAG, mpi->comm,
					     &mpi->slot_receives[i]);
	}
	return code == MPI_SUCCESS ? 0 : np_mpi_failed(mpi, code, "MPI_Recv_init");
}
