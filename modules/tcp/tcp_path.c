/*
 * tcp_path.c - network interface of the data connection: name, MTU, offloads, and packets
 * that it drops on receipt.
 */
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tcp_private.h"

/* Bytes of an address as IPv6, IPv4 mapped.  Returns false for other families. */
static bool address_bytes(const struct sockaddr *from, unsigned char bytes[16])
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (from == NULL || (from->sa_family != AF_INET && from->sa_family != AF_INET6))
		return false;
	if (from->sa_family == AF_INET6) {
		memcpy(bytes, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
		return true;
	}
	memcpy(bytes, mapped, sizeof(mapped));
	memcpy(bytes + sizeof(mapped), &((const struct sockaddr_in *)from)->sin_addr, 4);
	return true;
}

/* Finds the interface with the local address of the connection: the loopback if both
 * addresses are equal.  Returns false if there is none. */
static bool find_interface(int fd, char name[IFNAMSIZ])
{
	struct sockaddr_storage local = { 0 }, remote = { 0 };
	socklen_t local_length = sizeof(local), remote_length = sizeof(remote);
	unsigned char mine[16], theirs[16], other[16];
	struct ifaddrs *list = NULL;
	bool found = false;

	if (getsockname(fd, (struct sockaddr *)&local, &local_length) != 0 ||
	    getpeername(fd, (struct sockaddr *)&remote, &remote_length) != 0 ||
	    !address_bytes((struct sockaddr *)&local, mine) ||
	    !address_bytes((struct sockaddr *)&remote, theirs))
		return false;
	if (memcmp(mine, theirs, sizeof(mine)) == 0) {
		snprintf(name, IFNAMSIZ, "lo");
		return true;
	}
	if (getifaddrs(&list) != 0)
		return false;
	for (const struct ifaddrs *at = list; at != NULL && !found; at = at->ifa_next) {
		found = address_bytes(at->ifa_addr, other) &&
			memcmp(mine, other, sizeof(mine)) == 0;
		if (found)
			snprintf(name, IFNAMSIZ, "%.*s", IFNAMSIZ - 1, at->ifa_name);
	}
	freeifaddrs(list);
	return found;
}

static int open_statistic(const char *interface, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/%s", interface, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

void np_tcp_path_open(struct np_tcp *tcp)
{
	tcp->dropped[0] = tcp->dropped[1] = -1;
	/* The loopback has no queue that drops. */
	if (!find_interface(tcp->fd, tcp->interface) || strcmp(tcp->interface, "lo") == 0)
		return;
	tcp->dropped[0] = open_statistic(tcp->interface, "rx_dropped");
	tcp->dropped[1] = open_statistic(tcp->interface, "rx_missed_errors");
}

void np_tcp_path_close(struct np_tcp *tcp)
{
	for (size_t i = 0; i < 2; i++) {
		if (tcp->dropped[i] >= 0)
			close(tcp->dropped[i]);
		tcp->dropped[i] = -1;
	}
}

uint64_t np_tcp_path_dropped(const struct np_tcp *tcp)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < 2; i++) {
		char text[32];
		const ssize_t length = tcp->dropped[i] < 0 ? 0 :
							     pread(tcp->dropped[i], text,
								   sizeof(text) - 1, 0);

		if (length <= 0)
			continue;
		text[length] = '\0';
		sum += strtoull(text, NULL, 10);
	}
	return sum;
}

/* Returns the flag of an offload of the interface: 1, 0, or -1 if it is not known. */
static int get_offload(int fd, const char *interface, unsigned command)
{
	struct ethtool_value value = { .cmd = command };
	struct ifreq request = { .ifr_data = (char *)&value };

	memcpy(request.ifr_name, interface, IFNAMSIZ);
	return ioctl(fd, SIOCETHTOOL, &request) == 0 ? value.data != 0 : -1;
}

static int get_mtu(int fd, const char *interface)
{
	struct ifreq request = { .ifr_mtu = 0 };

	memcpy(request.ifr_name, interface, IFNAMSIZ);
	return ioctl(fd, SIOCGIFMTU, &request) == 0 ? request.ifr_mtu : 0;
}

/* Bytes of headers in a packet, at most: IPv6, TCP and its options. */
enum { HEADERS_MOST = 100 };

/* Adds a warning of segmentation in software, and of segments shorter than the MTU: a peer
 * or path with a smaller one. */
static void warn_path(const struct np_tcp *tcp, int tso, int mtu, struct np_facts *facts)
{
	const struct np_tcp_options *options = tcp->endpoint.options;
	struct tcp_info info = { 0 };
	socklen_t length = sizeof(info);
	char offload[96] = "", segments[160] = "";

	if (tso == 0)
		snprintf(offload, sizeof(offload), "TSO is off (ethtool -K %s tso on)",
			 tcp->interface);
	if (options->mss == 0 && mtu > 0 &&
	    getsockopt(tcp->fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
	    info.tcpi_snd_mss != 0 && (int)info.tcpi_snd_mss + HEADERS_MOST < mtu)
		snprintf(segments, sizeof(segments),
			 "segments of %u B at an MTU of %d (the peer or the path has a "
			 "smaller one)",
			 info.tcpi_snd_mss, mtu);
	if (offload[0] != '\0' || segments[0] != '\0')
		np_facts_add(facts, "warning_path", "%s: %s%s%s", tcp->interface, offload,
			     offload[0] != '\0' && segments[0] != '\0' ? ", " : "",
			     segments);
}

void np_tcp_path_describe(const struct np_tcp *tcp, struct np_facts *facts)
{
	static const struct {
		const char *name;
		unsigned command;
	} offloads[] = { { "tso", ETHTOOL_GTSO },
			 { "gso", ETHTOOL_GGSO },
			 { "gro", ETHTOOL_GGRO } };
	char on[32] = "";
	size_t used = 0;

	if (tcp->interface[0] == '\0')
		return;
	const int mtu = get_mtu(tcp->fd, tcp->interface);
	const int tso = get_offload(tcp->fd, tcp->interface, ETHTOOL_GTSO);

	np_facts_add(facts, "interface", "%s", tcp->interface);
	if (mtu > 0)
		np_facts_add_number(facts, "interface_mtu", (uint64_t)mtu, NP_UNIT_BYTES,
				    NULL);
	for (size_t i = 0; i < sizeof(offloads) / sizeof(*offloads); i++) {
		if (get_offload(tcp->fd, tcp->interface, offloads[i].command) == 1)
			used += (size_t)snprintf(on + used, sizeof(on) - used, "%s%s",
						 used != 0 ? " " : "", offloads[i].name);
	}
	np_facts_add(facts, "offload", "%s", used != 0 ? on : "none");
	if (strcmp(tcp->interface, "lo") != 0)
		warn_path(tcp, tso, mtu, facts);
}
