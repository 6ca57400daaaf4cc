/*
 * mpi_slots.c - memory of requests that are bound to slots.
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

int np_mpi_slots_make(struct np_mpi *mpi, size_t count)
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
