/*
 * ibv_rdmacm_event.c - waits for the events of librdmacm, and reports unexpected ones.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "ibv_rdmacm.h"

enum { SLEEP_MS = 100 };

int np_ibv_rdmacm_failed(struct np_ibv *ibv, const char *call)
{
	return np_fail_errno(&ibv->endpoint.error, errno != 0 ? errno : EIO,
			     "--rdmacm: %s failed on device %s", call, ibv->device.name);
}

void np_ibv_rdmacm_allow(struct np_ibv *ibv)
{
	np_ibv_manager_of(ibv)->deadline = np_clock_ns() + NP_IBV_ANSWER_NS;
}

int np_ibv_rdmacm_next(struct np_ibv *ibv, struct rdma_cm_event **event)
{
	struct np_ibv_manager *manager = np_ibv_manager_of(ibv);

	for (;;) {
		struct pollfd wait[2] = { { .fd = manager->channel->fd, .events = POLLIN },
					  { .fd = ibv->wake, .events = POLLIN } };

		if (np_should_stop(&ibv->endpoint))
			return -ECANCELED;
		if (rdma_get_cm_event(manager->channel, event) == 0)
			return 0;
		if (errno != EAGAIN && errno != EINTR)
			return np_ibv_rdmacm_failed(ibv, "rdma_get_cm_event");
		if (np_clock_ns() > manager->deadline)
			return np_fail(&ibv->endpoint.error, NP_ERROR_PEER, ETIMEDOUT,
				       "--rdmacm: no answer within %d s: is %s open "
				       "between the hosts?",
				       (int)(NP_IBV_ANSWER_NS / 1000000000u),
				       ibv->device.fabric == NP_IBV_IWARP ?
					       "every TCP port" :
					       "UDP port 4791");
		if (poll(wait, 2, SLEEP_MS) < 0 && errno != EINTR)
			return np_ibv_rdmacm_failed(ibv, "poll");
	}
}

int np_ibv_rdmacm_unexpected(struct np_ibv *ibv, const struct rdma_cm_event *event,
			     enum rdma_cm_event_type wanted)
{
	struct np_error *error = &ibv->endpoint.error;
	const char *name = rdma_event_str(event->event);
	/* The status is -errno, except of a rejection. */
	const int code = event->status < 0 ? -event->status : EIO;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
		return np_fail(error, NP_ERROR_FAILED, code,
			       "--rdmacm: no way to the peer from %s:%d: %s: %s",
			       ibv->device.name, ibv->device.port, name, strerror(code));
	case RDMA_CM_EVENT_REJECTED:
		return np_fail(error, NP_ERROR_PEER, ECONNREFUSED,
			       "--rdmacm: the peer refused the connection (%s, reason %d)",
			       name, event->status);
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_DISCONNECTED:
		return np_fail(error, NP_ERROR_PEER, code,
			       "--rdmacm: the peer cannot be reached: %s: %s", name,
			       strerror(code));
	default:
		return np_fail(error, NP_ERROR_FAILED, code,
			       "--rdmacm: %s instead of %s (status %d)", name,
			       rdma_event_str(wanted), event->status);
	}
}

int np_ibv_rdmacm_await(struct np_ibv *ibv, enum rdma_cm_event_type wanted)
{
	struct rdma_cm_event *event = NULL;
	int rc = np_ibv_rdmacm_next(ibv, &event);

	if (rc != 0)
		return rc;
	if (event->event != wanted || event->status != 0)
		rc = np_ibv_rdmacm_unexpected(ibv, event, wanted);
	rdma_ack_cm_event(event);
	return rc;
}
