/*
 * fake_verbs_device.c - list of devices, their attributes, and asynchronous events.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_verbs_private.h"

/* Macros in verbs.h that would rename what is defined here. */
#undef ibv_get_device_list
#undef ibv_query_port

enum { GIDS = 4 };

struct ibv_device **ibv_get_device_list(int *count)
{
	struct fake_verbs *fake = fake_verbs();

	fake_lock();
	struct ibv_device **list =
		fake_make(FAKE_LIST, (FAKE_DEVICES + 1) * sizeof(struct ibv_device *));
	for (size_t i = 0; i < fake->device_count; i++)
		list[i] = &fake->devices[i].device;
	if (count != NULL)
		*count = (int)fake->device_count;
	fake_unlock();
	return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	fake_lock();
	fake_free(FAKE_LIST, list);
	fake_unlock();
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

/* ---- Attributes -------------------------------------------------------------- */

static void fill_limits(const struct fake_device *device, struct ibv_device_attr *attr)
{
	*attr = (struct ibv_device_attr){
		.fw_ver = "0.1",
		.max_mr_size = device->max_mr_size,
		.max_qp = device->max_qp,
		.max_qp_wr = device->max_qp_wr,
		.max_sge = 1,
		.max_cq = 2 * device->max_qp,
		.max_cqe = device->max_cqe,
		.max_mr = device->max_mr,
		.max_pd = 16,
		.max_qp_rd_atom = 4,
		.max_qp_init_rd_atom = 4,
		.atomic_cap = device->no_atomics ? IBV_ATOMIC_NONE : IBV_ATOMIC_HCA,
		.max_ah = 16,
		.max_srq = device->max_srq_wr != 0 ? 16 : 0,
		.max_srq_wr = device->max_srq_wr,
		.max_srq_sge = 1,
		.max_pkeys = 1,
		.phys_port_cnt = 1,
	};
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	struct fake_device *device = fake_device_of(context);

	fake_lock();
	const int code = fake_refuses(device, FAKE_QUERY_DEVICE);
	fill_limits(device, attr);
	fake_unlock();
	return code;
}

static int query_device_ex(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size)
{
	(void)input;
	memset(attr, 0, size);
	attr->cq_mod_caps.max_cq_count = fake_device_of(context)->moderation_most;
	attr->cq_mod_caps.max_cq_period = attr->cq_mod_caps.max_cq_count;
	attr->packet_pacing_caps = fake_device_of(context)->pacing;
	attr->odp_caps = fake_device_of(context)->odp;
	return ibv_query_device(context, &attr->orig_attr);
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
		      size_t size)
{
	struct fake_device *device = fake_device_of(context);

	if (port != 1)
		return EINVAL;
	fake_lock();
	const int code = fake_refuses(device, FAKE_QUERY_PORT);
	memset(attr, 0, size);
	attr->state = device->port_state;
	attr->max_mtu = IBV_MTU_4096;
	attr->active_mtu = device->mtu;
	attr->gid_tbl_len = GIDS;
	attr->max_msg_sz = 1u << 30;
	attr->pkey_tbl_len = device->device.transport_type != IBV_TRANSPORT_IWARP;
	attr->active_width = 2;
	attr->active_speed = 32;
	attr->lid = device->ethernet || device->unspecified ?
			    0 :
			    (uint16_t)(1 + (device - fake_verbs()->devices));
	attr->link_layer = device->unspecified ? IBV_LINK_LAYER_UNSPECIFIED :
			   device->ethernet    ? IBV_LINK_LAYER_ETHERNET :
						 IBV_LINK_LAYER_INFINIBAND;
	fake_unlock();
	return code;
}

/* Called for contexts without query_port() only. */
int ibv_query_port(struct ibv_context *context, uint8_t port,
		   struct _compat_ibv_port_attr *attr)
{
	(void)context;
	(void)port;
	(void)attr;
	return ENOSYS;
}

/* Index 0 is link-local RoCE v1, 1 the same for v2, 2 and 3 of an IPv4 address.  The only
 * one of InfiniBand is made of the port's number, that of iWARP is a MAC address. */
void fake_verbs_gid(size_t device, uint32_t index, union ibv_gid *gid)
{
	const struct fake_device *of = &fake_verbs()->devices[device];
	const unsigned char last = (unsigned char)(device + 1);

	memset(gid, 0, sizeof(*gid));
	if (of->device.transport_type == IBV_TRANSPORT_IWARP) {
		gid->raw[0] = 2;
		gid->raw[5] = last;
		return;
	}
	gid->raw[15] = last;
	if (index < 2) {
		gid->raw[0] = 0xfe;
		gid->raw[1] = 0x80;
		gid->raw[8] = of->ethernet ? 0 : 0x0c;
	} else {
		gid->raw[10] = 0xff;
		gid->raw[11] = 0xff;
		gid->raw[12] = 192;
	}
}

uint32_t fake_count_gids(const struct fake_device *device)
{
	if (device->no_gids)
		return 0;
	return device->ethernet && device->device.transport_type != IBV_TRANSPORT_IWARP ?
		       GIDS :
		       1;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index,
		      struct ibv_gid_entry *entry, uint32_t flags, size_t size)
{
	const struct fake_device *device = fake_device_of(context);

	(void)flags;
	fake_lock();
	const bool removed = device->removed;
	fake_unlock();
	if (removed)
		return EIO;
	if (index >= fake_count_gids(device) || port != 1 ||
	    (device->no_v2 && (index & 1) != 0))
		return ENODATA;
	memset(entry, 0, size);
	entry->gid_index = index;
	entry->port_num = port;
	entry->gid_type = fake_count_gids(device) == 1 ? IBV_GID_TYPE_IB :
			  (index & 1) == 0	       ? IBV_GID_TYPE_ROCE_V1 :
							 IBV_GID_TYPE_ROCE_V2;
	fake_verbs_gid((size_t)(device - fake_verbs()->devices), index, &entry->gid);
	return 0;
}

const char *ibv_wc_status_str(enum ibv_wc_status status)
{
	switch (status) {
	case IBV_WC_SUCCESS:
		return "success";
	case IBV_WC_WR_FLUSH_ERR:
		return "Work Request Flushed Error";
	case IBV_WC_RNR_RETRY_EXC_ERR:
		return "RNR retry counter exceeded";
	case IBV_WC_RETRY_EXC_ERR:
		return "transport retry counter exceeded";
	default:
		return "some error";
	}
}

const char *ibv_event_type_str(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_CQ_ERR:
		return "CQ error";
	case IBV_EVENT_DEVICE_FATAL:
		return "local catastrophic error";
	case IBV_EVENT_PORT_ERR:
		return "port error";
	default:
		return "some event";
	}
}

/* ---- Open and closed --------------------------------------------------------- */

static void fill_operations(struct ibv_context_ops *ops)
{
	ops->poll_cq = fake_poll_cq;
	ops->req_notify_cq = fake_req_notify_cq;
	ops->post_send = fake_post_send;
	ops->post_recv = fake_post_recv;
	ops->post_srq_recv = fake_post_srq_recv;
}

static struct ibv_context *open_locked(struct fake_device *device)
{
	struct fake_context *made;
	int events[2];
	const int code = fake_refuses(device, FAKE_OPEN_DEVICE);

	if (code != 0 || pipe2(events, O_CLOEXEC) != 0) {
		errno = code != 0 ? code : errno;
		return NULL;
	}
	made = fake_make(FAKE_CONTEXT, sizeof(*made));
	made->device = device;
	memcpy(made->events, events, sizeof(events));
	made->next = fake_verbs()->contexts;
	fake_verbs()->contexts = made;
	made->verbs.sz = sizeof(made->verbs);
	made->verbs.query_port = query_port;
	made->verbs.query_device_ex = query_device_ex;
	made->verbs.modify_cq = fake_modify_cq;
	made->verbs.advise_mr = fake_advise_mr;
	made->verbs.modify_qp_rate_limit = fake_limit_rate;
	made->verbs.create_qp_ex = fake_create_qp_ex;
	made->verbs.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	made->verbs.context.device = &device->device;
	made->verbs.context.async_fd = events[0];
	made->verbs.context.cmd_fd = -1;
	made->verbs.context.num_comp_vectors = 4;
	fill_operations(&made->verbs.context.ops);
	return &made->verbs.context;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	fake_lock();
	struct ibv_context *context = open_locked((struct fake_device *)device);
	fake_unlock();
	return context;
}

int ibv_close_device(struct ibv_context *context)
{
	struct fake_context *closed = fake_context_of(context);
	struct fake_context **link = &fake_verbs()->contexts;

	fake_lock();
	if (closed->users != 0)
		fake_misuse("a device was closed before what belongs to it");
	while (*link != closed)
		link = &(*link)->next;
	*link = closed->next;
	const int code = fake_released(context);
	close(closed->events[0]);
	close(closed->events[1]);
	fake_free(FAKE_CONTEXT, closed);
	fake_unlock();
	return code;
}

/* ---- Events ------------------------------------------------------------------ */

void fake_tell(const struct fake_device *device, const struct ibv_async_event *event)
{
	for (struct fake_context *at = fake_verbs()->contexts; at != NULL; at = at->next) {
		if (at->device == device &&
		    write(at->events[1], event, sizeof(*event)) != (ssize_t)sizeof(*event))
			fake_misuse("nobody takes the events");
	}
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	const ssize_t length = read(context->async_fd, event, sizeof(*event));

	return length == (ssize_t)sizeof(*event) ? 0 : -1;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	(void)event;
}
