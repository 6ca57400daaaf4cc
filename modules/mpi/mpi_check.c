/*
 * mpi_check.c - options of NPmpi that exclude each other, and its request to the driver.
 */
#include "mpi_pattern.h"

enum { STREAM_WINDOW = 64 };

static int check_sends(const struct np_mpi_options *options, const struct np_mpi_mode *mode,
		       const struct np_request *request, struct np_error *error)
{
	const enum np_operation operation = request->operation;

	if (options->synchronous && options->send != NP_MPI_STANDARD &&
	    options->send != NP_MPI_SYNCHRONOUS)
		return np_refuse(error, "-S: --send asks for another mode");
	if (mode->send == NP_MPI_BUFFERED && mode->transfer != NP_MPI_BLOCKING)
		return np_refuse(error, "--send buffered: such a send is over when it "
					"returns: it goes with --transfer blocking alone");
	if (mode->send != NP_MPI_STANDARD && mode->transfer == NP_MPI_PARTITIONED_CALLS)
		return np_refuse(error, "--send %s: there is no such partitioned send",
				 np_mpi_send_names[mode->send]);
	if (mode->send == NP_MPI_READY && !mode->preposted)
		return np_refuse(error, "--send ready: its receives must be posted before: "
					"add -a, or --transfer nonblocking or persistent");
	if (mode->send == NP_MPI_READY && operation == NP_STREAM)
		return np_refuse(error, "--send ready: the sender of a stream does not "
					"know what is posted; with --each-acked it does");
	if (mode->send == NP_MPI_SYNCHRONOUS && operation == NP_BIDIRECTIONAL &&
	    !mode->preposted)
		return np_refuse(error,
				 "-S with -2: both processes would wait for a receive "
				 "that neither posts: add -a");
	return 0;
}

static int check_polled(const struct np_mpi_mode *mode, const struct np_request *request,
			struct np_error *error)
{
	if (request->operation != NP_PINGPONG)
		return np_refuse(error, "-f: a receiver that is not answered would be "
					"overrun: it is a ping-pong");
	if (request->smallest == 0)
		return np_refuse(error, "-f: no bytes have no last byte");
	if (mode->window == NP_MPI_SHARED)
		return np_refuse(error, "-f: a copy into a shared window may write the "
					"last byte, which is polled, first");
	return 0;
}

/* True if the target's buffer equals the message afterwards. */
static bool copies_bytes(const struct np_mpi_options *options,
			 enum np_mpi_transfer transfer)
{
	return transfer == NP_MPI_PUT || transfer == NP_MPI_GET ||
	       (transfer != NP_MPI_COMPARE_AND_SWAP &&
		options->reduction == NP_MPI_REPLACE);
}

/* Sets the requirements of one-sided transfers. */
static void request_window(const struct np_mpi_mode *mode, struct np_request *request)
{
	/* No receive takes part. */
	request->capabilities &= ~(unsigned)(NP_CAN_BURST | NP_CAN_SAME_BUFFER);
	request->reaches_region = true;
	request->own_pages =
		mode->window == NP_MPI_ALLOCATE || mode->window == NP_MPI_SHARED;
	request->one_size = mode->transfer >= NP_MPI_FETCH_AND_OP;
	if (request->one_size)
		request->smallest = request->largest = sizeof(uint64_t);
}

/* One-sided transfers: only rank 0 is active, with single transfers or streams. */
static int check_one_sided(const struct np_mpi_options *options,
			   const struct np_mpi_mode *mode, struct np_request *request,
			   struct np_error *error)
{
	static const char *const names[][2] = {
		[NP_MPI_PUT] = { "put", "put_stream" },
		[NP_MPI_GET] = { "get", "get_stream" },
		[NP_MPI_ACCUMULATE] = { "accumulate", "accumulate_stream" },
		[NP_MPI_GET_ACCUMULATE] = { "get_accumulate", "get_accumulate_stream" },
		[NP_MPI_FETCH_AND_OP] = { "fetch_and_op", "fetch_and_op_stream" },
		[NP_MPI_COMPARE_AND_SWAP] = { "compare_and_swap",
					      "compare_and_swap_stream" },
	};
	const bool streams = request->operation == NP_STREAM;
	const char *how = np_mpi_transfer_names[mode->transfer];

	if (options->synchronous || options->send != NP_MPI_STANDARD ||
	    options->preposted || options->any_source)
		return np_refuse(error, "--send, -a, -S and -z: a one-sided transfer has "
					"no message to match");
	request_window(mode, request);
	if (mode->polled)
		return check_polled(mode, request, error);
	if (request->operation != NP_PINGPONG && !streams)
		return np_refuse(error,
				 "--transfer %s: the transmitter works alone, so it cannot "
				 "be measured as %s",
				 how, request->operation_name);
	if (request->integrity && !copies_bytes(options, mode->transfer))
		return np_refuse(error,
				 "-i: %s leaves no copy of what was sent at the target%s",
				 how,
				 mode->transfer == NP_MPI_COMPARE_AND_SWAP ?
					 "" :
					 ": add --reduction replace");
	np_request_one_sided(
		request, mode->transfer == NP_MPI_GET ? NP_ONE_SIDED_GET : NP_ONE_SIDED_PUT,
		names[mode->transfer][streams]);
	if (request->window != 0)
		return np_refuse(error, "--window: one-sided transfers are bounded by "
					"their epoch alone; leave it out");
	/* A window above 1 selects one epoch per sample. */
	request->window = streams ? STREAM_WINDOW : 1;
	return 0;
}

static int check_window(const struct np_mpi_mode *mode, struct np_request *request,
			struct np_error *error)
{
	const bool streams = request->operation == NP_STREAM &&
			     (mode->preposted || mode->send == NP_MPI_BUFFERED);
	const bool exchanges = request->operation == NP_BIDIRECTIONAL &&
			       mode->transfer != NP_MPI_BLOCKING &&
			       mode->send == NP_MPI_STANDARD;

	if (request->window != 0 && request->operation == NP_BIDIRECTIONAL && !exchanges)
		return np_refuse(error, "--window with -2: it needs -t nonblocking or "
					"persistent, and --send standard");
	if (request->window != 0 && !streams && !exchanges)
		return np_refuse(error, "--window: a blocking send has one message in "
					"flight: add -t nonblocking or persistent, -a, or "
					"--send buffered");
	if (request->window == 0)
		request->window = streams ? STREAM_WINDOW : 1;
	return 0;
}

/* A vector needs twice the memory; its gaps belong to no message. */
static int check_datatype(const struct np_mpi_options *options,
			  const struct np_mpi_mode *mode, struct np_request *request,
			  struct np_error *error)
{
	const enum np_mpi_layout layout = (enum np_mpi_layout)options->datatype;
	const char *name = np_mpi_layout_names[layout];

	if (layout == NP_MPI_BYTES)
		return 0;
	if (mode->transfer >= NP_MPI_FETCH_AND_OP || mode->polled)
		return np_refuse(error,
				 "--datatype %s: a single word, or a last byte that "
				 "is waited for, has no layout",
				 name);
	if (layout != NP_MPI_VECTOR)
		return 0;
	if (request->integrity)
		return np_refuse(error, "-i checks bytes without gaps: it excludes "
					"--datatype vector");
	request->multiple_of = NP_MPI_BLOCK;
	request->messages_in_buffer = 2;
	return 0;
}

/* All partitions of a message have the same length. */
static int check_partitions(const struct np_mpi_options *options,
			    struct np_request *request, struct np_error *error)
{
#ifndef NP_MPI_PARTITIONED
	char library[MPI_MAX_LIBRARY_VERSION_STRING];

	np_mpi_library(library, sizeof(library));
	return np_refuse(error, "-t partitioned: %s has no MPI_Psend_init, of MPI 4",
			 library);
#endif
	if (options->any_source)
		return np_refuse(error, "-z: a partitioned receive names its sender");
	request->multiple_of =
		options->partitions * (request->multiple_of > 1 ? request->multiple_of : 1);
	return 0;
}

/* Patterns and windows use host memory only. */
static int check_gpu(const struct np_mpi_options *options, const struct np_mpi_mode *mode,
		     const struct np_request *request, struct np_error *error)
{
	if (request->memory == NP_MEMORY_HOST)
		return options->memory_force ?
			       np_refuse(error, "--memory-force needs --memory cuda or "
						"rocm") :
			       0;
	if (mode->pattern != NP_MPI_NO_PATTERN || mode->one_sided)
		return np_refuse(error, "--memory: patterns and one-sided transfers have "
					"the host's memory alone");
	return 0;
}

/* Refuses options without effect on the selected calls.  An option set to its default
 * looks unset. */
static int check_unread(const struct np_mpi_options *options,
			const struct np_mpi_mode *mode, struct np_error *error)
{
	const bool messages = !mode->one_sided || mode->pattern != NP_MPI_NO_PATTERN;
	const bool adds = mode->transfer == NP_MPI_ACCUMULATE ||
			  mode->transfer == NP_MPI_GET_ACCUMULATE ||
			  mode->transfer == NP_MPI_FETCH_AND_OP;
	const bool paired = np_mpi_pattern_is_paired(mode->pattern);
	const struct {
		bool unread;
		const char *text;
	} settings[] = {
		{ options->polled && mode->transfer != NP_MPI_PUT,
		  "-f: only a put can be seen by its last byte" },
		{ options->get && mode->transfer != NP_MPI_GET,
		  "-g: --transfer asks for something else" },
		{ options->epoch != NP_MPI_LOCK_ALL && (messages || mode->polled),
		  "--epoch: it is for one-sided transfers other than -f" },
		{ options->window != NP_MPI_ALLOCATE && messages,
		  "--rma-window: it is for one-sided transfers" },
		{ options->reduction != NP_MPI_SUM && !adds,
		  "--reduction: it is for -t accumulate, get_accumulate and "
		  "fetch_and_op" },
		{ options->partitions != NP_MPI_PARTITIONS &&
			  mode->transfer != NP_MPI_PARTITIONED_CALLS,
		  "--partitions: it is for -t partitioned" },
		{ options->pairs != 0 && !paired,
		  "--pairs: it is for --pattern exchange and pairs" },
		{ options->threads > 1 && mode->pattern != NP_MPI_PAIRS,
		  "--threads: it is for --pattern pairs, a ping-pong where there are two "
		  "ranks" },
		{ options->partners != NP_MPI_NEAR && !paired,
		  "--partners: it is for --pattern exchange and pairs" },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		if (settings[i].unread)
			return np_refuse(error, "%s", settings[i].text);
	}
	return 0;
}

int np_mpi_check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct np_mpi_options *options = values;
	const struct np_mpi_mode mode = np_mpi_mode_of(options);
	int rc = check_gpu(options, &mode, request, error);

	if (rc == 0)
		rc = check_unread(options, &mode, error);
	if (rc != 0)
		return rc;
	if (mode.pattern != NP_MPI_NO_PATTERN)
		return np_mpi_check_pattern(options, &mode, request, error);
	if (options->overlap)
		return np_refuse(error, "--overlap: it needs a collective --pattern with "
					"-t nonblocking");
	rc = check_datatype(options, &mode, request, error);
	if (rc != 0)
		return rc;
	if (mode.one_sided)
		return check_one_sided(options, &mode, request, error);
	if (mode.transfer == NP_MPI_PARTITIONED_CALLS)
		rc = check_partitions(options, request, error);
	if (rc != 0)
		return rc;
	if (mode.preposted)
		request->capabilities &= ~(unsigned)NP_CAN_SAME_BUFFER;
	rc = check_window(&mode, request, error);
	return rc != 0 ? rc : check_sends(options, &mode, request, error);
}
