/*
 * mpi.c - NPmpi, messages by MPI between two ranks of a job: setup, datatypes, persistent
 * and partitioned requests, and module table.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_pattern.h"

/* Most receives of a burst: more are no faster, and their buffers leave the cache. */
enum { RECEIVES_MOST = 1024 };

/* ---- Errors of MPI calls ------------------------------------------------- */

int np_mpi_fail(struct np_error *error, int code, const char *call)
{
	char text[MPI_MAX_ERROR_STRING + 1] = "unknown error";
	int length = 0;

	if (code == MPI_SUCCESS)
		return 0;
	MPI_Error_string(code, text, &length);
	/* Keep the first line only. */
	text[strcspn(text, "\n")] = '\0';
	return np_fail(error, NP_ERROR_FAILED, EIO, "%s: %.200s", call, text);
}

int np_mpi_failed(struct np_mpi *mpi, int code, const char *call)
{
	/* After a stop, a failed call is a consequence and is not reported. */
	if (np_should_stop(&mpi->endpoint))
		return -ECANCELED;
	return np_mpi_fail(&mpi->endpoint.error, code, call);
}

/*
 * ---- GPU support of the MPI library -----------------------------------------
 *
 * The standard has no query function.  Queries of single libraries are looked up by name,
 * since the headers that declare them differ.
 */

/* Queries of Open MPI and MPICH; the one for ROCm has two names. */
static const char *const queries[][3] = {
	[NP_MEMORY_CUDA] = { "MPIX_Query_cuda_support" },
	[NP_MEMORY_ROCM] = { "MPIX_Query_rocm_support", "MPIX_Query_hip_support" },
};

static bool is_supported(const char *const *query)
{
	int (*supports)(void) = NULL;

	for (; *query != NULL; query++) {
		void *function = dlsym(RTLD_DEFAULT, *query);

		memcpy(&supports, &function, sizeof(supports));
		if (supports != NULL && supports() == 1)
			return true;
	}
	return false;
}

/* Checks that MPI reports support of the endpoint's kind of GPU.  Returns 0, or -ENOTSUP
 * with the error. */
static int check_gpu(struct np_mpi *mpi)
{
	const char *const *query = queries[mpi->endpoint.memory];

	if (np_mpi_options_of(mpi)->memory_force || is_supported(query))
		return 0;
	return np_fail(
		&mpi->endpoint.error, NP_ERROR_USAGE, ENOTSUP,
		"--memory: this MPI does not report by %s that it takes addresses of "
		"a GPU; --memory-force gives them to it all the same",
		*query);
}

/*
 * ---- Derived datatypes: for messages beyond INT_MAX elements, and of --datatype ----
 *
 * Counts are ints.  A longer message is one element of a struct type, of whole chunks and
 * a remainder.
 */

static int make_type(size_t chunks, int chunk, int rest, MPI_Datatype of,
		     MPI_Datatype *type)
{
	MPI_Datatype one, whole;
	int code = MPI_Type_contiguous(chunk, of, &one);

	if (code != MPI_SUCCESS)
		return code;
	code = MPI_Type_contiguous((int)chunks, one, &whole);
	MPI_Type_free(&one);
	if (code != MPI_SUCCESS)
		return code;
	const int lengths[2] = { 1, rest };
	const MPI_Aint places[2] = { 0, (MPI_Aint)chunks * chunk };
	const MPI_Datatype types[2] = { whole, of };
	code = MPI_Type_create_struct(rest != 0 ? 2 : 1, lengths, places, types, type);
	MPI_Type_free(&whole);
	return code == MPI_SUCCESS ? MPI_Type_commit(type) : code;
}

int np_mpi_type_of(size_t length, int most, MPI_Datatype of, MPI_Datatype *type, int *count,
		   bool *made)
{
	*made = length > (size_t)most;
	*type = of;
	*count = *made ? 1 : (int)length;
	if (!*made)
		return MPI_SUCCESS;
	const int code = make_type(length / (size_t)most, most,
				   (int)(length % (size_t)most), of, type);

	*made = code == MPI_SUCCESS;
	return code;
}

static int make_vector(size_t length, MPI_Datatype of, MPI_Datatype *type)
{
	const size_t blocks = length / NP_MPI_BLOCK;

	/* MPI_Type_vector() counts blocks by an int. */
	if (blocks > INT_MAX)
		return MPI_ERR_COUNT;
	return MPI_Type_vector((int)blocks, NP_MPI_BLOCK, 2 * NP_MPI_BLOCK, of, type);
}

/* Describes a message of `length` bytes in that layout, as np_mpi_type_of() does. */
static int describe_message(size_t length, enum np_mpi_layout layout, MPI_Datatype of,
			    MPI_Datatype *type, int *count, bool *made)
{
	int code;

	if (layout == NP_MPI_BYTES || (layout == NP_MPI_CONTIGUOUS && length > INT_MAX))
		return np_mpi_type_of(length, INT_MAX, of, type, count, made);
	*count = 1;
	code = layout == NP_MPI_VECTOR ? make_vector(length, of, type) :
					 MPI_Type_contiguous((int)length, of, type);
	*made = code == MPI_SUCCESS;
	return *made ? MPI_Type_commit(type) : code;
}

/* ---- Endpoint ------------------------------------------------------------ */

static int open_endpoint(struct np_endpoint *endpoint)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	mpi->comm = MPI_COMM_NULL;
	mpi->win = MPI_WIN_NULL;
	mpi->group = MPI_GROUP_NULL;
	mpi->mode = np_mpi_mode_of(np_mpi_options_of(mpi));
	mpi->mode.preposted |= endpoint->burst;
	return endpoint->gpu != NULL ? check_gpu(mpi) : 0;
}

/* Libraries select the device by MPI_COMM_TYPE_SHARED, not by host: an MPI launcher may
 * present one host as several nodes. */
int np_mpi_find_node(struct np_mpi *mpi)
{
	MPI_Comm node = MPI_COMM_NULL;
	int here = 0, all = 0;
	int code = MPI_Comm_split_type(mpi->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
				       &node);

	if (code == MPI_SUCCESS)
		code = MPI_Comm_size(node, &here);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_size(mpi->comm, &all);
	if (node != MPI_COMM_NULL)
		MPI_Comm_free(&node);
	mpi->one_node = here == all;
	return np_mpi_check_call(mpi, code, "MPI_Comm_split_type");
}

/* Makes the communicator of ranks 0 and 1. */
static int join_pair(struct np_mpi *mpi)
{
	static const int ranks[2] = { 0, 1 };
	MPI_Group all, pair;
	int code = MPI_Comm_group(MPI_COMM_WORLD, &all);
	if (code == MPI_SUCCESS) {
		code = MPI_Group_incl(all, 2, ranks, &pair);
		MPI_Group_free(&all);
	}
	if (code == MPI_SUCCESS) {
		code = MPI_Comm_create_group(MPI_COMM_WORLD, pair, NP_MPI_TAG, &mpi->comm);
		MPI_Group_free(&pair);
	}
	if (code == MPI_SUCCESS)
		code = MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
	if (code != MPI_SUCCESS)
		return np_mpi_failed(mpi, code, "MPI_Comm_create_group");
	const int rc = np_mpi_find_node(mpi);

	return rc == 0 && mpi->mode.one_sided ? np_mpi_window_try(mpi) : rc;
}

static int connect_endpoint(struct np_endpoint *endpoint)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);
	/* Detects a dead peer: an MPI call would hang. */
	const int rc = np_boot_exchange(endpoint->boot, NULL, NULL, 0, &endpoint->error);

	mpi->peer = !endpoint->rank;
	mpi->source = np_mpi_options_of(mpi)->any_source ? MPI_ANY_SOURCE : mpi->peer;
	endpoint->receives_most = RECEIVES_MOST;
	if (rc != 0)
		return rc;
	return mpi->mode.pattern != NP_MPI_NO_PATTERN ? np_mpi_join_ranks(mpi) :
							join_pair(mpi);
}

int np_mpi_send_ack(struct np_endpoint *endpoint)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	return np_mpi_check_call(
		mpi, MPI_Send(NULL, 0, MPI_BYTE, mpi->peer, NP_MPI_TAG_ACK, mpi->comm),
		"MPI_Send");
}

int np_mpi_recv_ack(struct np_endpoint *endpoint)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	return np_mpi_check_call(mpi,
				 MPI_Recv(NULL, 0, MPI_BYTE, mpi->source, NP_MPI_TAG_ACK,
					  mpi->comm, MPI_STATUS_IGNORE),
				 "MPI_Recv");
}

/*
 * ---- Persistent requests, MPI_Send_init() and MPI_Start(), and partitioned ones of MPI 4,
 * MPI_Psend_init() and MPI_Pready() ----
 *
 * Requests are bound to a buffer: one per slot and direction, made before the timed block.
 */

static void free_requests(MPI_Request *requests, size_t count)
{
	for (size_t i = 0; requests != NULL && i < count; i++) {
		if (requests[i] != MPI_REQUEST_NULL)
			MPI_Request_free(&requests[i]);
	}
	free(requests);
}

static void free_slots(struct np_mpi *mpi)
{
	free_requests(mpi->slot_sends, mpi->slot_requests);
	free_requests(mpi->slot_receives, mpi->slot_requests);
	mpi->slot_sends = mpi->slot_receives = NULL;
	mpi->slot_requests = 0;
}

static MPI_Request *no_requests(size_t count)
{
	MPI_Request *requests = malloc(count * sizeof(*requests));

	for (size_t i = 0; requests != NULL && i < count; i++)
		requests[i] = MPI_REQUEST_NULL;
	return requests;
}

/* Allocates requests for `count` slots, all MPI_REQUEST_NULL.  Returns 0, or -ENOMEM with
 * the error. */
static int make_slots(struct np_mpi *mpi, size_t count)
{
	free_slots(mpi);
	mpi->slot_sends = no_requests(count);
	mpi->slot_receives = no_requests(count);
	mpi->slot_requests = count;
	mpi->in_flight = 0;
	if (mpi->slot_sends == NULL || mpi->slot_receives == NULL)
		return np_fail_errno(&mpi->endpoint.error, ENOMEM,
				     "no memory for the requests of %zu slots", count);
	return 0;
}

/* ---- Hooks of both kinds ------------------------------------------------- */

/* np_hot.post_recv */
NP_ALWAYS_INLINE int start_receive(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(mpi, MPI_Start(&mpi->slot_receives[slot]), "MPI_Start");
}

/* np_hot.recv */
NP_ALWAYS_INLINE int wait_slot(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(
		mpi, MPI_Wait(&mpi->slot_receives[slot], MPI_STATUS_IGNORE), "MPI_Wait");
}

/* Slots are sent in order: the oldest request is that of slot `oldest`. */
NP_ALWAYS_INLINE int wait_oldest_slot(struct np_mpi *mpi)
{
	const size_t slot = mpi->oldest;

	mpi->oldest = np_next_slot(slot, mpi->endpoint.ring_begin, mpi->endpoint.ring_end);
	mpi->in_flight--;
	return np_mpi_check_call(mpi, MPI_Wait(&mpi->slot_sends[slot], MPI_STATUS_IGNORE),
				 "MPI_Wait");
}

/* np_hot.send */
NP_ALWAYS_INLINE int start_send(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc = 0;

	if (mpi->in_flight == 0)
		mpi->oldest = slot;
	else if (mpi->in_flight == mpi->window || mpi->in_flight == ep->ring_end)
		rc = wait_oldest_slot(mpi);
	if (NP_UNLIKELY(rc != 0))
		return rc;
	mpi->in_flight++;
	return np_mpi_check_call(mpi, MPI_Start(&mpi->slot_sends[slot]), "MPI_Start");
}

/* np_hot.flush */
NP_ALWAYS_INLINE int wait_slots(struct np_endpoint *ep)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc;

	while (mpi->in_flight != 0) {
		if (NP_UNLIKELY((rc = wait_oldest_slot(mpi)) != 0))
			return rc;
	}
	return 0;
}

/* ---- Persistent requests ------------------------------------------------- */

static const struct np_hot persistent_hot = {
	.post_recv = start_receive,
	.send = start_send,
	.recv = wait_slot,
	.flush = wait_slots,
	.send_ack = np_mpi_send_ack,
	.recv_ack = np_mpi_recv_ack,
	.step = np_no_hook_slot,
};

NP_CODE_PATH(persistent, "persistent", persistent_hot);
NP_LOOP(persistent_window, np_loop_exchange_window, persistent_hot)
static const struct np_code_path persistent_windowed = {
	.name = "persistent",
	.hot = &persistent_hot,
	.loops = { [NP_BIDIRECTIONAL] = { persistent_window, persistent_window } },
};
NP_CODE_PATH_BURST(persistent_burst, "persistent", persistent_hot);

static const struct np_code_path *choose_persistent(const struct np_mpi *mpi)
{
	if (np_mpi_has_window_both(mpi))
		return &persistent_windowed;
	return mpi->endpoint.burst ? &persistent_burst : &persistent;
}

static int make_send(struct np_mpi *mpi, const void *buffer, MPI_Request *request)
{
	static int (*const makers[NP_MPI_SENDS])(const void *, int, MPI_Datatype, int, int,
						 MPI_Comm, MPI_Request *) = {
		[NP_MPI_STANDARD] = MPI_Send_init,
		[NP_MPI_SYNCHRONOUS] = MPI_Ssend_init,
		[NP_MPI_READY] = MPI_Rsend_init,
	};

	return makers[mpi->mode.send](buffer, mpi->count, mpi->type, mpi->peer, NP_MPI_TAG,
				      mpi->comm, request);
}

static int begin_persistent(struct np_mpi *mpi)
{
	const struct np_slot *slots = mpi->endpoint.transfer->slots;
	const size_t count = mpi->endpoint.ring_end;
	const int rc = make_slots(mpi, count);
	int code = MPI_SUCCESS;

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < count && code == MPI_SUCCESS; i++) {
		code = make_send(mpi, slots[i].send, &mpi->slot_sends[i]);
		if (code == MPI_SUCCESS)
			code = MPI_Recv_init(slots[i].recv, mpi->count, mpi->type,
					     mpi->source, NP_MPI_TAG, mpi->comm,
					     &mpi->slot_receives[i]);
	}
	return code == MPI_SUCCESS ? 0 : np_mpi_failed(mpi, code, "MPI_Recv_init");
}

/*
 * ---- Partitioned requests ---------------------------------------------------
 *
 * A partitioned send is bound to one receive of the peer in the order of creation, here
 * that of the same slot.  An unmatched request cannot be freed, so a block makes requests
 * only for the slots and directions that it uses.
 */

#ifdef NP_MPI_PARTITIONED
static int send_partitions(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc = start_send(ep, slot);

	for (int i = 0; rc == 0 && i < mpi->partitions; i++)
		rc = np_mpi_check_call(mpi, MPI_Pready(i, mpi->slot_sends[slot]),
				       "MPI_Pready");
	return rc;
}

static const struct np_hot partitioned_hot = {
	.post_recv = start_receive,
	.send = send_partitions,
	.recv = wait_slot,
	.flush = wait_slots,
	.send_ack = np_mpi_send_ack,
	.recv_ack = np_mpi_recv_ack,
	.step = np_no_hook_slot,
};

NP_CODE_PATH(partitioned, "partitioned", partitioned_hot);
NP_LOOP(partitioned_window, np_loop_exchange_window, partitioned_hot)
static const struct np_code_path partitioned_windowed = {
	.name = "partitioned",
	.hot = &partitioned_hot,
	.loops = { [NP_BIDIRECTIONAL] = { partitioned_window, partitioned_window } },
};
NP_CODE_PATH_BURST(partitioned_burst, "partitioned", partitioned_hot);

static const struct np_code_path *choose_partitioned(const struct np_mpi *mpi)
{
	if (np_mpi_has_window_both(mpi))
		return &partitioned_windowed;
	return mpi->endpoint.burst ? &partitioned_burst : &partitioned;
}

/* Slots that a block uses; an exchange completes into one more. */
static size_t used_slots(const struct np_mpi *mpi, uint64_t messages)
{
	const bool exchanges = mpi->endpoint.transfer->operation == NP_BIDIRECTIONAL;
	const uint64_t used = exchanges ? messages + 1 : messages;

	return used < mpi->endpoint.ring_end ? (size_t)used : mpi->endpoint.ring_end;
}

static int make_requests(struct np_mpi *mpi, size_t i)
{
	const struct np_transfer *transfer = mpi->endpoint.transfer;
	const bool one_way =
		transfer->operation == NP_STREAM || transfer->operation == NP_STREAM_ACKED;
	int code = MPI_SUCCESS;

	if (!one_way || mpi->endpoint.rank == 0)
		code = MPI_Psend_init(transfer->slots[i].send, mpi->partitions, mpi->count,
				      mpi->type, mpi->peer, NP_MPI_TAG, mpi->comm,
				      MPI_INFO_NULL, &mpi->slot_sends[i]);
	if (code == MPI_SUCCESS && (!one_way || mpi->endpoint.rank != 0))
		code = MPI_Precv_init(transfer->slots[i].recv, mpi->partitions, mpi->count,
				      mpi->type, mpi->peer, NP_MPI_TAG, mpi->comm,
				      MPI_INFO_NULL, &mpi->slot_receives[i]);
	return code;
}

/* The barrier lets the library match the requests before the clock runs. */
static int begin_partitioned(struct np_mpi *mpi, uint64_t messages)
{
	const size_t count = used_slots(mpi, messages);
	const int rc = make_slots(mpi, count);
	int code = MPI_SUCCESS;

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < count && code == MPI_SUCCESS; i++)
		code = make_requests(mpi, i);
	if (code == MPI_SUCCESS)
		code = MPI_Barrier(mpi->comm);
	return code == MPI_SUCCESS ? 0 : np_mpi_failed(mpi, code, "MPI_Psend_init");
}
#else
/* Never used: np_mpi_check() refuses -t partitioned. */
static const struct np_code_path *choose_partitioned(const struct np_mpi *mpi)
{
	return choose_persistent(mpi);
}

static int begin_partitioned(struct np_mpi *mpi, uint64_t messages)
{
	(void)messages;
	return begin_persistent(mpi);
}
#endif

/* ---- Sizes and blocks ---------------------------------------------------- */

static const struct np_code_path *choose(const struct np_mpi *mpi)
{
	const struct np_code_path *large = np_mpi_large(mpi);

	if (large != NULL)
		return large;
	switch (mpi->mode.transfer) {
	case NP_MPI_NONBLOCKING:
		return np_mpi_nonblocking(mpi);
	case NP_MPI_PERSISTENT:
		return choose_persistent(mpi);
	case NP_MPI_PARTITIONED_CALLS:
		return choose_partitioned(mpi);
	case NP_MPI_BLOCKING:
		return np_mpi_blocking(mpi);
	default:
		return mpi->mode.polled ? np_mpi_polled(mpi) : np_mpi_one_sided(mpi);
	}
}

/* MPI_SUM is undefined for MPI_BYTE.  Operations on one word pass MPI_UINT64_T
 * themselves. */
static MPI_Datatype element_of(enum np_mpi_transfer transfer)
{
	return transfer == NP_MPI_ACCUMULATE || transfer == NP_MPI_GET_ACCUMULATE ?
		       MPI_UINT8_T :
		       MPI_BYTE;
}

static int arm_pair(struct np_mpi *mpi, const struct np_transfer *transfer)
{
	static const MPI_Op reductions[] = {
		[NP_MPI_SUM] = MPI_SUM, [NP_MPI_REPLACE] = MPI_REPLACE
	};
	const size_t receives = mpi->endpoint.burst ? RECEIVES_MOST : transfer->window;
	mpi->partitions = mpi->mode.transfer == NP_MPI_PARTITIONED_CALLS ?
				  (int)np_mpi_options_of(mpi)->partitions :
				  1;
	int rc = np_mpi_check_call(
		mpi,
		describe_message(transfer->length / (size_t)mpi->partitions,
				 (enum np_mpi_layout)np_mpi_options_of(mpi)->datatype,
				 element_of(mpi->mode.transfer), &mpi->type, &mpi->count,
				 &mpi->made_type),
		"MPI_Type_create_struct");

	mpi->window = transfer->window;
	mpi->reduction = reductions[np_mpi_options_of(mpi)->reduction];
	mpi->in_flight = 0;
	if (rc == 0 && (np_mpi_requests_make(&mpi->sends, mpi->window) != 0 ||
			np_mpi_requests_make(&mpi->receives, receives) != 0))
		rc = np_fail_errno(&mpi->endpoint.error, ENOMEM, "no memory for requests");
	if (rc == 0 && mpi->mode.send == NP_MPI_BUFFERED)
		rc = np_mpi_buffer_make(mpi, mpi->window + 2);
	mpi->endpoint.code_path = choose(mpi);
	return rc;
}

static int arm(struct np_endpoint *endpoint, const struct np_transfer *transfer)
{
	if (np_mpi_of(endpoint)->mode.pattern != NP_MPI_NO_PATTERN) {
		endpoint->code_path =
			np_mpi_pattern_path(np_mpi_of(endpoint), transfer->variant);
		return np_mpi_pattern_arm(np_mpi_of(endpoint), transfer->length,
					  transfer->window);
	}
	return arm_pair(np_mpi_of(endpoint), transfer);
}

static void disarm(struct np_endpoint *endpoint)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	free_slots(mpi);
	np_mpi_requests_free(&mpi->receives);
	np_mpi_buffer_free(mpi);
	np_mpi_pattern_disarm(mpi);
}

static int begin_block(struct np_endpoint *endpoint, uint64_t messages, uint64_t batches)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);

	if (mpi->mode.pattern != NP_MPI_NO_PATTERN)
		return np_mpi_announce_block(mpi, messages, batches);
	mpi->in_flight = 0;
	if (mpi->mode.one_sided)
		return np_mpi_window_sync(mpi);
	if (mpi->mode.transfer == NP_MPI_PERSISTENT)
		return begin_persistent(mpi);
	if (mpi->mode.transfer == NP_MPI_PARTITIONED_CALLS)
		return begin_partitioned(mpi, messages * batches);
	return mpi->attached != NULL ? np_mpi_attach(mpi) : 0;
}

/* MPI_Comm_free() is collective: after a failure, when the peer may never call it, the
 * communicator stays until the job ends. */
static void close_endpoint(struct np_endpoint *endpoint)
{
	struct np_mpi *mpi = np_mpi_of(endpoint);
	const bool in_peace = endpoint->error.code == 0 && !np_should_stop(endpoint);

	if (mpi->mode.pattern != NP_MPI_NO_PATTERN)
		np_mpi_announce_end(mpi);
	np_mpi_slowest_end(mpi);
	np_mpi_liveness_end(mpi);
	np_mpi_threads_end(mpi, in_peace);
	if (mpi->comm != MPI_COMM_NULL && in_peace)
		MPI_Comm_free(&mpi->comm);
	mpi->comm = MPI_COMM_NULL;
}

/* Counters of a pattern, in ns: times of the fastest, the median and the slowest rank; 0
 * except in rank 0. */
static size_t count_times(struct np_endpoint *endpoint, struct np_counter *counters)
{
	const struct np_mpi *mpi = np_mpi_of(endpoint);
	const struct np_mpi_ranks *ranks = &mpi->ranks;

	if (mpi->mode.pattern == NP_MPI_NO_PATTERN)
		return 0;
	counters[0] = (struct np_counter){ "rank_least_ns", ranks->least_ns };
	counters[1] = (struct np_counter){ "rank_median_ns", ranks->median_ns };
	counters[2] = (struct np_counter){ "rank_most_ns", ranks->most_ns };
	return 3;
}

/* Candidates of --tune: rendezvous threshold, single copy and registration cache of UCX,
 * which MPICH and Open MPI may use, and of Open MPI's shared memory.  Variables that the
 * library does not read have no effect and are not recommended. */
static const char *const shortlist[] = {
	"rndv8K:env:UCX_RNDV_THRESH=8K",
	"rndv64K:env:UCX_RNDV_THRESH=64K",
	"nocma:env:UCX_TLS=^cma",
	"nocache:env:UCX_IB_REG_METHODS=direct,env:OMPI_MCA_mpi_leave_pinned=0",
#ifdef OPEN_MPI
	"twocopies:env:OMPI_MCA_btl_vader_single_copy_mechanism=none",
	"eager32K:env:OMPI_MCA_btl_vader_eager_limit=32768",
#endif
	NULL
};

const struct np_module np_module_mpi = {
	NP_MODULE_NAMED("mpi"),
	.summary = "messages and one-sided transfers within an MPI job",
	.capabilities = NP_CAN_STREAM | NP_CAN_BIDIRECTIONAL | NP_CAN_ZERO_BYTES |
			NP_CAN_WINDOW | NP_CAN_SPAN_HOSTS | NP_POSTS_RECEIVES |
			NP_CAN_BURST | NP_CAN_FRESH | NP_CAN_WINDOW_BOTH |
			NP_CAN_SAME_BUFFER | NP_CAN_GPU,
	.endpoint_size = sizeof(struct np_mpi),
	.options_size = sizeof(struct np_mpi_options),
	.options = np_mpi_options_table,
	.shortlist = shortlist,
	.device = &np_mpi_liveness,
	.job = &np_mpi_job,
	.memory = &np_mpi_memory,
	.check = np_mpi_check,
	.open = open_endpoint,
	.connect = connect_endpoint,
	.reg = np_mpi_reg,
	.unreg = np_mpi_unreg,
	.arm = arm,
	.disarm = disarm,
	.begin = begin_block,
	.close = close_endpoint,
	.describe = np_mpi_describe,
	.library = np_mpi_library,
	.count = count_times,
};
