/*
 * mpi_window.c - the window of one-sided operations.
 *
 * It covers the whole region: the displacement of a slot is its offset in the region,
 * which is equal in both processes.
 */
#include <errno.h>
#include <time.h>

#include "mpi_pattern.h"

enum { BARRIER_MS = 2000 };

static int make_group(struct np_mpi *mpi)
{
	MPI_Group both;
	int code = MPI_Comm_group(mpi->comm, &both);

	if (code != MPI_SUCCESS)
		return code;
	code = MPI_Group_incl(both, 1, &mpi->peer, &mpi->group);
	MPI_Group_free(&both);
	return code;
}

/* Permanent locks.  The barrier makes the peer's library progress until this rank has
 * its lock. */
static int lock_window(struct np_mpi *mpi)
{
	int code = MPI_SUCCESS;

	if (mpi->mode.epoch == NP_MPI_LOCK_ALL)
		code = MPI_Win_lock_all(0, mpi->win);
	else if (mpi->mode.epoch == NP_MPI_FLUSH && mpi->endpoint.rank == 0)
		code = MPI_Win_lock(MPI_LOCK_SHARED, mpi->peer, 0, mpi->win);
	return code == MPI_SUCCESS ? MPI_Barrier(mpi->comm) : code;
}

static int unlock_window(struct np_mpi *mpi)
{
	if (mpi->mode.epoch == NP_MPI_LOCK_ALL)
		return MPI_Win_unlock_all(mpi->win);
	if (mpi->mode.epoch == NP_MPI_FLUSH && mpi->endpoint.rank == 0)
		return MPI_Win_unlock(mpi->peer, mpi->win);
	return MPI_SUCCESS;
}

int np_mpi_reg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	if (mpi->mode.pattern != NP_MPI_NO_PATTERN) {
		mpi->ranks.generation++;
		np_mpi_pattern_fill_region(&mpi->ranks, region->base, region->length);
	}
	if (!mpi->mode.one_sided)
		return 0;
	mpi->base = region->base;
	int code = make_group(mpi);
	if (code == MPI_SUCCESS)
		code = MPI_Win_create(region->base, (MPI_Aint)region->length, 1,
				      MPI_INFO_NULL, mpi->comm, &mpi->win);
	if (code == MPI_SUCCESS)
		code = MPI_Win_set_errhandler(mpi->win, MPI_ERRORS_RETURN);
	if (code == MPI_SUCCESS)
		code = lock_window(mpi);
	return np_mpi_check_call(mpi, code, "MPI_Win_create");
}

/* MPI_Win_free() is collective, and a failed peer never calls it: a barrier with a
 * timeout comes first.  If it fails, the window stays until the job ends. */
static bool barrier_with_timeout(struct np_mpi *mpi)
{
	const struct timespec pause = { .tv_nsec = 100000 };
	MPI_Request request;
	int done = 0;

	if (mpi->endpoint.error.code != 0 || np_should_stop(&mpi->endpoint) ||
	    MPI_Ibarrier(mpi->comm, &request) != MPI_SUCCESS)
		return false;
	for (unsigned tries = 0; tries < BARRIER_MS * 10 && !done; tries++) {
		if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			return false;
		if (!done && np_should_stop(&mpi->endpoint))
			return false;
		if (!done)
			nanosleep(&pause, NULL);
	}
	return done != 0;
}

void np_mpi_unreg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	(void)region;
	if (mpi->win == MPI_WIN_NULL)
		return;
	if (barrier_with_timeout(mpi) && unlock_window(mpi) == MPI_SUCCESS)
		MPI_Win_free(&mpi->win);
	if (mpi->group != MPI_GROUP_NULL)
		MPI_Group_free(&mpi->group);
	mpi->win = MPI_WIN_NULL;
	mpi->group = MPI_GROUP_NULL;
}
