/*
 * mpi_tournament.c - rounds of pairs of ranks that are measured at once: --pattern
 * tournament.
 *
 * Rank 0 broadcasts an order and scatters the partners.  The lower rank of a pair leads:
 * before each sample it sends its partner the number of round trips, so that fast and slow
 * pairs take the same time.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_pattern.h"

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

int np_mpi_meet(const struct np_job *job, struct np_pair_sample *samples, size_t count,
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

int np_mpi_part(const struct np_job *job, struct np_error *error)
{
	struct order order = { .end = 1 };

	(void)job;
	return share_order(&order, error);
}

int np_mpi_attend_rounds(const struct np_job *job, struct np_error *error)
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
