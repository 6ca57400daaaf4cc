/*
 * mpi_collective.c - collective operations as patterns.
 *
 * The root of an operation is rank 0.
 */
#include "mpi_pattern_loop.h"

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

NP_ALWAYS_INLINE int reduce(struct np_mpi *mpi, size_t slot)
{
	return MPI_Reduce(SENT(mpi, slot), RECEIVED(mpi, slot), mpi->count, mpi->type,
			  MPI_SUM, 0, mpi->comm);
}

NP_ALWAYS_INLINE int allreduce(struct np_mpi *mpi, size_t slot)
{
	return MPI_Allreduce(SENT(mpi, slot), RECEIVED(mpi, slot), mpi->count, mpi->type,
			     MPI_SUM, mpi->comm);
}

NP_ALWAYS_INLINE int reduce_scatter(struct np_mpi *mpi, size_t slot)
{
	return MPI_Reduce_scatter(SENT(mpi, slot), RECEIVED(mpi, slot), mpi->ranks.shares,
				  mpi->type, MPI_SUM, mpi->comm);
}

NP_ALWAYS_INLINE int gather(struct np_mpi *mpi, size_t slot)
{
	return MPI_Gather(SENT(mpi, slot), mpi->count, mpi->type, RECEIVED(mpi, slot),
			  mpi->count, mpi->type, 0, mpi->comm);
}

NP_ALWAYS_INLINE int scatter(struct np_mpi *mpi, size_t slot)
{
	return MPI_Scatter(SENT(mpi, slot), mpi->count, mpi->type, RECEIVED(mpi, slot),
			   mpi->count, mpi->type, 0, mpi->comm);
}

NP_ALWAYS_INLINE int allgather(struct np_mpi *mpi, size_t slot)
{
	return MPI_Allgather(SENT(mpi, slot), mpi->count, mpi->type, RECEIVED(mpi, slot),
			     mpi->count, mpi->type, mpi->comm);
}

NP_ALWAYS_INLINE int alltoall(struct np_mpi *mpi, size_t slot)
{
	return MPI_Alltoall(SENT(mpi, slot), mpi->count, mpi->type, RECEIVED(mpi, slot),
			    mpi->count, mpi->type, mpi->comm);
}

#define COLLECTIVE(id, call)                                                               \
	NP_MPI_LOOP(id##_apart, np_mpi_loop_apart, id, call)                               \
	NP_MPI_LOOP(id##_joined, np_mpi_loop_joined, id, call)                             \
	NP_MPI_PATH(id, id##_apart, id##_joined, np_mpi_pattern_end)

COLLECTIVE(barrier, "MPI_Barrier");
COLLECTIVE(bcast, "MPI_Bcast");
COLLECTIVE(reduce, "MPI_Reduce");
COLLECTIVE(allreduce, "MPI_Allreduce");
COLLECTIVE(reduce_scatter, "MPI_Reduce_scatter");
COLLECTIVE(gather, "MPI_Gather");
COLLECTIVE(scatter, "MPI_Scatter");
COLLECTIVE(allgather, "MPI_Allgather");
COLLECTIVE(alltoall, "MPI_Alltoall");

const struct np_code_path *np_mpi_collective(enum np_mpi_patterns pattern)
{
	static const struct np_code_path *const code_paths[NP_MPI_PATTERNS] = {
		[NP_MPI_BARRIER] = &barrier_path,
		[NP_MPI_BCAST] = &bcast_path,
		[NP_MPI_REDUCE] = &reduce_path,
		[NP_MPI_ALLREDUCE] = &allreduce_path,
		[NP_MPI_REDUCE_SCATTER] = &reduce_scatter_path,
		[NP_MPI_GATHER] = &gather_path,
		[NP_MPI_SCATTER] = &scatter_path,
		[NP_MPI_ALLGATHER] = &allgather_path,
		[NP_MPI_ALLTOALL] = &alltoall_path,
	};

	return code_paths[pattern];
}
