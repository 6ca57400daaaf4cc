/*
 * fake_rdmacm.c - librdmacm over the devices in memory: one process listens, the other
 * resolves, connects and establishes, as rdma_cm(7) has it for queue pairs made elsewhere.
 *
 * The last byte of an IP address is the number of the interface, and so of its device.
 * With iWARP the queue pairs are moved to RTS by accepting, as the kernel does.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_verbs_private.h"

/* Of all connections; any value is valid. */
enum { PSN = 7 };

/* What a channel's pipe has. */
struct told {
	struct rdma_cm_event *event;
};

struct fake_cm_channel {
	struct rdma_event_channel channel;
	int write_end;
};

struct fake_cm_id {
	struct rdma_cm_id id;
	struct ibv_context verbs; /* what of it is shown */
	struct fake_cm_id *peer, *next;
	uint32_t own, remote; /* numbers of queue pairs */
	uint8_t responder, initiator;
	uint16_t port;
	bool listens;
};

static struct fake_cm_id *cm_of(struct rdma_cm_id *id)
{
	return (struct fake_cm_id *)id;
}

static const struct fake_device *device_of(const struct fake_cm_id *cm)
{
	return (const struct fake_device *)cm->verbs.device;
}

static bool is_iwarp(const struct fake_cm_id *cm)
{
	return device_of(cm)->device.transport_type == IBV_TRANSPORT_IWARP;
}

/* ---- Events ------------------------------------------------------------------ */

struct rdma_event_channel *rdma_create_event_channel(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	fake_lock();
	struct fake_cm_channel *made = fake_make(FAKE_CM_CHANNEL, sizeof(*made));

	made->channel.fd = ends[0];
	made->write_end = ends[1];
	fake_unlock();
	return &made->channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	struct told left;

	fake_lock();
	while (read(channel->fd, &left, sizeof(left)) == (ssize_t)sizeof(left))
		fake_free(FAKE_CM_EVENT, left.event);
	close(channel->fd);
	close(((struct fake_cm_channel *)channel)->write_end);
	fake_free(FAKE_CM_CHANNEL, channel);
	fake_unlock();
}

/* With the lock held. */
static void tell(struct fake_cm_id *to, struct rdma_event_channel *channel,
		 enum rdma_cm_event_type type)
{
	const struct fake_cm_fault *fault = &fake_verbs()->cm_fault;
	struct rdma_cm_event *event = fake_make(FAKE_CM_EVENT, sizeof(*event));

	event->id = &to->id;
	event->event = type;
	if (fault->status != 0 && fault->instead_of == type) {
		event->event = fault->event;
		event->status = fault->status;
	}
	const struct told told = { event };

	if (write(((struct fake_cm_channel *)channel)->write_end, &told, sizeof(told)) !=
	    (ssize_t)sizeof(told))
		abort();
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	struct told told;

	if (read(channel->fd, &told, sizeof(told)) != (ssize_t)sizeof(told))
		return -1;
	*event = told.event;
	return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	fake_lock();
	fake_free(FAKE_CM_EVENT, event);
	fake_unlock();
	return 0;
}

const char *rdma_event_str(enum rdma_cm_event_type event)
{
	static const char *const names[] = {
		[RDMA_CM_EVENT_ADDR_RESOLVED] = "RDMA_CM_EVENT_ADDR_RESOLVED",
		[RDMA_CM_EVENT_ROUTE_RESOLVED] = "RDMA_CM_EVENT_ROUTE_RESOLVED",
		[RDMA_CM_EVENT_ROUTE_ERROR] = "RDMA_CM_EVENT_ROUTE_ERROR",
		[RDMA_CM_EVENT_CONNECT_REQUEST] = "RDMA_CM_EVENT_CONNECT_REQUEST",
		[RDMA_CM_EVENT_CONNECT_RESPONSE] = "RDMA_CM_EVENT_CONNECT_RESPONSE",
		[RDMA_CM_EVENT_UNREACHABLE] = "RDMA_CM_EVENT_UNREACHABLE",
		[RDMA_CM_EVENT_REJECTED] = "RDMA_CM_EVENT_REJECTED",
		[RDMA_CM_EVENT_ESTABLISHED] = "RDMA_CM_EVENT_ESTABLISHED",
	};
	const size_t count = sizeof(names) / sizeof(*names);

	return (size_t)event < count && names[event] != NULL ? names[event] : "an event";
}

/* ---- Identifiers ------------------------------------------------------------- */

/* With the lock held. */
static struct fake_cm_id *make_id(struct rdma_event_channel *channel)
{
	struct fake_cm_id *made = fake_make(FAKE_CM_ID, sizeof(*made));

	made->id.channel = channel;
	made->next = fake_verbs()->cm_ids;
	fake_verbs()->cm_ids = made;
	return made;
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id,
		   void *context, enum rdma_port_space space)
{
	(void)context;
	if (space != RDMA_PS_TCP) {
		errno = EINVAL;
		return -1;
	}
	fake_lock();
	*id = &make_id(channel)->id;
	fake_unlock();
	return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	fake_lock();
	struct fake_cm_id **link = &fake_verbs()->cm_ids;

	while (*link != cm_of(id))
		link = &(*link)->next;
	*link = cm_of(id)->next;
	if (cm_of(id)->peer != NULL)
		cm_of(id)->peer->peer = NULL;
	fake_free(FAKE_CM_ID, id);
	fake_unlock();
	return 0;
}

/* Binds an identifier to the device that has an address. */
static int bind_to(struct fake_cm_id *cm, const struct sockaddr *address)
{
	const struct sockaddr_in *four = (const void *)address;
	const struct sockaddr_in6 *six = (const void *)address;
	const size_t number = address->sa_family == AF_INET ?
				      ntohl(four->sin_addr.s_addr) & 0xff :
				      six->sin6_addr.s6_addr[15];

	if (number < 1 || number > FAKE_DEVICES) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	cm->verbs.device = &fake_verbs()->devices[number - 1].device;
	cm->id.verbs = &cm->verbs;
	cm->id.port_num = 1;
	return 0;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address)
{
	return bind_to(cm_of(id), address);
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	(void)backlog;
	fake_lock();
	cm_of(id)->listens = true;
	cm_of(id)->port = ++fake_verbs()->last_port;
	fake_unlock();
	return 0;
}

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
	return htons(cm_of(id)->port);
}

int rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t length)
{
	(void)id;
	(void)value;
	(void)length;
	return level == RDMA_OPTION_ID && name == RDMA_OPTION_ID_TOS ? 0 : -1;
}

/* ---- Connecting -------------------------------------------------------------- */

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to,
		      int timeout_ms)
{
	const struct sockaddr_in *four = (const void *)to;
	const struct sockaddr_in6 *six = (const void *)to;

	(void)timeout_ms;
	if (bind_to(cm_of(id), from) != 0)
		return -1;
	fake_lock();
	cm_of(id)->port = ntohs(to->sa_family == AF_INET ? four->sin_port : six->sin6_port);
	tell(cm_of(id), id->channel, RDMA_CM_EVENT_ADDR_RESOLVED);
	fake_unlock();
	return 0;
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
	(void)timeout_ms;
	fake_lock();
	tell(cm_of(id), id->channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
	fake_unlock();
	return 0;
}

static void take_parameters(struct fake_cm_id *cm, const struct rdma_conn_param *param)
{
	cm->own = param->qp_num;
	cm->responder = param->responder_resources;
	cm->initiator = param->initiator_depth;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct fake_cm_id *cm = cm_of(id), *listener;

	fake_lock();
	listener = fake_verbs()->cm_ids;
	while (listener != NULL && !(listener->listens && listener->port == cm->port))
		listener = listener->next;
	take_parameters(cm, param);
	if (listener == NULL) {
		tell(cm, id->channel, RDMA_CM_EVENT_UNREACHABLE);
	} else {
		struct fake_cm_id *made = make_id(listener->id.channel);

		made->verbs.device = listener->verbs.device;
		made->id.verbs = &made->verbs;
		made->id.port_num = 1;
		made->remote = cm->own;
		made->peer = cm;
		cm->peer = made;
		tell(made, made->id.channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	}
	fake_unlock();
	return 0;
}

static enum ibv_mtu path_mtu(const struct fake_cm_id *cm)
{
	return fake_verbs()->path_mtu != 0 ? fake_verbs()->path_mtu : device_of(cm)->mtu;
}

/* As the kernel does for iWARP. */
static void move_to_rts(const struct fake_cm_id *cm)
{
	struct fake_qp *qp = fake_find_qp(cm->own);

	qp->attr.dest_qp_num = cm->remote;
	qp->attr.path_mtu = path_mtu(cm);
	qp->attr.rq_psn = qp->attr.sq_psn = PSN;
	qp->attr.max_dest_rd_atomic = qp->attr.max_rd_atomic = cm->responder;
	qp->attr.rnr_retry = 7;
	qp->qp.state = IBV_QPS_RTS;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct fake_cm_id *cm = cm_of(id);

	fake_lock();
	take_parameters(cm, param);
	if (cm->peer != NULL) {
		cm->peer->remote = cm->own;
		if (is_iwarp(cm)) {
			move_to_rts(cm);
			move_to_rts(cm->peer);
			tell(cm, id->channel, RDMA_CM_EVENT_ESTABLISHED);
		}
		tell(cm->peer, cm->peer->id.channel,
		     is_iwarp(cm) ? RDMA_CM_EVENT_ESTABLISHED :
				    RDMA_CM_EVENT_CONNECT_RESPONSE);
	}
	fake_unlock();
	return 0;
}

int rdma_establish(struct rdma_cm_id *id)
{
	fake_lock();
	if (cm_of(id)->peer != NULL)
		tell(cm_of(id)->peer, cm_of(id)->peer->id.channel,
		     RDMA_CM_EVENT_ESTABLISHED);
	fake_unlock();
	return 0;
}

/* The attributes of the path, and those of the other side. */
int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	const struct fake_cm_id *cm = cm_of(id);

	fake_lock();
	attr->port_num = 1;
	attr->path_mtu = path_mtu(cm);
	attr->ah_attr.port_num = 1;
	attr->ah_attr.is_global = 1;
	attr->ah_attr.grh.hop_limit = 64;
	attr->dest_qp_num = cm->remote;
	attr->rq_psn = attr->sq_psn = PSN;
	attr->max_dest_rd_atomic = cm->responder;
	attr->max_rd_atomic = cm->initiator;
	if (cm->own == 0)
		attr->max_dest_rd_atomic = attr->max_rd_atomic = 4;
	*mask = attr->qp_state == IBV_QPS_INIT ?
			IBV_QP_STATE | IBV_QP_ACCESS_FLAGS |
				(is_iwarp(cm) ? 0 : IBV_QP_PKEY_INDEX | IBV_QP_PORT) :
		attr->qp_state == IBV_QPS_RTR ?
			IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				IBV_QP_MIN_RNR_TIMER :
			IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC;
	fake_unlock();
	return 0;
}
