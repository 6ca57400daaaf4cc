/*
 * mpi_pattern.c - table of patterns; their code paths, datatypes and samples.
 */
#include "mpi_pattern.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NAME(id) #id,
#define ROW(id)	 &np_mpi_pattern_##id,

const char *const np_mpi_pattern_names[] = { "none", NP_MPI_EACH_PATTERN(NAME) NULL };
const struct np_mpi_pattern *const np_mpi_patterns[] = { NULL, NP_MPI_EACH_PATTERN(ROW) };

const struct np_hot np_mpi_pattern_hot = {
	.post_recv = np_no_hook_slot,
	.send = np_no_hook_slot,
	.recv = np_no_hook_slot,
	.flush = np_mpi_pattern_end,
	.send_ack = np_no_hook,
	.recv_ack = np_no_hook,
	.step = np_no_hook_slot,
};

const struct np_code_path *np_mpi_pattern_path(const struct np_mpi *mpi, size_t variant)
{
	const struct np_mpi_pattern *pattern = np_mpi_pattern_of(&mpi->mode);

	if (mpi->mode.transfer == NP_MPI_NONBLOCKING)
		return variant != 0 ? pattern->beside : pattern->alone;
	return mpi->threads != NULL ? pattern->threads : pattern->blocking;
}

int np_mpi_pattern_run(struct np_mpi *mpi, uint64_t messages, uint64_t batches)
{
	const struct np_transfer *transfer = mpi->endpoint.transfer;
	const struct np_code_path *path = np_mpi_pattern_path(mpi, transfer->variant);
	const int rc =
		path->loops[transfer->operation][1](&mpi->endpoint, 0, messages, batches);

	return rc != 0 ? rc : np_mpi_pattern_end(&mpi->endpoint);
}

struct np_mpi_element np_mpi_element_of(const struct np_mpi_options *options)
{
	switch (options->like) {
	case NP_MPI_LIKE_OSU:
		return (struct np_mpi_element){ "MPI_CHAR", MPI_CHAR, sizeof(char) };
	case NP_MPI_LIKE_IMB:
		return (struct np_mpi_element){ "MPI_FLOAT", MPI_FLOAT, sizeof(float) };
	default:
		return (struct np_mpi_element){ "MPI_DOUBLE", MPI_DOUBLE, sizeof(double) };
	}
}

/* Splits the elements of a reduce_scatter: the first ranks get one more, as in OSU's and
 * Intel's benchmarks. */
static int share_elements(struct np_mpi *mpi, size_t elements)
{
	struct np_mpi_ranks *ranks = &mpi->ranks;
	const size_t size = (size_t)ranks->size;

	ranks->shares = calloc(size, sizeof(*ranks->shares));
	if (ranks->shares == NULL)
		return np_fail_errno(&mpi->endpoint.error, ENOMEM,
				     "no memory for the shares of all ranks");
	for (size_t rank = 0; rank < size; rank++)
		ranks->shares[rank] =
			(int)(elements / size + (rank < elements % size ? 1 : 0));
	return 0;
}

static int arm_sum(struct np_mpi *mpi, size_t length)
{
	const struct np_mpi_element element = np_mpi_element_of(np_mpi_options_of(mpi));
	const size_t elements = length / element.size;

	if (elements > INT_MAX)
		return np_refuse(&mpi->endpoint.error,
				 "--pattern %s: at most %d elements of %s at a time",
				 np_mpi_pattern_of(&mpi->mode)->name, INT_MAX,
				 element.name);
	mpi->type = element.type;
	mpi->count = (int)elements;
	return np_mpi_pattern_of(&mpi->mode)->shares ? share_elements(mpi, elements) : 0;
}

int np_mpi_pattern_arm(struct np_mpi *mpi, size_t length, size_t window)
{
	if (mpi->ranks.pure_length != length)
		memset(mpi->ranks.pure, 0, sizeof(mpi->ranks.pure));
	mpi->ranks.pure_length = length;
	mpi->ranks.inspected = false;
	mpi->made_type = false;
	mpi->window = window;
	mpi->ranks.statuses = calloc(window, sizeof(*mpi->ranks.statuses));
	if (mpi->ranks.statuses == NULL || np_mpi_requests_make(&mpi->sends, window) != 0)
		return np_fail_errno(&mpi->endpoint.error, ENOMEM,
				     "no memory for requests");
	if (np_mpi_pattern_of(&mpi->mode)->sums)
		return arm_sum(mpi, length);
	return np_mpi_check_call(mpi,
				 np_mpi_type_of(length, INT_MAX, MPI_BYTE, &mpi->type,
						&mpi->count, &mpi->made_type),
				 "MPI_Type_create_struct");
}

void np_mpi_pattern_disarm(struct np_mpi *mpi)
{
	np_mpi_requests_free(&mpi->sends);
	free(mpi->ranks.statuses);
	mpi->ranks.statuses = NULL;
	free(mpi->ranks.shares);
	mpi->ranks.shares = NULL;
	if (mpi->made_type)
		MPI_Type_free(&mpi->type);
	mpi->made_type = false;
}

/*
 * Time of a sample: the mean over the participating ranks for operations, as in OSU's
 * benchmarks; the maximum for streams, which end when the last rank is done (osu_mbw_mr).
 */
int np_mpi_pattern_sample(struct np_mpi *mpi, uint64_t spent_ns)
{
	struct np_mpi_ranks *ranks = &mpi->ranks;
	const bool streams = mpi->endpoint.transfer->operation == NP_STREAM;
	uint64_t mine = ranks->takes_part ? spent_ns : 0, all = 0;
	const int code = MPI_Reduce(&mine, &all, 1, MPI_UINT64_T,
				    streams ? MPI_MAX : MPI_SUM, 0, mpi->comm);

	ranks->own_ns += mine;
	if (NP_UNLIKELY(code != MPI_SUCCESS))
		return np_mpi_failed(mpi, code, "MPI_Reduce");
	if (!streams) {
		/* A ping-pong message is half a round trip. */
		const uint64_t trips = np_mpi_pattern_of(&mpi->mode)->round_trips ? 2 : 1;

		all = (all + (uint64_t)ranks->active * trips / 2) /
		      ((uint64_t)ranks->active * trips);
	}
	ranks->clock_ns += all;
	return 0;
}

uint64_t np_mpi_pattern_clock(struct np_endpoint *endpoint)
{
	return np_mpi_of(endpoint)->ranks.clock_ns;
}
