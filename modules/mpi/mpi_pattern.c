/*
 * mpi_pattern.c - table of patterns; their code paths, datatypes and samples; collective
 * operations.
 */
#include "mpi_pattern.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

/*
 * ---- Collective operations, blocking and non-blocking ----
 *
 * The root of an operation is rank 0.
 *
 * As in OSU's benchmarks, a rank may compute between the start of a non-blocking operation
 * and MPI_Wait(), for as long as the operation alone takes, without MPI calls.  The exposed
 * time is the time in the calls; OSU's overlap, 1 - (total - computing) / pure, is
 * 1 - exposed / pure.
 */

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
	static const struct np_mpi_pattern np_mpi_pattern_##id = {                         \
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

#define NAME(id) #id,
#define ROW(id)	 &np_mpi_pattern_##id,

const char *const np_mpi_pattern_names[] = { "none", NP_MPI_EACH_PATTERN(NAME) NULL };
const struct np_mpi_pattern *const np_mpi_patterns[] = { NULL, NP_MPI_EACH_PATTERN(ROW) };
