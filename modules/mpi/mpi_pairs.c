/*
 * mpi_pairs.c - patterns of neighbours: exchange, ring, and ping-pong and streams of pairs.
 *
 * Streams are those of osu_mbw_mr: the lower rank of each pair sends a window of messages
 * by MPI_Isend() and waits for an empty reply.
 */
#include <stdlib.h>

#include "base/random.h"
#include "mpi_pattern.h"

enum { TAG = NP_MPI_TAG };

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
	size_t before = 0; /* pairs with a lower rank below that of this pair */

	ranks->partner = np_mpi_partner(how, ranks->rank, ranks->size);
	const int lower = ranks->rank < ranks->partner ? ranks->rank : ranks->partner;

	for (int rank = 0; rank < lower; rank++)
		before += rank < np_mpi_partner(how, rank, ranks->size);
	if (pairs == 0 || pairs > all)
		pairs = all;
	ranks->takes_part = before < pairs;
	ranks->active = (int)(2 * pairs);
}

/* ---- Operations ----------------------------------------------------------------- */

NP_ALWAYS_INLINE int exchange(struct np_mpi *mpi, size_t slot)
{
	return MPI_Sendrecv(SENT(mpi, slot), mpi->count, mpi->type, mpi->ranks.partner, TAG,
			    RECEIVED(mpi, slot), mpi->count, mpi->type, mpi->ranks.partner,
			    TAG, mpi->comm, MPI_STATUS_IGNORE);
}

NP_ALWAYS_INLINE int ring(struct np_mpi *mpi, size_t slot)
{
	return MPI_Sendrecv(SENT(mpi, slot), mpi->count, mpi->type, mpi->ranks.next, TAG,
			    RECEIVED(mpi, slot), mpi->count, mpi->type, mpi->ranks.previous,
			    TAG, mpi->comm, MPI_STATUS_IGNORE);
}

/* A round trip; the lower rank of a pair sends first. */
NP_ALWAYS_INLINE int pairs(struct np_mpi *mpi, size_t slot)
{
	const int partner = mpi->ranks.partner;
	const bool first = mpi->ranks.rank < partner;
	int code = MPI_SUCCESS;

	if (first)
		code = MPI_Send(SENT(mpi, slot), mpi->count, mpi->type, partner, TAG,
				mpi->comm);
	if (code == MPI_SUCCESS)
		code = MPI_Recv(RECEIVED(mpi, slot), mpi->count, mpi->type, partner, TAG,
				mpi->comm, MPI_STATUS_IGNORE);
	if (code == MPI_SUCCESS && !first)
		code = MPI_Send(SENT(mpi, slot), mpi->count, mpi->type, partner, TAG,
				mpi->comm);
	return code;
}

/* Sends `count` messages of a window, with slots from *slot on, and receives the reply. */
NP_ALWAYS_INLINE int send_window(struct np_mpi *mpi, size_t *slot, size_t count)
{
	const struct np_endpoint *ep = &mpi->endpoint;
	MPI_Request *requests = mpi->sends.list;
	int code = MPI_SUCCESS;

	for (size_t i = 0; i < count && code == MPI_SUCCESS; i++) {
		code = MPI_Isend(SENT(mpi, *slot), mpi->count, mpi->type,
				 mpi->ranks.partner, TAG, mpi->comm, &requests[i]);
		*slot = np_next_slot(*slot, ep->ring_begin, ep->ring_end);
	}
	if (code == MPI_SUCCESS)
		code = MPI_Waitall((int)count, requests, mpi->ranks.statuses);
	if (code == MPI_SUCCESS)
		code = MPI_Recv(NULL, 0, MPI_BYTE, mpi->ranks.partner, NP_MPI_TAG_ACK,
				mpi->comm, MPI_STATUS_IGNORE);
	return code;
}

NP_ALWAYS_INLINE int receive_window(struct np_mpi *mpi, size_t *slot, size_t count)
{
	const struct np_endpoint *ep = &mpi->endpoint;
	MPI_Request *requests = mpi->sends.list;
	int code = MPI_SUCCESS;

	for (size_t i = 0; i < count && code == MPI_SUCCESS; i++) {
		code = MPI_Irecv(RECEIVED(mpi, *slot), mpi->count, mpi->type,
				 mpi->ranks.partner, TAG, mpi->comm, &requests[i]);
		*slot = np_next_slot(*slot, ep->ring_begin, ep->ring_end);
	}
	if (code == MPI_SUCCESS)
		code = MPI_Waitall((int)count, requests, mpi->ranks.statuses);
	if (code == MPI_SUCCESS)
		code = MPI_Send(NULL, 0, MPI_BYTE, mpi->ranks.partner, NP_MPI_TAG_ACK,
				mpi->comm);
	return code;
}

/* Moves `messages` messages in windows, with slots from *slot on. */
NP_ALWAYS_INLINE int move_windows(struct np_mpi *mpi, size_t *slot, uint64_t messages)
{
	const bool sends = mpi->ranks.rank < mpi->ranks.partner;
	const size_t window = mpi->window;
	int code = MPI_SUCCESS;

	for (uint64_t left = messages; left != 0 && code == MPI_SUCCESS;) {
		const size_t count = left < window ? (size_t)left : window;

		code = sends ? send_window(mpi, slot, count) :
			       receive_window(mpi, slot, count);
		left -= count;
	}
	return code;
}

static int pairs_stream(struct np_endpoint *ep, size_t slot, uint64_t messages,
			uint64_t batches)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	const uint64_t own = mpi->ranks.takes_part ? messages : 0;

	for (; batches != 0; batches--) {
		int code = MPI_Barrier(mpi->comm);
		const uint64_t since = np_mpi_now();

		if (code == MPI_SUCCESS)
			code = move_windows(mpi, &slot, own);
		if (NP_UNLIKELY(code != MPI_SUCCESS))
			return np_mpi_failed(mpi, code, "MPI_Waitall");
		const int rc = np_mpi_pattern_sample(mpi, np_mpi_now() - since);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	return 0;
}

/* Parts of a sample that one of several threads executes. */
NP_MPI_TIMED static int thread_trips(struct np_mpi *mpi, size_t slot, uint64_t messages)
{
	return np_mpi_repeat(mpi, &slot, messages, pairs);
}

NP_MPI_TIMED static int thread_windows(struct np_mpi *mpi, size_t slot, uint64_t messages)
{
	return move_windows(mpi, &slot, messages);
}

static int threads_trips(struct np_endpoint *ep, size_t slot, uint64_t messages,
			 uint64_t batches)
{
	static const struct np_mpi_share trips = { thread_trips, "MPI_Recv" };

	return np_mpi_threads_loop(np_mpi_of(ep), slot, messages, batches, &trips);
}

static int threads_stream(struct np_endpoint *ep, size_t slot, uint64_t messages,
			  uint64_t batches)
{
	static const struct np_mpi_share windows = { thread_windows, "MPI_Waitall" };

	return np_mpi_threads_loop(np_mpi_of(ep), slot, messages, batches, &windows);
}

NP_MPI_LOOP(exchange_loop, np_mpi_loop_joined, exchange, "MPI_Sendrecv")
NP_MPI_LOOP(ring_loop, np_mpi_loop_joined, ring, "MPI_Sendrecv")
NP_MPI_LOOP(pairs_loop, np_mpi_loop_joined, pairs, "MPI_Recv")
NP_MPI_PATH(exchange, exchange_loop, NULL);
NP_MPI_PATH(ring, ring_loop, NULL);
NP_MPI_PATH(pairs, pairs_loop, pairs_stream);
NP_MPI_PATH(pairs_threads, threads_trips, threads_stream);

/* ---- Verification --------------------------------------------------------------- */

static long wrong_ring(const struct np_mpi *mpi, const unsigned char *at, size_t origin)
{
	return np_mpi_wrong_bytes(at, mpi->endpoint.transfer->length, origin,
				  mpi->ranks.previous);
}

static long wrong_pair(const struct np_mpi *mpi, const unsigned char *at, size_t origin)
{
	const struct np_transfer *transfer = mpi->endpoint.transfer;
	const struct np_mpi_ranks *ranks = &mpi->ranks;

	/* The lower rank of a stream receives nothing. */
	if (transfer->operation == NP_STREAM && ranks->rank < ranks->partner)
		return -1;
	return np_mpi_wrong_bytes(at, transfer->length, origin,
				  ranks->partner + ranks->contents);
}

/* ---- Rows of the table of patterns ---------------------------------------------- */

const struct np_mpi_pattern np_mpi_pattern_exchange = {
	.name = "exchange",
	.blocking = &exchange_path,
	.find_wrong = wrong_pair,
	.paired = true,
};

const struct np_mpi_pattern np_mpi_pattern_ring = {
	.name = "ring",
	.blocking = &ring_path,
	.find_wrong = wrong_ring,
};

const struct np_mpi_pattern np_mpi_pattern_pairs = {
	.name = "pairs",
	.stream_name = "pairs_stream",
	.blocking = &pairs_path,
	.threads = &pairs_threads_path,
	.find_wrong = wrong_pair,
	.paired = true,
	.round_trips = true,
};
