/*
 * mpi_requests.h - hooks of preposted receives and of sends in flight, completed in the
 * order of posting; inlined into the loops of blocking and non-blocking sends.
 */
#pragma once

#include "mpi_private.h"

/* np_hot.post_recv */
NP_ALWAYS_INLINE int np_mpi_post_receive(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	struct np_mpi_requests *receives = &mpi->receives;

	return np_mpi_check_call(
		mpi,
		MPI_Irecv(ep->transfer->slots[slot].recv, mpi->count, mpi->type,
			  mpi->source, NP_MPI_TAG, mpi->comm,
			  &receives->list[receives->next++ & receives->mask]),
		"MPI_Irecv");
}

/* np_hot.recv: waits for the oldest request, which belongs to the slot. */
NP_ALWAYS_INLINE int np_mpi_wait_received(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	struct np_mpi_requests *receives = &mpi->receives;

	(void)slot;
	return np_mpi_check_call(
		mpi,
		MPI_Wait(&receives->list[receives->first++ & receives->mask],
			 MPI_STATUS_IGNORE),
		"MPI_Wait");
}

/* Waits for the oldest send. */
NP_ALWAYS_INLINE int np_mpi_wait_oldest(struct np_mpi *mpi)
{
	struct np_mpi_requests *sends = &mpi->sends;

	return np_mpi_check_call(
		mpi,
		MPI_Wait(&sends->list[sends->first++ & sends->mask], MPI_STATUS_IGNORE),
		"MPI_Wait");
}

/* np_hot.flush */
NP_ALWAYS_INLINE int np_mpi_wait_sent(struct np_endpoint *ep)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc;

	while (mpi->sends.first != mpi->sends.next) {
		if (NP_UNLIKELY((rc = np_mpi_wait_oldest(mpi)) != 0))
			return rc;
	}
	return 0;
}
