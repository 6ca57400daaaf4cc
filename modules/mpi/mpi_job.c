/*
 * mpi_job.c - job hooks: MPI_Init_thread(), MPI_Finalize(), MPI_Abort(), job size.
 */
#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "mpi_pattern.h"

static const int thread_levels[NP_MPI_THREAD_LEVELS] = {
	[NP_MPI_SINGLE] = MPI_THREAD_SINGLE,
	[NP_MPI_FUNNELED] = MPI_THREAD_FUNNELED,
	[NP_MPI_SERIALIZED] = MPI_THREAD_SERIALIZED,
	[NP_MPI_MULTIPLE] = MPI_THREAD_MULTIPLE,
};

static int wanted_level(const struct np_mpi_options *options)
{
	if (options->threads > 1)
		return NP_MPI_MULTIPLE;
	return options->thread_level == NP_MPI_AUTO ? NP_MPI_SINGLE : options->thread_level;
}

/*
 * Keeps freed memory of the library in the process, as in a program that has freed larger
 * buffers before: glibc raises both thresholds then, up to these values.  Below them
 * MPICH's reductions get the pages of their temporary buffers from the kernel in each
 * call: 830 us of 1 MiB in place of 160 us.  Settings in the environment prevail.
 */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
	enum { MMAP_BYTES = 32 << 20, TRIM_BYTES = 64 << 20 };

	if (getenv("MALLOC_MMAP_THRESHOLD_") != NULL ||
	    getenv("MALLOC_TRIM_THRESHOLD_") != NULL || getenv("GLIBC_TUNABLES") != NULL)
		return;
	mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
	mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
#endif
}

/* The default is MPI_THREAD_SINGLE, as in most programs: a higher level may cost locks.
 * By the standard the watcher thread requires MPI_THREAD_FUNNELED, but it never calls
 * MPI. */
static int start(struct np_job *job, const void *values, struct np_error *error)
{
	const struct np_mpi_options *options = values;
	const int wanted = options != NULL ? wanted_level(options) : NP_MPI_SINGLE;
	int level, code;

	keep_freed_memory();
	code = MPI_Init_thread(NULL, NULL, thread_levels[wanted], &level);
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
	if (status == 0) {
		MPI_Finalize();
		return;
	}
	np_drain_output();
	MPI_Abort(MPI_COMM_WORLD, status);
}

/* Launcher that has started this process among others, of any library, or NULL. */
static const char *find_launcher(bool *first)
{
	static const struct {
		const char *size, *rank, *launcher;
	} known[] = {
		{ "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
		  "the launcher of Open MPI" },
		{ "PMI_SIZE", "PMI_RANK", "a launcher for MPICH and its kind" },
		{ "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "the launcher of MVAPICH" },
		{ "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const char *size = getenv(known[i].size), *rank = getenv(known[i].rank);

		if (size == NULL || strtol(size, NULL, 10) < 2)
			continue;
		*first = rank == NULL || strtol(rank, NULL, 10) == 0;
		return known[i].launcher;
	}
	return NULL;
}

/* Refuses a job of one process that another library's launcher has started: this library
 * does not read that launcher's variables. */
static int refuse_alone(const char *launcher, struct np_error *error)
{
	char library[MPI_MAX_LIBRARY_VERSION_STRING];

	np_mpi_library(library, sizeof(library));
	return np_refuse(error,
			 "each process is alone: it was started by %s, and this NPmpi is "
			 "built for %s: start it as %s -n 2",
			 launcher, library, NP_MPIEXEC);
}

static int check_level(const struct np_mpi_options *options, struct np_error *error)
{
	const int wanted = wanted_level(options);
	int level = MPI_THREAD_SINGLE;
	const int code = MPI_Query_thread(&level);

	if (code != MPI_SUCCESS || level >= thread_levels[wanted])
		return np_mpi_fail(error, code, "MPI_Query_thread");
	if (options->threads > 1)
		return np_refuse(error,
				 "--threads %llu: this MPI does not grant "
				 "MPI_THREAD_MULTIPLE",
				 (unsigned long long)options->threads);
	return np_refuse(error, "--thread-level %s: this MPI grants a lower level",
			 np_mpi_thread_level_names[wanted]);
}

static int fits(const void *values, int size, struct np_error *error)
{
	const struct np_mpi_options *options = values;
	const struct np_mpi_pattern *pattern = np_mpi_patterns[options->pattern];
	const bool pairs = pattern != NULL && pattern->paired;
	bool first;
	const char *launcher = size == 1 ? find_launcher(&first) : NULL;

	if (launcher != NULL)
		return refuse_alone(launcher, error);
	if (pattern == NULL && size == 1)
		return np_refuse(error, "it needs 2 processes, and this job has 1; run: "
					"mpiexec -n 2 NPmpi");
	if (pattern == NULL && size != 2)
		return np_refuse(error,
				 "it needs 2 processes, and this job has %d; run: mpiexec "
				 "-n 2 NPmpi, or give a --pattern",
				 size);
	if (size < 2 || (pairs && size % 2 != 0))
		return np_refuse(error,
				 "--pattern %s: the job has %d process%s, and needs %s",
				 pattern->name, size, size == 1 ? "" : "es",
				 pairs ? "an even number" : "two at least");
	if (options->pairs > (uint64_t)size / 2)
		return np_refuse(error, "--pairs %llu: the job has %d",
				 (unsigned long long)options->pairs, size / 2);
	return check_level(options, error);
}

static int attend(const struct np_job *job, const void *values, struct np_error *error)
{
	const struct np_mpi_options *options = values;

	const struct np_mpi_pattern *pattern = np_mpi_patterns[options->pattern];

	return pattern->rounds ? np_mpi_attend_rounds(job, error) :
				 np_mpi_follow(job, options, error);
}

const struct np_job_hooks np_mpi_job = {
	.launcher = "mpiexec -n",
	.find_launcher = find_launcher,
	.start = start,
	.fits = fits,
	.share = share,
	.serve_rank = attend,
	.meet = np_mpi_meet,
	.leave = np_mpi_part,
	.slowest = np_mpi_slowest_find,
	.finish = finish,
};
