/*
 * ibv.c - NPibv, messages by libibverbs over InfiniBand, RoCE and iWARP: setup, interval of
 * polls, asynchronous events, and module table.
 *
 * arm() prepares the work requests for size, operation and options once; the hooks set
 * only addresses and keys.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "ibv_hot.h"

static int open_endpoint(struct np_endpoint *endpoint)
{
	struct np_ibv *ibv = np_ibv_of(endpoint);
	const struct np_ibv_options *options = endpoint->options;

	ibv->transport = options->transport;
	ibv->type = ibv->transport == NP_IBV_UD	     ? IBV_QPT_UD :
		    options->connection == NP_IBV_UC ? IBV_QPT_UC :
						       IBV_QPT_RC;
	/* libmlx5 puts messages of up to 64 bytes into completions, from where the CPU
	 * copies them to their buffer. */
	if (endpoint->gpu != NULL)
		setenv("MLX5_SCATTER_TO_CQE", "0", 1);
	struct sockaddr_storage control;
	const bool routed = np_boot_local_address(endpoint->boot, &control);
	int rc = np_ibv_device_open(&ibv->device, options, routed ? &control : NULL,
				    &endpoint->error);
	if (rc == 0)
		rc = np_ibv_check_rate(ibv);
	if (rc != 0)
		return rc;
	np_ibv_counters_open(ibv);
	ibv->pd = ibv_alloc_pd(ibv->device.context);
	if (ibv->pd == NULL)
		return np_fail_errno(&endpoint->error, errno, "ibv_alloc_pd failed on %s",
				     ibv->device.name);
	if (endpoint->gpu != NULL && (rc = np_ibv_gpu_try(ibv)) != 0)
		return rc;
	return np_ibv_queues_make(ibv);
}

/*
 * Number of polls between two checks of the stop flag and calls of
 * sched_yield() while waiting.
 *
 * These cost a system call, so they come after 50 us, longer than a message takes.
 * They must not come much later: a software device (rxe, siw) moves messages in kernel
 * threads, which may need the CPU that polls and otherwise wait for the end of its time
 * slice.  A poll takes tens of nanoseconds with an adapter and more than 1 us in an
 * emulator, so its time is measured.
 */

enum { ROUNDS = 8, POLLS = 64, LOADS = 1024, LOOK_NS = 50000, SHARED_NS = 1000 };

/* Number of polls that take `into` ns, if `count` take `ns`. */
static uint32_t fit(uint64_t count, uint64_t ns, uint64_t into)
{
	const uint64_t fits = into * count / (ns != 0 ? ns : 1);

	return fits < 1 ? 1 : fits > UINT32_MAX ? UINT32_MAX : (uint32_t)fits;
}

static uint64_t time_polls(struct ibv_cq *cq)
{
	const uint64_t begin = np_clock_ns();
	struct ibv_wc completion;

	/* No message has been sent yet: every poll is empty. */
	for (unsigned i = 0; i < POLLS; i++) {
		if (ibv_poll_cq(cq, 1, &completion) != 0)
			break;
	}
	return np_clock_ns() - begin;
}

static uint64_t time_loads(const volatile unsigned char *byte)
{
	const uint64_t begin = np_clock_ns();

	for (unsigned i = 0; i < LOADS; i++)
		(void)*byte;
	return np_clock_ns() - begin;
}

static void measure_poll_interval(struct np_ibv *ibv)
{
	/* On a shared core the peer cannot run before this process yields. */
	const uint64_t into = ibv->endpoint.share_core ? SHARED_NS : LOOK_NS;
	uint64_t polls = UINT64_MAX, loads = UINT64_MAX;

	/* The minimum is free of interruptions. */
	for (unsigned round = 0; round < ROUNDS; round++) {
		const uint64_t ns = time_polls(ibv->queues[0].recv_cq);
		const uint64_t load_ns = time_loads(ibv->control);

		polls = ns < polls ? ns : polls;
		loads = load_ns < loads ? load_ns : loads;
	}
	ibv->cq_poll_interval = fit(POLLS, polls, into);
	ibv->byte_poll_interval = fit(LOADS, loads, into);
}

static int connect_endpoint(struct np_endpoint *endpoint)
{
	struct np_ibv *ibv = np_ibv_of(endpoint);
	int rc = np_ibv_uses_rdmacm(ibv) ? np_ibv_rdmacm_connect(ibv) :
					   np_ibv_queues_connect(ibv);

	if (rc == 0)
		rc = np_ibv_limit_rate(ibv);
	if (rc == 0)
		measure_poll_interval(ibv);
	if (rc == 0 && ibv->device.fabric == NP_IBV_IWARP && endpoint->rank == 0)
		rc = np_ibv_send_first(ibv, NP_IBV_ANSWER_NS);
	/* Barrier: no message before the peer is ready to receive. */
	return rc != 0 ? rc :
			 np_boot_exchange(endpoint->boot, NULL, NULL, 0, &endpoint->error);
}

static void close_endpoint(struct np_endpoint *endpoint)
{
	struct np_ibv *ibv = np_ibv_of(endpoint);

	np_ibv_register_end(ibv);
	np_ibv_list_free(ibv);
	np_ibv_queues_free(ibv);
	np_ibv_rdmacm_free(ibv);
	if (ibv->pd != NULL)
		ibv_dealloc_pd(ibv->pd);
	np_ibv_counters_close(ibv);
	np_ibv_device_close(&ibv->device);
	ibv->pd = NULL;
}

static enum ibv_wr_opcode opcode_of(int transport)
{
	static const enum ibv_wr_opcode opcodes[NP_IBV_TRANSPORTS] = {
		[NP_IBV_SEND] = IBV_WR_SEND,
		[NP_IBV_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
		[NP_IBV_WRITE] = IBV_WR_RDMA_WRITE,
		[NP_IBV_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[NP_IBV_READ] = IBV_WR_RDMA_READ,
		[NP_IBV_UD] = IBV_WR_SEND,
		[NP_IBV_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
		[NP_IBV_COMPARE_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
	};

	return opcodes[transport];
}

/* Prepares the work requests of a size, except addresses and keys. */
static void prepare_requests(struct np_ibv *ibv, size_t length)
{
	const bool datagrams = ibv->transport == NP_IBV_UD;
	const bool reads = np_ibv_gets(ibv->transport);

	ibv->recv_lead = datagrams ? NP_IBV_GRH : 0;
	ibv->send_flags = !reads && length <= ibv->inline_limit ? IBV_SEND_INLINE : 0;
	ibv->send_part = (struct ibv_sge){ .length = (uint32_t)length };
	ibv->recv_part = (struct ibv_sge){ .length = (uint32_t)(length + ibv->recv_lead) };
	ibv->send_request = (struct ibv_send_wr){ .sg_list = &ibv->send_part,
						  .num_sge = length != 0 ? 1 : 0,
						  .opcode = opcode_of(ibv->transport) };
	/* Fetch-and-add adds 0, compare-and-swap swaps 0 for 0: the peer's memory keeps its
	 * bytes. */
	ibv->remote_key = np_ibv_is_atomic(ibv->transport) ?
				  &ibv->send_request.wr.atomic.rkey :
				  &ibv->send_request.wr.rdma.rkey;
	if (datagrams) {
		ibv->send_request.wr.ud.ah = ibv->peer_handle;
		ibv->send_request.wr.ud.remote_qpn = ibv->queues[0].remote;
		ibv->send_request.wr.ud.remote_qkey = NP_IBV_QKEY;
	}
	/* A receive that an RDMA write with immediate data completes has no buffer. */
	ibv->recv_request = (struct ibv_recv_wr){ .sg_list = &ibv->recv_part };
	if (ibv->transport != NP_IBV_WRITE_IMM && ibv->recv_part.length != 0)
		ibv->recv_request.num_sge = 1;
	/* siw refuses a receive without a scatter entry. */
	if (ibv->device.fabric == NP_IBV_IWARP)
		ibv->recv_request.num_sge = 1;
}

static bool receives_controls(const struct np_ibv *ibv)
{
	switch (ibv->endpoint.transfer->operation) {
	case NP_STREAM:
	case NP_STREAM_ACKED:
		return ibv->endpoint.rank == 0;
	case NP_ONE_SIDED:
		return ibv->endpoint.rank == 1;
	default:
		return false;
	}
}

/* Length in bytes above which perftest signals every message (MSG_SIZE_CQ_MOD_LIMIT);
 * ib_write_lat signals all. */
enum { PERFTEST_MODERATED = 8192 };

/* Sets the most requests in flight and the interval of signalled ones. */
static void set_signalling(struct np_ibv *ibv, const struct np_transfer *transfer)
{
	const struct np_ibv_options *options = np_ibv_options_of(ibv);
	const bool theirs = options->like == NP_IBV_PERFTEST && options->signal_every == 0;
	/* Operations that flush after each message would need a fence each time. */
	const bool every =
		ibv->transport == NP_IBV_UD ||
		options->registering == NP_IBV_REGISTER_EACH ||
		transfer->operation == NP_BIDIRECTIONAL ||
		(theirs &&
		 (transfer->length > PERFTEST_MODERATED ||
		  (ibv->transport == NP_IBV_WRITE && transfer->operation == NP_PINGPONG)));
	const size_t share = (transfer->window + ibv->turns - 1) / ibv->turns;
	uint32_t most;

	ibv->send_limit = ibv->send_depth;
	if (transfer->operation == NP_ONE_SIDED && share < ibv->send_limit)
		ibv->send_limit = (uint32_t)share;
	most = every ? 1 : theirs ? ibv->send_limit : ibv->send_limit / 2;
	ibv->signal_every = ibv->signal_wish < most ? ibv->signal_wish : most;
	if (ibv->signal_every == 0)
		ibv->signal_every = 1;
	ibv->proves = transfer->operation == NP_PINGPONG ||
				      transfer->operation == NP_STREAM_ACKED ?
			      UINT64_MAX :
			      0;
}

static int arm(struct np_endpoint *endpoint, const struct np_transfer *transfer)
{
	enum np_ibv_completion completions[NP_IBV_COMPLETIONS] = { NP_IBV_POLL };
	struct np_ibv *ibv = np_ibv_of(endpoint);
	const struct np_ibv_options *options = np_ibv_options_of(ibv);
	const int listed = np_ibv_completions(options, transfer->operation == NP_ONE_SIDED,
					      completions, &endpoint->error);
	int rc = 0;

	if (listed < 0)
		return listed;
	ibv->completion =
		completions[transfer->variant < (size_t)listed ? transfer->variant : 0];
	if (transfer->other_wait)
		ibv->completion = np_ibv_other_completion(options, completions[0]);
	prepare_requests(ibv, transfer->length);
	np_ibv_list_arm(ibv);
	if (options->registering == NP_IBV_REGISTER_EACH)
		rc = np_ibv_register_arm(ibv, transfer);
	if (rc == 0 && receives_controls(ibv) && !ibv->control_receives_posted) {
		ibv->control_receives_posted = true;
		for (size_t i = 0; rc == 0 && i < NP_IBV_CONTROLS; i++)
			rc = np_ibv_post_control_receive(ibv, i);
	}
	endpoint->code_path = np_ibv_path(ibv);
	return rc;
}

static int check_window(struct np_ibv *ibv)
{
	const struct np_transfer *transfer = ibv->endpoint.transfer;

	if (transfer->operation != NP_STREAM || ibv->endpoint.burst ||
	    (transfer->window - 1) / ibv->turns + 3 <= ibv->recv_depth)
		return 0;
	return np_refuse(&ibv->endpoint.error,
			 "--window %zu: the receive queues hold %zu messages (--depth)",
			 transfer->window, (ibv->recv_depth - 2) * ibv->turns);
}

static int check_alignment(struct np_ibv *ibv)
{
	const struct np_slot *slot =
		&ibv->endpoint.transfer->slots[ibv->endpoint.ring_begin];

	if (!np_ibv_is_atomic(ibv->transport) ||
	    ((uintptr_t)slot->send | (uintptr_t)slot->recv) % 8 == 0)
		return 0;
	return np_refuse(&ibv->endpoint.error,
			 "-t %s: addresses have to be multiples of 8: give multiples of 8 "
			 "as --align and -O",
			 np_ibv_transport_names[ibv->transport]);
}

/* Resets the counters of a block; no message is in flight. */
static int begin_block(struct np_endpoint *endpoint, uint64_t messages, uint64_t batches)
{
	struct np_ibv *ibv = np_ibv_of(endpoint);
	const struct np_transfer *transfer = endpoint->transfer;
	const bool stream = transfer->operation == NP_STREAM;
	const uint64_t total = messages * batches;
	const uint64_t first =
		endpoint->burst || transfer->window > total ? total : transfer->window;
	int rc = ibv->transport == NP_IBV_WRITE_IMM ? np_ibv_drain(ibv) :
						      check_alignment(ibv);

	ibv->turns = endpoint->queue_pairs;
	if (rc == 0)
		rc = check_window(ibv);
	if (rc != 0)
		return rc;
	set_signalling(ibv, transfer);
	ibv->send_turn = endpoint->queue_pair;
	ibv->recv_turn = endpoint->queue_pair;
	ibv->post_turn = endpoint->queue_pair;
	ibv->pause_turn = 0;
	ibv->sent = 0;
	ibv->offered = 0;
	ibv->received = 0;
	ibv->drained = 0;
	ibv->acks = 0;
	ibv->allowed = stream ? first : UINT64_MAX;
	ibv->expected = total;
	ibv->grant_step = transfer->window > 1 ? transfer->window / 2 : 1;
	ibv->next_grant = 0;
	if (stream && endpoint->rank == 1 && first < total)
		ibv->next_grant =
			first + ibv->grant_step < total ? first + ibv->grant_step : total;
	if (np_ibv_options_of(ibv)->registering == NP_IBV_REGISTER_COST)
		return np_ibv_register_begin(ibv, total);
	return 0;
}

/* ---- asynchronous events --------------------------------------------------------- */

static int event_fd(struct np_endpoint *endpoint)
{
	struct ibv_context *context = np_ibv_of(endpoint)->device.context;
	int flags;

	if (context == NULL)
		return -1;
	/* ibv_get_async_event() must not block the heartbeat thread. */
	flags = fcntl(context->async_fd, F_GETFL);
	if (flags < 0 || fcntl(context->async_fd, F_SETFL, flags | O_NONBLOCK) != 0)
		return -1;
	return context->async_fd;
}

struct event_name {
	const char *name;
	bool harmless;
};

#define EVENT(name, harmless) [name] = { #name, harmless }
static const struct event_name event_names[] = {
	EVENT(IBV_EVENT_CQ_ERR, false),
	EVENT(IBV_EVENT_QP_FATAL, false),
	EVENT(IBV_EVENT_QP_REQ_ERR, false),
	EVENT(IBV_EVENT_QP_ACCESS_ERR, false),
	EVENT(IBV_EVENT_COMM_EST, true),
	EVENT(IBV_EVENT_SQ_DRAINED, true),
	EVENT(IBV_EVENT_PATH_MIG, true),
	EVENT(IBV_EVENT_PATH_MIG_ERR, false),
	EVENT(IBV_EVENT_DEVICE_FATAL, false),
	EVENT(IBV_EVENT_PORT_ACTIVE, true),
	EVENT(IBV_EVENT_PORT_ERR, false),
	EVENT(IBV_EVENT_LID_CHANGE, true),
	EVENT(IBV_EVENT_PKEY_CHANGE, true),
	EVENT(IBV_EVENT_SM_CHANGE, true),
	EVENT(IBV_EVENT_SRQ_ERR, false),
	EVENT(IBV_EVENT_SRQ_LIMIT_REACHED, true),
	EVENT(IBV_EVENT_QP_LAST_WQE_REACHED, true),
	EVENT(IBV_EVENT_CLIENT_REREGISTER, true),
	EVENT(IBV_EVENT_GID_CHANGE, true),
	EVENT(IBV_EVENT_WQ_FATAL, false),
};

/* True if the run can go on: informational events, and errors of other ports.  Unknown
 * events are not harmless. */
static bool is_harmless(const struct np_ibv *ibv, const struct ibv_async_event *event)
{
	const size_t type = (size_t)event->event_type;

	if (event->event_type == IBV_EVENT_PORT_ERR)
		return event->element.port_num != ibv->device.port;
	return type < sizeof(event_names) / sizeof(*event_names) &&
	       event_names[type].harmless;
}

static int fail_event(const struct np_ibv *ibv, const struct ibv_async_event *event,
		      struct np_error *error)
{
	const size_t type = (size_t)event->event_type;
	const bool known = type < sizeof(event_names) / sizeof(*event_names);
	const bool port = event->event_type == IBV_EVENT_PORT_ERR;

	return np_fail(error, NP_ERROR_FAILED, port ? ENETDOWN : EIO,
		       "asynchronous event: %s (%s) on %s port %d",
		       ibv_event_type_str(event->event_type),
		       known ? event_names[type].name : "of no known name",
		       ibv->device.name, ibv->device.port);
}

static int read_event(struct np_endpoint *endpoint, struct np_error *error)
{
	const struct np_ibv *ibv = np_ibv_of(endpoint);
	struct ibv_context *context = ibv->device.context;
	struct ibv_async_event event;
	int rc = 0;

	if (context == NULL)
		return 0;
	if (ibv_get_async_event(context, &event) != 0) {
		if (errno == EAGAIN || errno == EINTR)
			return 0;
		return np_fail_errno(error, errno,
				     "cannot read events of device %s: was it removed?",
				     ibv->device.name);
	}
	if (!is_harmless(ibv, &event))
		rc = fail_event(ibv, &event, error);
	ibv_ack_async_event(&event);
	return rc;
}

static const struct np_device_hooks device_hooks = {
	.list = np_ibv_list,
	.node = np_ibv_node,
	.event_fd = event_fd,
	.event = read_event,
};

static void name_library(char *text, size_t size)
{
	snprintf(text, size, "%s", NP_IBVERBS_VERSION);
}

const struct np_module np_module_ibv = {
	NP_MODULE_NAMED("ibv"),
	.summary = "messages by raw verbs, over InfiniBand, RoCE and iWARP",
	.capabilities = NP_CAN_STREAM | NP_CAN_BIDIRECTIONAL | NP_CAN_ZERO_BYTES |
			NP_CAN_RECONNECT | NP_CAN_REGISTER | NP_CAN_WINDOW |
			NP_CAN_SPAN_HOSTS | NP_CAN_BURST | NP_POSTS_RECEIVES | NP_CAN_GPU,
	.endpoint_size = sizeof(struct np_ibv),
	.options_size = sizeof(struct np_ibv_options),
	.options = np_ibv_options_table,
	.device = &device_hooks,
	.check = np_ibv_check,
	.open = open_endpoint,
	.connect = connect_endpoint,
	.reg = np_ibv_reg,
	.unreg = np_ibv_unreg,
	.arm = arm,
	.begin = begin_block,
	.close = close_endpoint,
	.describe = np_ibv_describe,
	.library = name_library,
	.count = np_ibv_count,
};
