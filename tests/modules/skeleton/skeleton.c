/*
 * skeleton.c - NPskeleton, a template for new transport modules.
 *
 * It is a complete module: messages over a UNIX-domain stream socket between two
 * processes of a host, written for clarity rather than speed.  For a new transport copy
 * the folder, replace "skeleton" by its name, add a line after skeleton's to
 * configure.ac and to Makefile.am, and rewrite the hooks one by one;
 * tests/conformance/conform.c then tests it.
 *
 * Every hook returns 0, or -errno after np_fail() on endpoint->error; it never prints
 * and never exits.  No mutable file-scope variables.  The contract is
 * src/contract/np_module.h.
 */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "contract/np_loop.h"

struct skeleton_options {
	size_t send_buffer;
};

/* State of one process; the driver allocates it, zeroed.  The endpoint is the first
 * member, so that pointers to the two can be converted. */
struct skeleton {
	struct np_endpoint endpoint;
	/* Descriptors or -1; atomic, as interrupt() reads them in another thread.  They
	 * are closed only where interrupt() is not called. */
	atomic_int listener; /* rank 1 only */
	atomic_int connection;
	const unsigned char *unsent; /* rest of the current message */
	size_t unsent_length;
	unsigned char ack;
	uint64_t partial_sends; /* calls of send(2) that sent a part */
};

static struct skeleton *skeleton_of(struct np_endpoint *endpoint)
{
	return (struct skeleton *)endpoint;
}

/*
 * Optional.  --help, the header of the results and the plan sent to the peer are made
 * from this table.  NP_SCOPE_PLAN: the client's value holds for both processes;
 * NP_SCOPE_LOCAL: each process has its own.
 */
static const struct np_option options_table[] = {
	{ .name = "send-buffer",
	  .argument = "SIZE",
	  .type = NP_OPTION_SIZE,
	  .scope = NP_SCOPE_PLAN,
	  .offset = offsetof(struct skeleton_options, send_buffer),
	  .maximum = 0x3fffffff, /* the kernel doubles it, in an int */
	  .help = "ask for a socket buffer of SIZE bytes; 0 leaves it to the kernel" },
	{ 0 },
};

/*
 * check: Optional.  Both ranks, before open().  Refuses requests that the options cannot
 * serve, with NP_ERROR_USAGE, as far as no capability flag does; or sets defaults of the
 * request, as here.  Does not block.
 */
static int check(const void *options, struct np_request *request, struct np_error *error)
{
	(void)options;
	(void)error;
	if (request->window == 0)
		request->window = 1;
	return 0;
}

/*
 * open: Required.  Both ranks, at the begin and again after each close().  Acquires
 * local resources.  close() follows even if it fails, so it first puts the state into
 * one that close() copes with.
 */
static int open_endpoint(struct np_endpoint *endpoint)
{
	struct skeleton *skeleton = skeleton_of(endpoint);
	/* Autobind: an address of only a family gets a name from the kernel. */
	const struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	atomic_store(&skeleton->listener, endpoint->rank == 1 ? fd : -1);
	atomic_store(&skeleton->connection, endpoint->rank == 0 ? fd : -1);
	if (fd < 0)
		return np_fail_errno(&endpoint->error, errno, "cannot make a socket");
	if (endpoint->rank == 1 &&
	    (bind(fd, (const struct sockaddr *)&address, sizeof(sa_family_t)) != 0 ||
	     listen(fd, 1) != 0))
		return np_fail_errno(&endpoint->error, errno, "cannot wait on a socket");
	return 0;
}

/* Exchanged as it is in memory, since both processes are on one host. */
struct introduction {
	pid_t process;
	socklen_t length;
	struct sockaddr_un address;
};

static int dial(struct skeleton *skeleton, const struct introduction *peer)
{
	const int fd = atomic_load(&skeleton->connection);

	if (connect(fd, (const struct sockaddr *)&peer->address, peer->length) == 0)
		return 0;
	return np_fail_errno(&skeleton->endpoint.error, errno, "cannot reach the peer");
}

/* Accepts the peer only: connections of other processes are closed. */
static int answer(struct skeleton *skeleton, const struct introduction *peer)
{
	struct ucred credentials = { .pid = 0 };
	socklen_t length = sizeof(credentials);

	while (!np_should_stop(&skeleton->endpoint)) {
		const int fd =
			accept4(atomic_load(&skeleton->listener), NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0 && errno != EINTR)
			return np_fail_errno(&skeleton->endpoint.error, errno,
					     "cannot accept the peer");
		if (fd >= 0 &&
		    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 &&
		    credentials.pid == peer->process) {
			atomic_store(&skeleton->connection, fd);
			return 0;
		}
		if (fd >= 0)
			close(fd);
	}
	return -ECANCELED;
}

static int set_send_buffer(struct skeleton *skeleton)
{
	const struct skeleton_options *options = skeleton->endpoint.options;
	const int fd = atomic_load(&skeleton->connection);
	const int size = (int)options->send_buffer;

	if (size == 0 || setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) == 0)
		return 0;
	return np_fail_errno(&skeleton->endpoint.error, errno, "cannot set SO_SNDBUF");
}

/*
 * connect: Required.  Both ranks at the same time, after open().  Connects to the peer;
 * np_boot_exchange() exchanges addresses, keys and limits, and returns the peer's error
 * if the peer has failed.  May block where interrupt() can wake it.
 */
static int connect_endpoint(struct np_endpoint *endpoint)
{
	struct skeleton *skeleton = skeleton_of(endpoint);
	const int listener = atomic_load(&skeleton->listener);
	struct introduction mine = { .process = getpid() }, theirs = { .process = 0 };
	int rc;

	mine.length = sizeof(mine.address);
	if (listener >= 0 &&
	    getsockname(listener, (struct sockaddr *)&mine.address, &mine.length) != 0)
		return np_fail_errno(&endpoint->error, errno,
				     "cannot read a socket's name");
	rc = np_boot_exchange(endpoint->boot, &mine, &theirs, sizeof(mine),
			      &endpoint->error);
	if (rc == 0)
		rc = endpoint->rank == 0 ? dial(skeleton, &theirs) :
					   answer(skeleton, &theirs);
	return rc != 0 ? rc : set_send_buffer(skeleton);
}

/*
 * close: Required.  Each rank, once after every open(), whatever failed in between.
 * Does not communicate with the peer, which may be dead.
 */
static void close_endpoint(struct np_endpoint *endpoint)
{
	struct skeleton *skeleton = skeleton_of(endpoint);
	const int connection = atomic_exchange(&skeleton->connection, -1);
	const int listener = atomic_exchange(&skeleton->listener, -1);

	if (connection >= 0)
		close(connection);
	if (listener >= 0)
		close(listener);
}

/*
 * interrupt: Optional; needed if a hook may sleep in the kernel, which it ends.  Called
 * by the heartbeat thread every 100 ms once the run is stopped, never during open() or
 * close().  Reads atomics only and sets no error.
 */
static void interrupt(struct np_endpoint *endpoint)
{
	struct skeleton *skeleton = skeleton_of(endpoint);

	/* shutdown(-1) does nothing but fail. */
	shutdown(atomic_load(&skeleton->connection), SHUT_RDWR);
	shutdown(atomic_load(&skeleton->listener), SHUT_RDWR);
}

/* Sets the error, unless the run was stopped: then the driver reports the cause. */
static int failed(struct skeleton *skeleton, int code, const char *doing)
{
	if (np_should_stop(&skeleton->endpoint))
		return -ECANCELED;
	return np_fail(&skeleton->endpoint.error, NP_ERROR_PEER, code, "cannot %s: %s",
		       doing, strerror(code));
}

static bool not_yet(ssize_t moved)
{
	return moved < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Sends as much of the rest as the socket accepts. */
static int push(struct skeleton *skeleton, int flags)
{
	const ssize_t sent = send(atomic_load(&skeleton->connection), skeleton->unsent,
				  skeleton->unsent_length, flags | MSG_NOSIGNAL);

	if (sent < 0)
		return not_yet(sent) ? 0 : failed(skeleton, errno, "send");
	skeleton->unsent += sent;
	skeleton->unsent_length -= (size_t)sent;
	skeleton->partial_sends += skeleton->unsent_length != 0 ? 1 : 0;
	return 0;
}

/* flush: Required.  Waits until the buffers of all sends may be reused. */
static int flush(struct np_endpoint *endpoint)
{
	struct skeleton *skeleton = skeleton_of(endpoint);
	int rc = 0;

	while (rc == 0 && skeleton->unsent_length != 0)
		rc = push(skeleton, 0);
	return rc;
}

/* Completes the previous send and begins a new one. */
static int start_send(struct skeleton *skeleton, const unsigned char *from, size_t length)
{
	const int rc = flush(&skeleton->endpoint);

	if (rc != 0)
		return rc;
	skeleton->unsent = from;
	skeleton->unsent_length = length;
	return push(skeleton, MSG_DONTWAIT);
}

/* Also continues this process's send.  Otherwise two processes that send first, each more
 * than the socket buffer holds, would deadlock. */
static int receive(struct skeleton *skeleton, unsigned char *to, size_t length)
{
	struct pollfd ready = { .fd = atomic_load(&skeleton->connection),
				.events = POLLIN | POLLOUT };
	int rc = 0;

	while (length != 0 && rc == 0) {
		const bool sending = skeleton->unsent_length != 0;
		const int flags = sending ? MSG_DONTWAIT : MSG_WAITALL;

		if (sending && poll(&ready, 1, -1) < 0 && errno != EINTR)
			return failed(skeleton, errno, "wait");
		if (sending)
			rc = push(skeleton, MSG_DONTWAIT);
		const ssize_t got = recv(ready.fd, to, length, flags);
		if (got > 0) {
			to += got;
			length -= (size_t)got;
		} else if (!not_yet(got)) {
			return failed(skeleton, got == 0 ? ECONNRESET : errno, "receive");
		}
	}
	return rc;
}

/* send: Required.  May return before the message is sent. */
static int send_message(struct np_endpoint *endpoint, size_t slot)
{
	return start_send(skeleton_of(endpoint), endpoint->transfer->slots[slot].send,
			  endpoint->transfer->length);
}

/* recv: Required.  Returns when the next message is complete in its slot.  A hook that
 * spins calls np_give_way() every thousand polls. */
static int recv_message(struct np_endpoint *endpoint, size_t slot)
{
	return receive(skeleton_of(endpoint), endpoint->transfer->slots[slot].recv,
		       endpoint->transfer->length);
}

/* send_ack, recv_ack: Required.  The shortest possible message, in a buffer of the
 * module; completed like any other. */
static int send_ack(struct np_endpoint *endpoint)
{
	return start_send(skeleton_of(endpoint), &skeleton_of(endpoint)->ack, 1);
}

static int recv_ack(struct np_endpoint *endpoint)
{
	return receive(skeleton_of(endpoint), &skeleton_of(endpoint)->ack, 1);
}

/* All are required; np_no_hook_slot and np_no_hook do nothing. */
static const struct np_hot hot = {
	.post_recv = np_no_hook_slot, /* posts the receive of the next message */
	.send = send_message,
	.recv = recv_message,
	.flush = flush,
	.send_ack = send_ack,
	.recv_ack = recv_ack,
	.step = np_no_hook_slot, /* a one-sided operation or a copy: NP_ONE_SIDED */
};

/* Compiles all timed loops with the hooks of the table inlined. */
NP_CODE_PATH(stream_path, "stream socket", hot);

/*
 * arm: Required.  Both ranks, before the messages of a size.  Selects the code path by
 * transfer and options: here, not in the timed loop.
 */
static int arm(struct np_endpoint *endpoint, const struct np_transfer *transfer)
{
	endpoint->transfer = transfer;
	endpoint->code_path = &stream_path;
	return 0;
}

/* disarm: Optional.  Undoes arm(), even if it failed half-way.  A send may be incomplete,
 * from memory that the driver is about to unmap. */
static void disarm(struct np_endpoint *endpoint)
{
	skeleton_of(endpoint)->unsent_length = 0;
}

/*
 * describe: Optional.  After connect(), for the header of the results: effective values
 * from the kernel or the device, not those requested.
 */
static void describe(struct np_endpoint *endpoint, struct np_facts *facts)
{
	int size = 0;
	socklen_t length = sizeof(size);

	if (getsockopt(atomic_load(&skeleton_of(endpoint)->connection), SOL_SOCKET,
		       SO_SNDBUF, &size, &length) == 0)
		np_facts_add(facts, "send_buffer_bytes", "%d", size);
}

/* count: Optional.  Before and after each block, untimed: monotonic counters, the same
 * names in the same order each time. */
static size_t count(struct np_endpoint *endpoint, struct np_counter *counters)
{
	counters[0] = (struct np_counter){ .name = "partial_sends",
					   .value = skeleton_of(endpoint)->partial_sends };
	return 1;
}

const struct np_module np_module_skeleton = {
	.abi = NP_MODULE_ABI,
	.name = "skeleton",
	.program = "NPskeleton",
	.summary = "messages over a UNIX-domain socket; the example for authors",
	/* tests/conformance/conform.c tests each of them. */
	.capabilities =
		NP_CAN_STREAM | NP_CAN_BIDIRECTIONAL | NP_CAN_RECONNECT | NP_CAN_FRESH,
	.endpoint_size = sizeof(struct skeleton),
	.options_size = sizeof(struct skeleton_options),
	.options = options_table,
	.check = check,
	.open = open_endpoint,
	.connect = connect_endpoint,
	/* Optional.  Registers the pool with a device and exchanges keys; undoes it. */
	.reg = NULL,
	.unreg = NULL,
	.arm = arm,
	.disarm = disarm,
	/* Optional.  Before each block, untimed; the slots are set. */
	.begin = NULL,
	.close = close_endpoint,
	.interrupt = interrupt,
	.describe = describe,
	.count = count,
	/* Optional tables: events and list of a device; clock and caches of a model. */
	.device = NULL,
	.model = NULL,
};
