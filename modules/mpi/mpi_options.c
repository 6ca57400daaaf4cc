/*
 * mpi_options.c - options of NPmpi, and the effective ones.
 */
#include <stddef.h>

#include "mpi_private.h"

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

const char *const np_mpi_pattern_names[NP_MPI_PATTERNS + 1] = {
	[NP_MPI_NO_PATTERN] = "none",
	[NP_MPI_EXCHANGE] = "exchange",
	[NP_MPI_RING] = "ring",
	[NP_MPI_PAIRS] = "pairs",
	[NP_MPI_BARRIER] = "barrier",
	[NP_MPI_BCAST] = "bcast",
	[NP_MPI_REDUCE] = "reduce",
	[NP_MPI_ALLREDUCE] = "allreduce",
	[NP_MPI_REDUCE_SCATTER] = "reduce_scatter",
	[NP_MPI_GATHER] = "gather",
	[NP_MPI_SCATTER] = "scatter",
	[NP_MPI_ALLGATHER] = "allgather",
	[NP_MPI_ALLTOALL] = "alltoall",
	[NP_MPI_TOURNAMENT] = "tournament",
};

const char *const np_mpi_partners_names[NP_MPI_PARTNERS + 1] = {
	[NP_MPI_NEAR] = "near",
	[NP_MPI_FAR] = "far",
	[NP_MPI_RANDOM] = "random",
};

const char *const np_mpi_thread_level_names[NP_MPI_THREAD_LEVELS + 1] = {
	[NP_MPI_SINGLE] = "single",
	[NP_MPI_FUNNELED] = "funneled",
	[NP_MPI_SERIALIZED] = "serialized",
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
	  .alias = "syncSend" },
	{ 'z', "any-source", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(any_source), 0, 0, NULL, NULL,
	  "receive from MPI_ANY_SOURCE",
	  .alias = "anysource" },
	{ 0, "datatype", "LAYOUT", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(datatype), 0, 0, np_mpi_layout_names, "bytes",
	  "how a message lies in its buffer: as single bytes, as one contiguous type, or as a vector of blocks of 8 bytes with gaps as long" },
	{ 0, "memory-force", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(memory_force), 0, 0, NULL, NULL,
	  "with --memory, give MPI addresses of a GPU even if it does not report that it takes them" },
	{ 0, "thread-level", "LEVEL", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(thread_level), 0, 0, np_mpi_thread_level_names, "single",
	  "how many threads MPI is told that there are; more may cost it locks",
	  .group = "Threads" },
	{ 0, "threads", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(threads), 1, NP_MPI_THREADS_MOST, NULL, "1",
	  "threads of each rank of --pattern pairs that send and receive at the same time; more than one imply --thread-level multiple" },
	{ 0, "pattern", "WHAT", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(pattern), 0, 0, np_mpi_pattern_names, "none",
	  "what all processes of the job do together",
	  .group = "Patterns of all processes", .brief = true },
	{ 0, "overlap", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(overlap), 0, 0, NULL, NULL,
	  "compare a non-blocking collective operation with one beside computing: what of it is not hidden" },
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
	  "the same as --transfer get" },
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
		.pattern = (enum np_mpi_patterns)options->pattern,
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
