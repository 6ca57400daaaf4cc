/*
 * mpi_slowest.c - slowest rank of a pattern in each pass; kept by rank 0.
 *
 * The score of a rank is its time over the mean of the participating ranks, summed over the
 * blocks of a pass: all sizes have the same weight.  A new region begins a new pass.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "mpi_pattern.h"

struct place {
	char host[80];
	int core;
};

struct np_mpi_slowest {
	struct place *places;
	double *scores;	 /* per rank, of this pass */
	unsigned *times; /* per rank: passes in which it was the slowest */
	unsigned passes;
	uint64_t generation;
	bool begun; /* the pass has blocks */
};

void np_mpi_slowest_end(struct np_mpi *mpi)
{
	struct np_mpi_slowest *slowest = mpi->ranks.slowest;

	if (slowest == NULL)
		return;
	free(slowest->places);
	free(slowest->scores);
	free(slowest->times);
	free(slowest);
	mpi->ranks.slowest = NULL;
}

static int allocate(struct np_mpi *mpi)
{
	const size_t size = (size_t)mpi->ranks.size;
	struct np_mpi_slowest *slowest = calloc(1, sizeof(*slowest));

	mpi->ranks.slowest = slowest;
	if (slowest == NULL)
		return -ENOMEM;
	slowest->places = calloc(size, sizeof(*slowest->places));
	slowest->scores = calloc(size, sizeof(*slowest->scores));
	slowest->times = calloc(size, sizeof(*slowest->times));
	return slowest->places != NULL && slowest->scores != NULL &&
			       slowest->times != NULL ?
		       0 :
		       -ENOMEM;
}

int np_mpi_slowest_begin(struct np_mpi *mpi)
{
	struct place mine = { .core = sched_getcpu() };
	struct utsname host;

	if (uname(&host) == 0)
		snprintf(mine.host, sizeof(mine.host), "%.*s", (int)sizeof(mine.host) - 1,
			 host.nodename);
	if (mpi->ranks.rank == 0 && allocate(mpi) != 0)
		return np_fail_errno(&mpi->endpoint.error, ENOMEM,
				     "no memory for the times of all ranks");
	return np_mpi_check_call(
		mpi,
		MPI_Gather(&mine, sizeof(mine), MPI_BYTE,
			   mpi->ranks.rank == 0 ? mpi->ranks.slowest->places : NULL,
			   sizeof(mine), MPI_BYTE, 0, mpi->comm),
		"MPI_Gather");
}

static unsigned find_most(const struct np_mpi *mpi)
{
	const double *scores = mpi->ranks.slowest->scores;
	unsigned most = 0;

	for (unsigned rank = 1; rank < (unsigned)mpi->ranks.size; rank++)
		most = scores[rank] > scores[most] ? rank : most;
	return most;
}

static void end_pass(const struct np_mpi *mpi)
{
	struct np_mpi_slowest *slowest = mpi->ranks.slowest;

	if (!slowest->begun)
		return;
	slowest->times[find_most(mpi)]++;
	slowest->passes++;
	slowest->begun = false;
	memset(slowest->scores, 0, (size_t)mpi->ranks.size * sizeof(*slowest->scores));
}

void np_mpi_slowest_add(const struct np_mpi *mpi, int rank, uint64_t ns, double mean_ns)
{
	struct np_mpi_slowest *slowest = mpi->ranks.slowest;

	if (slowest->generation != mpi->ranks.generation)
		end_pass(mpi);
	slowest->generation = mpi->ranks.generation;
	slowest->begun = true;
	slowest->scores[rank] += mean_ns > 0 ? (double)ns / mean_ns : 0;
}

bool np_mpi_slowest_tell(const struct np_endpoint *endpoint, struct np_job_slowest *found)
{
	const struct np_mpi *mpi = (const struct np_mpi *)endpoint;
	const struct np_mpi_slowest *slowest = mpi->ranks.slowest;

	if (slowest == NULL)
		return false;
	end_pass(mpi);
	*found = (struct np_job_slowest){ .passes = slowest->passes,
					  .ranks = (unsigned)mpi->ranks.active };
	for (unsigned rank = 1; rank < (unsigned)mpi->ranks.size; rank++) {
		if (slowest->times[rank] > slowest->times[found->rank])
			found->rank = rank;
	}
	found->times = slowest->times[found->rank];
	memcpy(found->host, slowest->places[found->rank].host, sizeof(found->host));
	found->core = slowest->places[found->rank].core;
	return slowest->passes != 0;
}
