/*
 * ibv_facts.c - facts of device, port and queues, for the header of the results and
 * --list-devices; names of libibverbs' enumerations.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ibv_private.h"

enum { RATE_TEXT = 32 };

/* ---- names -------------------------------------------------------------------- */

const char *np_ibv_port_state(enum ibv_port_state state)
{
	switch (state) {
	case IBV_PORT_DOWN:
		return "down";
	case IBV_PORT_INIT:
		return "initializing (no subnet manager has configured it)";
	case IBV_PORT_ARMED:
		return "armed";
	case IBV_PORT_ACTIVE:
		return "active";
	case IBV_PORT_ACTIVE_DEFER:
		return "active, deferred";
	default:
		return "in no known state";
	}
}

/* "Ethernet", "InfiniBand", or "not reported". */
static const char *link_layer_of(const struct ibv_port_attr *port)
{
	switch (port->link_layer) {
	case IBV_LINK_LAYER_ETHERNET:
		return "Ethernet";
	case IBV_LINK_LAYER_INFINIBAND:
		return "InfiniBand";
	default:
		return "not reported";
	}
}

const char *np_ibv_fabric_name(uint32_t fabric)
{
	switch (fabric) {
	case NP_IBV_ROCE:
		return "RoCE";
	case NP_IBV_UNSPECIFIED:
		return "an unspecified link layer";
	case NP_IBV_IWARP:
		return "iWARP";
	default:
		return "InfiniBand";
	}
}

const char *np_ibv_pair_type(enum ibv_qp_type type)
{
	return type == IBV_QPT_UD ? "UD" : type == IBV_QPT_UC ? "UC" : "RC";
}

const char *np_ibv_gid_type(uint32_t fabric, uint32_t type)
{
	if (fabric == NP_IBV_IWARP)
		return "iWARP";
	if (fabric == NP_IBV_UNSPECIFIED)
		return "unspecified";
	switch (type) {
	case IBV_GID_TYPE_ROCE_V2:
		return "RoCE v2";
	case IBV_GID_TYPE_ROCE_V1:
		return "RoCE v1";
	default:
		return "IB";
	}
}

bool np_ibv_gid_is_ipv4(const union ibv_gid *gid)
{
	static const unsigned char prefix[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(gid->raw, prefix, sizeof(prefix)) == 0;
}

const char *np_ibv_gid_text(const union ibv_gid *gid, char text[static NP_IBV_GID_TEXT])
{
	if (inet_ntop(AF_INET6, gid->raw, text, NP_IBV_GID_TEXT) == NULL)
		snprintf(text, NP_IBV_GID_TEXT, "not reported");
	return text;
}

static unsigned lanes_of(uint8_t width)
{
	switch (width) {
	case 1:
		return 1;
	case 2:
		return 4;
	case 4:
		return 8;
	case 8:
		return 12;
	case 16:
		return 2;
	default:
		return 0;
	}
}

/* Rate of one lane, in 0.1 Gbit/s. */
static unsigned speed_of(uint8_t speed)
{
	switch (speed) {
	case 1: /* SDR */
		return 25;
	case 2: /* DDR */
		return 50;
	case 4: /* QDR */
	case 8: /* FDR10 */
		return 100;
	case 16: /* FDR */
		return 140;
	case 32: /* EDR */
		return 250;
	case 64: /* HDR */
		return 500;
	case 128: /* NDR */
		return 1000;
	default:
		return 0;
	}
}

/* Data rate, lanes times speed, as "100 Gbit/s": IBTA specification volume 1, section
 * 14.2.5.6; equal to "rate" in /sys/class/infiniband. */
static const char *rate_text(const struct ibv_port_attr *port, char text[static RATE_TEXT])
{
	const unsigned rate = lanes_of(port->active_width) * speed_of(port->active_speed);

	if (rate == 0)
		snprintf(text, RATE_TEXT, "not reported");
	else if (rate % 10 == 0)
		snprintf(text, RATE_TEXT, "%u Gbit/s", rate / 10);
	else
		snprintf(text, RATE_TEXT, "%u.%u Gbit/s", rate / 10, rate % 10);
	return text;
}

/* ---- facts -------------------------------------------------------------------- */

static void add_bytes(struct np_facts *facts, const char *name, uint64_t bytes)
{
	np_facts_add_number(facts, name, bytes, NP_UNIT_BYTES, NULL);
}

static void add_count(struct np_facts *facts, const char *name, uint64_t count)
{
	np_facts_add_number(facts, name, count, NP_UNIT_COUNT, NULL);
}

static void describe_device(const struct np_ibv_device *device, struct np_facts *facts)
{
	const struct ibv_device_attr *attr = &device->limits.orig_attr;
	char rate[RATE_TEXT], guess[40] = "";

	if (device->guessed != 0)
		snprintf(guess, sizeof(guess), ", first of %u ports (-D)", device->guessed);
	/* Printed on the screen: device, port, network, rate; a note if it is a guess. */
	np_facts_add(facts, "adapter", "%s:%d, %s, %s%s%s%s", device->name, device->port,
		     device->fabric == NP_IBV_ROCE ? device->gid_type :
						     np_ibv_fabric_name(device->fabric),
		     rate_text(&device->port_attr, rate),
		     device->bond[0] != '\0' ? ", LAG " : "", device->bond, guess);
	if (device->guessed != 0)
		np_facts_add(facts, "port_choice",
			     "the first of %u usable ports: none is of the interface that "
			     "reaches the peer's control connection; -D names another",
			     device->guessed);
	if (device->bond[0] != '\0')
		np_facts_add(
			facts, "lag",
			"%s: a queue pair goes by one of its links; --qps N by several",
			device->bond);
	np_facts_add(facts, "device", "%s", device->name);
	np_facts_add(facts, "port", "%d", device->port);
	np_facts_add(facts, "firmware", "%s",
		     attr->fw_ver[0] != '\0' ? attr->fw_ver : "not reported");
	np_facts_add(facts, "vendor_id", "0x%04" PRIx32, attr->vendor_id);
	np_facts_add(facts, "vendor_part_id", "%" PRIu32, attr->vendor_part_id);
	np_facts_add(facts, "hardware_version", "%" PRIu32, attr->hw_ver);
	np_facts_add(facts, "link_layer", "%s", link_layer_of(&device->port_attr));
	np_facts_add(facts, "rate", "%s", rate_text(&device->port_attr, rate));
	np_facts_add(facts, "fabric", "%s", np_ibv_fabric_name(device->fabric));
	add_bytes(facts, "port_mtu", np_ibv_mtu_bytes(device->port_attr.active_mtu));
	np_facts_add(facts, "lid", "%d", device->port_attr.lid);
}

static void describe_gid(const struct np_ibv_device *device, struct np_facts *facts)
{
	char text[NP_IBV_GID_TEXT];

	if (!device->global) {
		np_facts_add(facts, "gid", "none: local routing");
		return;
	}
	np_facts_add(facts, "gid", "%s", np_ibv_gid_text(&device->gid, text));
	np_facts_add(facts, "gid_index", "%d", device->gid_index);
	np_facts_add(facts, "gid_type", "%s", device->gid_type);
}

static void describe_limits(const struct np_ibv_device *device, struct np_facts *facts)
{
	const struct ibv_device_attr *attr = &device->limits.orig_attr;
	const struct ibv_odp_caps *odp = &device->limits.odp_caps;
	const struct ibv_cq_moderation_caps *moderation = &device->limits.cq_mod_caps;

	add_count(facts, "max_qp", (uint64_t)attr->max_qp);
	add_count(facts, "max_qp_wr", (uint64_t)attr->max_qp_wr);
	add_count(facts, "max_sge", (uint64_t)attr->max_sge);
	add_count(facts, "max_cqe", (uint64_t)attr->max_cqe);
	add_count(facts, "max_srq_wr", (uint64_t)attr->max_srq_wr);
	add_count(facts, "max_mr", (uint64_t)attr->max_mr);
	add_bytes(facts, "max_mr_size", attr->max_mr_size);
	add_count(facts, "max_rd_atomic", (uint64_t)attr->max_qp_rd_atom);
	add_bytes(facts, "max_msg_size", device->port_attr.max_msg_sz);
	if ((odp->general_caps & IBV_ODP_SUPPORT) != 0)
		np_facts_add(facts, "odp", "rc 0x%" PRIx32 ", ud 0x%" PRIx32,
			     odp->per_transport_caps.rc_odp_caps,
			     odp->per_transport_caps.ud_odp_caps);
	else
		np_facts_add(facts, "odp", "no");
	if (moderation->max_cq_count != 0)
		np_facts_add(facts, "cq_moderation", "up to %d completions, %d us",
			     moderation->max_cq_count, moderation->max_cq_period);
	else
		np_facts_add(facts, "cq_moderation", "no");
}

/* Attributes of the first queue pair; all are equal. */
static void describe_path(const struct np_ibv *ibv, struct np_facts *facts)
{
	struct ibv_qp_attr attr = { .path_mtu = (enum ibv_mtu)0 };
	struct ibv_qp_init_attr made = { .cap = { .max_send_wr = 0 } };
	const bool datagrams = ibv->transport == NP_IBV_UD;

	if (ibv->queue_count == 0 || ibv->queues[0].qp == NULL ||
	    ibv_query_qp(ibv->queues[0].qp, &attr,
			 IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				 IBV_QP_RNR_RETRY | IBV_QP_CAP,
			 &made) != 0) {
		np_facts_add(facts, "mtu", "not reported");
		return;
	}
	add_bytes(
		facts, "mtu",
		np_ibv_mtu_bytes(datagrams ? (enum ibv_mtu)ibv->mine.mtu : attr.path_mtu));
	if (!datagrams) {
		add_count(facts, "service_level", attr.ah_attr.sl);
		add_count(facts, "traffic_class", attr.ah_attr.grh.traffic_class);
		add_count(facts, "hop_limit", attr.ah_attr.grh.hop_limit);
		add_count(facts, "flow_label", attr.ah_attr.grh.flow_label);
	}
	if (ibv->type == IBV_QPT_RC) {
		np_facts_add(facts, "ack_timeout", "%d", attr.timeout);
		np_facts_add(facts, "retry", "%d", attr.retry_cnt);
		np_facts_add(facts, "rnr_retry", "%d", attr.rnr_retry);
	}
	add_count(facts, "send_queue", attr.cap.max_send_wr);
	add_count(facts, "receive_queue", attr.cap.max_recv_wr);
	add_bytes(facts, "inline_of_queue", attr.cap.max_inline_data);
}

static void describe_use(const struct np_ibv *ibv, struct np_facts *facts)
{
	const struct np_ibv_options *options = np_ibv_options_of(ibv);
	const size_t lockable = np_ibv_lockable(options);

	np_facts_add(facts, "transport", "%s", np_ibv_transport_names[ibv->transport]);
	np_facts_add(facts, "queue_pair", "%s", np_ibv_pair_type(ibv->type));
	np_facts_add(facts, "connection", "%s",
		     np_ibv_uses_rdmacm(ibv) ? "librdmacm" : "control channel");
	np_facts_add(facts, "post", "%s",
		     options->posting == NP_IBV_POST_WR ? "ibv_wr_start" : "ibv_post_send");
	add_count(facts, "qps", ibv->queue_count);
	if (np_ibv_rate_kbps(ibv) != 0)
		add_count(facts, "rate_limit_kbps", np_ibv_rate_kbps(ibv));
	np_facts_add(facts, "srq", "%s", ibv->srq != NULL ? "yes" : "no");
	np_facts_add(facts, "registration", "%s%s",
		     np_ibv_registering_names[options->registering],
		     options->prefetch ? ", prefetched" : "");
	np_facts_add(facts, "relaxed_ordering", "%s",
		     np_ibv_relaxes(options, ibv->endpoint.operation) ? "yes" : "no");
	add_count(facts, "comp_vector", options->vector);
	add_count(facts, "send_depth", ibv->send_depth);
	add_count(facts, "recv_depth", ibv->recv_depth);
	add_count(facts, "signal_every", ibv->signal_wish);
	add_bytes(facts, "inline_limit", ibv->inline_limit);
	if (ibv->endpoint.gpu != NULL)
		np_facts_add(facts, "gpu_registration", "%s",
			     ibv->dmabuf.used ? "ibv_reg_dmabuf_mr" : "ibv_reg_mr");
	if (lockable != 0)
		add_bytes(facts, "lockable", lockable);
	else
		np_facts_add(facts, "lockable", "no bound");
}

/* Definition of the figures, where that of perftest differs: process whose time counts, end
 * of the time of a stream, messages in flight of -2. */
static void describe_definition(const struct np_ibv *ibv, struct np_facts *facts)
{
	const bool alone = ibv->transport == NP_IBV_WRITE || np_ibv_gets(ibv->transport);

	np_facts_add(facts, "time_of", "rank 0");
	np_facts_add(facts, "stream_drained", "at the end of a sample, by %s",
		     alone ? "completion of its last operation" :
			     "acknowledgement of the receiving process");
	if (!np_ibv_gets(ibv->transport))
		np_facts_add(facts, "exchange", "one message each way at a time");
	np_facts_add(facts, "allocated_by", "program");
}

void np_ibv_describe(struct np_endpoint *endpoint, struct np_facts *facts)
{
	const struct np_ibv *ibv = np_ibv_of(endpoint);

	if (ibv->device.context == NULL)
		return;
	describe_device(&ibv->device, facts);
	describe_gid(&ibv->device, facts);
	describe_use(ibv, facts);
	describe_path(ibv, facts);
	describe_limits(&ibv->device, facts);
	describe_definition(ibv, facts);
}

/*
 * --list-devices, and the NUMA node of the selected device.
 */

/* One line for each GID: its type, address and network interface, or why it cannot be
 * used. */
static void list_gids(struct ibv_context *context, const char *name, unsigned port,
		      const struct ibv_port_attr *attr, struct np_facts *facts)
{
	const enum np_ibv_fabric fabric = np_ibv_fabric_of(context, attr);
	const bool ethernet = np_ibv_gid_has_interface(fabric);
	struct np_ibv_network network;
	char title[96];
	int found = 0;

	np_ibv_network_open(&network, NULL);
	for (int i = 0; i < attr->gid_tbl_len; i++) {
		char text[NP_IBV_GID_TEXT];
		struct ibv_gid_entry entry;

		if (!np_ibv_gid_read(context, port, i, &entry))
			continue;
		const char *interface = np_ibv_network_interface(&network, &entry.gid);

		found++;
		snprintf(title, sizeof(title), "%s GID %d", name, i);
		np_facts_add(facts, title, "%s %s%s%s",
			     np_ibv_gid_type(fabric, entry.gid_type),
			     np_ibv_gid_text(&entry.gid, text), ethernet ? ", " : "",
			     !ethernet		  ? "" :
			     interface != NULL	  ? interface :
			     network.list == NULL ? "interface not known" :
						    "not usable: its interface is in "
						    "another network namespace");
	}
	snprintf(title, sizeof(title), "%s GID", name);
	if (found == 0 && ethernet)
		np_facts_add(facts, title,
			     "not usable: no GID, since its network interface has no "
			     "address");
	np_ibv_network_close(&network);
}

static void list_port(struct ibv_context *context, const char *device, unsigned port,
		      struct np_facts *facts)
{
	struct ibv_port_attr attr = { .state = IBV_PORT_NOP };
	const int code = ibv_query_port(context, (uint8_t)port, &attr);
	char name[80], rate[RATE_TEXT];

	snprintf(name, sizeof(name), "%s:%u", device, port);
	if (code != 0) {
		np_facts_add(facts, name, "the query of the port failed: %s",
			     strerror(code));
		return;
	}
	np_facts_add(facts, name, "%s%s, %s, %s, MTU %zu active of %zu",
		     attr.state != IBV_PORT_ACTIVE ? "not usable: " : "",
		     np_ibv_port_state(attr.state), link_layer_of(&attr),
		     rate_text(&attr, rate), np_ibv_mtu_bytes(attr.active_mtu),
		     np_ibv_mtu_bytes(attr.max_mtu));
	list_gids(context, name, port, &attr, facts);
}

static void list_device(struct ibv_device *device, struct np_facts *facts)
{
	const char *name = ibv_get_device_name(device);
	struct ibv_device_attr attr = { .phys_port_cnt = 0 };
	struct ibv_context *context;

	if (name == NULL)
		return;
	errno = 0;
	context = ibv_open_device(device);
	if (context == NULL) {
		np_facts_add(facts, name, "/dev/infiniband/%s cannot be opened: %s",
			     device->dev_name, strerror(errno != 0 ? errno : ENODEV));
		return;
	}
	if (ibv_query_device(context, &attr) != 0)
		np_facts_add(facts, name, "the query of the device failed");
	for (unsigned port = 1; port <= attr.phys_port_cnt; port++)
		list_port(context, name, port, facts);
	ibv_close_device(context);
}

int np_ibv_list(const void *options, struct np_facts *facts, struct np_error *error)
{
	int count = 0;
	struct ibv_device **list = ibv_get_device_list(&count);

	(void)options;
	(void)error;
	/* A host without devices has an empty list; that is no error. */
	if (list == NULL)
		return 0;
	for (int i = 0; i < count; i++)
		list_device(list[i], facts);
	ibv_free_device_list(list);
	return 0;
}

int np_ibv_node(const void *values)
{
	struct np_ibv_device device = { .context = NULL };
	struct np_error ignored = { .code = 0 };
	long node = -1;

	/* open() will report errors of the options. */
	if (np_ibv_device_open(&device, values, NULL, &ignored) == 0) {
		char path[128];

		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/numa_node",
			 device.name);
		FILE *file = fopen(path, "re");
		if (file != NULL) {
			char line[16];

			if (fgets(line, sizeof(line), file) != NULL)
				node = strtol(line, NULL, 10);
			fclose(file);
		}
	}
	np_ibv_device_close(&device);
	return (int)node;
}
