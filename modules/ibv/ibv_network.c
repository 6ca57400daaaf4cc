/*
 * ibv_network.c - network interfaces of this namespace, and what they say of a GID.
 *
 * An RDMA device shows the GIDs of all network namespaces, and the kernel connects by
 * those of the process's own only.  A RoCE GID is an IP address, or was made of a MAC
 * address; so it belongs to this namespace if an interface here has that address.
 */
#include "ibv_network.h"

#include <linux/if_packet.h>
#include <netinet/in.h>
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

/* The link-local address that is made of a MAC address: RFC 4291, appendix A. */
static bool link_local_of(const struct sockaddr *address, union ibv_gid *gid)
{
	const struct sockaddr_ll *link = (const void *)address;

	if (address->sa_family != AF_PACKET || link->sll_halen != 6)
		return false;
	memset(gid, 0, sizeof(*gid));
	gid->raw[0] = 0xfe;
	gid->raw[1] = 0x80;
	memcpy(&gid->raw[8], link->sll_addr, 3);
	gid->raw[8] ^= 2;
	gid->raw[11] = 0xff;
	gid->raw[12] = 0xfe;
	memcpy(&gid->raw[13], link->sll_addr + 3, 3);
	return true;
}

static bool is_of(const struct sockaddr *address, const union ibv_gid *gid)
{
	union ibv_gid own;

	return (gid_of(address, &own) || link_local_of(address, &own)) &&
	       memcmp(own.raw, gid->raw, sizeof(own.raw)) == 0;
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
	if (memcmp(control.raw, gid->raw, sizeof(control.raw)) == 0)
		return NP_IBV_SAME_ADDRESS;
	route = np_ibv_network_interface(network, &control);
	return route != NULL && strcmp(route, interface) == 0 ? NP_IBV_SAME_INTERFACE :
								NP_IBV_UNRELATED;
}
