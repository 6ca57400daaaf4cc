/*
 * mpi_receives.h - receives that are posted before their message, and waited for in
 * the order in which they were posted.  Blocking and non-blocking sends have them in
 * common; they are here to be inlined into the loops of both.
 */
#ifndef NP_MPI_RECEIVES_H
#define NP_MPI_RECEIVES_H

#include "mpi_private.h"

/* np_hot.post_recv: one at a time, or several in a stream. */
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

/* np_hot.recv: the oldest; it went to its own slot. */
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

#endif
