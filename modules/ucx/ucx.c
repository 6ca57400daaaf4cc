/*
 * ucx.c - NPucx, messages over UCX: options, memory of the pool, setup of sizes and blocks,
 * and module table.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/*
 * ---- Memory allocated by UCX --------------------------------------------------
 *
 * ucp_mem_map() allocates from the transports of the context: from a shared segment, where
 * processes of one host use one, so that a put or get is a copy by the CPU.  Memory of the
 * program is reached through the kernel or by the target.
 */

static int fail_to_allocate(struct np_ucx *ucx, size_t length, const char *reason)
{
	return np_fail(&ucx->endpoint.error, NP_ERROR_FAILED, ENOMEM,
		       "UCX cannot allocate %zu MiB: %s: take a smaller --pool, or "
		       "--allocate program",
		       length >> 20, reason);
}

static int allocate_by_ucx(struct np_ucx *ucx, struct np_region *region, size_t length,
			   uint64_t key)
{
	const size_t page = region->page_size;
	const size_t pages = (length + page - 1) / page * page;
	const ucp_mem_map_params_t params = {
		.field_mask =
			UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
		.length = pages + NP_HOST_MEMORY_ROOM,
		.flags = UCP_MEM_MAP_ALLOCATE,
	};
	ucp_mem_attr_t made = { .field_mask = UCP_MEM_ATTR_FIELD_ADDRESS };
	ucs_status_t status = ucp_mem_map(ucx->context, &params, &ucx->allocated);

	if (status != UCS_OK) {
		ucx->allocated = NULL;
		return fail_to_allocate(ucx, pages, ucs_status_string(status));
	}
	status = ucp_mem_query(ucx->allocated, &made);
	if (status != UCS_OK)
		return fail_to_allocate(ucx, pages, ucs_status_string(status));
	const int rc = np_host_memory_adopt(region, made.address, length, key);

	ucx->allocated_base = region->base;
	return rc == 0 ? 0 : fail_to_allocate(ucx, pages, strerror(-rc));
}

static int allocate(struct np_endpoint *endpoint, struct np_region *region, size_t length,
		    uint64_t key)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);

	if (np_ucx_allocates(np_ucx_options_of(ucx)))
		return allocate_by_ucx(ucx, region, length, key);
	return np_host_memory.allocate(endpoint, region, length, key);
}

static void free_region(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);

	if (np_ucx_options_of(ucx)->allocating != NP_UCX_ALLOCATE_UCX) {
		np_host_memory.free(endpoint, region);
		return;
	}
	if (ucx->allocated != NULL)
		ucp_mem_unmap(ucx->context, ucx->allocated);
	ucx->allocated = NULL;
	ucx->allocated_base = region->base = NULL;
}

static const struct np_memory_hooks memory_hooks = NP_HOST_MEMORY(allocate, free_region);

/*
 * ---- Registration of the pool, and exchange of remote keys ------------------
 *
 * Both processes divide their pools equally (np_module.h): the registration of a buffer has
 * the same index in both.
 */

/* Bytes of a cell for a packed key, which has some tens of bytes per device; cells per
 * exchange of at most 64 KiB. */
enum { CELL = 4096, CELLS = 16 };

static bool is_one_sided(const struct np_ucx *ucx)
{
	return np_ucx_options_of(ucx)->transfer >= NP_UCX_PUT;
}

static int map_part(struct np_ucx *ucx, const struct np_region *region, size_t part)
{
	const ucp_mem_map_params_t params = {
		.field_mask =
			UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
		.address = region->base + part * region->part_size,
		.length = region->part_size,
	};
	const ucs_status_t status =
		ucp_mem_map(ucx->context, &params, &ucx->keys.local[part]);

	if (status == UCS_OK)
		return 0;
	ucx->keys.local[part] = NULL;
	return np_fail(&ucx->endpoint.error, NP_ERROR_FAILED, ENOMEM,
		       "UCX cannot register %zu bytes: %s: take a smaller --pool, or raise "
		       "memlock in /etc/security/limits.conf",
		       region->part_size, ucs_status_string(status));
}

/* Makes the handle of memory that UCX has allocated the only key. */
static int take_allocated(struct np_ucx *ucx, const struct np_region *region)
{
	if (region->base != ucx->allocated_base)
		return np_fail(
			&ucx->endpoint.error, NP_ERROR_USAGE, EINVAL,
			"--allocate ucx: variants of one run share the pool that UCX "
			"has allocated for the first: compare runs, by NPreport "
			"--compare");
	ucx->keys.local[0] = ucx->allocated;
	return 0;
}

static int pack_key(struct np_ucx *ucx, size_t part, unsigned char cell[CELL])
{
	void *key = NULL;
	size_t length = 0;
	const ucs_status_t status =
		ucp_rkey_pack(ucx->context, ucx->keys.local[part], &key, &length);

	if (status != UCS_OK || length > CELL)
		return np_fail(&ucx->endpoint.error, NP_ERROR_FAILED, EIO,
			       "ucp_rkey_pack failed in UCX: %s, %zu bytes",
			       ucs_status_string(status), length);
	memcpy(cell, key, length);
	ucp_rkey_buffer_release(key);
	return 0;
}

static int unpack_key(struct np_ucx *ucx, size_t part, const unsigned char *cell)
{
	const ucs_status_t status =
		ucp_ep_rkey_unpack(ucx->peer, cell, &ucx->keys.remote[part]);

	if (status == UCS_OK)
		return 0;
	ucx->keys.remote[part] = NULL;
	return np_fail(&ucx->endpoint.error, NP_ERROR_FAILED, EIO,
		       "UCX cannot reach the peer's memory: %s over --tls %s",
		       ucs_status_string(status),
		       np_ucx_or_all(np_ucx_options_of(ucx)->tls));
}

/* Exchanges the remote keys of the registrations from index `first` on, CELLS at most. */
static int exchange_some(struct np_ucx *ucx, size_t first, unsigned char cells[CELLS][CELL])
{
	size_t count = ucx->keys.pool.registrations - first;
	int rc = 0;

	if (count > CELLS)
		count = CELLS;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = pack_key(ucx, first + i, cells[i]);
	if (rc == 0)
		rc = np_boot_exchange(ucx->endpoint.boot, cells, cells, count * CELL,
				      &ucx->endpoint.error);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = unpack_key(ucx, first + i, cells[i]);
	return rc;
}

static int exchange_keys(struct np_ucx *ucx)
{
	struct np_ucx_keys *keys = &ucx->keys;
	const uint64_t mine = (uintptr_t)keys->pool.base;
	unsigned char(*cells)[CELL] = calloc(CELLS, CELL);

	if (cells == NULL)
		return np_fail_errno(&ucx->endpoint.error, ENOMEM, "cannot keep keys");
	int rc = np_boot_exchange(ucx->endpoint.boot, &mine, &keys->remote_base,
				  sizeof(mine), &ucx->endpoint.error);

	for (size_t i = 0; rc == 0 && i < keys->pool.registrations; i += CELLS)
		rc = exchange_some(ucx, i, cells);
	free(cells);
	return rc;
}

static int reg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);
	const bool allocated = np_ucx_allocates(np_ucx_options_of(ucx));
	struct np_ucx_keys *keys = &ucx->keys;
	int rc = 0;

	keys->pool = *region;
	if (!is_one_sided(ucx) &&
	    np_ucx_options_of(ucx)->registering == NP_UCX_REGISTER_NONE)
		return 0;
	keys->local = calloc(region->registrations, sizeof(ucp_mem_h));
	keys->remote = calloc(region->registrations, sizeof(ucp_rkey_h));
	if (keys->local == NULL || keys->remote == NULL)
		return np_fail_errno(&endpoint->error, ENOMEM,
				     "cannot keep %zu registrations",
				     region->registrations);
	if (allocated)
		rc = take_allocated(ucx, region);
	for (size_t i = 0; rc == 0 && !allocated && i < region->registrations; i++)
		rc = map_part(ucx, region, i);
	return rc == 0 && is_one_sided(ucx) ? exchange_keys(ucx) : rc;
}

static void unreg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_ucx *ucx = np_ucx_of(endpoint);
	struct np_ucx_keys *keys = &ucx->keys;

	(void)region;
	for (size_t i = 0; keys->remote != NULL && i < keys->pool.registrations; i++) {
		if (keys->remote[i] != NULL)
			ucp_rkey_destroy(keys->remote[i]);
	}
	for (size_t i = 0; keys->local != NULL && i < keys->pool.registrations; i++) {
		if (keys->local[i] != NULL && keys->local[i] != ucx->allocated)
			ucp_mem_unmap(ucx->context, keys->local[i]);
	}
	free(keys->remote);
	free(keys->local);
	*keys = (struct np_ucx_keys){ .local = NULL };
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
	.memory = &memory_hooks,
	.check = check,
	.open = np_ucx_open,
	.connect = np_ucx_connect,
	.reg = reg,
	.unreg = unreg,
	.arm = arm,
	.begin = begin_block,
	.progress = np_ucx_progress_once,
	.close = np_ucx_close,
	.describe = np_ucx_describe,
};
