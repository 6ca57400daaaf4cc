/*
 * mpi_job.c - joining and leaving the processes that mpiexec has started.
 */
#include <errno.h>
#include <stddef.h>

#include "mpi_private.h"

/* The watcher is a thread, and never calls MPI: funneled. */
static int start(struct np_job *job, struct np_error *error)
{
	int level, code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);

	if (code == MPI_SUCCESS)
		code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (code == MPI_SUCCESS) /* of calls that name no communicator */
		code = MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_size(MPI_COMM_WORLD, &job->size);
	if (code != MPI_SUCCESS)
		return np_mpi_fail(error, code, "MPI_Init_thread");
	if (level < MPI_THREAD_FUNNELED)
		return np_fail(error, NP_ERROR_FAILED, ENOTSUP,
			       "this MPI takes no second thread in a process "
			       "(MPI_THREAD_FUNNELED)");
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

const struct np_job_hooks np_mpi_job = {
	.command = "mpiexec -n 2",
	.start = start,
	.share = share,
	.finish = finish,
};
