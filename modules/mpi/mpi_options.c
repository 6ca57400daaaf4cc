/*
 * mpi_options.c - options of NPmpi, their effective values, options that exclude each
 * other, and the request to the driver.
 */
#include <limits.h>
#include <stddef.h>

#include "mpi_pattern.h"

const char *const np_mpi_transfer_names[NP_MPI_TRANSFERS + 1] = {
	[NP_MPI_BLOCKING] = "blocking",
	[NP_MPI_NONBLOCKING] = "nonblocking",
	[NP_MPI_PERSISTENT] = "persistent",
	[NP_MPI_PARTITIONED_CALLS] = "partitioned",
	[NP_MPI_PUT] = "put",
	[NP_MPI_GET] = "get",
	[NP_MPI_ACCUMULATE] = "accumulate",
	[NP_MPI_GET_ACCUMULATE] = "get_accumulate",
	[NP_MPI_FETCH_AND_OP] = "fetch_and_op",
	[NP_MPI_COMPARE_AND_SWAP] = "compare_and_swap",
};

const char *const np_mpi_send_names[NP_MPI_SENDS + 1] = {
	[NP_MPI_STANDARD] = "standard",
	[NP_MPI_SYNCHRONOUS] = "synchronous",
	[NP_MPI_BUFFERED] = "buffered",
	[NP_MPI_READY] = "ready",
};

const char *const np_mpi_epoch_names[NP_MPI_EPOCHS + 1] = {
	[NP_MPI_FENCE] = "fence", [NP_MPI_PSCW] = "pscw",	  [NP_MPI_LOCK] = "lock",
	[NP_MPI_FLUSH] = "flush", [NP_MPI_LOCK_ALL] = "lock_all",
};

const char *const np_mpi_layout_names[NP_MPI_LAYOUTS + 1] = {
	[NP_MPI_BYTES] = "bytes",
	[NP_MPI_CONTIGUOUS] = "contiguous",
	[NP_MPI_VECTOR] = "vector",
};

const char *const np_mpi_window_names[NP_MPI_WINDOWS + 1] = {
	[NP_MPI_ALLOCATE] = "allocate",
	[NP_MPI_CREATE] = "create",
	[NP_MPI_DYNAMIC] = "dynamic",
	[NP_MPI_SHARED] = "shared",
};

const char *const np_mpi_like_names[NP_MPI_LIKES + 1] = {
	[NP_MPI_LIKE_NETPONG] = "netpong",
	[NP_MPI_LIKE_OSU] = "osu",
	[NP_MPI_LIKE_IMB] = "imb",
};

const char *const np_mpi_partners_names[NP_MPI_PARTNERS + 1] = {
	[NP_MPI_NEAR] = "near",
	[NP_MPI_FAR] = "far",
	[NP_MPI_RANDOM] = "random",
};

const char *const np_mpi_thread_level_names[NP_MPI_THREAD_LEVELS + 1] = {
	[NP_MPI_AUTO] = "auto",		[NP_MPI_SINGLE] = "single",
	[NP_MPI_FUNNELED] = "funneled", [NP_MPI_SERIALIZED] = "serialized",
	[NP_MPI_MULTIPLE] = "multiple",
};

static const char *const reduction_names[NP_MPI_REDUCTIONS + 1] = {
	[NP_MPI_SUM] = "sum",
	[NP_MPI_REPLACE] = "replace",
};

#define AT(member) offsetof(struct np_mpi_options, member)

// clang-format off
const struct np_option np_mpi_options_table[] = {
	{ 't', "transfer", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(transfer), 0, 0, np_mpi_transfer_names, "blocking",
	  "calls that carry a message",
	  .group = "Messages", .brief = true },
	{ 0, "partitions", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(partitions), 1, 1 << 20, NULL, "4" /* NP_MPI_PARTITIONS */,
	  "partitions of a message of --transfer partitioned; sizes are multiples of it" },
	{ 0, "send", "MODE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(send), 0, 0, np_mpi_send_names, "standard",
	  "mode of the sends; ready needs receives that are posted before" },
	{ 'a', "preposted", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(preposted), 0, 0, NULL, NULL,
	  "post each receive by MPI_Irecv before its message may be sent",
	  .alias = "async" },
	{ 'S', "synchronous", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(synchronous), 0, 0, NULL, NULL,
	  "the same as --send synchronous",
	  .alias = "syncSend", .letter_only = true },
	{ 'z', "any-source", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(any_source), 0, 0, NULL, NULL,
	  "receive from MPI_ANY_SOURCE",
	  .alias = "anysource" },
	{ 0, "datatype", "LAYOUT", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(datatype), 0, 0, np_mpi_layout_names, "bytes",
	  "how a message lies in its buffer: as single bytes, as one contiguous type, or as a vector of blocks of 8 bytes with gaps as long" },
	{ 0, "memory-force", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(memory_force), 0, 0, NULL, NULL,
	  "with --memory, give MPI addresses of a GPU even if it does not report that it takes them" },
	{ 0, "thread-level", "LEVEL", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(thread_level), 0, 0, np_mpi_thread_level_names, "auto",
	  "thread level that MPI_Init_thread() requests; auto is multiple with --threads, and else single; a higher level may cost locks",
	  .group = "Threads" },
	{ 0, "threads", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(threads), 1, NP_MPI_THREADS_MOST, NULL, "1",
	  "threads of each rank of --pattern pairs that send and receive at the same time; more than one need --thread-level multiple" },
	{ 0, "pattern", "WHAT", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(pattern), 0, 0, np_mpi_pattern_names, "none",
	  "what all processes of the job do together",
	  .group = "Patterns of all processes", .brief = true },
	{ 0, "groups", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(groups), 0, 0, NULL, NULL,
	  "of a tournament, what each host belongs to, such as its rack: lines HOST GROUP" },
	{ 0, "slow", "PERCENT", NP_OPTION_NUMBER, NP_SCOPE_LOCAL, AT(slow), 0, 100000, NULL, "7",
	  "of a tournament, how much slower than the others is slow" },
	{ 0, "overlap", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(overlap), 0, 0, NULL, NULL,
	  "compare a non-blocking collective operation with one beside computing: what of it is not hidden" },
	{ 0, "like", "PROGRAM", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(like), 0, 0, np_mpi_like_names, "netpong",
	  "whose definition of a reduction holds: sums of double; of char, as osu_allreduce has; or with -s of float, as Intel's benchmarks have" },
	{ 0, "pairs", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(pairs), 0, 0, NULL, "0",
	  "pairs that take part in exchange and pairs; 0: all" },
	{ 0, "partners", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(partners), 0, 0, np_mpi_partners_names, "near",
	  "which ranks are pairs: neighbours (near), half the job apart (far) or drawn (random)" },
	{ 0, "epoch", "KIND", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(epoch), 0, 0, np_mpi_epoch_names, "lock_all",
	  "what completes a one-sided transfer: fence, post-start-complete-wait (pscw), a lock and unlock around it, or a flush with the peer locked (flush) or everybody (lock_all)",
	  .group = "One-sided transfers" },
	{ 0, "rma-window", "KIND", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(window), 0, 0, np_mpi_window_names, "allocate",
	  "where the memory of the window comes from: MPI (allocate, or shared between the processes), or this program (create, or dynamic: attached)" },
	{ 0, "reduction", "WHAT", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(reduction), 0, 0, reduction_names, "sum",
	  "what an accumulate, or fetch_and_op, does with what is at the target" },
	{ 'g', "get", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(get), 0, 0, NULL, NULL,
	  "the same as --transfer get",
	  .letter_only = true },
	{ 'f', "polled", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(polled), 0, 0, NULL, NULL,
	  "a ping-pong of MPI_Put without a fence: the receiver looks at the last byte" },
	{ 0 },
};
// clang-format on

struct np_mpi_mode np_mpi_mode_of(const struct np_mpi_options *options)
{
	struct np_mpi_mode mode = {
		.transfer = (enum np_mpi_transfer)options->transfer,
		.send = (enum np_mpi_send)options->send,
		.epoch = (enum np_mpi_epoch)options->epoch,
		.window = (enum np_mpi_window)options->window,
		.polled = options->polled,
		.pattern = options->pattern,
	};

	if (mode.transfer == NP_MPI_BLOCKING && options->get)
		mode.transfer = NP_MPI_GET;
	if (mode.transfer == NP_MPI_BLOCKING && options->polled)
		mode.transfer = NP_MPI_PUT;
	/* Both windows stay locked, since both ranks put at any time. */
	if (options->polled)
		mode.epoch = NP_MPI_LOCK_ALL;
	/* The library may copy into its own memory in any order, so the polled last byte
	 * need not be written last; and Open MPI 4.1 crashes in swaps there. */
	if ((options->polled || mode.transfer == NP_MPI_COMPARE_AND_SWAP) &&
	    mode.window == NP_MPI_ALLOCATE)
		mode.window = NP_MPI_CREATE;

	if (options->synchronous)
		mode.send = NP_MPI_SYNCHRONOUS;
	mode.one_sided = mode.transfer >= NP_MPI_PUT;
	mode.preposted =
		options->preposted || (mode.transfer != NP_MPI_BLOCKING && !mode.one_sided);
	return mode;
}

/* ---- Checks of messages and one-sided transfers -------------------------- */

enum { STREAM_WINDOW = 64 };

static int check_sends(const struct np_mpi_options *options, const struct np_mpi_mode *mode,
		       const struct np_request *request, struct np_error *error)
{
	const enum np_operation operation = request->operation;

	const bool ready = mode->send == NP_MPI_READY;
	const struct np_refusal refusals[] = {
		{ options->synchronous && options->send != NP_MPI_STANDARD &&
			  options->send != NP_MPI_SYNCHRONOUS,
		  "-S", "excludes any other --send; leave one of them out" },
		{ mode->send == NP_MPI_BUFFERED && mode->transfer != NP_MPI_BLOCKING,
		  "--send buffered",
		  "a buffered send is complete when it returns: use --transfer blocking" },
		{ mode->send != NP_MPI_STANDARD &&
			  mode->transfer == NP_MPI_PARTITIONED_CALLS,
		  "--send",
		  "a partitioned send has the standard mode alone: leave out -S, or use "
		  "--send standard" },
		{ ready && !mode->preposted, "--send ready",
		  "receives must be posted before: add -a, or --transfer nonblocking or "
		  "persistent" },
		{ ready && operation == NP_STREAM, "--send ready",
		  "a stream does not guarantee posted receives; add --window 1" },
		{ mode->send == NP_MPI_SYNCHRONOUS && operation == NP_BIDIRECTIONAL &&
			  !mode->preposted,
		  "-S with -2",
		  "both processes would wait for a receive that neither posts: add -a" },
		{ .option = NULL },
	};

	return np_refuse_first(refusals, NULL, error);
}

static int check_polled(const struct np_mpi_mode *mode, const struct np_request *request,
			struct np_error *error)
{
	const struct np_refusal refusals[] = {
		{ request->operation != NP_PINGPONG, "-f",
		  "a one-way stream would overrun the receiver: only a ping-pong is "
		  "supported" },
		{ request->smallest == 0, "-f",
		  "messages of 0 B have no last byte to poll: use -l 1 or more" },
		{ mode->window == NP_MPI_SHARED, "-f",
		  "a copy into a shared window may write the polled last byte first: use "
		  "another --rma-window" },
		{ .option = NULL },
	};

	return np_refuse_first(refusals, NULL, error);
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
	/* Bursts and --buffers same need receives, which one-sided transfers lack. */
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
				 "--transfer %s: a one-sided transfer cannot be measured "
				 "as %s",
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

	const struct np_refusal refusals[] = {
		{ request->operation == NP_BIDIRECTIONAL && !exchanges, "--window with -2",
		  "it needs -t nonblocking or persistent, and --send standard" },
		{ !streams && !exchanges, "--window",
		  "a blocking send has one message in flight: add -t nonblocking or "
		  "persistent, -a, or --send buffered" },
		{ .option = NULL },
	};

	if (request->window != 0)
		return np_refuse_first(refusals, NULL, error);
	request->window = streams ? STREAM_WINDOW : 1;
	return 0;
}

/* A vector occupies twice its length in a buffer: its gaps belong to no message. */
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
	return np_refuse(error,
			 "-t partitioned: %.150s has no MPI_Psend_init: build NPmpi with a "
			 "library of MPI 4, or use -t persistent",
			 library);
#endif
	if (options->any_source)
		return np_refuse(error, "-z: a partitioned receive names its sender: leave "
					"out -z, or -t partitioned");
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

/* Default of --slow. */
static const double slow_percent = 7;

/* Refuses options without effect on the selected calls.  An option set to its default
 * looks unset. */
static int check_unread(const struct np_mpi_options *options,
			const struct np_mpi_mode *mode, struct np_error *error)
{
	const bool messages = !mode->one_sided || mode->pattern != NP_MPI_NO_PATTERN;
	const bool adds = mode->transfer == NP_MPI_ACCUMULATE ||
			  mode->transfer == NP_MPI_GET_ACCUMULATE ||
			  mode->transfer == NP_MPI_FETCH_AND_OP;
	const struct np_mpi_pattern *pattern = np_mpi_pattern_of(mode);
	const bool paired = pattern != NULL && pattern->paired;
	const bool threaded = pattern != NULL && pattern->threads != NULL;
	const bool rounds = pattern != NULL && pattern->rounds;
	const struct np_refusal refusals[] = {
		{ options->polled && mode->transfer != NP_MPI_PUT, "-f",
		  "only a put can be seen by its last byte" },
		{ options->get && mode->transfer != NP_MPI_GET, "-g",
		  "excludes --transfer other than get" },
		{ options->epoch != NP_MPI_LOCK_ALL && (messages || mode->polled),
		  "--epoch", "it is for one-sided transfers other than -f" },
		{ options->window != NP_MPI_ALLOCATE && messages, "--rma-window",
		  "it is for one-sided transfers" },
		{ options->reduction != NP_MPI_SUM && !adds, "--reduction",
		  "it is for -t accumulate, get_accumulate and "
		  "fetch_and_op" },
		{ options->partitions != NP_MPI_PARTITIONS &&
			  mode->transfer != NP_MPI_PARTITIONED_CALLS,
		  "--partitions", "it is for -t partitioned" },
		{ options->pairs != 0 && !paired, "--pairs",
		  "it is for --pattern exchange and pairs" },
		{ options->threads > 1 && !threaded, "--threads",
		  "it is for --pattern pairs, a ping-pong where there are two "
		  "ranks" },
		{ options->like != NP_MPI_LIKE_NETPONG &&
			  (pattern == NULL || !pattern->sums),
		  "--like", "it is for --pattern reduce, allreduce and reduce_scatter" },
		{ options->threads > 1 && options->thread_level != NP_MPI_AUTO &&
			  options->thread_level != NP_MPI_MULTIPLE,
		  "--threads",
		  "several threads call MPI at the same time: leave "
		  "--thread-level out, or use multiple" },
		{ options->partners != NP_MPI_NEAR && !paired, "--partners",
		  "it is for --pattern exchange and pairs" },
		{ options->groups != NULL && !rounds, "--groups",
		  "it is for --pattern tournament" },
		{ (options->slow < slow_percent || options->slow > slow_percent) && !rounds,
		  "--slow", "it is for --pattern tournament" },
		{ .option = NULL },
	};

	return np_refuse_first(refusals, NULL, error);
}

/* ---- Checks of patterns -------------------------------------------------- */

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

static int check_operation(const struct np_mpi_mode *mode, const struct np_request *request,
			   struct np_error *error)
{
	const char *name = np_mpi_pattern_of(mode)->name;

	if (request->operation == NP_PINGPONG)
		return 0;
	if (request->operation != NP_STREAM)
		return np_refuse(error,
				 "--pattern %s: the pattern has no direction and no "
				 "acknowledgement: use neither -2 nor --window 1",
				 name);
	if (np_mpi_pattern_of(mode)->stream_name == NULL)
		return np_refuse(
			error, "--pattern %s: messages are back to back without -s", name);
	return 0;
}

static int check_calls(const struct np_mpi_options *options, const struct np_mpi_mode *mode,
		       const struct np_request *request, struct np_error *error)
{
	const bool nonblocking = mode->transfer == NP_MPI_NONBLOCKING &&
				 np_mpi_pattern_of(mode)->alone != NULL;

	if ((mode->transfer != NP_MPI_BLOCKING && !nonblocking) ||
	    mode->send != NP_MPI_STANDARD || options->preposted || options->any_source ||
	    options->datatype != NP_MPI_BYTES)
		return np_refuse(error,
				 "--pattern: the pattern determines the calls: use none of "
				 "--send, --datatype, -a, -S, -z, -g and -f, and of "
				 "--transfer nonblocking alone, with a collective pattern");
	if (nonblocking && request->operation == NP_STREAM)
		return np_refuse(
			error,
			"--pattern %s -t nonblocking: the operation is not measured "
			"with -s: leave out one of them",
			np_mpi_pattern_of(mode)->name);
	if (options->overlap && !nonblocking)
		return np_refuse(error, "--overlap: it needs a collective --pattern with "
					"-t nonblocking");
	return 0;
}

static int check_pattern(const struct np_mpi_options *options,
			 const struct np_mpi_mode *mode, struct np_request *request,
			 struct np_error *error)
{
	const struct np_mpi_pattern *pattern = np_mpi_pattern_of(mode);
	const bool windowed = pattern->paired && request->operation == NP_STREAM;
	int rc = check_operation(mode, request, error);

	if (rc != 0)
		return rc;
	rc = check_calls(options, mode, request, error);
	if (rc != 0)
		return rc;
	if (request->integrity && pattern->find_wrong != NULL)
		return np_refuse(error,
				 "-i: --pattern %s verifies a message of each size in "
				 "every run: leave -i out",
				 pattern->name);
	if (options->like == NP_MPI_LIKE_IMB && request->operation != NP_STREAM)
		return np_refuse(error,
				 "--like imb: Intel's benchmarks run operations back "
				 "to back, without barriers: add -s");
	/* The driver prepares the cache state of the main thread's buffers only. */
	if (options->threads > 1 && (request->sweeps || request->prepares))
		return np_refuse(error, "--threads: not with --capacity or --why, which "
					"prepare the buffers of one thread");
	if (pattern->rounds) {
		request->tournament = true;
		request->groups = options->groups;
		request->slow = options->slow;
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
	request->operation_name =
		mode->transfer == NP_MPI_NONBLOCKING ? pattern->alone->name : pattern->name;
	if (request->operation == NP_STREAM)
		request->operation_name = pattern->stream_name;
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
	request->messages_in_buffer = np_mpi_pattern_parts(pattern, job_size());
	if (pattern->sums)
		request->multiple_of = np_mpi_element_of(options).size;
	request->one_size = pattern->no_bytes;
	if (request->one_size)
		request->smallest = request->largest = 0;
	return 0;
}

/* ---- All checks ---------------------------------------------------------- */

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
		return check_pattern(options, &mode, request, error);
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
