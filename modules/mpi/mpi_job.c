/*
 * mpi_job.c - job hooks: MPI_Init_thread(), MPI_Finalize(), MPI_Abort(), job size.
 */
#include <errno.h>
#include <stddef.h>

#include "mpi_pattern.h"

static const int thread_levels[NP_MPI_THREAD_LEVELS] = {
	[NP_MPI_SINGLE] = MPI_THREAD_SINGLE,
	[NP_MPI_FUNNELED] = MPI_THREAD_FUNNELED,
	[NP_MPI_SERIALIZED] = MPI_THREAD_SERIALIZED,
	[NP_MPI_MULTIPLE] = MPI_THREAD_MULTIPLE,
};

/* The default is MPI_THREAD_SINGLE, as in most programs: a higher level may cost locks.
 * NetPong's heartbeat thread would by the standard require MPI_THREAD_FUNNELED, but it
 * never calls MPI. */
static int start(struct np_job *job, const void *values, struct np_error *error)
{
	const struct np_mpi_options *options = values;
	const int wanted = options != NULL ? options->thread_level : NP_MPI_SINGLE;
	int level, code = MPI_Init_thread(NULL, NULL, thread_levels[wanted], &level);

	if (code == MPI_SUCCESS)
		code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (code == MPI_SUCCESS) /* for calls without a communicator */
		code = MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_size(MPI_COMM_WORLD, &job->size);
	if (code != MPI_SUCCESS)
		return np_mpi_fail(error, code, "MPI_Init_thread");
	if (level < thread_levels[wanted])
		return np_fail(error, NP_ERROR_USAGE, ENOTSUP,
			       "--thread-level %s: this MPI grants less",
			       np_mpi_thread_level_names[wanted]);
	return 0;
}

static int share(const struct np_job *job, void *records, size_t length,
		 struct np_error *error)
{
	(void)job;
	return np_mpi_fail(error,
			   MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, records,
					 (int)length, MPI_BYTE, MPI_COMM_WORLD),
			   "MPI_Allgather");
}

static void finish(const struct np_job *job, int status)
{
	(void)job;
	if (status == 0)
		MPI_Finalize();
	else
		MPI_Abort(MPI_COMM_WORLD, status);
}

static int fits(const void *values, int size, struct np_error *error)
{
	const struct np_mpi_options *options = values;
	const bool pairs =
		options->pattern == NP_MPI_EXCHANGE || options->pattern == NP_MPI_PAIRS;

	if (options->pattern == NP_MPI_NO_PATTERN && size != 2)
		return np_refuse(error,
				 "a message has two ends, and the job has %d process%s: "
				 "start it as mpiexec -n 2 NPmpi, or give a --pattern",
				 size, size == 1 ? "" : "es");
	if (size < 2 || (pairs && size % 2 != 0))
		return np_refuse(
			error, "--pattern %s: the job has %d process%s, and needs %s",
			np_mpi_pattern_names[options->pattern], size, size == 1 ? "" : "es",
			pairs ? "an even number" : "two at least");
	return 0;
}

const struct np_job_hooks np_mpi_job = {
	.command = "mpiexec -n 2",
	.start = start,
	.fits = fits,
	.share = share,
	.attend = np_mpi_follow,
	.finish = finish,
};
