/*
 * ucx.c - NPucx, messages over UCX: module table, and setup of sizes and blocks.
 */
#include <errno.h>
#include <unistd.h>

#include "ucx_private.h"

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

/* Number of messages and acknowledgements of a block before np_ucx_settle() waits for the
 * peer. */
static uint64_t count_arrivals(const struct np_endpoint *endpoint, uint64_t messages,
			       uint64_t batches)
{
	switch (endpoint->transfer->operation) {
	case NP_ONE_SIDED:
		return 1;
	case NP_STREAM:
		return endpoint->rank == 0 ? batches : messages * batches;
	default:
		return messages * batches;
	}
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
	ucx->acked = 0;
	ucx->settles_at = count_arrivals(endpoint, messages, batches);
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

/* Ends a sleep; polling waits check the stop flag. */
static void interrupt(struct np_endpoint *endpoint)
{
	const uint64_t one = 1;
	const ssize_t written = write(np_ucx_of(endpoint)->wake, &one, sizeof(one));

	(void)written;
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
	.options = np_ucx_options_table,
	.shortlist = shortlist,
	.check_variable = np_ucx_check_variable,
	.device = &device_hooks,
	.check = np_ucx_check,
	.open = np_ucx_open,
	.connect = np_ucx_connect,
	.reg = np_ucx_reg,
	.unreg = np_ucx_unreg,
	.arm = arm,
	.begin = begin_block,
	.close = np_ucx_close,
	.interrupt = interrupt,
	.describe = np_ucx_describe,
};
