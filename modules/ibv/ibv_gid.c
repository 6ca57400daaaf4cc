/*
 * ibv_gid.c - selects the GID of a port, and finds its network interface.
 *
 * The table of an Ethernet port has several GIDs for each interface.  Order of preference:
 * the address of the control connection, since the peer can be reached by it; other
 * addresses of the same interface; RoCE v2, since it is routable; an address that is not
 * link-local; an IPv4 address.
 */
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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
	/* EFA reports neither a transport nor a link layer.  Drivers of InfiniBand older
	 * than the attribute report a transport. */
	if (port->link_layer == IBV_LINK_LAYER_UNSPECIFIED &&
	    context->device->transport_type != IBV_TRANSPORT_IB)
		return NP_IBV_UNSPECIFIED;
	return port->link_layer == IBV_LINK_LAYER_ETHERNET ? NP_IBV_ROCE :
							     NP_IBV_INFINIBAND;
}

bool np_ibv_gid_has_interface(enum np_ibv_fabric fabric)
{
	return fabric == NP_IBV_ROCE || fabric == NP_IBV_IWARP;
}

/*
 * Network interfaces of this namespace, and the interface of a GID.
 *
 * An RDMA device shows the GIDs of all network namespaces, and the kernel connects by GIDs
 * of the process's own only.  A RoCE GID is an IP address, or was made of a MAC address; it
 * belongs to this namespace if an interface here has that address.  The GID of an iWARP
 * port is a MAC address, and the address of an IPoIB interface ends in the GID of its port.
 */

void np_ibv_network_open(struct np_ibv_network *network,
			 const struct sockaddr_storage *control)
{
	*network = (struct np_ibv_network){ .list = NULL };
	if (control != NULL)
		network->control = *control;
	if (getifaddrs(&network->list) != 0)
		network->list = NULL;
}

void np_ibv_network_close(struct np_ibv_network *network)
{
	if (network->list != NULL)
		freeifaddrs(network->list);
	network->list = NULL;
}

/* An IP address as a GID; false for another family. */
static bool gid_of(const struct sockaddr *address, union ibv_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	if (address->sa_family == AF_INET) {
		const struct sockaddr_in *four = (const void *)address;

		gid->raw[10] = 0xff;
		gid->raw[11] = 0xff;
		memcpy(&gid->raw[12], &four->sin_addr, sizeof(four->sin_addr));
		return true;
	}
	if (address->sa_family == AF_INET6) {
		const struct sockaddr_in6 *six = (const void *)address;

		memcpy(gid->raw, &six->sin6_addr, sizeof(gid->raw));
		return true;
	}
	return false;
}

static bool is_same(const union ibv_gid *one, const union ibv_gid *other)
{
	return memcmp(one->raw, other->raw, sizeof(one->raw)) == 0;
}

/* True if a GID is a MAC address, or the link-local address made of it (RFC 4291, appendix
 * A). */
static bool is_of_mac(const unsigned char mac[6], const union ibv_gid *gid)
{
	union ibv_gid plain = { .raw = { 0 } }, local = { .raw = { 0xfe, 0x80 } };

	memcpy(plain.raw, mac, 6);
	memcpy(&local.raw[8], mac, 3);
	local.raw[8] ^= 2;
	local.raw[11] = 0xff;
	local.raw[12] = 0xfe;
	memcpy(&local.raw[13], mac + 3, 3);
	return is_same(gid, &plain) || is_same(gid, &local);
}

static bool is_of(const struct sockaddr *address, const union ibv_gid *gid)
{
	const struct sockaddr_ll *link = (const void *)address;
	/* Up to 20 bytes (IPoIB): RFC 4391, section 9.1.1. */
	const unsigned char *bytes =
		(const unsigned char *)address + offsetof(struct sockaddr_ll, sll_addr);
	union ibv_gid own;

	if (address->sa_family != AF_PACKET)
		return gid_of(address, &own) && is_same(&own, gid);
	if (link->sll_halen == 20)
		return memcmp(bytes + 4, gid->raw, sizeof(gid->raw)) == 0;
	return link->sll_halen == 6 && is_of_mac(bytes, gid);
}

const char *np_ibv_network_interface(const struct np_ibv_network *network,
				     const union ibv_gid *gid)
{
	for (const struct ifaddrs *at = network->list; at != NULL; at = at->ifa_next) {
		if (at->ifa_addr != NULL && is_of(at->ifa_addr, gid))
			return at->ifa_name;
	}
	return NULL;
}

const char *np_ibv_network_bond(const struct np_ibv_network *network,
				const union ibv_gid *gid)
{
	for (const struct ifaddrs *at = network->list; at != NULL; at = at->ifa_next) {
		if (at->ifa_addr != NULL && (at->ifa_flags & IFF_MASTER) != 0 &&
		    is_of(at->ifa_addr, gid))
			return at->ifa_name;
	}
	return NULL;
}

static enum np_ibv_relation network_relation(const struct np_ibv_network *network,
					     const union ibv_gid *gid)
{
	const char *interface = np_ibv_network_interface(network, gid), *route;
	union ibv_gid control;

	if (interface == NULL ||
	    !gid_of((const struct sockaddr *)&network->control, &control))
		return NP_IBV_UNRELATED;
	if (is_same(&control, gid))
		return NP_IBV_SAME_ADDRESS;
	route = np_ibv_network_interface(network, &control);
	return route != NULL && strcmp(route, interface) == 0 ? NP_IBV_SAME_INTERFACE :
								NP_IBV_UNRELATED;
}

/* Preference of an address for a GID, higher is better. */
static int rank_address(const union ibv_gid *own, const union ibv_gid *gid,
			const union ibv_gid *control)
{
	if (is_same(own, gid))
		return 4;
	if (is_same(own, control))
		return 3;
	return np_ibv_gid_is_ipv4(own) ? 2 : 1;
}

bool np_ibv_network_address(const struct np_ibv_network *network, const union ibv_gid *gid,
			    union ibv_gid *address, unsigned *index)
{
	const char *interface = np_ibv_network_interface(network, gid);
	union ibv_gid own, control;
	int best = 0;

	if (!gid_of((const struct sockaddr *)&network->control, &control))
		memset(&control, 0, sizeof(control));
	for (const struct ifaddrs *at = network->list; at != NULL && interface != NULL;
	     at = at->ifa_next) {
		if (at->ifa_addr == NULL || strcmp(at->ifa_name, interface) != 0 ||
		    !gid_of(at->ifa_addr, &own) ||
		    rank_address(&own, gid, &control) <= best)
			continue;
		best = rank_address(&own, gid, &control);
		*address = own;
	}
	*index = best != 0 ? if_nametoindex(interface) : 0;
	return best != 0;
}

/* ---- Selection ----------------------------------------------------------------- */

/* True unless the GID of an Ethernet port belongs to another network namespace. */
static bool is_here(const struct np_ibv_device *device, const struct ibv_gid_entry *entry,
		    const struct np_ibv_network *network)
{
	return !np_ibv_gid_has_interface(device->fabric) || network->list == NULL ||
	       np_ibv_network_interface(network, &entry->gid) != NULL;
}

/* Preference of a GID, higher is better. */
static int rank_gid(const struct ibv_gid_entry *entry, const struct np_ibv_network *network)
{
	const unsigned char *raw = entry->gid.raw;
	const bool link_local = raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80;
	const bool routed = entry->gid_type == IBV_GID_TYPE_ROCE_V2;

	return 1 + 8 * (int)network_relation(network, &entry->gid) + (routed ? 4 : 0) +
	       (link_local ? 0 : 2) + (np_ibv_gid_is_ipv4(&entry->gid) ? 1 : 0);
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
		*relation = network_relation(network, &entry.gid);
		take(device, &entry);
	}
	return found;
}

int np_ibv_gid_settle(struct np_ibv_device *device, const struct np_ibv_options *options,
		      struct np_error *error)
{
	const char *text = options->gid_index;
	const bool automatic = text == NULL || strcmp(text, "auto") == 0;

	device->global = !automatic || device->fabric != NP_IBV_INFINIBAND ||
			 (device->port_attr.flags & IBV_QPF_GRH_REQUIRED) != 0;
	return automatic ? 0 : take_given(device, text, error);
}
