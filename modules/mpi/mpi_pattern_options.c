/*
 * mpi_pattern_options.c - options that --pattern excludes, and its request to the driver.
 */
#include <limits.h>

#include "mpi_pattern.h"

enum { STREAM_WINDOW = 64 };

static const char *const stream_names[NP_MPI_PATTERNS] = {
	[NP_MPI_PAIRS] = "pairs_stream",
	[NP_MPI_BARRIER] = "barrier_stream",
	[NP_MPI_BCAST] = "bcast_stream",
	[NP_MPI_REDUCE] = "reduce_stream",
	[NP_MPI_ALLREDUCE] = "allreduce_stream",
	[NP_MPI_REDUCE_SCATTER] = "reduce_scatter_stream",
	[NP_MPI_GATHER] = "gather_stream",
	[NP_MPI_SCATTER] = "scatter_stream",
	[NP_MPI_ALLGATHER] = "allgather_stream",
	[NP_MPI_ALLTOALL] = "alltoall_stream",
};

/* Processes of the job; 1 without a job, as for --dry-run. */
static int job_size(void)
{
	int begun = 0, over = 0, size = 1;

	MPI_Initialized(&begun);
	MPI_Finalized(&over);
	if (begun && !over)
		MPI_Comm_size(MPI_COMM_WORLD, &size);
	return size;
}

static const char *const nonblocking_names[NP_MPI_PATTERNS] = {
	[NP_MPI_BARRIER] = "ibarrier",
	[NP_MPI_BCAST] = "ibcast",
	[NP_MPI_REDUCE] = "ireduce",
	[NP_MPI_ALLREDUCE] = "iallreduce",
	[NP_MPI_REDUCE_SCATTER] = "ireduce_scatter",
	[NP_MPI_GATHER] = "igather",
	[NP_MPI_SCATTER] = "iscatter",
	[NP_MPI_ALLGATHER] = "iallgather",
	[NP_MPI_ALLTOALL] = "ialltoall",
};

static int check_operation(const struct np_mpi_mode *mode, const struct np_request *request,
			   struct np_error *error)
{
	const char *name = np_mpi_pattern_names[mode->pattern];

	if (request->operation == NP_PINGPONG)
		return 0;
	if (request->operation != NP_STREAM)
		return np_refuse(error,
				 "--pattern %s: it has no direction and no answer: "
				 "neither -2 nor --each-acked beside it",
				 name);
	if (stream_names[mode->pattern] == NULL)
		return np_refuse(error,
				 "--pattern %s: its messages are back to back without -s",
				 name);
	return 0;
}

static int check_calls(const struct np_mpi_options *options, const struct np_mpi_mode *mode,
		       const struct np_request *request, struct np_error *error)
{
	const bool nonblocking = mode->transfer == NP_MPI_NONBLOCKING &&
				 np_mpi_pattern_is_collective(mode->pattern);

	if ((mode->transfer != NP_MPI_BLOCKING && !nonblocking) ||
	    mode->send != NP_MPI_STANDARD || options->preposted || options->any_source ||
	    options->datatype != NP_MPI_BYTES)
		return np_refuse(error,
				 "--pattern: it says itself which calls are made: no "
				 "--send, --datatype, -a, -S, -z, -g or -f beside it, and "
				 "of --transfer nonblocking, for a collective one");
	if (nonblocking && request->operation == NP_STREAM)
		return np_refuse(error,
				 "--pattern %s -t nonblocking: it is not measured "
				 "with -s",
				 np_mpi_pattern_names[mode->pattern]);
	if (options->overlap && !nonblocking)
		return np_refuse(error, "--overlap: it needs a collective --pattern with "
					"-t nonblocking");
	return 0;
}

int np_mpi_check_pattern(const struct np_mpi_options *options,
			 const struct np_mpi_mode *mode, struct np_request *request,
			 struct np_error *error)
{
	const bool windowed =
		mode->pattern == NP_MPI_PAIRS && request->operation == NP_STREAM;
	int rc = check_operation(mode, request, error);

	if (rc != 0)
		return rc;
	rc = check_calls(options, mode, request, error);
	if (rc != 0)
		return rc;
	/* The driver prepares the cache state of the main thread's buffers only. */
	if (options->threads > 1 && (request->sweeps || request->prepares))
		return np_refuse(error, "--threads: not with --capacity or --why, which "
					"are of one thread's buffers");
	if (mode->pattern == NP_MPI_TOURNAMENT) {
		request->tournament = true;
		if (request->largest > INT_MAX)
			return np_refuse(error,
					 "--pattern tournament: messages of %d bytes at "
					 "most",
					 INT_MAX);
	}
	if (!windowed && request->window > 1)
		return np_refuse(error, "--window: a pattern has one message in flight, "
					"but for --pattern pairs with -s");
	request->capabilities &= ~(unsigned)(NP_CAN_BURST | NP_CAN_SAME_BUFFER);
	request->operation_name = mode->transfer == NP_MPI_NONBLOCKING ?
					  nonblocking_names[mode->pattern] :
					  np_mpi_pattern_names[mode->pattern];
	if (request->operation == NP_STREAM)
		request->operation_name = stream_names[mode->pattern];
	else
		request->operation = NP_ONE_SIDED;
	request->step = NP_ONE_SIDED_NONE;
	if (options->overlap) {
		request->variants[0] = "pure";
		request->variants[1] = "exposed";
		request->variant_count = 2;
	}
	if (!windowed)
		request->window = 1;
	else if (request->window == 0)
		request->window = STREAM_WINDOW;
	request->messages_in_buffer = np_mpi_pattern_parts(mode->pattern, job_size());
	if (np_mpi_pattern_adds(mode->pattern))
		request->multiple_of = sizeof(double);
	request->one_size = mode->pattern == NP_MPI_BARRIER;
	if (request->one_size)
		request->smallest = request->largest = 0;
	return 0;
}
