/*
 * mpi_pairs.c - patterns of neighbours: exchange, ring, and ping-pong and streams of pairs.
 *
 * Streams are those of osu_mbw_mr: the lower rank of each pair sends a window of messages
 * by MPI_Isend() and waits for an empty reply.
 */
#include "mpi_pattern_loop.h"
#include "mpi_threads.h"

enum { TAG = NP_MPI_TAG };

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

/* Parts of a sample that one of several threads executes.  tests/house/hot_loop.awk finds
 * timed loops by name suffixes such as "_step". */
static int thread_trips_step(struct np_mpi *mpi, size_t slot, uint64_t messages)
{
	return np_mpi_repeat(mpi, &slot, messages, pairs);
}

static int thread_windows_step(struct np_mpi *mpi, size_t slot, uint64_t messages)
{
	return move_windows(mpi, &slot, messages);
}

static int threads_trips(struct np_endpoint *ep, size_t slot, uint64_t messages,
			 uint64_t batches)
{
	static const struct np_mpi_share trips = { thread_trips_step, "MPI_Recv" };

	return np_mpi_threads_loop(np_mpi_of(ep), slot, messages, batches, &trips);
}

static int threads_stream(struct np_endpoint *ep, size_t slot, uint64_t messages,
			  uint64_t batches)
{
	static const struct np_mpi_share windows = { thread_windows_step, "MPI_Waitall" };

	return np_mpi_threads_loop(np_mpi_of(ep), slot, messages, batches, &windows);
}

NP_MPI_LOOP(exchange_loop, np_mpi_loop_joined, exchange, "MPI_Sendrecv")
NP_MPI_LOOP(ring_loop, np_mpi_loop_joined, ring, "MPI_Sendrecv")
NP_MPI_LOOP(pairs_loop, np_mpi_loop_joined, pairs, "MPI_Recv")
NP_MPI_PATH(exchange, exchange_loop, NULL, np_mpi_pattern_end);
NP_MPI_PATH(ring, ring_loop, NULL, np_mpi_pattern_end);
NP_MPI_PATH(pairs, pairs_loop, pairs_stream, np_mpi_pattern_end);
NP_MPI_PATH(pairs_threads, threads_trips, threads_stream, np_mpi_pattern_end);

const struct np_code_path *np_mpi_neighbours(const struct np_mpi *mpi)
{
	switch (mpi->mode.pattern) {
	case NP_MPI_EXCHANGE:
		return &exchange_path;
	case NP_MPI_RING:
		return &ring_path;
	default:
		return mpi->threads != NULL ? &pairs_threads_path : &pairs_path;
	}
}
