/*
 * tcp.c - NPtcp, messages over one TCP connection, IPv4 or IPv6: options, setup, the
 * network interface and other facts, and module table.
 *
 * np_boot_link() makes the connection through the port of the control channel.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
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

/* Finds the interface of the connected socket, and opens its counts. */
static void tcp_path_open(struct np_tcp *tcp)
{
	tcp->dropped[0] = tcp->dropped[1] = -1;
	/* The loopback has no queue that drops. */
	if (!find_interface(tcp->fd, tcp->interface) || strcmp(tcp->interface, "lo") == 0)
		return;
	tcp->dropped[0] = open_statistic(tcp->interface, "rx_dropped");
	tcp->dropped[1] = open_statistic(tcp->interface, "rx_missed_errors");
}

static void tcp_path_close(struct np_tcp *tcp)
{
	for (size_t i = 0; i < 2; i++) {
		if (tcp->dropped[i] >= 0)
			close(tcp->dropped[i]);
		tcp->dropped[i] = -1;
	}
}

/* Returns the packets that the interface has dropped on receipt; 0 without an interface. */
static uint64_t tcp_path_dropped(const struct np_tcp *tcp)
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

/* Adds name, MTU and offloads of the interface, and "warning_path" where these spoil
 * figures. */
static void tcp_path_describe(const struct np_tcp *tcp, struct np_facts *facts)
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

/* Limits of Linux: TCP_MIN_MSS, MAX_TCP_WINDOW, and INT_MAX / 2, as the kernel
 * doubles a buffer size. */
enum { MSS_MINIMUM = 88, MSS_MAXIMUM = 32767, BUFFER_MAXIMUM = 0x3fffffff };

static const char *const receive_names[NP_TCP_RECEIVES + 1] = {
	[NP_TCP_BLOCKING] = "blocking",
	[NP_TCP_POLL] = "poll",
	[NP_TCP_EPOLL] = "epoll",
};

/* Variants of --tune: completion modes and fixed buffer sizes. */
static const char *const shortlist[] = { "poll:wait=poll",	     "epoll:wait=epoll",
					 "buf256K:buffer-size=256K", "buf1M:buffer-size=1M",
					 "buf4M:buffer-size=4M",     NULL };

#define AT(member) offsetof(struct np_tcp_options, member)

// clang-format off
static const struct np_option options_table[] = {
	{ 'b', "buffer-size", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(buffer_size), 0, BUFFER_MAXIMUM, NULL, NULL,
	  "socket buffers; 0: the kernel's choice",
	  .group = "The connection", .brief = true, .alias = "buffersize", .varies = true },
	{ 0, "wait", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(receive), 0, 0, receive_names, "blocking",
	  "how to wait",
	  .brief = true, .varies = true },
	{ 0, "nagle", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(nagle), 0, 0, NULL, NULL,
	  "let the kernel hold back small messages: TCP_NODELAY is not set",
	  .varies = true },
	{ 0, "congestion", "NAME", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(congestion), 0, 0, NULL, NULL,
	  "use the congestion control algorithm NAME of the kernel",
	  .varies = true },
	{ 0, "mss", "BYTES", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(mss), 0, MSS_MAXIMUM, NULL, NULL,
	  "announce segments of at most BYTES (88 to 32767); 0 leaves it to the kernel",
	  .varies = true },
	{ 0 },
};
// clang-format on

/* Completion mode that --why compares with --wait: blocking beside poll, poll beside
 * both modes that sleep. */
static enum np_tcp_receive other_mode(int receive)
{
	return receive == NP_TCP_POLL ? NP_TCP_BLOCKING : NP_TCP_POLL;
}

static int check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct np_tcp_options *options = values;

	request->waits[0] = receive_names[options->receive];
	request->waits[1] = receive_names[other_mode(options->receive)];
	if (options->mss != 0 && options->mss < MSS_MINIMUM)
		return np_refuse(error, "--mss: %zu is out of range (0, or %d to %d)",
				 options->mss, MSS_MINIMUM, MSS_MAXIMUM);
	return 0;
}

/*
 * Socket options.
 *
 * Options are set before the handshake, which depends on them: window scaling follows the
 * buffer size, and the SYN announces the segment size.  Accepted connections inherit the
 * options of the listening socket, which all variants of a run share: so each variant also
 * resets the options that it does not set.
 */

static int set_number(int fd, int level, int option, size_t value, const char *name,
		      struct np_error *error)
{
	const int number = (int)value;

	if (setsockopt(fd, level, option, &number, sizeof(number)) != 0)
		return np_fail_errno(error, errno, "cannot set %s to %d", name, number);
	return 0;
}

/* Reads a sysctl of net.ipv4, the default of new sockets.  True if there is one. */
static bool read_default(const char *name, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/%s", name);
	FILE *file = fopen(path, "re");
	const bool found = file != NULL && fgets(text, (int)size, file) != NULL;

	if (found)
		text[strcspn(text, "\n")] = '\0';
	if (file != NULL)
		fclose(file);
	return found;
}

static int set_congestion(int fd, const char *name, struct np_error *error)
{
	char list[128];
	int code;

	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0)
		return 0;
	code = errno;
	if (code == EPERM)
		return np_fail(error, NP_ERROR_USAGE, code,
			       "--congestion: only root may use %.32s on this host", name);
	if (code != ENOENT)
		return np_fail_errno(error, code, "cannot set TCP_CONGESTION to %.32s",
				     name);
	/* Algorithms loaded in the kernel; only root may load more. */
	const bool listed =
		read_default("tcp_available_congestion_control", list, sizeof(list));

	return np_fail(error, NP_ERROR_USAGE, code,
		       "--congestion: this kernel has no algorithm %.32s; available: %s",
		       name, listed ? list : "not reported");
}

/* Tries --congestion at an unconnected socket, to fail before the peer waits.  Returns 0 or
 * -errno. */
static int try_congestion(const struct np_tcp_options *options, struct np_error *error)
{
	int fd, rc;

	if (options->congestion == NULL)
		return 0;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return np_fail_errno(error, errno, "cannot make a socket");
	rc = set_congestion(fd, options->congestion, error);
	close(fd);
	return rc;
}

/* Initial buffer size in bytes, the second number of "4096 131072 33554432"; 0: unknown. */
static size_t initial_size(const char *name)
{
	char text[128], *second;

	if (!read_default(name, text, sizeof(text)))
		return 0;
	(void)strtoul(text, &second, 10);
	return strtoul(second, NULL, 10);
}

static bool has_number(int fd, int option, size_t value)
{
	int number = 0;
	socklen_t length = sizeof(number);

	return getsockopt(fd, SOL_SOCKET, option, &number, &length) == 0 &&
	       (size_t)number == value;
}

/* Unlocks autotuning if an earlier variant fixed the buffers of this socket.  The kernel
 * doubles a size that is set. */
static int free_buffers(int fd, struct np_error *error)
{
	const size_t send = initial_size("tcp_wmem"), receive = initial_size("tcp_rmem");
	int rc;

	if (has_number(fd, SO_BUF_LOCK, 0) || send == 0 || receive == 0 ||
	    (has_number(fd, SO_SNDBUF, send) && has_number(fd, SO_RCVBUF, receive)))
		return 0;
	rc = set_number(fd, SOL_SOCKET, SO_SNDBUF, send / 2, "SO_SNDBUF", error);
	if (rc == 0)
		rc = set_number(fd, SOL_SOCKET, SO_RCVBUF, receive / 2, "SO_RCVBUF", error);
	return rc == 0 ? set_number(fd, SOL_SOCKET, SO_BUF_LOCK, 0, "SO_BUF_LOCK", error) :
			 rc;
}

static int fix_buffers(int fd, size_t size, struct np_error *error)
{
	const int rc = set_number(fd, SOL_SOCKET, SO_SNDBUF, size, "SO_SNDBUF", error);

	return rc == 0 ? set_number(fd, SOL_SOCKET, SO_RCVBUF, size, "SO_RCVBUF", error) :
			 rc;
}

/* Resets a listening socket to the kernel's defaults where the options set nothing. */
static int set_defaults(int fd, const struct np_tcp_options *options,
			struct np_error *error)
{
	char congestion[128];
	int rc = 0;

	if (options->buffer_size == 0)
		rc = free_buffers(fd, error);
	if (rc == 0 && options->mss == 0)
		rc = set_number(fd, IPPROTO_TCP, TCP_MAXSEG, 0, "TCP_MAXSEG", error);
	if (rc == 0 && options->congestion == NULL &&
	    read_default("tcp_congestion_control", congestion, sizeof(congestion)))
		rc = set_congestion(fd, congestion, error);
	return rc;
}

/* For np_boot_link(), with the options as context: called on a socket before connect(), or
 * on the listening one. */
static int prepare_socket(int fd, void *context, struct np_error *error)
{
	const struct np_tcp_options *options = context;
	int rc = 0;

	if (has_number(fd, SO_ACCEPTCONN, 1))
		rc = set_defaults(fd, options, error);
	if (rc == 0 && options->buffer_size != 0)
		rc = fix_buffers(fd, options->buffer_size, error);
	if (rc == 0 && options->mss != 0)
		rc = set_number(fd, IPPROTO_TCP, TCP_MAXSEG, options->mss, "TCP_MAXSEG",
				error);
	if (rc == 0 && options->congestion != NULL)
		rc = set_congestion(fd, options->congestion, error);
	return rc;
}

static int open_endpoint(struct np_endpoint *endpoint)
{
	struct np_tcp *tcp = (struct np_tcp *)endpoint;
	const struct np_tcp_options *options = endpoint->options;
	int rc;

	tcp->fd = -1;
	tcp->epoll = -1;
	tcp->dropped[0] = tcp->dropped[1] = -1;
	rc = try_congestion(options, &endpoint->error);
	if (rc != 0 || options->receive != NP_TCP_EPOLL)
		return rc;
	tcp->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (tcp->epoll < 0)
		return np_fail_errno(&endpoint->error, errno, "cannot create an epoll set");
	return 0;
}

static int connect_endpoint(struct np_endpoint *endpoint)
{
	struct np_tcp *tcp = (struct np_tcp *)endpoint;
	struct np_tcp_options options = *(const struct np_tcp_options *)endpoint->options;
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLET };
	int rc;

	rc = np_boot_link(endpoint->boot, prepare_socket, &options, &tcp->fd,
			  &endpoint->error);
	if (rc != 0)
		return rc;
	atomic_store(&endpoint->socket, tcp->fd);
	tcp_path_open(tcp);
	rc = set_number(tcp->fd, IPPROTO_TCP, TCP_NODELAY, options.nagle ? 0 : 1,
			"TCP_NODELAY", &endpoint->error);
	if (rc != 0)
		return rc;
	if (tcp->epoll >= 0 && epoll_ctl(tcp->epoll, EPOLL_CTL_ADD, tcp->fd, &event) != 0)
		return np_fail_errno(&endpoint->error, errno,
				     "cannot watch the data connection");
	return 0;
}

/* The effective mode: polling becomes blocking where both processes share a core, as it
 * would measure the scheduler. */
static enum np_tcp_receive receive_mode(const struct np_endpoint *endpoint)
{
	const struct np_tcp_options *options = endpoint->options;

	if (options->receive == NP_TCP_POLL && endpoint->share_core)
		return NP_TCP_BLOCKING;
	return (enum np_tcp_receive)options->receive;
}

static int arm(struct np_endpoint *endpoint, const struct np_transfer *transfer)
{
	const struct np_tcp_options *options = endpoint->options;
	const enum np_tcp_receive mode = transfer->other_wait ?
						 other_mode(options->receive) :
						 receive_mode(endpoint);

	endpoint->code_path =
		np_tcp_code_path(mode, transfer->operation == NP_BIDIRECTIONAL);
	return 0;
}

static void close_endpoint(struct np_endpoint *endpoint)
{
	struct np_tcp *tcp = (struct np_tcp *)endpoint;

	atomic_store(&endpoint->socket, -1);
	tcp_path_close(tcp);
	if (tcp->epoll >= 0)
		close(tcp->epoll);
	if (tcp->fd >= 0)
		close(tcp->fd);
	tcp->epoll = -1;
	tcp->fd = -1;
}

/*
 * Effective socket options and counters of the data connection.
 *
 * All are read from the kernel after the handshake, not copied from the options: Linux
 * doubles and clamps buffer sizes and lowers the segment size to that of the path.
 */

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

static void describe(struct np_endpoint *endpoint, struct np_facts *facts)
{
	const struct np_tcp *tcp = (const struct np_tcp *)endpoint;
	const struct np_tcp_options *options = endpoint->options;
	const enum np_tcp_receive mode = receive_mode(endpoint);
	int nodelay = 0;
	socklen_t length = sizeof(nodelay);

	if (tcp->fd < 0)
		return;
	describe_addresses(tcp->fd, facts);
	np_facts_add(facts, "receive", "%s%s", receive_names[mode],
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
	tcp_path_describe(tcp, facts);
}

static size_t count(struct np_endpoint *endpoint, struct np_counter *counters)
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
	counters[2] = (struct np_counter){ "rx_dropped", tcp_path_dropped(tcp) };
	return 3;
}

const struct np_module np_module_tcp = {
	NP_MODULE_NAMED("tcp"),
	.summary = "messages over a TCP connection, IPv4 or IPv6",
	.capabilities = NP_CAN_STREAM | NP_CAN_BIDIRECTIONAL | NP_CAN_RECONNECT |
			NP_CAN_SPAN_HOSTS | NP_CAN_FRESH | NP_CAN_SAME_BUFFER,
	.endpoint_size = sizeof(struct np_tcp),
	.options_size = sizeof(struct np_tcp_options),
	.options = options_table,
	.shortlist = shortlist,
	.check = check,
	.open = open_endpoint,
	.connect = connect_endpoint,
	.arm = arm,
	.close = close_endpoint,
	.describe = describe,
	.count = count,
};
