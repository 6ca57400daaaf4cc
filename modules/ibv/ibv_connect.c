/*
 * ibv_connect.c - connects the queue pairs: exchanges addresses over the control channel
 * (32-bit words in network byte order), then RTR and RTS by ibv_modify_qp(3).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ibv_private.h"

enum { READS_MOST = 16, WORDS = 11 };

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void describe_mine(struct np_ibv *ibv)
{
	const struct np_ibv_device *device = &ibv->device;
	struct np_ibv_address *mine = &ibv->mine;
	const int reads = device->limits.orig_attr.max_qp_rd_atom;

	*mine = (struct np_ibv_address){
		.lid = device->port_attr.lid,
		.mtu = (uint32_t)device->mtu,
		.longest = ibv->transport == NP_IBV_UD ?
				   (uint32_t)np_ibv_mtu_bytes(device->mtu) :
				   device->port_attr.max_msg_sz,
		.reads = min_u32((uint32_t)reads, READS_MOST),
		.receives = ibv->recv_depth,
		.fabric = device->fabric,
		.routed = device->gid_is_v2,
		.gid = device->gid,
	};
}

/* First packet sequence number.  Any value is valid; one that differs from connection to
 * connection rejects stale packets. */
static uint32_t sequence_of(uint32_t number)
{
	return (number * 2654435761u) >> 8;
}

static void write_address(const struct np_ibv_address *address, uint32_t words[WORDS])
{
	words[0] = htonl(address->lid);
	words[1] = htonl(address->mtu);
	words[2] = htonl(address->longest);
	words[3] = htonl(address->reads);
	words[4] = htonl(address->receives);
	words[5] = htonl(address->fabric);
	words[6] = htonl(address->routed);
	memcpy(&words[7], address->gid.raw, sizeof(address->gid.raw));
}

static void read_address(const uint32_t words[WORDS], struct np_ibv_address *address)
{
	address->lid = ntohl(words[0]);
	address->mtu = ntohl(words[1]);
	address->longest = ntohl(words[2]);
	address->reads = ntohl(words[3]);
	address->receives = ntohl(words[4]);
	address->fabric = ntohl(words[5]);
	address->routed = ntohl(words[6]);
	memcpy(address->gid.raw, &words[7], sizeof(address->gid.raw));
}

static struct ibv_ah_attr path_to_peer(const struct np_ibv *ibv)
{
	const struct np_ibv_options *options = np_ibv_options_of(ibv);
	struct ibv_ah_attr path = { .dlid = (uint16_t)ibv->theirs.lid,
				    .sl = (uint8_t)options->service_level,
				    .port_num = ibv->device.port };

	if (ibv->device.global) {
		path.is_global = 1;
		path.grh.dgid = ibv->theirs.gid;
		path.grh.sgid_index = (uint8_t)ibv->device.gid_index;
		path.grh.hop_limit = (uint8_t)options->hop_limit;
		path.grh.flow_label = (uint32_t)options->flow_label;
		path.grh.traffic_class = (uint8_t)options->traffic_class;
	}
	return path;
}

/* Describes an address by LID, or by GID, with the kind of network. */
static void name_address(const struct np_ibv_address *address,
			 char text[static NP_IBV_ADDRESS_TEXT])
{
	const size_t size = NP_IBV_ADDRESS_TEXT;
	char gid[NP_IBV_GID_TEXT];

	if (address->fabric == NP_IBV_INFINIBAND)
		snprintf(text, size, "LID %u, InfiniBand", address->lid);
	else
		snprintf(text, size, "GID %s, %s", np_ibv_gid_text(&address->gid, gid),
			 address->fabric != NP_IBV_ROCE ?
				 np_ibv_fabric_name(address->fabric) :
			 address->routed ? "RoCE v2" :
					   "RoCE v1");
}

/* Reports a failed call with both addresses, and the state of a port that is down. */
static int connect_failed(struct np_ibv *ibv, int code, const char *call)
{
	char here[NP_IBV_ADDRESS_TEXT], there[NP_IBV_ADDRESS_TEXT], port[160] = "";
	const bool down = np_ibv_port_is_down(ibv, port, sizeof(port));

	name_address(&ibv->mine, here);
	name_address(&ibv->theirs, there);
	return np_fail(&ibv->endpoint.error, NP_ERROR_FAILED, down ? ENETDOWN : code,
		       "%s failed on %s: %s; here %s; at the peer %s%s", call,
		       ibv->device.name, strerror(code), here, there, port);
}

static int ready_to_receive(struct np_ibv *ibv, size_t i)
{
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = (enum ibv_mtu)ibv->mine.mtu,
		.dest_qp_num = ibv->queues[i].remote,
		.rq_psn = sequence_of(ibv->queues[i].remote),
		.max_dest_rd_atomic = (uint8_t)ibv->mine.reads,
		.min_rnr_timer = NP_IBV_RNR_TIMER,
		.ah_attr = path_to_peer(ibv),
	};
	int mask = IBV_QP_STATE;

	if (ibv->type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (ibv->type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	const int code = ibv_modify_qp(ibv->queues[i].qp, &attributes, mask);

	return code == 0 ? 0 : connect_failed(ibv, code, "ibv_modify_qp to RTR");
}

static int ready_to_send(struct np_ibv *ibv, size_t i)
{
	const struct np_ibv_options *options = np_ibv_options_of(ibv);
	const int reads = ibv->device.limits.orig_attr.max_qp_init_rd_atom;
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_RTS,
		.timeout = (uint8_t)options->timeout,
		.retry_cnt = (uint8_t)options->retry[0],
		.rnr_retry = (uint8_t)options->retry[1],
		.sq_psn = sequence_of(ibv->queues[i].qp->qp_num),
		.max_rd_atomic = (uint8_t)min_u32((uint32_t)reads, ibv->theirs.reads),
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (ibv->type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	const int code = ibv_modify_qp(ibv->queues[i].qp, &attributes, mask);

	return code == 0 ? 0 : connect_failed(ibv, code, "ibv_modify_qp to RTS");
}

static int versions_differ(struct np_ibv *ibv)
{
	char here[NP_IBV_ADDRESS_TEXT], there[NP_IBV_ADDRESS_TEXT];

	name_address(&ibv->mine, here);
	name_address(&ibv->theirs, there);
	return np_fail(&ibv->endpoint.error, NP_ERROR_FAILED, ENETUNREACH,
		       "the processes address each other by different versions of RoCE, "
		       "which do not reach each other: here %s; at the peer %s; give "
		       "--gid-index of one version to both (--list-devices)",
		       here, there);
}

/* Takes the smaller MTU, longest message and number of receives of both processes. */
static int agree(struct np_ibv *ibv)
{
	struct np_ibv_address *mine = &ibv->mine, *theirs = &ibv->theirs;

	if (np_ibv_mtu_bytes((enum ibv_mtu)theirs->mtu) == 0)
		return np_fail(
			&ibv->endpoint.error, NP_ERROR_PEER, EPROTO,
			"the peer sent an invalid MTU, code %u: are the versions equal?",
			theirs->mtu);
	if (mine->fabric != theirs->fabric)
		return np_fail(&ibv->endpoint.error, NP_ERROR_FAILED, ENETUNREACH,
			       "%s:%u is %s, and the peer's port is %s: -D names another",
			       ibv->device.name, ibv->device.port,
			       np_ibv_fabric_name(mine->fabric),
			       np_ibv_fabric_name(theirs->fabric));
	/* librdmacm decides by itself (default_roce_mode). */
	if (mine->fabric == NP_IBV_ROCE && mine->routed != theirs->routed &&
	    !np_ibv_uses_rdmacm(ibv))
		return versions_differ(ibv);
	mine->mtu = min_u32(mine->mtu, theirs->mtu);
	mine->longest = min_u32(mine->longest, theirs->longest);
	ibv->endpoint.longest = mine->longest;
	ibv->endpoint.receives_most = min_u32(mine->receives, theirs->receives);
	return 0;
}

/* Exchanges the numbers of the queue pairs. */
static int exchange_numbers(struct np_ibv *ibv)
{
	const size_t count = ibv->queue_count;
	uint32_t *numbers = calloc(2 * count, sizeof(*numbers));

	if (numbers == NULL)
		return np_fail_errno(&ibv->endpoint.error, ENOMEM, "cannot connect");
	for (size_t i = 0; i < count; i++)
		numbers[i] = htonl(ibv->queues[i].qp->qp_num);
	const int rc = np_boot_exchange(ibv->endpoint.boot, numbers, numbers + count,
					count * sizeof(*numbers), &ibv->endpoint.error);
	for (size_t i = 0; i < count; i++)
		ibv->queues[i].remote = ntohl(numbers[count + i]);
	free(numbers);
	return rc;
}

int np_ibv_exchange_addresses(struct np_ibv *ibv)
{
	uint32_t mine[WORDS], theirs[WORDS];

	describe_mine(ibv);
	write_address(&ibv->mine, mine);
	int rc = np_boot_exchange(ibv->endpoint.boot, mine, theirs, sizeof(mine),
				  &ibv->endpoint.error);
	if (rc != 0)
		return rc;
	read_address(theirs, &ibv->theirs);
	rc = agree(ibv);
	return rc != 0 ? rc : exchange_numbers(ibv);
}

void np_ibv_path_text(const struct np_ibv *ibv, char *text, size_t size)
{
	char here[NP_IBV_ADDRESS_TEXT], there[NP_IBV_ADDRESS_TEXT];

	name_address(&ibv->mine, here);
	name_address(&ibv->theirs, there);
	snprintf(text, size, "; here %s; peer %s; MTU %zu B: do such packets pass%s?", here,
		 there, np_ibv_mtu_bytes((enum ibv_mtu)ibv->mine.mtu),
		 ibv->mine.fabric == NP_IBV_ROCE && ibv->mine.routed ?
			 ", to UDP port 4791" :
			 "");
}

int np_ibv_queues_connect(struct np_ibv *ibv)
{
	int rc = np_ibv_exchange_addresses(ibv);

	for (size_t i = 0; rc == 0 && i < ibv->queue_count; i++) {
		rc = ready_to_receive(ibv, i);
		if (rc == 0)
			rc = ready_to_send(ibv, i);
	}
	if (rc == 0 && ibv->transport == NP_IBV_UD) {
		struct ibv_ah_attr path = path_to_peer(ibv);

		ibv->peer_handle = ibv_create_ah(ibv->pd, &path);
		if (ibv->peer_handle == NULL)
			rc = connect_failed(ibv, errno, "ibv_create_ah");
	}
	return rc;
}
