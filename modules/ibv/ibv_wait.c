/*
 * ibv_wait.c - sleeps on completion channels, interval of polls, asynchronous events.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "ibv_private.h"
#include "base/clock.h"

/* Reads one event; each request for notification generates at most one.  Acknowledging
 * takes a lock: free_queue() does it once for all. */
static int take_event(struct np_ibv *ibv, struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq = NULL;
	void *context = NULL;

	if (ibv_get_cq_event(channel, &cq, &context) == 0) {
		struct np_ibv_queue *queue = context;

		if (cq == queue->send_cq)
			queue->send_events++;
		else
			queue->recv_events++;
		return 0;
	}
	if (errno == EAGAIN || errno == EINTR)
		return 0;
	if (np_should_stop(&ibv->endpoint))
		return -ECANCELED;
	return np_fail_errno(&ibv->endpoint.error, errno,
			     "cannot wait for completion events of device %s",
			     ibv->device.name);
}

int np_ibv_sleep(struct np_ibv *ibv, bool send)
{
	struct ibv_comp_channel *channel = send ? ibv->send_channel : ibv->recv_channel;
	const int rc = np_sleep_on(&ibv->endpoint, channel->fd);

	return rc <= 0 ? rc : take_event(ibv, channel);
}

int np_ibv_event_fd(struct np_endpoint *endpoint)
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

int np_ibv_event(struct np_endpoint *endpoint, struct np_error *error)
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

void np_ibv_measure_poll_interval(struct np_ibv *ibv)
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
