/*
 * mpi_pattern.c - timed loops of the patterns: exchange, ring, collectives, pairs.
 *
 * A sample is a number of operations and a barrier, so its time is that of the slowest
 * rank.  Each rank also adds up its own time before the barrier; it reads the clock
 * between samples only.
 */
#include "mpi_pattern.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG = NP_MPI_TAG };

#define SENT(mpi, slot)	    ((mpi)->endpoint.transfer->slots[slot].send)
#define RECEIVED(mpi, slot) ((mpi)->endpoint.transfer->slots[slot].recv)

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

NP_ALWAYS_INLINE int allreduce(struct np_mpi *mpi, size_t slot)
{
	return MPI_Allreduce(SENT(mpi, slot), RECEIVED(mpi, slot), mpi->count, mpi->type,
			     MPI_SUM, mpi->comm);
}

NP_ALWAYS_INLINE int barrier(struct np_mpi *mpi, size_t slot)
{
	(void)slot;
	return MPI_Barrier(mpi->comm);
}

NP_ALWAYS_INLINE int bcast(struct np_mpi *mpi, size_t slot)
{
	return MPI_Bcast(mpi->ranks.rank == 0 ? SENT(mpi, slot) : RECEIVED(mpi, slot),
			 mpi->count, mpi->type, 0, mpi->comm);
}

NP_ALWAYS_INLINE int alltoall(struct np_mpi *mpi, size_t slot)
{
	return MPI_Alltoall(SENT(mpi, slot), mpi->count, mpi->type, RECEIVED(mpi, slot),
			    mpi->count, mpi->type, mpi->comm);
}

/* A ping-pong; the lower rank of a pair sends first. */
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

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

NP_ALWAYS_INLINE int run(struct np_endpoint *ep, size_t slot, uint64_t messages,
			 uint64_t batches, int (*operation)(struct np_mpi *, size_t),
			 const char *call)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	struct np_mpi *mpi = np_mpi_of(ep);

	for (; batches != 0; batches--) {
		const uint64_t since = now();
		int code = MPI_SUCCESS;

		for (uint64_t left = messages; left != 0 && code == MPI_SUCCESS; left--) {
			code = operation(mpi, slot);
			slot = np_next_slot(slot, begin, end);
		}
		mpi->ranks.own_ns += now() - since;
		if (code == MPI_SUCCESS)
			code = MPI_Barrier(mpi->comm);
		if (NP_UNLIKELY(code != MPI_SUCCESS))
			return np_mpi_failed(mpi, code, call);
	}
	return 0;
}

/* The loop of rank 1 runs the whole block and ends it; that of rank 0 runs one sample,
 * and the acknowledgement after the last one ends the block. */
static int end_block(struct np_endpoint *ep)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_pattern_end(mpi, mpi->ranks.messages);
}

#define PATTERN(id, call)                                                                  \
	static int id##_step(struct np_endpoint *ep, size_t slot)                          \
	{                                                                                  \
		return np_mpi_check_call(np_mpi_of(ep), id(np_mpi_of(ep), slot), call);    \
	}                                                                                  \
	static int id##_loop(struct np_endpoint *ep, size_t slot, uint64_t messages,       \
			     uint64_t batches)                                             \
	{                                                                                  \
		return run(ep, slot, messages, batches, id, call);                         \
	}                                                                                  \
	static int id##_follow(struct np_endpoint *ep, size_t slot, uint64_t messages,     \
			       uint64_t batches)                                           \
	{                                                                                  \
		const int rc = id##_loop(ep, slot, messages, batches);                     \
                                                                                           \
		return rc != 0 ? rc : end_block(ep);                                       \
	}                                                                                  \
	static const struct np_hot id##_hot = {                                            \
		.post_recv = np_no_hook_slot,                                              \
		.send = np_no_hook_slot,                                                   \
		.recv = np_no_hook_slot,                                                   \
		.flush = np_no_hook,                                                       \
		.send_ack = end_block,                                                     \
		.recv_ack = end_block,                                                     \
		.step = id##_step,                                                         \
	};                                                                                 \
	static const struct np_code_path id##_path = {                                     \
		.name = #id,                                                               \
		.hot = &id##_hot,                                                          \
		.loops = { [NP_ONE_SIDED] = { id##_loop, id##_follow } },                  \
	}

PATTERN(exchange, "MPI_Sendrecv");
PATTERN(ring, "MPI_Sendrecv");
PATTERN(allreduce, "MPI_Allreduce");
PATTERN(barrier, "MPI_Barrier");
PATTERN(bcast, "MPI_Bcast");
PATTERN(alltoall, "MPI_Alltoall");
PATTERN(pairs, "MPI_Recv");

const struct np_code_path *np_mpi_pattern(const struct np_mpi *mpi)
{
	static const struct np_code_path *const code_paths[NP_MPI_PATTERNS] = {
		[NP_MPI_EXCHANGE] = &exchange_path,   [NP_MPI_RING] = &ring_path,
		[NP_MPI_ALLREDUCE] = &allreduce_path, [NP_MPI_BARRIER] = &barrier_path,
		[NP_MPI_BCAST] = &bcast_path,	      [NP_MPI_ALLTOALL] = &alltoall_path,
		[NP_MPI_PAIRS] = &pairs_path,
	};

	return code_paths[mpi->mode.pattern];
}

int np_mpi_pattern_run(struct np_mpi *mpi, uint64_t messages, uint64_t batches)
{
	return np_mpi_pattern(mpi)->loops[NP_ONE_SIDED][1](&mpi->endpoint, 0, messages,
							   batches);
}

int np_mpi_pattern_arm(struct np_mpi *mpi, size_t length)
{
	const int size = mpi->ranks.size;
	size_t elements = length;

	mpi->ranks.inspected = false;
	mpi->made_type = false;
	mpi->type = MPI_BYTE;
	if (mpi->mode.pattern == NP_MPI_ALLREDUCE) {
		mpi->type = MPI_DOUBLE;
		elements = length / sizeof(double);
	} else if (mpi->mode.pattern == NP_MPI_ALLTOALL) {
		elements = length / (size_t)size;
		if (elements == 0)
			return np_refuse(&mpi->endpoint.error,
					 "--pattern alltoall: %zu bytes have no part for "
					 "each of %d processes: -l %d",
					 length, size, size);
	}
	if (elements <= INT_MAX) {
		mpi->count = (int)elements;
		return 0;
	}
	if (mpi->type != MPI_BYTE)
		return np_refuse(&mpi->endpoint.error,
				 "--pattern allreduce: at most %d doubles at a time",
				 INT_MAX);
	return np_mpi_check_call(mpi,
				 np_mpi_type_of(elements, INT_MAX, MPI_BYTE, &mpi->type,
						&mpi->count, &mpi->made_type),
				 "MPI_Type_create_struct");
}
