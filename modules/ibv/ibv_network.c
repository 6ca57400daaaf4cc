/*
 * ibv_network.c - network interfaces of this namespace, and the interface of a GID.
 *
 * An RDMA device shows the GIDs of all network namespaces, and the kernel connects by GIDs
 * of the process's own only.  A RoCE GID is an IP address, or was made of a MAC address; it
 * belongs to this namespace if an interface here has that address.  The GID of an iWARP
 * port is a MAC address, and the address of an IPoIB interface ends in the GID of its port.
 */
#include "ibv_network.h"

#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

#include "ibv_names.h"

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

enum np_ibv_relation np_ibv_network_relation(const struct np_ibv_network *network,
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
