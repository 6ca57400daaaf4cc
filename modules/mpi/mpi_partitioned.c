/*
 * mpi_partitioned.c - partitioned requests of MPI 4: MPI_Psend_init(), MPI_Pready().
 *
 * A partitioned send is bound to one receive of the peer in the order of creation, here
 * that of the same slot.  An unmatched request cannot be freed, so a block makes requests
 * only for the slots and directions that it uses.
 */
#include "mpi_slots.h"

#ifdef NP_MPI_PARTITIONED
static int send_partitions(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc = np_mpi_start_send(ep, slot);

	for (int i = 0; rc == 0 && i < mpi->partitions; i++)
		rc = np_mpi_check_call(mpi, MPI_Pready(i, mpi->slot_sends[slot]),
				       "MPI_Pready");
	return rc;
}

static const struct np_hot hot = {
	.post_recv = np_mpi_start_receive,
	.send = send_partitions,
	.recv = np_mpi_wait_slot,
	.flush = np_mpi_wait_slots,
	.send_ack = np_mpi_send_ack,
	.recv_ack = np_mpi_recv_ack,
	.step = np_no_hook_slot,
};

NP_CODE_PATH(partitioned, "partitioned", hot);
NP_LOOP(exchange_window, np_loop_exchange_window, hot)
static const struct np_code_path windowed = {
	.name = "partitioned",
	.hot = &hot,
	.loops = { [NP_BIDIRECTIONAL] = { exchange_window, exchange_window } },
};
NP_CODE_PATH_BURST(burst, "partitioned", hot);

const struct np_code_path *np_mpi_partitioned(const struct np_mpi *mpi)
{
	if (np_mpi_has_window_both(mpi))
		return &windowed;
	return mpi->endpoint.burst ? &burst : &partitioned;
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
	const int rc = np_mpi_slots_make(mpi, count);
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
