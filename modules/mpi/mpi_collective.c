/*
 * mpi_collective.c - collective operations as patterns, blocking and non-blocking.
 *
 * The root of an operation is rank 0.
 *
 * As in OSU's benchmarks, a rank may compute between the start of a non-blocking operation
 * and MPI_Wait(), for as long as the operation alone takes, without MPI calls.  The exposed
 * time is the time in the calls; OSU's overlap, 1 - (total - computing) / pure, is
 * 1 - exposed / pure.
 */
#include "mpi_pattern.h"

/* Untimed operations that calibrate the computing time before the first sample. */
enum { TRIALS = 16 };

typedef int start_fn(struct np_mpi *, size_t, MPI_Request *);

/* Spins for at least `ns`; returns the ns that passed. */
static inline uint64_t compute(uint64_t ns)
{
	const uint64_t since = np_mpi_now();
	uint64_t passed;

	do
		passed = np_mpi_now() - since;
	while (passed < ns);
	return passed;
}

/* Runs the operations of one sample, each after a barrier; *spent: ns in their calls.
 * Returns an MPI error code. */
NP_ALWAYS_INLINE int operate(struct np_mpi *mpi, size_t *slot, uint64_t operations,
			     start_fn *start, bool computes, uint64_t ns, uint64_t *spent)
{
	const size_t begin = mpi->endpoint.ring_begin, end = mpi->endpoint.ring_end;
	int code = MPI_SUCCESS;

	*spent = 0;
	for (; operations != 0 && code == MPI_SUCCESS; operations--) {
		MPI_Request request = MPI_REQUEST_NULL;
		uint64_t computing = 0;

		code = MPI_Barrier(mpi->comm);
		const uint64_t since = np_mpi_now();

		if (code == MPI_SUCCESS)
			code = start(mpi, *slot, &request);
		if (computes)
			computing = compute(ns);
		/* A failed call has made no request. */
		// NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker)
		code = code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
		*spent += np_mpi_now() - since - computing;
		*slot = np_next_slot(*slot, begin, end);
	}
	return code;
}

/* Record of this rank's time without computing, for this length and buffer mode (reuse,
 * rotate, fresh). */
static struct np_mpi_spent *pure_of(struct np_mpi *mpi)
{
	const size_t slots = mpi->endpoint.ring_end - mpi->endpoint.ring_begin;

	return &mpi->ranks.pure[mpi->ranks.fresh ? 2 : slots > 1];
}

NP_ALWAYS_INLINE int run(struct np_endpoint *ep, size_t slot, uint64_t messages,
			 uint64_t batches, start_fn *start, bool computes, const char *call)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	struct np_mpi_spent *pure = pure_of(mpi);
	int code = MPI_SUCCESS;

	if (computes && pure->operations == 0) {
		size_t last = ep->ring_end - 1;

		code = operate(mpi, &last, TRIALS, start, false, 0, &pure->ns);
		pure->operations = TRIALS;
	}
	const uint64_t ns = computes ? pure->ns / pure->operations : 0;

	for (; batches != 0; batches--) {
		uint64_t spent;

		if (code == MPI_SUCCESS)
			code = operate(mpi, &slot, messages, start, computes, ns, &spent);
		if (NP_UNLIKELY(code != MPI_SUCCESS))
			return np_mpi_failed(mpi, code, call);
		if (!computes) {
			pure->ns += spent;
			pure->operations += messages;
		}
		const int rc = np_mpi_pattern_sample(mpi, spent);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	return 0;
}

#define ILOOP(name, id, computes, call)                                                    \
	static int name(struct np_endpoint *ep, size_t slot, uint64_t messages,            \
			uint64_t batches)                                                  \
	{                                                                                  \
		return run(ep, slot, messages, batches, id, computes, call);               \
	}

/* Functions, loops and code paths of an operation; the last arguments are those of the
 * call. */
#define COLLECTIVE(id, call, icall, ...)                                                   \
	NP_ALWAYS_INLINE int id(struct np_mpi *mpi, size_t slot)                           \
	{                                                                                  \
		(void)slot;                                                                \
		return call(__VA_ARGS__);                                                  \
	}                                                                                  \
	NP_ALWAYS_INLINE int i##id(struct np_mpi *mpi, size_t slot, MPI_Request *request)  \
	{                                                                                  \
		(void)slot;                                                                \
		return icall(__VA_ARGS__, request);                                        \
	}                                                                                  \
	NP_MPI_LOOP(id##_apart, np_mpi_loop_apart, id, #call)                              \
	NP_MPI_LOOP(id##_joined, np_mpi_loop_joined, id, #call)                            \
	ILOOP(i##id##_alone, i##id, false, #icall)                                         \
	ILOOP(i##id##_beside, i##id, true, #icall)                                         \
	NP_MPI_PATH(id, id##_apart, id##_joined);                                          \
	NP_MPI_PATH(i##id, i##id##_alone, NULL);                                           \
	NP_MPI_PATH(i##id##_exposed, i##id##_beside, NULL)

COLLECTIVE(barrier, MPI_Barrier, MPI_Ibarrier, mpi->comm);
COLLECTIVE(bcast, MPI_Bcast, MPI_Ibcast,
	   mpi->ranks.rank == 0 ? SENT(mpi, slot) : RECEIVED(mpi, slot), mpi->count,
	   mpi->type, 0, mpi->comm);
COLLECTIVE(reduce, MPI_Reduce, MPI_Ireduce, SENT(mpi, slot), RECEIVED(mpi, slot),
	   mpi->count, mpi->type, MPI_SUM, 0, mpi->comm);
COLLECTIVE(allreduce, MPI_Allreduce, MPI_Iallreduce, SENT(mpi, slot), RECEIVED(mpi, slot),
	   mpi->count, mpi->type, MPI_SUM, mpi->comm);
COLLECTIVE(reduce_scatter, MPI_Reduce_scatter, MPI_Ireduce_scatter, SENT(mpi, slot),
	   RECEIVED(mpi, slot), mpi->ranks.shares, mpi->type, MPI_SUM, mpi->comm);
COLLECTIVE(gather, MPI_Gather, MPI_Igather, SENT(mpi, slot), mpi->count, mpi->type,
	   RECEIVED(mpi, slot), mpi->count, mpi->type, 0, mpi->comm);
COLLECTIVE(scatter, MPI_Scatter, MPI_Iscatter, SENT(mpi, slot), mpi->count, mpi->type,
	   RECEIVED(mpi, slot), mpi->count, mpi->type, 0, mpi->comm);
COLLECTIVE(allgather, MPI_Allgather, MPI_Iallgather, SENT(mpi, slot), mpi->count, mpi->type,
	   RECEIVED(mpi, slot), mpi->count, mpi->type, mpi->comm);
COLLECTIVE(alltoall, MPI_Alltoall, MPI_Ialltoall, SENT(mpi, slot), mpi->count, mpi->type,
	   RECEIVED(mpi, slot), mpi->count, mpi->type, mpi->comm);

/* ---- Verification: np_mpi_pattern.find_wrong ----------------------------- */

/* Offset of this rank's message in the send buffer of another rank. */
static size_t own_part(const struct np_mpi *mpi, size_t origin)
{
	return origin + mpi->endpoint.transfer->length * (size_t)mpi->ranks.rank;
}

static long wrong_bcast(const struct np_mpi *mpi, const unsigned char *at, size_t origin)
{
	return mpi->ranks.rank == 0 ?
		       -1 :
		       np_mpi_wrong_bytes(at, mpi->endpoint.transfer->length, origin, 0);
}

static long wrong_allreduce(const struct np_mpi *mpi, const unsigned char *at,
			    size_t origin)
{
	return np_mpi_wrong_sums(mpi, at, (size_t)mpi->count, origin);
}

static long wrong_reduce(const struct np_mpi *mpi, const unsigned char *at, size_t origin)
{
	return mpi->ranks.rank != 0 ? -1 : wrong_allreduce(mpi, at, origin);
}

static long wrong_reduce_scatter(const struct np_mpi *mpi, const unsigned char *at,
				 size_t origin)
{
	const struct np_mpi_ranks *ranks = &mpi->ranks;
	size_t before = 0;

	for (int rank = 0; rank < ranks->rank; rank++)
		before += (size_t)ranks->shares[rank];
	return np_mpi_wrong_sums(
		mpi, at, (size_t)ranks->shares[ranks->rank],
		origin + before * np_mpi_element_of(np_mpi_options_of(mpi)).size);
}

static long wrong_gather(const struct np_mpi *mpi, const unsigned char *at, size_t origin)
{
	return mpi->ranks.rank == 0 ? np_mpi_wrong_parts(mpi, at, origin) : -1;
}

static long wrong_scatter(const struct np_mpi *mpi, const unsigned char *at, size_t origin)
{
	return np_mpi_wrong_bytes(at, mpi->endpoint.transfer->length, own_part(mpi, origin),
				  0);
}

static long wrong_alltoall(const struct np_mpi *mpi, const unsigned char *at, size_t origin)
{
	return np_mpi_wrong_parts(mpi, at, own_part(mpi, origin));
}

/* ---- Rows of the table of patterns --------------------------------------- */

#define PATTERN(id, ...)                                                                   \
	const struct np_mpi_pattern np_mpi_pattern_##id = {                                \
		.name = #id,                                                               \
		.stream_name = #id "_stream",                                              \
		.blocking = &id##_path,                                                    \
		.alone = &i##id##_path,                                                    \
		.beside = &i##id##_exposed_path,                                           \
		__VA_ARGS__,                                                               \
	}

PATTERN(barrier, .no_bytes = true);
PATTERN(bcast, .find_wrong = wrong_bcast);
PATTERN(reduce, .find_wrong = wrong_reduce, .sums = true);
PATTERN(allreduce, .find_wrong = wrong_allreduce, .sums = true);
PATTERN(reduce_scatter, .find_wrong = wrong_reduce_scatter, .sums = true, .shares = true);
PATTERN(gather, .find_wrong = wrong_gather, .parts = true);
PATTERN(scatter, .find_wrong = wrong_scatter, .parts = true);
PATTERN(allgather, .find_wrong = np_mpi_wrong_parts, .parts = true);
PATTERN(alltoall, .find_wrong = wrong_alltoall, .parts = true);
