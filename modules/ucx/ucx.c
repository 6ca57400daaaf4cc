/*
 * ucx.c - NPucx, messages over UCX: options, setup of sizes and blocks, and module table.
 */
#include <errno.h>
#include <stddef.h>

#include "ucx_private.h"

/* ---- Options ------------------------------------------------------------- */

const char *const np_ucx_transfer_names[NP_UCX_TRANSFERS + 1] = {
	[NP_UCX_AM] = "am",   [NP_UCX_TAG] = "tag", [NP_UCX_STREAM] = "stream",
	[NP_UCX_PUT] = "put", [NP_UCX_GET] = "get",
};

static const char *const completion_names[NP_UCX_COMPLETIONS + 1] = { "poll", "event" };
static const char *const protocol_names[NP_UCX_PROTOCOLS + 1] = { "auto", "eager", "rndv" };
static const char *const reply_names[NP_UCX_REPLIES + 1] = { "loop", "handler" };
static const char *const registering_names[NP_UCX_REGISTERINGS + 1] = { "none", "pool" };
static const char *const allocating_names[NP_UCX_ALLOCATINGS + 1] = { "program", "ucx" };
static const char *const like_names[NP_UCX_LIKES + 1] = { "netpong", "ucx_perftest" };
static const char *const error_names[NP_UCX_ERRORS + 1] = { "auto", "peer", "none" };

#define AT(member) offsetof(struct np_ucx_options, member)

// clang-format off
static const struct np_option options_table[] = {
	{ 't', "transfer", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(transfer), 0, 0, np_ucx_transfer_names, "am",
	  "what carries a message",
	  .group = "What carries a message", .brief = true, .varies = true },
	{ 'c', "wait", "MODE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(completion), 0, 0, completion_names, "poll",
	  "how a process waits",
	  .brief = true, .varies = true },
	{ 0, "protocol", "NAME", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(protocol), 0, 0, protocol_names, "auto",
	  "protocol of active messages: as UCX chooses by size, or always the same one",
	  .varies = true },
	{ 0, "reply", "FROM", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(reply), 0, 0, reply_names, "loop",
	  "what answers in a ping-pong of active messages: the loop that waits for them or, at the server, their handler",
	  .varies = true },
	{ 0, "register", "WHAT", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(registering), 0, 0, registering_names, "none",
	  "what is registered by ucp_mem_map() before anything is timed; put and get always register the pool",
	  .varies = true },
	{ 0, "allocate", "WHO", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(allocating), 0, 0, allocating_names, "program",
	  "who allocates the pool: this program, or UCX, whose memory a process of the same host reaches by loads and stores" },
	{ 0, "like", "PROGRAM", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(like), 0, 0, like_names, "netpong",
	  "whose definitions hold: of ucx_perftest are memory of UCX, eager active messages that are not copied, a window of 32, and no reports of a lost peer" },
	{ 0, "tls", "LIST", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(tls), 0, 0, NULL, NULL,
	  "transports that UCX may use, as in UCX_TLS; without it UCX chooses",
	  .group = "The transports", .varies = true },
	{ 'D', "device", "LIST", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(devices), 0, 0, NULL, NULL,
	  "network devices that UCX may use in this process, as in UCX_NET_DEVICES" },
	{ 0, "config", "LIST", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(config), 0, 0, NULL, NULL,
	  "settings of UCX's context, as RNDV_THRESH=8K, with semicolons between",
	  .varies = true },
	{ 0, "error-mode", "MODE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(errors), 0, 0, error_names, "auto",
	  "whether UCX reports a lost peer: auto requests that except in shared memory, which cannot",
	  .varies = true },
	{ 0 },
};
// clang-format on

/* Refuses the first exclusion that applies. */
static int check_exclusions(const struct np_ucx_options *options,
			    const struct np_request *request, struct np_error *error)
{
	const enum np_operation operation = request->operation;
	const bool am = options->transfer == NP_UCX_AM;
	const bool handler = options->reply == NP_UCX_REPLY_HANDLER;
	const bool empty = request->smallest == 0;
	const bool like = options->like == NP_UCX_LIKE_PERFTEST;
	const bool copied = np_ucx_allocates(options) && options->transfer == NP_UCX_PUT &&
			    options->completion == NP_UCX_POLL;
	const struct np_refusal refusals[] = {
		{ !am && options->protocol != NP_UCX_AUTO, "--protocol",
		  "UCX takes a protocol for active messages only: -t am; for others the "
		  "environment's UCX_RNDV_THRESH moves the limit" },
		{ !am && handler, "--reply handler",
		  "only active messages have a handler: -t am" },
		{ handler && operation != NP_PINGPONG, "--reply handler",
		  "only a ping-pong has replies: it goes without -s and -2" },
		{ empty && options->transfer == NP_UCX_STREAM, "-l 0",
		  "a byte stream has no empty messages: use -t am or tag" },
		{ empty && options->transfer >= NP_UCX_PUT, "-l 0",
		  "a put or get of 0 B shows no arrival: use -t am or tag" },
		{ request->window > NP_UCX_RING / 2, "--window", "the maximum is 2048" },
		{ copied && operation != NP_STREAM,
		  like ? "--like ucx_perftest" : "--allocate ucx",
		  "a copy by the CPU may write the polled last byte of a put twice, and "
		  "the receiver has marked it in between: use -c event, -s or -t get" },
		{ like && am && request->integrity, "--like ucx_perftest",
		  "its active messages leave eager data where UCX has it, so -i has "
		  "nothing to "
		  "check: use --allocate ucx" },
		{ .option = NULL },
	};

	return np_refuse_first(refusals, "ucx", error);
}

/* Outstanding operations of ucx_perftest's bandwidth tests without -O (UCX 1.13 to 1.17).
 */
enum { PERFTEST_WINDOW = 32 };

static int check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct np_ucx_options *options = values;
	const bool one_sided = options->transfer >= NP_UCX_PUT;
	const bool pool = options->registering == NP_UCX_REGISTER_POOL;
	const bool ucx = np_ucx_allocates(options);
	int rc = check_exclusions(options, request, error);

	if (rc == 0)
		rc = np_ucx_describe_config(options, NULL, error);
	if (rc != 0)
		return rc;
	/* Only the pools of both processes are registered. */
	if (one_sided || pool || ucx)
		request->capabilities &= ~(unsigned)NP_CAN_FRESH;
	/* UCX allocates the pool as one registration. */
	if ((!one_sided && !pool) || ucx)
		request->capabilities &= ~(unsigned)NP_CAN_REGISTER;
	request->own_pages |= ucx;
	if (options->transfer == NP_UCX_GET)
		return np_request_reads(request, "ucx", "get", "get_stream", error);
	if (request->operation == NP_STREAM && request->window == 0)
		request->window = options->like == NP_UCX_LIKE_PERFTEST ? PERFTEST_WINDOW :
									  NP_STREAM_WINDOW;
	/* A receiver that polls last bytes would be overrun. */
	if (request->operation == NP_STREAM && one_sided)
		np_request_one_sided(request, NP_ONE_SIDED_PUT, "put_stream");
	return 0;
}

/* ---- Sizes and blocks ---------------------------------------------------- */

/* Maximum of pending operations without a window. */
enum { PENDING_MOST = 128 };

static const struct np_code_path *choose_path(struct np_ucx *ucx)
{
	const struct np_ucx_options *options = np_ucx_options_of(ucx);
	const bool sleeps = options->completion == NP_UCX_EVENT;

	if (ucx->endpoint.transfer->operation == NP_ONE_SIDED)
		return np_ucx_one_sided(ucx, sleeps);
	return options->transfer == NP_UCX_PUT ? np_ucx_put(sleeps) :
						 np_ucx_messages(ucx, sleeps);
}

static int arm(struct np_endpoint *endpoint, const struct np_transfer *transfer)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);
	const uint32_t registered = ucx->keys.local != NULL ? UCP_OP_ATTR_FIELD_MEMH : 0;

	ucx->send_param = ucx->plain_param;
	ucx->send_param.op_attr_mask |= registered;
	ucx->recv_param =
		(ucp_request_param_t){ .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
						       UCP_OP_ATTR_FIELD_USER_DATA |
						       registered };
	ucx->send_limit =
		transfer->operation == NP_ONE_SIDED ? transfer->window - 1 : PENDING_MOST;
	endpoint->code_path = choose_path(ucx);
	return 0;
}

/* Resets the counters of a block; no message is in flight. */
static int begin_block(struct np_endpoint *endpoint, uint64_t messages, uint64_t batches)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);
	const struct np_transfer *transfer = endpoint->transfer;
	const bool stream = transfer->operation == NP_STREAM;
	const uint64_t total = messages * batches;
	const uint64_t first = transfer->window > total ? total : transfer->window;

	ucx->posted = 0;
	ucx->arrived = 0;
	ucx->received = 0;
	ucx->sent = 0;
	ucx->flushed = 0;
	ucx->announced = 0;
	ucx->acks = 0;
	ucx->block++;
	ucx->allowed = stream ? first : UINT64_MAX;
	ucx->expected = total;
	ucx->grant_step = transfer->window > 1 ? transfer->window / 2 : 1;
	ucx->next_grant = 0;
	if (stream && endpoint->rank == 1 && first < total)
		ucx->next_grant =
			first + ucx->grant_step < total ? first + ucx->grant_step : total;
	return 0;
}

static const struct np_device_hooks device_hooks = { .list = np_ucx_list };

/* Up to UCX 1.15 the default protocols register buffers in a cache per device; the cache
 * above devices is used by ucp_mem_map() alone, which is never timed here. */
#if UCP_API_VERSION < UCP_VERSION(1, 16)
#define NO_CACHE "nocache:env:UCX_IB_REG_METHODS=direct"
#else
#define NO_CACHE "nocache:env:UCX_RCACHE_ENABLE=n"
#endif

/* Candidates of --tune: protocol thresholds, and registration cache. */
static const char *const shortlist[] = { "rndv1K:env:UCX_RNDV_THRESH=1K",
					 "rndv8K:env:UCX_RNDV_THRESH=8K",
					 "rndv64K:env:UCX_RNDV_THRESH=64K",
					 "rndv1M:env:UCX_RNDV_THRESH=1M",
					 "zcopy4K:env:UCX_ZCOPY_THRESH=4K",
					 NO_CACHE,
					 NULL };

const struct np_module np_module_ucx = {
	NP_MODULE_NAMED("ucx"),
	.summary = "active messages, tags, streams, put and get over UCX",
	.capabilities = NP_CAN_STREAM | NP_CAN_BIDIRECTIONAL | NP_CAN_ZERO_BYTES |
			NP_CAN_RECONNECT | NP_CAN_REGISTER | NP_CAN_WINDOW |
			NP_CAN_SPAN_HOSTS | NP_POSTS_RECEIVES | NP_CAN_FRESH,
	.endpoint_size = sizeof(struct np_ucx),
	.options_size = sizeof(struct np_ucx_options),
	.options = options_table,
	.shortlist = shortlist,
	.check_variable = np_ucx_check_variable,
	.device = &device_hooks,
	.memory = &np_ucx_memory,
	.check = check,
	.open = np_ucx_open,
	.connect = np_ucx_connect,
	.reg = np_ucx_reg,
	.unreg = np_ucx_unreg,
	.arm = arm,
	.begin = begin_block,
	.progress = np_ucx_progress_once,
	.close = np_ucx_close,
	.describe = np_ucx_describe,
};
