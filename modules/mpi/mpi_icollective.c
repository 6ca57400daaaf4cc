/*
 * mpi_icollective.c - non-blocking collective operations as patterns, alone and overlapped
 * with computing.
 *
 * As in OSU's benchmarks a rank computes between the start of an operation and MPI_Wait(),
 * for as long as the operation alone takes, without MPI calls.  The exposed time is the
 * time in the calls; OSU's overlap, 1 - (total - computing) / pure, is 1 - exposed / pure.
 */
#include "mpi_pattern_loop.h"

/* Operations that calibrate the computing time if there is no sample yet. */
enum { TRIALS = 16 };

typedef int start_fn(struct np_mpi *, size_t, MPI_Request *);

NP_ALWAYS_INLINE int barrier(struct np_mpi *mpi, size_t slot, MPI_Request *request)
{
	(void)slot;
	return MPI_Ibarrier(mpi->comm, request);
}

NP_ALWAYS_INLINE int bcast(struct np_mpi *mpi, size_t slot, MPI_Request *request)
{
	return MPI_Ibcast(mpi->ranks.rank == 0 ? SENT(mpi, slot) : RECEIVED(mpi, slot),
			  mpi->count, mpi->type, 0, mpi->comm, request);
}

NP_ALWAYS_INLINE int reduce(struct np_mpi *mpi, size_t slot, MPI_Request *request)
{
	return MPI_Ireduce(SENT(mpi, slot), RECEIVED(mpi, slot), mpi->count, mpi->type,
			   MPI_SUM, 0, mpi->comm, request);
}

NP_ALWAYS_INLINE int allreduce(struct np_mpi *mpi, size_t slot, MPI_Request *request)
{
	return MPI_Iallreduce(SENT(mpi, slot), RECEIVED(mpi, slot), mpi->count, mpi->type,
			      MPI_SUM, mpi->comm, request);
}

NP_ALWAYS_INLINE int reduce_scatter(struct np_mpi *mpi, size_t slot, MPI_Request *request)
{
	return MPI_Ireduce_scatter(SENT(mpi, slot), RECEIVED(mpi, slot), mpi->ranks.shares,
				   mpi->type, MPI_SUM, mpi->comm, request);
}

NP_ALWAYS_INLINE int gather(struct np_mpi *mpi, size_t slot, MPI_Request *request)
{
	return MPI_Igather(SENT(mpi, slot), mpi->count, mpi->type, RECEIVED(mpi, slot),
			   mpi->count, mpi->type, 0, mpi->comm, request);
}

NP_ALWAYS_INLINE int scatter(struct np_mpi *mpi, size_t slot, MPI_Request *request)
{
	return MPI_Iscatter(SENT(mpi, slot), mpi->count, mpi->type, RECEIVED(mpi, slot),
			    mpi->count, mpi->type, 0, mpi->comm, request);
}

NP_ALWAYS_INLINE int allgather(struct np_mpi *mpi, size_t slot, MPI_Request *request)
{
	return MPI_Iallgather(SENT(mpi, slot), mpi->count, mpi->type, RECEIVED(mpi, slot),
			      mpi->count, mpi->type, mpi->comm, request);
}

NP_ALWAYS_INLINE int alltoall(struct np_mpi *mpi, size_t slot, MPI_Request *request)
{
	return MPI_Ialltoall(SENT(mpi, slot), mpi->count, mpi->type, RECEIVED(mpi, slot),
			     mpi->count, mpi->type, mpi->comm, request);
}

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

/* Time of this rank without computing, for this length and buffer mode (reuse, rotate,
 * fresh). */
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

#define LOOP(name, id, computes, call)                                                     \
	static int name(struct np_endpoint *ep, size_t slot, uint64_t messages,            \
			uint64_t batches)                                                  \
	{                                                                                  \
		return run(ep, slot, messages, batches, id, computes, call);               \
	}

#define COLLECTIVE(id, call)                                                               \
	LOOP(id##_alone, id, false, call)                                                  \
	LOOP(id##_beside, id, true, call)                                                  \
	NP_MPI_PATH(i##id, id##_alone, NULL, np_mpi_pattern_end);                          \
	NP_MPI_PATH(i##id##_exposed, id##_beside, NULL, np_mpi_pattern_end)

COLLECTIVE(barrier, "MPI_Ibarrier");
COLLECTIVE(bcast, "MPI_Ibcast");
COLLECTIVE(reduce, "MPI_Ireduce");
COLLECTIVE(allreduce, "MPI_Iallreduce");
COLLECTIVE(reduce_scatter, "MPI_Ireduce_scatter");
COLLECTIVE(gather, "MPI_Igather");
COLLECTIVE(scatter, "MPI_Iscatter");
COLLECTIVE(allgather, "MPI_Iallgather");
COLLECTIVE(alltoall, "MPI_Ialltoall");

#define PATHS(id)                                                                          \
	{                                                                                  \
		&i##id##_path, &i##id##_exposed_path                                       \
	}

const struct np_code_path *np_mpi_icollective(enum np_mpi_patterns pattern, size_t variant)
{
	static const struct np_code_path *const code_paths[NP_MPI_PATTERNS][2] = {
		[NP_MPI_BARRIER] = PATHS(barrier),
		[NP_MPI_BCAST] = PATHS(bcast),
		[NP_MPI_REDUCE] = PATHS(reduce),
		[NP_MPI_ALLREDUCE] = PATHS(allreduce),
		[NP_MPI_REDUCE_SCATTER] = PATHS(reduce_scatter),
		[NP_MPI_GATHER] = PATHS(gather),
		[NP_MPI_SCATTER] = PATHS(scatter),
		[NP_MPI_ALLGATHER] = PATHS(allgather),
		[NP_MPI_ALLTOALL] = PATHS(alltoall),
	};

	return code_paths[pattern][variant];
}
