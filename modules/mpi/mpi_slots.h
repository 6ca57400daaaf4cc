/*
 * mpi_slots.h - hooks of requests that are bound to a buffer: one per slot and direction,
 * made before the timed block; inlined into the loops of persistent and partitioned
 * requests.
 */
#pragma once

#include "mpi_private.h"

/* np_hot.post_recv */
NP_ALWAYS_INLINE int np_mpi_start_receive(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(mpi, MPI_Start(&mpi->slot_receives[slot]), "MPI_Start");
}

/* np_hot.recv */
NP_ALWAYS_INLINE int np_mpi_wait_slot(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(
		mpi, MPI_Wait(&mpi->slot_receives[slot], MPI_STATUS_IGNORE), "MPI_Wait");
}

/* Slots are sent in order: the oldest request is that of slot `oldest`. */
NP_ALWAYS_INLINE int np_mpi_wait_oldest_slot(struct np_mpi *mpi)
{
	const size_t slot = mpi->oldest;

	mpi->oldest = np_next_slot(slot, mpi->endpoint.ring_begin, mpi->endpoint.ring_end);
	mpi->in_flight--;
	return np_mpi_check_call(mpi, MPI_Wait(&mpi->slot_sends[slot], MPI_STATUS_IGNORE),
				 "MPI_Wait");
}

/* np_hot.send */
NP_ALWAYS_INLINE int np_mpi_start_send(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc = 0;

	if (mpi->in_flight == 0)
		mpi->oldest = slot;
	else if (mpi->in_flight == mpi->window || mpi->in_flight == ep->ring_end)
		rc = np_mpi_wait_oldest_slot(mpi);
	if (NP_UNLIKELY(rc != 0))
		return rc;
	mpi->in_flight++;
	return np_mpi_check_call(mpi, MPI_Start(&mpi->slot_sends[slot]), "MPI_Start");
}

/* np_hot.flush */
NP_ALWAYS_INLINE int np_mpi_wait_slots(struct np_endpoint *ep)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc;

	while (mpi->in_flight != 0) {
		if (NP_UNLIKELY((rc = np_mpi_wait_oldest_slot(mpi)) != 0))
			return rc;
	}
	return 0;
}
