/*
 * tcp.c - NPtcp, messages over one TCP connection, IPv4 or IPv6: options, setup and
 * module table.
 *
 * np_boot_link() makes the connection through the port of the control channel.
 */
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tcp_private.h"

/* Limits of Linux: TCP_MIN_MSS, MAX_TCP_WINDOW, and INT_MAX / 2, as it doubles a buffer
 * size. */
enum { MSS_MINIMUM = 88, MSS_MAXIMUM = 32767, BUFFER_MAXIMUM = 0x3fffffff };

const char *const np_tcp_receive_names[NP_TCP_RECEIVES + 1] = {
	[NP_TCP_BLOCKING] = "blocking",
	[NP_TCP_POLL] = "poll",
	[NP_TCP_EPOLL] = "epoll",
};

/* Variants of --tune: completion modes and fixed buffer sizes. */
static const char *const shortlist[] = { "poll:receive=poll",	     "epoll:receive=epoll",
					 "buf256K:buffer-size=256K", "buf1M:buffer-size=1M",
					 "buf4M:buffer-size=4M",     NULL };

#define AT(member) offsetof(struct np_tcp_options, member)

// clang-format off
static const struct np_option options_table[] = {
	{ 'b', "buffer-size", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(buffer_size), 0, BUFFER_MAXIMUM, NULL, NULL,
	  "socket buffers; 0: the kernel's choice",
	  .group = "The connection", .brief = true, .alias = "buffersize", .varies = true },
	{ 0, "receive", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(receive), 0, 0, np_tcp_receive_names, "blocking",
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

/* The second variant: polling against blocking, either kind of sleeping against polling. */
static enum np_tcp_receive other_mode(int receive)
{
	return receive == NP_TCP_POLL ? NP_TCP_BLOCKING : NP_TCP_POLL;
}

static int check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct np_tcp_options *options = values;

	request->waits[0] = np_tcp_receive_names[options->receive];
	request->waits[1] = np_tcp_receive_names[other_mode(options->receive)];
	if (options->mss != 0 && options->mss < MSS_MINIMUM)
		return np_refuse(error, "--mss: %zu is out of range (0, or %d to %d)",
				 options->mss, MSS_MINIMUM, MSS_MAXIMUM);
	return 0;
}

static int open_endpoint(struct np_endpoint *endpoint)
{
	struct np_tcp *tcp = (struct np_tcp *)endpoint;
	const struct np_tcp_options *options = endpoint->options;
	int rc;

	tcp->fd = -1;
	tcp->epoll = -1;
	rc = np_tcp_try_congestion(options, &endpoint->error);
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

	rc = np_boot_link(endpoint->boot, np_tcp_prepare_socket, &options, &tcp->fd,
			  &endpoint->error);
	if (rc != 0)
		return rc;
	atomic_store(&endpoint->socket, tcp->fd);
	rc = np_tcp_set_number(tcp->fd, IPPROTO_TCP, TCP_NODELAY, options.nagle ? 0 : 1,
			       "TCP_NODELAY", &endpoint->error);
	if (rc != 0)
		return rc;
	if (tcp->epoll >= 0 && epoll_ctl(tcp->epoll, EPOLL_CTL_ADD, tcp->fd, &event) != 0)
		return np_fail_errno(&endpoint->error, errno,
				     "cannot watch the data connection");
	return 0;
}

enum np_tcp_receive np_tcp_receive_mode(const struct np_endpoint *endpoint)
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
						 np_tcp_receive_mode(endpoint);

	endpoint->code_path = transfer->operation == NP_BIDIRECTIONAL ?
				      np_tcp_bidirectional(mode) :
				      np_tcp_one_way(mode);
	return 0;
}

static void close_endpoint(struct np_endpoint *endpoint)
{
	struct np_tcp *tcp = (struct np_tcp *)endpoint;

	atomic_store(&endpoint->socket, -1);
	if (tcp->epoll >= 0)
		close(tcp->epoll);
	if (tcp->fd >= 0)
		close(tcp->fd);
	tcp->epoll = -1;
	tcp->fd = -1;
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
	.describe = np_tcp_describe,
	.count = np_tcp_count,
};
