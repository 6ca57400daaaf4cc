/*
 * mpi_times.c - end of a block of a pattern: times of all ranks, and the slowest rank; kept
 * by rank 0.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "mpi_pattern.h"

/*
 * ---- Slowest rank of each pass ----------------------------------------------
 *
 * The score of a rank is its time over the mean of the participating ranks, summed over the
 * blocks of a pass: all sizes have the same weight.  A new region begins a new pass.
 */

struct place {
	char host[80];
	int core;
};

struct np_mpi_slowest {
	struct place *places;
	double *scores;	 /* per rank, sum over the blocks of this pass */
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

/* Adds the time of a rank in a block, relative to the mean of the participating ranks. */
static void add_slowest(const struct np_mpi *mpi, int rank, uint64_t ns, double mean_ns)
{
	struct np_mpi_slowest *slowest = mpi->ranks.slowest;

	if (slowest->generation != mpi->ranks.generation)
		end_pass(mpi);
	slowest->generation = mpi->ranks.generation;
	slowest->begun = true;
	slowest->scores[rank] += mean_ns > 0 ? (double)ns / mean_ns : 0;
}

bool np_mpi_slowest_find(const struct np_endpoint *endpoint, struct np_job_slowest *found)
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

/* ---- Times of a block ---------------------------------------------------- */

struct outcome {
	uint64_t ns;
	int64_t wrong; /* offset in the last message; -1: none */
	uint64_t thread;
};

static int compare_times(const void *a, const void *b)
{
	const struct outcome *one = a, *other = b;

	return one->ns < other->ns ? -1 : one->ns > other->ns;
}

static int merge_outcomes(struct np_mpi *mpi, struct outcome *all)
{
	struct np_mpi_ranks *ranks = &mpi->ranks;
	const size_t size = (size_t)ranks->size;
	const size_t idle = size - (size_t)ranks->active; /* idle ranks: own_ns 0 */
	double sum = 0;
	char thread[32] = "";

	for (size_t rank = 0; rank < size; rank++) {
		if (mpi->threads != NULL)
			snprintf(thread, sizeof(thread), "thread %llu, ",
				 (unsigned long long)all[rank].thread);
		if (all[rank].wrong >= 0)
			return np_fail(&mpi->endpoint.error, NP_ERROR_DATA, EBADMSG,
				       "wrong data: rank %zu, %sbyte %lld of %zu", rank,
				       thread, (long long)all[rank].wrong,
				       mpi->endpoint.transfer->length);
		sum += (double)all[rank].ns;
	}
	for (int rank = 0; rank < ranks->size; rank++)
		add_slowest(mpi, rank, all[rank].ns, sum / ranks->active);
	qsort(all, size, sizeof(*all), compare_times);
	ranks->least_ns += all[idle].ns;
	ranks->median_ns += all[idle + (size - idle) / 2].ns;
	ranks->most_ns += all[size - 1].ns;
	return 0;
}

int np_mpi_pattern_end(struct np_endpoint *endpoint)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);
	struct np_mpi_ranks *ranks = &mpi->ranks;
	struct outcome mine = { .ns = ranks->own_ns };
	struct outcome *all = NULL;
	struct np_mpi *thread;

	mine.wrong = np_mpi_verify(mpi);
	for (size_t k = 1; (thread = np_mpi_threads_at(mpi, k)) != NULL; k++) {
		const long wrong = np_mpi_verify(thread);

		if (wrong >= 0 && mine.wrong < 0)
			mine = (struct outcome){ mine.ns, wrong, k };
	}
	ranks->own_ns = 0;
	if (ranks->rank == 0) {
		all = calloc((size_t)ranks->size, sizeof(*all));
		if (all == NULL)
			return np_fail_errno(&mpi->endpoint.error, ENOMEM,
					     "no memory for the times of all ranks");
	}
	int rc = np_mpi_check_call(mpi,
				   MPI_Gather(&mine, sizeof(mine), MPI_BYTE, all,
					      sizeof(mine), MPI_BYTE, 0, mpi->comm),
				   "MPI_Gather");
	if (rc == 0 && all != NULL)
		rc = merge_outcomes(mpi, all);
	free(all);
	return rc;
}
