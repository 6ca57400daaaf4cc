/*
 * mpi_partners.c - pairs of ranks, contents of their messages, verification and times at
 * the end of a block.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mpi_pattern.h"
#include "mpi_threads.h"

/* Draws a permutation that is equal in all ranks; elements 2k and 2k + 1 are a pair. */
static int random_partner(int rank, int size)
{
	struct np_random random = { .state = (uint64_t)size };
	size_t *order = calloc((size_t)size, sizeof(*order));
	int partner = rank ^ 1;

	if (order == NULL)
		return partner;
	for (size_t i = 0; i < (size_t)size; i++)
		order[i] = i;
	np_shuffle(&random, order, (size_t)size);
	for (size_t i = 0; i < (size_t)size; i++) {
		if (order[i] == (size_t)rank)
			partner = (int)order[i ^ 1];
	}
	free(order);
	return partner;
}

int np_mpi_partner(enum np_mpi_partners how, int rank, int size)
{
	if (how == NP_MPI_FAR)
		return (rank + size / 2) % size;
	return how == NP_MPI_RANDOM ? random_partner(rank, size) : rank ^ 1;
}

void np_mpi_take_part(struct np_mpi_ranks *ranks, enum np_mpi_partners how, size_t pairs)
{
	const size_t all = (size_t)ranks->size / 2;
	size_t before = 0; /* pairs whose lower rank is below this pair's */

	ranks->partner = np_mpi_partner(how, ranks->rank, ranks->size);
	const int lower = ranks->rank < ranks->partner ? ranks->rank : ranks->partner;

	for (int rank = 0; rank < lower; rank++)
		before += rank < np_mpi_partner(how, rank, ranks->size);
	if (pairs == 0 || pairs > all)
		pairs = all;
	ranks->takes_part = before < pairs;
	ranks->active = (int)(2 * pairs);
}

enum { PERIOD = 1021 };

static double number_at(size_t place, int rank)
{
	return (double)(rank + 1) * (double)(1 + place % PERIOD);
}

void np_mpi_pattern_fill(unsigned char *at, size_t length, size_t origin, int rank)
{
	/* Doubles begin at multiples of 8 of the offset, not of the address. */
	size_t place = origin / sizeof(double), within = origin % sizeof(double);

	while (length != 0) {
		const double number = number_at(place++, rank);
		size_t part = sizeof(number) - within;

		part = part < length ? part : length;
		memcpy(at, (const unsigned char *)&number + within, part);
		at += part;
		length -= part;
		within = 0;
	}
}

void np_mpi_pattern_fill_region(struct np_mpi_ranks *ranks, unsigned char *base,
				size_t length)
{
	ranks->base = base;
	ranks->received_from = SIZE_MAX;
	np_mpi_pattern_fill(base, length, 0, ranks->rank + ranks->contents);
}

void np_mpi_pattern_renew(struct np_mpi *mpi)
{
	const struct np_transfer *transfer = mpi->endpoint.transfer;
	struct np_mpi_ranks *ranks = &mpi->ranks;
	size_t sent_to = 0, received_from = SIZE_MAX;

	for (size_t i = 0; i < mpi->endpoint.ring_end; i++) {
		const struct np_slot *slot = &transfer->slots[i];
		const size_t sent = (size_t)(slot->send - ranks->base) +
				    transfer->length * ranks->parts;
		const size_t received = (size_t)(slot->recv - ranks->base);

		sent_to = sent > sent_to ? sent : sent_to;
		received_from = received < received_from ? received : received_from;
	}
	if (ranks->received_from < sent_to) {
		np_mpi_pattern_fill(ranks->base + ranks->received_from,
				    sent_to - ranks->received_from, ranks->received_from,
				    ranks->rank + ranks->contents);
		ranks->received_from = sent_to;
	}
	if (received_from < ranks->received_from)
		ranks->received_from = received_from;
}

void np_mpi_pattern_restore(struct np_mpi *mpi, size_t length)
{
	enum { LOOKS = 64 };
	struct np_mpi_ranks *ranks = &mpi->ranks;
	bool whole = true;

	for (size_t i = 0; i < LOOKS && whole; i++) {
		const size_t place = length / LOOKS * i / 64 * 64;
		unsigned char wanted[sizeof(double)];

		if (place >= ranks->received_from)
			break;
		np_mpi_pattern_fill(wanted, sizeof(wanted), place, ranks->rank);
		whole = memcmp(ranks->base + place, wanted, sizeof(wanted)) == 0;
	}
	if (!whole)
		np_mpi_pattern_fill_region(ranks, ranks->base, length);
}

/* Offset of the first byte of [at, at + length) that differs from rank's content; -1 if
 * none does. */
static long find_wrong(const unsigned char *at, size_t length, size_t origin, int rank)
{
	unsigned char expected[8 * PERIOD];

	for (size_t done = 0; done < length;) {
		const size_t left = length - done;
		const size_t part = left < sizeof(expected) ? left : sizeof(expected);

		np_mpi_pattern_fill(expected, part, origin + done, rank);
		for (size_t i = 0; i < part; i++) {
			if (at[done + i] != expected[i])
				return (long)(done + i);
		}
		done += part;
	}
	return -1;
}

static long find_wrong_sum(const unsigned char *at, size_t count, size_t origin, int size)
{
	/* Sums are defined only for whole doubles. */
	if (origin % sizeof(double) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const double expected = (double)size * (double)(size + 1) / 2 *
					number_at(origin / sizeof(double) + i, 0);
		double sum;

		memcpy(&sum, at + i * sizeof(sum), sizeof(sum));
		if (sum < expected || sum > expected)
			return (long)(i * sizeof(sum));
	}
	return -1;
}

/* Verifies a buffer with one part of each rank, in the order of ranks. */
static long find_wrong_parts(const struct np_mpi *mpi, const unsigned char *at,
			     size_t origin)
{
	const size_t length = mpi->endpoint.transfer->length;

	for (int from = 0; from < mpi->ranks.size; from++) {
		const size_t before = length * (size_t)from;
		const long wrong = find_wrong(at + before, length, origin, from);

		if (wrong >= 0)
			return wrong + (long)before;
	}
	return -1;
}

static long find_wrong_share(const struct np_mpi *mpi, const unsigned char *at,
			     size_t origin)
{
	const struct np_mpi_ranks *ranks = &mpi->ranks;
	size_t before = 0;

	for (int rank = 0; rank < ranks->rank; rank++)
		before += (size_t)ranks->shares[rank];
	return find_wrong_sum(at, (size_t)ranks->shares[ranks->rank],
			      origin + before * sizeof(double), ranks->size);
}

/* Verifies the last message of a slot; returns the offset of the first wrong byte, or
 * -1. */
static long inspect(const struct np_mpi *mpi, size_t slot)
{
	const struct np_mpi_ranks *ranks = &mpi->ranks;
	const struct np_transfer *transfer = mpi->endpoint.transfer;
	const unsigned char *at = transfer->slots[slot].recv;
	const size_t length = transfer->length;
	const size_t origin =
		ranks->fresh ? 0 : (size_t)(transfer->slots[slot].send - ranks->base);
	/* Offset of this rank's part in the send buffer of another rank. */
	const size_t own_part = origin + length * (size_t)ranks->rank;
	const bool root = ranks->rank == 0;

	switch (mpi->mode.pattern) {
	case NP_MPI_RING:
		return find_wrong(at, length, origin, ranks->previous);
	case NP_MPI_BCAST:
		return root ? -1 : find_wrong(at, length, origin, 0);
	case NP_MPI_REDUCE:
		return !root ? -1 :
			       find_wrong_sum(at, (size_t)mpi->count, origin, ranks->size);
	case NP_MPI_ALLREDUCE:
		return find_wrong_sum(at, (size_t)mpi->count, origin, ranks->size);
	case NP_MPI_REDUCE_SCATTER:
		return find_wrong_share(mpi, at, origin);
	case NP_MPI_GATHER:
		return root ? find_wrong_parts(mpi, at, origin) : -1;
	case NP_MPI_SCATTER:
		return find_wrong(at, length, own_part, 0);
	case NP_MPI_ALLGATHER:
		return find_wrong_parts(mpi, at, origin);
	case NP_MPI_ALLTOALL:
		return find_wrong_parts(mpi, at, own_part);
	case NP_MPI_EXCHANGE:
	case NP_MPI_PAIRS:
		/* The lower rank of a stream receives nothing. */
		return transfer->operation == NP_STREAM && ranks->rank < ranks->partner ?
			       -1 :
			       find_wrong(at, length, origin,
					  ranks->partner + ranks->contents);
	default:
		return -1;
	}
}

struct outcome {
	uint64_t ns;
	int64_t wrong; /* offset in the last message; -1: none */
	uint64_t thread;
};

/* Verifies the last message of a block, once per size; returns as inspect(). */
static long look(struct np_mpi *mpi)
{
	struct np_mpi_ranks *ranks = &mpi->ranks;
	const uint64_t messages = ranks->takes_part ? ranks->messages : 0;
	const bool done = ranks->inspected || messages == 0;

	ranks->inspected = true;
	return done ? -1 : inspect(mpi, (size_t)((messages - 1) % mpi->endpoint.ring_end));
}

static int compare_times(const void *a, const void *b)
{
	const struct outcome *one = a, *other = b;

	return one->ns < other->ns ? -1 : one->ns > other->ns;
}

static int merge_outcomes(struct np_mpi *mpi, struct outcome *all)
{
	struct np_mpi_ranks *ranks = &mpi->ranks;
	const size_t size = (size_t)ranks->size;
	const size_t idle = size - (size_t)ranks->active; /* with own_ns 0 */
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
		np_mpi_slowest_add(mpi, rank, all[rank].ns, sum / ranks->active);
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

	mine.wrong = look(mpi);
	for (size_t k = 1; (thread = np_mpi_threads_at(mpi, k)) != NULL; k++) {
		const long wrong = look(thread);

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
