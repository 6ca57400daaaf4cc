/*
 * mpi_persistent.c - persistent requests, MPI_Send_init() and MPI_Start(), and partitioned
 * requests of MPI 4, MPI_Psend_init() and MPI_Pready().
 *
 * Requests are bound to a buffer: one per slot and direction, made before the timed block.
 */
#include <errno.h>
#include <stdlib.h>

#include "mpi_private.h"

static void free_requests(MPI_Request *requests, size_t count)
{
	for (size_t i = 0; requests != NULL && i < count; i++) {
		if (requests[i] != MPI_REQUEST_NULL)
			MPI_Request_free(&requests[i]);
	}
	free(requests);
}

void np_mpi_slots_free(struct np_mpi *mpi)
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

/* Allocates requests for `count` slots, all MPI_REQUEST_NULL.  Returns 0, or -ENOMEM with
 * the error. */
static int make_slots(struct np_mpi *mpi, size_t count)
{
	np_mpi_slots_free(mpi);
	mpi->slot_sends = no_requests(count);
	mpi->slot_receives = no_requests(count);
	mpi->slot_requests = count;
	mpi->in_flight = 0;
	if (mpi->slot_sends == NULL || mpi->slot_receives == NULL)
		return np_fail_errno(&mpi->endpoint.error, ENOMEM,
				     "no memory for the requests of %zu slots", count);
	return 0;
}

/* ---- Hooks of both kinds ------------------------------------------------- */

/* np_hot.post_recv */
NP_ALWAYS_INLINE int start_receive(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(mpi, MPI_Start(&mpi->slot_receives[slot]), "MPI_Start");
}

/* np_hot.recv */
NP_ALWAYS_INLINE int wait_slot(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(
		mpi, MPI_Wait(&mpi->slot_receives[slot], MPI_STATUS_IGNORE), "MPI_Wait");
}

/* Slots are sent in order: the oldest request is that of slot `oldest`. */
NP_ALWAYS_INLINE int wait_oldest_slot(struct np_mpi *mpi)
{
	const size_t slot = mpi->oldest;

	mpi->oldest = np_next_slot(slot, mpi->endpoint.ring_begin, mpi->endpoint.ring_end);
	mpi->in_flight--;
	return np_mpi_check_call(mpi, MPI_Wait(&mpi->slot_sends[slot], MPI_STATUS_IGNORE),
				 "MPI_Wait");
}

/* np_hot.send */
NP_ALWAYS_INLINE int start_send(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc = 0;

	if (mpi->in_flight == 0)
		mpi->oldest = slot;
	else if (mpi->in_flight == mpi->window || mpi->in_flight == ep->ring_end)
		rc = wait_oldest_slot(mpi);
	if (NP_UNLIKELY(rc != 0))
		return rc;
	mpi->in_flight++;
	return np_mpi_check_call(mpi, MPI_Start(&mpi->slot_sends[slot]), "MPI_Start");
}

/* np_hot.flush */
NP_ALWAYS_INLINE int wait_slots(struct np_endpoint *ep)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc;

	while (mpi->in_flight != 0) {
		if (NP_UNLIKELY((rc = wait_oldest_slot(mpi)) != 0))
			return rc;
	}
	return 0;
}

/* ---- Persistent requests ------------------------------------------------- */

static const struct np_hot persistent_hot = {
	.post_recv = start_receive,
	.send = start_send,
	.recv = wait_slot,
	.flush = wait_slots,
	.send_ack = np_mpi_send_ack,
	.recv_ack = np_mpi_recv_ack,
	.step = np_no_hook_slot,
};

NP_CODE_PATH(persistent, "persistent", persistent_hot);
NP_LOOP(persistent_window, np_loop_exchange_window, persistent_hot)
static const struct np_code_path persistent_windowed = {
	.name = "persistent",
	.hot = &persistent_hot,
	.loops = { [NP_BIDIRECTIONAL] = { persistent_window, persistent_window } },
};
NP_CODE_PATH_BURST(persistent_burst, "persistent", persistent_hot);

const struct np_code_path *np_mpi_persistent(const struct np_mpi *mpi)
{
	if (np_mpi_has_window_both(mpi))
		return &persistent_windowed;
	return mpi->endpoint.burst ? &persistent_burst : &persistent;
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

int np_mpi_persistent_begin(struct np_mpi *mpi)
{
	const struct np_slot *slots = mpi->endpoint.transfer->slots;
	const size_t count = mpi->endpoint.ring_end;
	const int rc = make_slots(mpi, count);
	int code = MPI_SUCCESS;

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < count && code == MPI_SUCCESS; i++) {
		code = make_send(mpi, slots[i].send, &mpi->slot_sends[i]);
		if (code == MPI_SUCCESS)
			code = MPI_Recv_init(slots[i].recv, mpi->count, mpi->type,
					     mpi->source, NP_MPI_TAG, mpi->comm,
					     &mpi->slot_receives[i]);
	}
	return code == MPI_SUCCESS ? 0 : np_mpi_failed(mpi, code, "MPI_Recv_init");
}

/*
 * ---- Partitioned requests ---------------------------------------------------
 *
 * A partitioned send is bound to one receive of the peer in the order of creation, here
 * that of the same slot.  An unmatched request cannot be freed, so a block makes requests
 * only for the slots and directions that it uses.
 */

#ifdef NP_MPI_PARTITIONED
static int send_partitions(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc = start_send(ep, slot);

	for (int i = 0; rc == 0 && i < mpi->partitions; i++)
		rc = np_mpi_check_call(mpi, MPI_Pready(i, mpi->slot_sends[slot]),
				       "MPI_Pready");
	return rc;
}

static const struct np_hot partitioned_hot = {
	.post_recv = start_receive,
	.send = send_partitions,
	.recv = wait_slot,
	.flush = wait_slots,
	.send_ack = np_mpi_send_ack,
	.recv_ack = np_mpi_recv_ack,
	.step = np_no_hook_slot,
};

NP_CODE_PATH(partitioned, "partitioned", partitioned_hot);
NP_LOOP(partitioned_window, np_loop_exchange_window, partitioned_hot)
static const struct np_code_path partitioned_windowed = {
	.name = "partitioned",
	.hot = &partitioned_hot,
	.loops = { [NP_BIDIRECTIONAL] = { partitioned_window, partitioned_window } },
};
NP_CODE_PATH_BURST(partitioned_burst, "partitioned", partitioned_hot);

const struct np_code_path *np_mpi_partitioned(const struct np_mpi *mpi)
{
	if (np_mpi_has_window_both(mpi))
		return &partitioned_windowed;
	return mpi->endpoint.burst ? &partitioned_burst : &partitioned;
}

/* Slots that a block uses; an exchange completes into one more. */
static size_t used_slots(const struct np_mpi *mpi, uint64_t messages)
{
	const bool exchanges = mpi->endpoint.transfer->operation == NP_BIDIRECTIONAL;
	const uint64_t used = exchanges ? messages + 1 : messages;

	return used < mpi->endpoint.ring_end ? (size_t)used : mpi->endpoint.ring_end;
}

static int make_requests(struct np_mpi *mpi, size_t i)
{
	const struct np_transfer *transfer = mpi->endpoint.transfer;
	const bool one_way =
		transfer->operation == NP_STREAM || transfer->operation == NP_STREAM_ACKED;
	int code = MPI_SUCCESS;

	if (!one_way || mpi->endpoint.rank == 0)
		code = MPI_Psend_init(transfer->slots[i].send, mpi->partitions, mpi->count,
				      mpi->type, mpi->peer, NP_MPI_TAG, mpi->comm,
				      MPI_INFO_NULL, &mpi->slot_sends[i]);
	if (code == MPI_SUCCESS && (!one_way || mpi->endpoint.rank != 0))
		code = MPI_Precv_init(transfer->slots[i].recv, mpi->partitions, mpi->count,
				      mpi->type, mpi->peer, NP_MPI_TAG, mpi->comm,
				      MPI_INFO_NULL, &mpi->slot_receives[i]);
	return code;
}

/* The barrier lets the library match the requests before the clock runs. */
int np_mpi_partitioned_begin(struct np_mpi *mpi, uint64_t messages)
{
	const size_t count = used_slots(mpi, messages);
	const int rc = make_slots(mpi, count);
	int code = MPI_SUCCESS;

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < count && code == MPI_SUCCESS; i++)
		code = make_requests(mpi, i);
	if (code == MPI_SUCCESS)
		code = MPI_Barrier(mpi->comm);
	return code == MPI_SUCCESS ? 0 : np_mpi_failed(mpi, code, "MPI_Psend_init");
}
#else
/* Never used: np_mpi_check() refuses -t partitioned. */
const struct np_code_path *np_mpi_partitioned(const struct np_mpi *mpi)
{
	return np_mpi_persistent(mpi);
}

int np_mpi_partitioned_begin(struct np_mpi *mpi, uint64_t messages)
{
	(void)messages;
	return np_mpi_persistent_begin(mpi);
}
#endif
