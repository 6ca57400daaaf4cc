/*
 * ibv_rdmacm.h - state and events of a connection through librdmacm.
 */
#pragma once

#include <rdma/rdma_cma.h>

#include "ibv_private.h"

struct np_ibv_manager {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener; /* rank 1 only */
	struct rdma_cm_id **ids;     /* [count] of the queue pairs */
	size_t count;
	union ibv_gid here, there; /* IP addresses */
	unsigned interface;	   /* scope of a link-local address */
	uint64_t deadline;
};

static inline struct np_ibv_manager *np_ibv_manager_of(const struct np_ibv *ibv)
{
	return ibv->rdmacm;
}

/* Sets the endpoint's error for a call that failed with errno.  Returns -errno. */
int np_ibv_rdmacm_failed(struct np_ibv *ibv, const char *call);

/* Restarts the time limit for the events of a queue pair: NP_IBV_ANSWER_NS. */
void np_ibv_rdmacm_allow(struct np_ibv *ibv);

/* Waits for the next event, which the caller acknowledges.  Returns 0 or -errno. */
int np_ibv_rdmacm_next(struct np_ibv *ibv, struct rdma_cm_event **event);

/* Sets the error for an unexpected event.  Returns -errno. */
int np_ibv_rdmacm_unexpected(struct np_ibv *ibv, const struct rdma_cm_event *event,
			     enum rdma_cm_event_type wanted);

/* Waits for an event; any other event is an error.  Returns 0 or -errno. */
int np_ibv_rdmacm_await(struct np_ibv *ibv, enum rdma_cm_event_type wanted);
