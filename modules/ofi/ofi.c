/*
 * ofi.c - NPofi, messages over libfabric: options, setup of sizes and blocks, and module
 * table.
 */
#include <errno.h>
#include <stddef.h>

#include "ofi_private.h"

/* ---- Options ------------------------------------------------------------- */

/* Receives of the providers of TCP over message endpoints; arm() checks the provider's. */
enum { WINDOW_MOST = NP_OFI_RING / 2 };

const char *const np_ofi_transfer_names[NP_OFI_TRANSFERS + 1] = {
	[NP_OFI_MSG] = "msg",
	[NP_OFI_TAGGED] = "tagged",
	[NP_OFI_WRITE] = "rma_write",
	[NP_OFI_READ] = "rma_read",
};
const char *const np_ofi_endpoint_names[3] = { "rdm", "msg" };

static const char *const completion_names[NP_OFI_COMPLETIONS + 1] = { "poll", "event",
								      "counter" };
static const char *const registering_names[NP_OFI_REGISTERINGS + 1] = { "none", "pool",
									"each" };
static const char *const inject_names[] = { "auto", "no", NULL };

#define AT(member) offsetof(struct np_ofi_options, member)

// clang-format off
static const struct np_option options_table[] = {
	{ 't', "transfer", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(transfer), 0, 0, np_ofi_transfer_names, "msg",
	  "what carries a message",
	  .group = "What carries a message", .brief = true, .varies = true },
	{ 'c', "wait", "MODE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(completion), 0, 0, completion_names, "poll",
	  "how a process waits",
	  .brief = true, .varies = true },
	{ 0, "register", "WHAT", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(registering), 0, 0, registering_names, "none",
	  "what is registered for local use: nothing, the pool before anything is timed, or the buffer around each message",
	  .varies = true },
	{ 0, "inline", "WHEN", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(inject), 0, 0, inject_names, "auto",
	  "messages that are sent by fi_inject(): those up to the limit of the provider, or none",
	  .varies = true },
	{ 0, "provider", "NAME", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(provider), 0, 0, NULL, NULL,
	  "provider, as --list-devices has them; without it libfabric chooses",
	  .group = "The provider", .varies = true },
	{ 0, "connection", "TYPE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(endpoint), 0, 0, np_ofi_endpoint_names, "rdm",
	  "type of the endpoint: reliable datagrams, or a connection",
	  .varies = true },
	{ 'D', "device", "DOMAIN", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(domain), 0, 0, NULL, NULL,
	  "domain that this process uses, as --list-devices has them" },
	{ 0 },
};
// clang-format on

/* Refuses the first exclusion that applies. */
static int check_exclusions(const struct np_ofi_options *options,
			    const struct np_request *request, struct np_error *error)
{
	const bool rma = np_ofi_is_remote(options->transfer);
	const bool each = options->registering == NP_OFI_REGISTER_EACH;
	const bool counter = options->completion == NP_OFI_COUNTER;
	const bool empty = request->smallest == 0;
	const struct np_refusal refusals[] = {
		{ empty && rma, "-l 0",
		  "a read or write of 0 B moves nothing: use -t msg or tagged" },
		{ empty && each, "-l 0", "0 B cannot be registered: use --register none" },
		{ request->window > WINDOW_MOST, "--window", "the maximum is 512" },
		{ each && rma, "--register each",
		  "the remote key would have to travel before each message: use -t msg or "
		  "tagged" },
		{ each && counter, "--register each",
		  "a counter does not name the buffer to deregister: use -c poll or "
		  "event" },
		{ counter && options->transfer == NP_OFI_WRITE &&
			  request->operation != NP_STREAM,
		  "-c counter",
		  "the target of a write reads its notice from the queue: use -c poll or "
		  "event, or -s" },
		{ .option = NULL },
	};

	return np_refuse_first(refusals, "ofi", error);
}

static int check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct np_ofi_options *options = values;
	const bool rma = np_ofi_is_remote(options->transfer);
	const bool pool = options->registering == NP_OFI_REGISTER_POOL;
	const int rc = check_exclusions(options, request, error);

	if (rc != 0)
		return rc;
	request->reaches_region = rma;
	/* Writes to and fro reach the buffers of both processes. */
	if (pool || (options->transfer == NP_OFI_WRITE && request->operation != NP_STREAM))
		request->capabilities &= ~(unsigned)NP_CAN_FRESH;
	if (!rma && !pool)
		request->capabilities &= ~(unsigned)NP_CAN_REGISTER;
	if (options->transfer == NP_OFI_READ)
		return np_request_reads(request, "ofi", "read", "read_stream", error);
	if (request->operation == NP_STREAM && request->window == 0)
		request->window = NP_STREAM_WINDOW;
	/* A writer would overrun a receiver that waits for each message. */
	if (request->operation == NP_STREAM && rma)
		np_request_one_sided(request, NP_ONE_SIDED_PUT, "write_stream");
	return 0;
}

/* ---- Sizes and blocks ---------------------------------------------------- */

/* Maximum of pending operations without a window. */
enum { PENDING_MOST = 128 };

static int arm(struct np_endpoint *endpoint, const struct np_transfer *transfer)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);
	const bool one_sided = transfer->operation == NP_ONE_SIDED;
	const bool streams =
		transfer->operation == NP_STREAM || transfer->operation == NP_STREAM_ACKED;
	const size_t receives = ofi->info->rx_attr->size;

	/* One receive is that of the acknowledgement. */
	if (!one_sided && transfer->window >= receives)
		return np_refuse(&endpoint->error,
				 "--window: %zu is too many for provider %s, which takes "
				 "%zu receives: give fewer",
				 transfer->window, ofi->info->fabric_attr->prov_name,
				 receives);
	if (!one_sided && np_ofi_options_of(ofi)->transfer == NP_OFI_WRITE &&
	    (ofi->info->rx_attr->mode & FI_RX_CQ_DATA) != 0)
		return np_refuse(
			&endpoint->error,
			"-t rma_write: provider %s takes a receive for each notice "
			"(FI_RX_CQ_DATA): use -s, or a provider over ofi_rxm",
			ofi->info->fabric_attr->prov_name);
	ofi->send_limit = one_sided ? transfer->window - 1 : PENDING_MOST;
	if (ofi->send_limit > ofi->info->tx_attr->size)
		ofi->send_limit = ofi->info->tx_attr->size;
	endpoint->code_path = np_ofi_path(ofi);
	/* Messages go the other way then: none is taken for an acknowledgement. */
	return (streams && endpoint->rank == 0) || (one_sided && endpoint->rank == 1) ?
		       np_ofi_expect_ack(ofi) :
		       0;
}

/* Resets the counts of a block; no message is in flight. */
static int begin_block(struct np_endpoint *endpoint, uint64_t messages, uint64_t batches)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);

	(void)messages;
	(void)batches;
	ofi->posted = 0;
	ofi->received = 0;
	ofi->arrived = 0;
	return 0;
}

static const struct np_device_hooks device_hooks = { .list = np_ofi_list };

/* Candidates of --tune: the registration cache, and the longest message that ofi_rxm sends
 * in one piece. */
static const char *const shortlist[] = { "nocache:env:FI_MR_CACHE_MAX_COUNT=0",
					 "eager4K:env:FI_OFI_RXM_BUFFER_SIZE=4096",
					 "eager64K:env:FI_OFI_RXM_BUFFER_SIZE=65536",
					 "noinject:inject=no", NULL };

const struct np_module np_module_ofi = {
	NP_MODULE_NAMED("ofi"),
	.summary = "messages, tags, reads and writes over libfabric",
	.capabilities = NP_CAN_STREAM | NP_CAN_BIDIRECTIONAL | NP_CAN_ZERO_BYTES |
			NP_CAN_RECONNECT | NP_CAN_REGISTER | NP_CAN_WINDOW |
			NP_CAN_SPAN_HOSTS | NP_POSTS_RECEIVES | NP_CAN_FRESH,
	.endpoint_size = sizeof(struct np_ofi),
	.options_size = sizeof(struct np_ofi_options),
	.options = options_table,
	.shortlist = shortlist,
	.check_variable = np_ofi_check_variable,
	.library = np_ofi_library,
	.device = &device_hooks,
	.check = check,
	.open = np_ofi_open,
	.connect = np_ofi_connect,
	.reg = np_ofi_reg,
	.unreg = np_ofi_unreg,
	.arm = arm,
	.begin = begin_block,
	.progress = np_ofi_progress_once,
	.close = np_ofi_close,
	.describe = np_ofi_describe,
};
