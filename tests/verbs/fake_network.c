/*
 * fake_network.c - the network interfaces of the host that the device in memory is in:
 * getifaddrs() in place of the C library's.
 *
 * eth0 and eth1 have the addresses that are the GIDs of fake0 and fake1; where a test
 * says so, those of one device are in another network namespace.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>

#include "fake_verbs_private.h"

enum { ADDRESSES = 2 };

struct entry {
	struct ifaddrs shown; /* first: it is what the list consists of */
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	} address;
};

static char names[FAKE_DEVICES][8] = { "eth0", "eth1" };

static struct entry *make_entry(size_t device, bool link_local)
{
	struct entry *entry = calloc(1, sizeof(*entry));
	unsigned char *bytes;

	if (entry == NULL)
		abort();
	if (link_local) {
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
			*link = &make_entry(device, i == 0)->shown;
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
