/*
 * tcp_facts.c - effective socket options and counters of the data connection.
 *
 * All are read from the kernel after the handshake, not copied from the options: Linux
 * doubles and clamps buffer sizes and lowers the segment size to that of the path.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "tcp_private.h"

enum { ADDRESS_LENGTH = NI_MAXHOST, PORT_LENGTH = 8 };

/* Converts an IPv4-mapped IPv6 address to IPv4. */
static void unmap_address(struct sockaddr_storage *address)
{
	struct sockaddr_in6 mapped;
	struct sockaddr_in plain = { .sin_family = AF_INET };

	if (address->ss_family != AF_INET6)
		return;
	memcpy(&mapped, address, sizeof(mapped));
	if (!IN6_IS_ADDR_V4MAPPED(&mapped.sin6_addr))
		return;
	plain.sin_port = mapped.sin6_port;
	memcpy(&plain.sin_addr, &mapped.sin6_addr.s6_addr[12], sizeof(plain.sin_addr));
	memcpy(address, &plain, sizeof(plain));
}

static void add_address(struct np_facts *facts, const char *name,
			const struct sockaddr_storage *address)
{
	const bool six = address->ss_family == AF_INET6;
	const socklen_t length =
		six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	char host[ADDRESS_LENGTH], port[PORT_LENGTH];

	if (getnameinfo((const struct sockaddr *)address, length, host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		np_facts_add(facts, name, "not reported");
	else
		np_facts_add(facts, name, six ? "[%s]:%s" : "%s:%s", host, port);
}

static void describe_addresses(int fd, struct np_facts *facts)
{
	struct sockaddr_storage local = { 0 }, remote = { 0 };
	socklen_t local_length = sizeof(local), remote_length = sizeof(remote);

	if (getsockname(fd, (struct sockaddr *)&local, &local_length) != 0 ||
	    getpeername(fd, (struct sockaddr *)&remote, &remote_length) != 0)
		return;
	unmap_address(&local);
	unmap_address(&remote);
	np_facts_add(facts, "family", "%s", remote.ss_family == AF_INET6 ? "IPv6" : "IPv4");
	add_address(facts, "local", &local);
	add_address(facts, "remote", &remote);
}

static void add_bytes(struct np_facts *facts, const char *name, int fd, int level,
		      int option)
{
	int value = 0;
	socklen_t length = sizeof(value);

	if (getsockopt(fd, level, option, &value, &length) != 0 || value < 0)
		np_facts_add(facts, name, "not reported");
	else
		np_facts_add_number(facts, name, (uint64_t)value, NP_UNIT_BYTES, NULL);
}

static void add_congestion(struct np_facts *facts, int fd)
{
	char name[32] = "";
	socklen_t length = sizeof(name) - 1;

	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &length) != 0)
		np_facts_add(facts, "congestion", "not reported");
	else
		np_facts_add(facts, "congestion", "%s", name);
}

/* tcp_rmem or tcp_wmem: minimum, initial and maximum bytes of an autotuned buffer. */
static void add_limits(struct np_facts *facts, const char *path, const char *name)
{
	FILE *file = fopen(path, "re");
	char line[128];

	if (file == NULL)
		return;
	if (fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		for (char *tab = line; (tab = strchr(tab, '\t')) != NULL;)
			*tab = ' ';
		np_facts_add(facts, name, "%s", line);
	}
	fclose(file);
}

void np_tcp_describe(struct np_endpoint *endpoint, struct np_facts *facts)
{
	const struct np_tcp *tcp = (const struct np_tcp *)endpoint;
	const struct np_tcp_options *options = endpoint->options;
	const enum np_tcp_receive mode = np_tcp_receive_mode(endpoint);
	int nodelay = 0;
	socklen_t length = sizeof(nodelay);

	if (tcp->fd < 0)
		return;
	describe_addresses(tcp->fd, facts);
	np_facts_add(facts, "receive", "%s%s", np_tcp_receive_names[mode],
		     (int)mode == options->receive ?
			     "" :
			     " (fewer cores than processes: polling would measure the "
			     "scheduler)");
	add_bytes(facts, "send_buffer", tcp->fd, SOL_SOCKET, SO_SNDBUF);
	add_bytes(facts, "receive_buffer", tcp->fd, SOL_SOCKET, SO_RCVBUF);
	np_facts_add(facts, "buffers", "%s",
		     options->buffer_size != 0 ? "fixed" : "sized by the kernel");
	add_limits(facts, "/proc/sys/net/ipv4/tcp_wmem", "wmem");
	add_limits(facts, "/proc/sys/net/ipv4/tcp_rmem", "rmem");
	add_bytes(facts, "mss", tcp->fd, IPPROTO_TCP, TCP_MAXSEG);
	add_congestion(facts, tcp->fd);
	if (getsockopt(tcp->fd, IPPROTO_TCP, TCP_NODELAY, &nodelay, &length) == 0)
		np_facts_add(facts, "nodelay", "%s", nodelay != 0 ? "yes" : "no");
}

size_t np_tcp_count(struct np_endpoint *endpoint, struct np_counter *counters)
{
	const struct np_tcp *tcp = (const struct np_tcp *)endpoint;
	struct tcp_info info = { 0 };
	socklen_t length = sizeof(info);

	/* An older kernel fills a part of the structure.  The names must be the same in
	 * every call, so a failure counts 0. */
	if (getsockopt(tcp->fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
		memset(&info, 0, sizeof(info));
	counters[0] = (struct np_counter){ "tcp_retransmits", info.tcpi_total_retrans };
	counters[1] =
		(struct np_counter){ "tcp_retransmitted_bytes", info.tcpi_bytes_retrans };
	return 2;
}
