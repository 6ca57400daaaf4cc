/*
 * ibv_facts.c - facts of device, port and queues, queried from the library after the
 * connection, not copied from the options.
 */
#include <inttypes.h>
#include <stdio.h>

#include "ibv_names.h"
#include "ibv_private.h"

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
	char rate[NP_IBV_RATE_TEXT];

	/* Shown on the screen: device, port, network, rate. */
	np_facts_add(facts, "adapter", "%s:%d, %s, %s", device->name, device->port,
		     device->fabric == NP_IBV_ROCE ? device->gid_type :
						     np_ibv_fabric_name(device->fabric),
		     np_ibv_rate_text(&device->port_attr, rate));
	np_facts_add(facts, "device", "%s", device->name);
	np_facts_add(facts, "port", "%d", device->port);
	np_facts_add(facts, "firmware", "%s",
		     attr->fw_ver[0] != '\0' ? attr->fw_ver : "not reported");
	np_facts_add(facts, "vendor_id", "0x%04" PRIx32, attr->vendor_id);
	np_facts_add(facts, "vendor_part_id", "%" PRIu32, attr->vendor_part_id);
	np_facts_add(facts, "hardware_version", "%" PRIu32, attr->hw_ver);
	np_facts_add(facts, "link_layer", "%s", np_ibv_link_layer(&device->port_attr));
	np_facts_add(facts, "rate", "%s", np_ibv_rate_text(&device->port_attr, rate));
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
	np_facts_add(facts, "relaxed_ordering", "%s",
		     options->relaxed_ordering ? "yes" : "no");
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
}
