/*
 * mpi_job.c - job hooks: MPI_Init_thread(), MPI_Finalize(), MPI_Abort(), job size, and the
 * rounds of a tournament.
 */
#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
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

/* Name of the launcher, of any library, that has started this process among others; NULL:
 * none. */
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

/*
 * Rounds of pairs of ranks that are measured at once: --pattern tournament.
 *
 * Rank 0 broadcasts an order and scatters the partners.  The lower rank of a pair leads:
 * before each sample it sends its partner the number of round trips, so that fast and slow
 * pairs take the same time.
 */

enum {
	PASSES = 6, /* per round; the standard error is that of their mean log time */
	SAMPLES_MOST = 400,
	SAMPLE_NS = 200000,
	TRIPS_MOST = 1 << 20,
	ALONE = -1
};

/* Sent as bytes: all processes of a job run the same program. */
struct order {
	uint64_t bytes, end;
	double seconds;
};

struct found {
	double seconds, error;
};

/* A rank and its partner in a round. */
struct pair {
	int partner, bytes;
	unsigned char *sent, *received;
	uint64_t pass_ns;
};

static int send_one(const struct pair *pair)
{
	return MPI_Send(pair->sent, pair->bytes, MPI_BYTE, pair->partner, NP_MPI_TAG,
			MPI_COMM_WORLD);
}

static int receive_one(const struct pair *pair)
{
	return MPI_Recv(pair->received, pair->bytes, MPI_BYTE, pair->partner, NP_MPI_TAG,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int send_trips(const struct pair *pair, uint64_t trips)
{
	return MPI_Send(&trips, 1, MPI_UINT64_T, pair->partner, NP_MPI_TAG_ACK,
			MPI_COMM_WORLD);
}

/* Runs a sample; sets *ns to its duration.  Returns an MPI error code. */
static int lead_sample(const struct pair *pair, uint64_t trips, uint64_t *ns)
{
	int code = send_trips(pair, trips);
	const uint64_t since = np_mpi_now();

	for (uint64_t left = trips; left != 0 && code == MPI_SUCCESS; left--) {
		code = send_one(pair);
		if (code == MPI_SUCCESS)
			code = receive_one(pair);
	}
	*ns = np_mpi_now() - since;
	return code;
}

static int compare_numbers(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Sets *median, in seconds, of the samples of one pass. */
static int lead_pass(const struct pair *pair, uint64_t trips, double *median)
{
	const uint64_t since = np_mpi_now();
	double values[SAMPLES_MOST];
	size_t count = 0;
	int code;

	do {
		uint64_t ns;

		code = lead_sample(pair, trips, &ns);
		values[count++] = (double)ns * 1e-9 / (double)(2 * trips);
	} while (code == MPI_SUCCESS && count < SAMPLES_MOST &&
		 np_mpi_now() - since < pair->pass_ns);
	qsort(values, count, sizeof(*values), compare_numbers);
	*median = values[count / 2];
	return code;
}

/* Calibrates the number of round trips per sample; warms up as well. */
static int find_trips(const struct pair *pair, uint64_t *trips)
{
	uint64_t ns;
	int code = lead_sample(pair, 1, &ns);

	*trips = 1;
	while (code == MPI_SUCCESS && *trips < TRIPS_MOST &&
	       (code = lead_sample(pair, *trips, &ns)) == MPI_SUCCESS && ns < SAMPLE_NS)
		*trips *= 2;
	return code;
}

static int lead_pair(const struct pair *pair, struct found *found)
{
	double logs[PASSES], sum = 0, squares = 0, values[PASSES];
	uint64_t trips;
	int code = find_trips(pair, &trips);

	for (size_t i = 0; i < PASSES && code == MPI_SUCCESS; i++) {
		code = lead_pass(pair, trips, &values[i]);
		logs[i] = log(values[i]);
		sum += logs[i];
	}
	if (code != MPI_SUCCESS)
		return code;
	for (size_t i = 0; i < PASSES; i++)
		squares += (logs[i] - sum / PASSES) * (logs[i] - sum / PASSES);
	qsort(values, PASSES, sizeof(*values), compare_numbers);
	found->seconds = (values[PASSES / 2 - 1] + values[PASSES / 2]) / 2;
	found->error = sqrt(squares / (PASSES - 1) / PASSES);
	return send_trips(pair, 0);
}

static int follow_pair(const struct pair *pair)
{
	uint64_t trips;
	int code;

	do {
		code = MPI_Recv(&trips, 1, MPI_UINT64_T, pair->partner, NP_MPI_TAG_ACK,
				MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (uint64_t left = trips; left != 0 && code == MPI_SUCCESS; left--) {
			code = receive_one(pair);
			if (code == MPI_SUCCESS)
				code = send_one(pair);
		}
	} while (code == MPI_SUCCESS && trips != 0);
	return code;
}

/* Runs a round in every rank, after its order.  partners, all: one per rank, in rank 0. */
static int run_round(const struct np_job *job, const struct order *order,
		     const int *partners, struct found *all, struct np_error *error)
{
	struct pair pair = { .bytes = (int)order->bytes,
			     .pass_ns = (uint64_t)(order->seconds * 1e9 / PASSES) };
	struct found mine = { .seconds = 0 };
	int code = MPI_Scatter(partners, 1, MPI_INT, &pair.partner, 1, MPI_INT, 0,
			       MPI_COMM_WORLD);

	pair.sent = calloc(1, order->bytes + 1);
	pair.received = calloc(1, order->bytes + 1);
	if (pair.sent == NULL || pair.received == NULL) {
		free(pair.sent);
		free(pair.received);
		return np_fail_errno(error, ENOMEM, "no memory for messages of %zu bytes",
				     (size_t)order->bytes);
	}
	if (code == MPI_SUCCESS)
		code = MPI_Barrier(MPI_COMM_WORLD);
	if (code == MPI_SUCCESS && pair.partner != ALONE)
		code = job->rank < pair.partner ? lead_pair(&pair, &mine) :
						  follow_pair(&pair);
	if (code == MPI_SUCCESS)
		code = MPI_Gather(&mine, sizeof(mine), MPI_BYTE, all, sizeof(mine),
				  MPI_BYTE, 0, MPI_COMM_WORLD);
	free(pair.sent);
	free(pair.received);
	return np_mpi_fail(error, code, "MPI_Send or MPI_Recv");
}

static int share_order(struct order *order, struct np_error *error)
{
	return np_mpi_fail(error,
			   MPI_Bcast(order, sizeof(*order), MPI_BYTE, 0, MPI_COMM_WORLD),
			   "MPI_Bcast");
}

static int meet(const struct np_job *job, struct np_pair_sample *samples, size_t count,
		size_t bytes, double seconds, struct np_error *error)
{
	struct order order = { .bytes = bytes, .seconds = seconds };
	int *partners = calloc((size_t)job->size, sizeof(*partners));
	struct found *all = calloc((size_t)job->size, sizeof(*all));
	if (partners == NULL || all == NULL) {
		free(partners);
		free(all);
		return np_fail_errno(error, ENOMEM, "no memory for a round");
	}
	for (int rank = 0; rank < job->size; rank++)
		partners[rank] = ALONE;
	for (size_t i = 0; i < count; i++) {
		partners[samples[i].one] = (int)samples[i].other;
		partners[samples[i].other] = (int)samples[i].one;
	}
	int rc = share_order(&order, error);

	if (rc == 0)
		rc = run_round(job, &order, partners, all, error);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct np_pair_sample *sample = &samples[i];
		const struct found *found =
			&all[sample->one < sample->other ? sample->one : sample->other];
		const size_t k = sample->size_count++;

		sample->bytes[k] = bytes;
		sample->seconds[k] = found->seconds;
		sample->error[k] = found->error;
		sample->degrees = PASSES - 1;
	}
	free(partners);
	free(all);
	return rc;
}

static int part(const struct np_job *job, struct np_error *error)
{
	struct order order = { .end = 1 };

	(void)job;
	return share_order(&order, error);
}

static int attend_rounds(const struct np_job *job, struct np_error *error)
{
	struct order order;
	int rc;

	while ((rc = share_order(&order, error)) == 0 && order.end == 0) {
		rc = run_round(job, &order, NULL, NULL, error);
		if (rc != 0)
			break;
	}
	return rc;
}

const struct np_mpi_pattern np_mpi_pattern_tournament = {
	.name = "tournament",
	.rounds = true,
};

static int attend(const struct np_job *job, const void *values, struct np_error *error)
{
	const struct np_mpi_options *options = values;

	const struct np_mpi_pattern *pattern = np_mpi_patterns[options->pattern];

	return pattern->rounds ? attend_rounds(job, error) :
				 np_mpi_follow(job, options, error);
}

const struct np_job_hooks np_mpi_job = {
	.launcher = "mpiexec -n",
	.find_launcher = find_launcher,
	.start = start,
	.fits = fits,
	.share = share,
	.serve_rank = attend,
	.meet = meet,
	.leave = part,
	.slowest = np_mpi_slowest_find,
	.finish = finish,
};
