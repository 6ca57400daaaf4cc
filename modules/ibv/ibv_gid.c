/*
 * ibv_gid.c - selects the GID of a port.
 *
 * The table of an Ethernet port has several GIDs for each interface.  Order of preference:
 * the address of the control connection, since the peer can be reached by it; other
 * addresses of the same interface; RoCE v2, since it is routable; an address that is not
 * link-local; an IPv4 address.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ibv_names.h"
#include "ibv_private.h"

bool np_ibv_gid_read(struct ibv_context *context, unsigned port, int index,
		     struct ibv_gid_entry *entry)
{
	static const union ibv_gid none;

	memset(entry, 0, sizeof(*entry));
	return ibv_query_gid_ex(context, port, (uint32_t)index, entry, 0) == 0 &&
	       memcmp(entry->gid.raw, none.raw, sizeof(none.raw)) != 0;
}

enum np_ibv_fabric np_ibv_fabric_of(const struct ibv_context *context,
				    const struct ibv_port_attr *port)
{
	if (context->device->transport_type == IBV_TRANSPORT_IWARP)
		return NP_IBV_IWARP;
	return port->link_layer == IBV_LINK_LAYER_ETHERNET ? NP_IBV_ROCE :
							     NP_IBV_INFINIBAND;
}

/* True unless the GID of an Ethernet port belongs to another network namespace. */
static bool is_here(const struct np_ibv_device *device, const struct ibv_gid_entry *entry,
		    const struct np_ibv_network *network)
{
	return device->fabric == NP_IBV_INFINIBAND || network->list == NULL ||
	       np_ibv_network_interface(network, &entry->gid) != NULL;
}

/* Preference of a GID, higher is better. */
static int rank_gid(const struct ibv_gid_entry *entry, const struct np_ibv_network *network)
{
	const unsigned char *raw = entry->gid.raw;
	const bool link_local = raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80;
	const bool routed = entry->gid_type == IBV_GID_TYPE_ROCE_V2;

	return 1 + 8 * (int)np_ibv_network_relation(network, &entry->gid) +
	       (routed ? 4 : 0) + (link_local ? 0 : 2) +
	       (np_ibv_gid_is_ipv4(&entry->gid) ? 1 : 0);
}

static void take(struct np_ibv_device *device, const struct ibv_gid_entry *entry)
{
	device->gid = entry->gid;
	device->gid_index = (int)entry->gid_index;
	device->gid_is_v2 = entry->gid_type == IBV_GID_TYPE_ROCE_V2;
	snprintf(device->gid_type, sizeof(device->gid_type), "%s",
		 np_ibv_gid_type(device->fabric, entry->gid_type));
}

static int take_given(struct np_ibv_device *device, const char *text,
		      struct np_error *error)
{
	struct ibv_gid_entry entry;
	uint64_t index = 0;
	const int code = np_parse_count(text, &index);

	if (code != 0 || index >= (uint64_t)device->port_attr.gid_tbl_len)
		return np_refuse(error, "--gid-index: %s:%u has GIDs 0 to %d, not %.32s",
				 device->name, device->port,
				 device->port_attr.gid_tbl_len - 1, text);
	if (!np_ibv_gid_read(device->context, device->port, (int)index, &entry))
		return np_fail(
			error, NP_ERROR_USAGE, ENODATA,
			"--gid-index: there is no GID %.32s on %s:%u; --list-devices "
			"lists them",
			text, device->name, device->port);
	take(device, &entry);
	return 0;
}

enum np_ibv_gids np_ibv_gid_choose(struct np_ibv_device *device,
				   const struct np_ibv_network *network,
				   enum np_ibv_relation *relation)
{
	enum np_ibv_gids found = NP_IBV_NO_GID;
	struct ibv_gid_entry entry;
	int best = 0;

	*relation = NP_IBV_UNRELATED;
	for (int i = 0; i < device->port_attr.gid_tbl_len; i++) {
		if (!np_ibv_gid_read(device->context, device->port, i, &entry))
			continue;
		if (!is_here(device, &entry, network)) {
			if (found == NP_IBV_NO_GID)
				found = NP_IBV_GIDS_ELSEWHERE;
			continue;
		}
		found = NP_IBV_GID_FOUND;
		if (rank_gid(&entry, network) <= best)
			continue;
		best = rank_gid(&entry, network);
		*relation = np_ibv_network_relation(network, &entry.gid);
		take(device, &entry);
	}
	return found;
}

int np_ibv_gid_settle(struct np_ibv_device *device, const struct np_ibv_options *options,
		      struct np_error *error)
{
	const char *text = options->gid_index;
	const bool automatic = !np_ibv_is_given(text) || strcmp(text, "auto") == 0;

	device->global = !automatic || device->fabric != NP_IBV_INFINIBAND ||
			 (device->port_attr.flags & IBV_QPF_GRH_REQUIRED) != 0;
	return automatic ? 0 : take_given(device, text, error);
}
