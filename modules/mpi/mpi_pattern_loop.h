/*
 * mpi_pattern_loop.h - the timed loops of patterns, inlined around one operation.
 *
 * The time of a rank is that of its calls.  As in OSU's benchmarks, an untimed barrier
 * separates two collective operations: a rank that leaves early, such as the root of a
 * broadcast, cannot start the next one.  Therefore the clock is read around each operation,
 * which no other code path does.  Back-to-back operations are timed as one.
 */
#pragma once

#include <time.h>

#include "mpi_pattern.h"

#define SENT(mpi, slot)	    ((mpi)->endpoint.transfer->slots[slot].send)
#define RECEIVED(mpi, slot) ((mpi)->endpoint.transfer->slots[slot].recv)

static inline uint64_t np_mpi_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One operation of all ranks between two barriers. */
NP_ALWAYS_INLINE int np_mpi_loop_apart(struct np_endpoint *ep, size_t slot,
				       uint64_t messages, uint64_t batches,
				       int (*operation)(struct np_mpi *, size_t),
				       const char *call)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	struct np_mpi *mpi = np_mpi_of(ep);

	for (; batches != 0; batches--) {
		uint64_t spent = 0;

		for (uint64_t left = messages; left != 0; left--) {
			int code = MPI_Barrier(mpi->comm);
			const uint64_t since = np_mpi_now();

			if (code == MPI_SUCCESS)
				code = operation(mpi, slot);
			spent += np_mpi_now() - since;
			if (NP_UNLIKELY(code != MPI_SUCCESS))
				return np_mpi_failed(mpi, code, call);
			slot = np_next_slot(slot, begin, end);
		}
		const int rc = np_mpi_pattern_sample(mpi, spent);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	return 0;
}

/* Operations back to back, with slots from *slot on. */
NP_ALWAYS_INLINE int np_mpi_repeat(struct np_mpi *mpi, size_t *slot, uint64_t messages,
				   int (*operation)(struct np_mpi *, size_t))
{
	const size_t begin = mpi->endpoint.ring_begin, end = mpi->endpoint.ring_end;
	int code = MPI_SUCCESS;

	for (uint64_t left = messages; left != 0 && code == MPI_SUCCESS; left--) {
		code = operation(mpi, *slot);
		*slot = np_next_slot(*slot, begin, end);
	}
	return code;
}

/* Operations back to back, between the barriers of a sample. */
NP_ALWAYS_INLINE int np_mpi_loop_joined(struct np_endpoint *ep, size_t slot,
					uint64_t messages, uint64_t batches,
					int (*operation)(struct np_mpi *, size_t),
					const char *call)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	const bool takes_part = mpi->ranks.takes_part;

	for (; batches != 0; batches--) {
		int code = MPI_Barrier(mpi->comm);
		const uint64_t since = np_mpi_now();

		if (code == MPI_SUCCESS)
			code = np_mpi_repeat(mpi, &slot, takes_part ? messages : 0,
					     operation);
		if (NP_UNLIKELY(code != MPI_SUCCESS))
			return np_mpi_failed(mpi, code, call);
		const int rc = np_mpi_pattern_sample(mpi, np_mpi_now() - since);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	return 0;
}

/* Defines the code path of an operation from its loop and the loop of its streams. */
#define NP_MPI_PATH(id, alone, streamed, finish)                                           \
	static const struct np_hot id##_hot = {                                            \
		.post_recv = np_no_hook_slot,                                              \
		.send = np_no_hook_slot,                                                   \
		.recv = np_no_hook_slot,                                                   \
		.flush = (finish),                                                         \
		.send_ack = np_no_hook,                                                    \
		.recv_ack = np_no_hook,                                                    \
		.step = np_no_hook_slot,                                                   \
	};                                                                                 \
	static const struct np_code_path id##_path = {                                     \
		.name = #id,                                                               \
		.hot = &id##_hot,                                                          \
		.loops = { [NP_ONE_SIDED] = { alone, alone },                              \
			   [NP_STREAM] = { streamed, streamed } },                         \
		.now = np_mpi_pattern_clock,                                               \
	}

#define NP_MPI_LOOP(name, loop, operation, call)                                           \
	static int name(struct np_endpoint *ep, size_t slot, uint64_t messages,            \
			uint64_t batches)                                                  \
	{                                                                                  \
		return loop(ep, slot, messages, batches, operation, call);                 \
	}
