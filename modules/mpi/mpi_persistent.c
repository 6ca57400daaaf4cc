/*
 * mpi_persistent.c - persistent requests: MPI_Send_init(), MPI_Start().
 */
#include "mpi_slots.h"

static const struct np_hot hot = {
	.post_recv = np_mpi_start_receive,
	.send = np_mpi_start_send,
	.recv = np_mpi_wait_slot,
	.flush = np_mpi_wait_slots,
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

int np_mpi_persistent_begin(struct np_mpi *mpi)
{
	const struct np_slot *slots = mpi->endpoint.transfer->slots;
	const size_t count = mpi->endpoint.ring_end;
	const int rc = np_mpi_slots_make(mpi, count);
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
