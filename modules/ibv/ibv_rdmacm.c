/*
 * ibv_rdmacm.c - connects the queue pairs through librdmacm.
 *
 * The queue pairs are made without librdmacm, on the selected device: librdmacm only
 * exchanges their numbers and resolves the path, as rdma_cm(7) describes for an endpoint
 * with an external queue pair.  Rank 1 listens at an IP address of its GID's network
 * interface; rank 0 connects one queue pair after the other.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "ibv_private.h"
#include "base/clock.h"

enum { SLEEP_MS = 100, RESOLVE_MS = 2000 };

/* State of the connection, np_ibv.rdmacm. */
struct manager {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener; /* rank 1 only */
	struct rdma_cm_id **ids;     /* [count] of the queue pairs */
	size_t count;
	union ibv_gid here, there; /* IP addresses */
	unsigned interface;	   /* scope of a link-local address */
	uint64_t deadline;	   /* of the next event, ns */
};

static inline struct manager *manager_of(const struct np_ibv *ibv)
{
	return ibv->rdmacm;
}

/* ---- events ------------------------------------------------------------------ */

/* Sets the endpoint's error for a call that failed with errno.  Returns -errno. */
static int rdmacm_failed(struct np_ibv *ibv, const char *call)
{
	return np_fail_errno(&ibv->endpoint.error, errno != 0 ? errno : EIO,
			     "--connection rdmacm: %s failed on device %s", call,
			     ibv->device.name);
}

/* Restarts the time limit for the events of a queue pair. */
static void rdmacm_allow(struct np_ibv *ibv)
{
	manager_of(ibv)->deadline = np_clock_ns() + NP_IBV_ANSWER_NS;
}

/* Waits for the next event, which the caller acknowledges.  Returns 0 or -errno. */
static int rdmacm_next(struct np_ibv *ibv, struct rdma_cm_event **event)
{
	struct manager *manager = manager_of(ibv);

	for (;;) {
		struct pollfd wait[2] = { { .fd = manager->channel->fd, .events = POLLIN },
					  { .fd = ibv->endpoint.wake, .events = POLLIN } };

		if (np_should_stop(&ibv->endpoint))
			return -ECANCELED;
		if (rdma_get_cm_event(manager->channel, event) == 0)
			return 0;
		if (errno != EAGAIN && errno != EINTR)
			return rdmacm_failed(ibv, "rdma_get_cm_event");
		if (np_clock_ns() > manager->deadline)
			return np_fail(
				&ibv->endpoint.error, NP_ERROR_PEER, ETIMEDOUT,
				"--connection rdmacm: no answer within %d s: is %s open "
				"between the hosts?",
				(int)(NP_IBV_ANSWER_NS / 1000000000u),
				ibv->device.fabric == NP_IBV_IWARP ? "every TCP port" :
								     "UDP port 4791");
		if (poll(wait, 2, SLEEP_MS) < 0 && errno != EINTR)
			return rdmacm_failed(ibv, "poll");
	}
}

/* Sets the error for an unexpected event.  Returns -errno. */
static int rdmacm_unexpected(struct np_ibv *ibv, const struct rdma_cm_event *event,
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
			       "--connection rdmacm: no way to the peer from %s:%d: %s: %s",
			       ibv->device.name, ibv->device.port, name, strerror(code));
	case RDMA_CM_EVENT_REJECTED:
		return np_fail(error, NP_ERROR_PEER, ECONNREFUSED,
			       "--connection rdmacm: the peer refused the connection (%s, "
			       "reason %d)",
			       name, event->status);
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_DISCONNECTED:
		return np_fail(error, NP_ERROR_PEER, code,
			       "--connection rdmacm: the peer cannot be reached: %s: %s",
			       name, strerror(code));
	default:
		return np_fail(error, NP_ERROR_FAILED, code,
			       "--connection rdmacm: %s instead of %s (status %d)", name,
			       rdma_event_str(wanted), event->status);
	}
}

/* Waits for an event; any other event is an error.  Returns 0 or -errno. */
static int rdmacm_await(struct np_ibv *ibv, enum rdma_cm_event_type wanted)
{
	struct rdma_cm_event *event = NULL;
	int rc = rdmacm_next(ibv, &event);

	if (rc != 0)
		return rc;
	if (event->event != wanted || event->status != 0)
		rc = rdmacm_unexpected(ibv, event, wanted);
	rdma_ack_cm_event(event);
	return rc;
}

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

/* ---- addresses --------------------------------------------------------------- */

static union address address_of(const union ibv_gid *gid, uint16_t port, unsigned interface)
{
	union address address;

	memset(&address, 0, sizeof(address));
	if (np_ibv_gid_is_ipv4(gid)) {
		address.four.sin_family = AF_INET;
		address.four.sin_port = htons(port);
		memcpy(&address.four.sin_addr, &gid->raw[12],
		       sizeof(address.four.sin_addr));
		return address;
	}
	address.six.sin6_family = AF_INET6;
	address.six.sin6_port = htons(port);
	memcpy(&address.six.sin6_addr, gid->raw, sizeof(address.six.sin6_addr));
	if (IN6_IS_ADDR_LINKLOCAL(&address.six.sin6_addr))
		address.six.sin6_scope_id = interface;
	return address;
}

static int choose_address(struct np_ibv *ibv)
{
	struct manager *manager = manager_of(ibv);
	struct np_ibv_network network;
	struct sockaddr_storage control;
	char text[NP_IBV_GID_TEXT];
	const bool routed = np_boot_local_address(ibv->endpoint.boot, &control);

	np_ibv_network_open(&network, routed ? &control : NULL);
	const bool found = np_ibv_network_address(&network, &ibv->device.gid,
						  &manager->here, &manager->interface);
	np_ibv_network_close(&network);
	if (found)
		return 0;
	return np_fail(&ibv->endpoint.error, NP_ERROR_FAILED, EADDRNOTAVAIL,
		       "--connection rdmacm: no network interface with an IP address "
		       "belongs to GID %d "
		       "of %s:%d, %s (ip address; --gid-index takes another)",
		       ibv->device.gid_index, ibv->device.name, ibv->device.port,
		       np_ibv_gid_text(&ibv->device.gid, text));
}

static int bind_failed(struct np_ibv *ibv)
{
	char text[NP_IBV_GID_TEXT];

	return np_fail_errno(
		&ibv->endpoint.error, errno,
		"--connection rdmacm: %s, of %s:%d, is no address that can be bound to",
		np_ibv_gid_text(&manager_of(ibv)->here, text), ibv->device.name,
		ibv->device.port);
}

/* ---- states ------------------------------------------------------------------ */

/* Changes the state of a queue pair, with the path of librdmacm and the attributes of
 * the options. */
static int change_state(struct np_ibv *ibv, size_t i, enum ibv_qp_state state)
{
	const struct np_ibv_options *options = np_ibv_options_of(ibv);
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask = 0, code;

	if (rdma_init_qp_attr(manager_of(ibv)->ids[i], &attr, &mask) != 0)
		return rdmacm_failed(ibv, "rdma_init_qp_attr");
	if (state == IBV_QPS_INIT) {
		attr.qp_access_flags = (unsigned)np_ibv_pair_access(ibv->transport);
		mask |= IBV_QP_ACCESS_FLAGS;
	}
	/* The MTU of switches between the ports is in the path record alone. */
	if (attr.path_mtu > (enum ibv_mtu)ibv->mine.mtu)
		attr.path_mtu = (enum ibv_mtu)ibv->mine.mtu;
	attr.min_rnr_timer = NP_IBV_RNR_TIMER;
	attr.timeout = (uint8_t)options->timeout;
	attr.retry_cnt = (uint8_t)options->retry[0];
	attr.rnr_retry = (uint8_t)options->retry[1];
	/* 0 keeps the administrator's default (default_roce_tos). */
	if (options->service_level != 0)
		attr.ah_attr.sl = (uint8_t)options->service_level;
	if (options->traffic_class != 0)
		attr.ah_attr.grh.traffic_class = (uint8_t)options->traffic_class;
	if (options->flow_label != 0)
		attr.ah_attr.grh.flow_label = (uint32_t)options->flow_label;
	code = ibv_modify_qp(ibv->queues[i].qp, &attr, mask);
	if (code == 0)
		return 0;
	errno = code;
	return rdmacm_failed(ibv, "ibv_modify_qp");
}

static int make_ready_to_send(struct np_ibv *ibv, size_t i)
{
	const int rc = change_state(ibv, i, IBV_QPS_RTR);

	return rc != 0 ? rc : change_state(ibv, i, IBV_QPS_RTS);
}

static struct rdma_conn_param parameters(const struct np_ibv *ibv, size_t i)
{
	const struct np_ibv_options *options = np_ibv_options_of(ibv);
	const uint32_t reads =
		ibv->mine.reads < ibv->theirs.reads ? ibv->mine.reads : ibv->theirs.reads;

	return (struct rdma_conn_param){ .responder_resources = (uint8_t)ibv->mine.reads,
					 .initiator_depth = (uint8_t)reads,
					 .retry_count = (uint8_t)options->retry[0],
					 .rnr_retry_count = (uint8_t)options->retry[1],
					 .srq = ibv->srq != NULL,
					 .qp_num = ibv->queues[i].qp->qp_num };
}

/* Checks that librdmacm, which selects a device by address, has selected the one in use. */
static int check_device(struct np_ibv *ibv, const struct rdma_cm_id *id)
{
	const char *name =
		id->verbs != NULL ? ibv_get_device_name(id->verbs->device) : NULL;

	if (name != NULL && strcmp(name, ibv->device.name) == 0 &&
	    id->port_num == ibv->device.port)
		return 0;
	return np_fail(
		&ibv->endpoint.error, NP_ERROR_FAILED, ENODEV,
		"--connection rdmacm: librdmacm takes %s:%d for that address, not %s:%d",
		name != NULL ? name : "no device", id->port_num, ibv->device.name,
		ibv->device.port);
}

/* ---- connecting -------------------------------------------------------------- */

static int open_manager(struct np_ibv *ibv)
{
	struct manager *manager = calloc(1, sizeof(*manager));
	int flags;

	if (manager == NULL)
		return np_fail_errno(&ibv->endpoint.error, ENOMEM, "cannot connect");
	ibv->rdmacm = manager;
	manager->ids = calloc(ibv->queue_count, sizeof(struct rdma_cm_id *));
	if (manager->ids == NULL)
		return np_fail_errno(&ibv->endpoint.error, ENOMEM, "cannot connect");
	manager->count = ibv->queue_count;
	errno = 0;
	manager->channel = rdma_create_event_channel();
	if (manager->channel == NULL)
		return np_fail_errno(
			&ibv->endpoint.error, errno != 0 ? errno : ENODEV,
			"--connection rdmacm: cannot open /dev/infiniband/rdma_cm (is the "
			"kernel's rdma_ucm loaded?)");
	flags = fcntl(manager->channel->fd, F_GETFL);
	if (flags < 0 || fcntl(manager->channel->fd, F_SETFL, flags | O_NONBLOCK) != 0)
		return rdmacm_failed(ibv, "fcntl");
	return 0;
}

static int listen_at(struct np_ibv *ibv)
{
	struct manager *manager = manager_of(ibv);
	union address address = address_of(&manager->here, 0, manager->interface);

	if (rdma_create_id(manager->channel, &manager->listener, NULL, RDMA_PS_TCP) != 0) {
		manager->listener = NULL;
		return rdmacm_failed(ibv, "rdma_create_id");
	}
	if (rdma_bind_addr(manager->listener, &address.any) != 0)
		return bind_failed(ibv);
	return rdma_listen(manager->listener, (int)ibv->queue_count) == 0 ?
		       0 :
		       rdmacm_failed(ibv, "rdma_listen");
}

/* Exchanges addresses, and the port at which rank 1 listens. */
static int exchange_port(struct np_ibv *ibv, uint16_t *port)
{
	struct manager *manager = manager_of(ibv);
	unsigned char mine[sizeof(union ibv_gid) + sizeof(*port)], theirs[sizeof(mine)];
	uint16_t bytes = 0;
	int rc;

	if (manager->listener != NULL)
		bytes = rdma_get_src_port(manager->listener);
	memcpy(mine, manager->here.raw, sizeof(manager->here));
	memcpy(mine + sizeof(manager->here), &bytes, sizeof(bytes));
	rc = np_boot_exchange(ibv->endpoint.boot, mine, theirs, sizeof(mine),
			      &ibv->endpoint.error);
	if (rc != 0)
		return rc;
	memcpy(manager->there.raw, theirs, sizeof(manager->there));
	memcpy(&bytes, theirs + sizeof(manager->there), sizeof(bytes));
	*port = ntohs(bytes);
	return 0;
}

/* Sets the traffic class (of TCP with iWARP) before the path is resolved. */
static int set_traffic_class(struct np_ibv *ibv, struct rdma_cm_id *id)
{
	uint8_t class = (uint8_t)np_ibv_options_of(ibv)->traffic_class;

	if (class == 0 || rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &class,
					  sizeof(class)) == 0)
		return 0;
	return rdmacm_failed(ibv, "rdma_set_option");
}

static int connect_one(struct np_ibv *ibv, size_t i, uint16_t port)
{
	struct manager *manager = manager_of(ibv);
	union address from = address_of(&manager->here, 0, manager->interface);
	union address to = address_of(&manager->there, port, manager->interface);
	struct rdma_conn_param parameter = parameters(ibv, i);
	struct rdma_cm_id *id = NULL;
	int rc;

	if (rdma_create_id(manager->channel, &id, NULL, RDMA_PS_TCP) != 0)
		return rdmacm_failed(ibv, "rdma_create_id");
	manager->ids[i] = id;
	rc = set_traffic_class(ibv, id);
	if (rc == 0 && rdma_resolve_addr(id, &from.any, &to.any, RESOLVE_MS) != 0)
		rc = bind_failed(ibv);
	if (rc == 0)
		rc = rdmacm_await(ibv, RDMA_CM_EVENT_ADDR_RESOLVED);
	if (rc == 0)
		rc = check_device(ibv, id);
	if (rc == 0 && rdma_resolve_route(id, RESOLVE_MS) != 0)
		rc = rdmacm_failed(ibv, "rdma_resolve_route");
	if (rc == 0)
		rc = rdmacm_await(ibv, RDMA_CM_EVENT_ROUTE_RESOLVED);
	if (rc == 0)
		rc = change_state(ibv, i, IBV_QPS_INIT);
	if (rc == 0 && rdma_connect(id, &parameter) != 0)
		rc = rdmacm_failed(ibv, "rdma_connect");
	/* iWARP: the kernel moves the queue pair to RTS while it connects, and reports no
	 * response to answer: only the established connection is awaited. */
	if (rc == 0 && ibv->device.fabric == NP_IBV_IWARP)
		return rdmacm_await(ibv, RDMA_CM_EVENT_ESTABLISHED);
	if (rc == 0)
		rc = rdmacm_await(ibv, RDMA_CM_EVENT_CONNECT_RESPONSE);
	if (rc == 0)
		rc = make_ready_to_send(ibv, i);
	if (rc == 0 && rdma_establish(id) != 0)
		rc = rdmacm_failed(ibv, "rdma_establish");
	return rc;
}

static int accept_one(struct np_ibv *ibv, size_t i)
{
	struct manager *manager = manager_of(ibv);
	struct rdma_conn_param parameter = parameters(ibv, i);
	struct rdma_cm_event *event = NULL;
	int rc = rdmacm_next(ibv, &event);

	if (rc != 0)
		return rc;
	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		manager->ids[i] = event->id;
	else
		rc = rdmacm_unexpected(ibv, event, RDMA_CM_EVENT_CONNECT_REQUEST);
	rdma_ack_cm_event(event);
	if (rc == 0)
		rc = check_device(ibv, manager->ids[i]);
	if (rc == 0)
		rc = change_state(ibv, i, IBV_QPS_INIT);
	if (rc == 0 && ibv->device.fabric != NP_IBV_IWARP)
		rc = make_ready_to_send(ibv, i);
	if (rc == 0 && rdma_accept(manager->ids[i], &parameter) != 0)
		rc = rdmacm_failed(ibv, "rdma_accept");
	return rc != 0 ? rc : rdmacm_await(ibv, RDMA_CM_EVENT_ESTABLISHED);
}

int np_ibv_rdmacm_connect(struct np_ibv *ibv)
{
	const bool listens = ibv->endpoint.rank == 1;
	uint16_t port = 0;
	int rc = np_ibv_exchange_addresses(ibv);

	if (rc == 0)
		rc = open_manager(ibv);
	if (rc == 0)
		rc = choose_address(ibv);
	if (rc == 0 && listens)
		rc = listen_at(ibv);
	if (rc == 0)
		rc = exchange_port(ibv, &port);
	for (size_t i = 0; rc == 0 && i < ibv->queue_count; i++) {
		rdmacm_allow(ibv);
		rc = listens ? accept_one(ibv, i) : connect_one(ibv, i, port);
	}
	return rc;
}

void np_ibv_rdmacm_free(struct np_ibv *ibv)
{
	struct manager *manager = manager_of(ibv);

	if (manager == NULL)
		return;
	for (size_t i = 0; i < manager->count; i++) {
		if (manager->ids[i] != NULL)
			rdma_destroy_id(manager->ids[i]);
	}
	free(manager->ids);
	if (manager->listener != NULL)
		rdma_destroy_id(manager->listener);
	if (manager->channel != NULL)
		rdma_destroy_event_channel(manager->channel);
	free(manager);
	ibv->rdmacm = NULL;
}
