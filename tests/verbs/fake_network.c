/*
 * fake_network.c - network interfaces of the host with the fake device: getifaddrs() in
 * place of the C library's.
 *
 * eth0 and eth1 have the addresses that are the GIDs of fake0 and fake1, and a hardware
 * address of Ethernet or IPoIB.  A test can put the interface of a device into another
 * network namespace.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "fake_verbs_private.h"

/* Addresses of an interface: hardware, link-local and IPv4. */
enum { ADDRESSES = 3 };

struct entry {
	struct ifaddrs shown; /* first: it is what the list consists of */
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
		struct sockaddr_ll link;
		unsigned char
			room[sizeof(struct sockaddr_ll) + 12]; /* as the C library's */
	} address;
};

static char names[FAKE_DEVICES][8] = { "eth0", "eth1" };

static void set_hardware(struct sockaddr_ll *link, unsigned char *address, size_t device)
{
	/* The interface of an EFA's host is another device's. */
	const bool ethernet = fake_verbs()->devices[device].ethernet ||
			      fake_verbs()->devices[device].unspecified;
	union ibv_gid gid;

	fake_verbs_gid(device, 0, &gid);
	link->sll_family = AF_PACKET;
	link->sll_halen = ethernet ? 6 : 20;
	if (ethernet)
		memcpy(address,
		       (unsigned char[6]){ [0] = 2, [5] = (unsigned char)(device + 1) }, 6);
	else
		memcpy(address + 4, gid.raw, sizeof(gid.raw));
}

static struct entry *make_entry(size_t device, size_t which)
{
	struct entry *entry = calloc(1, sizeof(*entry));
	unsigned char *bytes;

	if (entry == NULL)
		abort();
	if (which == 0) {
		set_hardware(&entry->address.link,
			     entry->address.room + offsetof(struct sockaddr_ll, sll_addr),
			     device);
	} else if (which == 1) {
		entry->address.six.sin6_family = AF_INET6;
		bytes = entry->address.six.sin6_addr.s6_addr;
		bytes[0] = 0xfe;
		bytes[1] = 0x80;
		bytes[15] = (unsigned char)(device + 1);
	} else {
		entry->address.four.sin_family = AF_INET;
		entry->address.four.sin_addr.s_addr =
			htonl(192u << 24 | (uint32_t)(device + 1));
	}
	entry->shown.ifa_name = names[device];
	entry->shown.ifa_flags = fake_verbs()->devices[device].bonded ? IFF_MASTER : 0;
	entry->shown.ifa_addr = &entry->address.any;
	return entry;
}

int getifaddrs(struct ifaddrs **list)
{
	struct ifaddrs **link = list;

	*list = NULL;
	for (size_t device = 0; device < FAKE_DEVICES; device++) {
		if (fake_verbs()->devices[device].elsewhere)
			continue;
		for (size_t i = 0; i < ADDRESSES; i++) {
			*link = &make_entry(device, i)->shown;
			link = &(*link)->ifa_next;
		}
	}
	return 0;
}

void freeifaddrs(struct ifaddrs *list)
{
	while (list != NULL) {
		struct ifaddrs *next = list->ifa_next;

		free(list);
		list = next;
	}
}
