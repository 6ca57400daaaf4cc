/*
 * channel.c - control channel: exchange of data and opening of links, over any kind of
 * socket; socket pairs between a process and its fork (--local).
 */
#include "boot/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "boot/frame.h"
#include "boot/link.h"
#include "boot/link_handshake.h"
#include "boot/reply.h"

enum {
	EXCHANGE_MAX = 64 * 1024,
	LINK_TIMEOUT_MS = 8000,
	UUID_LENGTH = 36,
	PLAN_MS = 4000, /* until the plan: the client has it when it connects */
	ANSWER_MS = 6000,
	SLOWER = 4 /* largest ratio of both processes' times for a command */
};

void np_boot_init(struct np_boot *boot, int rank)
{
	*boot = (struct np_boot){ .rank = rank,
				  .control = -1,
				  .heartbeat = -1,
				  .listener = -1,
				  .relay = -1,
				  .greeting = np_deadline_never() };
}

bool np_boot_shares_host(const struct np_boot *boot)
{
	return boot->same_host;
}

bool np_boot_local_address(const struct np_boot *boot, struct sockaddr_storage *address)
{
	struct sockaddr_in6 six;
	struct sockaddr_in *four = (struct sockaddr_in *)address;
	socklen_t length = sizeof(*address);

	memset(address, 0, sizeof(*address));
	if (getsockname(boot->control, (struct sockaddr *)address, &length) != 0)
		return false;
	memcpy(&six, address, sizeof(six));
	if (address->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
		memset(address, 0, sizeof(*address));
		four->sin_family = AF_INET;
		memcpy(&four->sin_addr, &six.sin6_addr.s6_addr[12], sizeof(four->sin_addr));
	}
	/* The first fields of both families are alike. */
	four->sin_port = 0;
	return address->ss_family == AF_INET || address->ss_family == AF_INET6;
}

int np_boot_draw_token(struct np_boot *boot, struct np_error *error)
{
	if (getrandom(boot->token, NP_TOKEN_LENGTH, 0) != NP_TOKEN_LENGTH)
		return np_fail_errno(error, errno, "cannot draw a run token");
	return 0;
}

void np_boot_kernel(char id[NP_KERNEL_BOOT])
{
	const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(id, 0, NP_KERNEL_BOOT);
	if (fd < 0)
		return;
	/* The file has a newline behind the UUID. */
	if (read(fd, id, UUID_LENGTH) < 0)
		id[0] = '\0';
	close(fd);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void np_boot_hang_up(struct np_boot *boot)
{
	close_fd(&boot->control);
	close_fd(&boot->heartbeat);
}

void np_boot_close(struct np_boot *boot)
{
	np_boot_hang_up(boot);
	close_fd(&boot->listener);
	close_fd(&boot->relay);
}

int np_boot_send(struct np_boot *boot, enum np_frame_kind kind, const void *payload,
		 size_t length, struct np_error *error)
{
	boot->began_ns = np_clock_ns();
	const int rc = np_frame_send(boot->control, kind, payload, length);

	return rc == 0 ? 0 : np_boot_lost(rc, error);
}

/* Number of heartbeats until the answer is overdue.  Both processes execute a command at
 * the same time by the same code: the answer is due within ANSWER_MS of the end of this
 * process's part, plus SLOWER times its duration. */
static unsigned answer_beats(const struct np_boot *boot, enum np_frame_kind kind)
{
	const uint64_t beat = NP_HEARTBEAT_MS * 1000000ull;
	const uint64_t spent = SLOWER * (np_clock_ns() - boot->began_ns) / beat;

	if (kind == NP_FRAME_COMMAND)
		return 0;
	if (kind == NP_FRAME_PLAN)
		return 1 + PLAN_MS / NP_HEARTBEAT_MS;
	return 1 + ANSWER_MS / NP_HEARTBEAT_MS +
	       (unsigned)(spent < UINT_MAX / 2 ? spent : UINT_MAX / 2);
}

unsigned np_boot_excuse_s(const struct np_boot *boot)
{
	return boot->related || boot->key != NULL ? NP_EXCUSE_TRUSTED_S : NP_EXCUSE_S;
}

/* Starts the deadline of an answer of kind `expected`.  A plan gets no extension: the peer
 * has proved nothing yet, and had the plan before it connected. */
static void begin_wait(struct np_boot *boot, enum np_frame_kind expected)
{
	const unsigned excused_ms = np_boot_excuse_s(boot) * 1000;

	atomic_store(&boot->excused_beats,
		     expected == NP_FRAME_PLAN ? 0 : excused_ms / NP_HEARTBEAT_MS);
	atomic_store(&boot->answer_beats, answer_beats(boot, expected));
}

static void end_wait(struct np_boot *boot)
{
	atomic_store(&boot->answer_beats, 0);
}

int np_boot_receive(struct np_boot *boot, enum np_frame_kind kind, struct np_frame *frame,
		    struct np_error *error)
{
	begin_wait(boot, kind);
	const int rc = np_frame_receive(boot->control, frame, np_deadline_never());
	end_wait(boot);

	if (rc != 0)
		return np_boot_lost(rc, error);
	if (frame->kind == NP_FRAME_PLAN || frame->kind == NP_FRAME_COMMAND)
		boot->began_ns = np_clock_ns();
	if (frame->kind == kind)
		return 0;
	/* The peer failed before it sent the expected frame: its reply has the reason. */
	if (frame->kind == NP_FRAME_REPLY)
		np_reply_read(frame, NULL, error);
	free(frame->payload);
	*frame = (struct np_frame){ .payload = NULL };
	/* np_fail() keeps the first text: this one stays only if the reply had none. */
	return np_boot_lost(-EPROTO, error);
}

int np_boot_agree(struct np_boot *boot, struct np_error *outcome, struct np_error *error)
{
	struct np_frame frame = { .kind = NP_FRAME_EXCHANGE };
	int rc = np_reply_send(boot->control, NP_FRAME_REPLY, outcome, NULL);

	if (rc != 0)
		return np_boot_lost(rc, error);
	/* Drop exchanges that the peer sent before it failed, or before the failure reached
	 * it.  One deadline for all of them: a peer may send them without end. */
	begin_wait(boot, NP_FRAME_REPLY);
	while (rc == 0 && frame.kind == NP_FRAME_EXCHANGE) {
		rc = np_frame_receive(boot->control, &frame, np_deadline_never());
		if (rc == 0 && frame.kind == NP_FRAME_REPLY)
			np_reply_read(&frame, NULL, outcome);
		if (rc == 0)
			free(frame.payload);
	}
	end_wait(boot);
	if (rc != 0)
		return np_boot_lost(rc, error);
	return frame.kind == NP_FRAME_REPLY ? 0 : np_boot_lost(-EPROTO, error);
}

static int send_exchange(struct np_boot *boot, const void *mine, size_t length,
			 struct np_error *error)
{
	const int rc = np_frame_send(boot->control, NP_FRAME_EXCHANGE, mine, length);

	return rc == 0 ? 0 : np_boot_lost(rc, error);
}

static int receive_exchange(struct np_boot *boot, void *theirs, size_t length,
			    struct np_error *error)
{
	struct np_frame frame;
	int rc = np_boot_receive(boot, NP_FRAME_EXCHANGE, &frame, error);

	if (rc != 0)
		return rc;
	if (frame.length != length)
		rc = np_fail(error, NP_ERROR_PEER, EPROTO,
			     "the processes exchange different lengths: %zu and %zu bytes",
			     length, frame.length);
	else if (length != 0)
		memcpy(theirs, frame.payload, length);
	free(frame.payload);
	return rc;
}

int np_boot_arrive(struct np_boot *boot, struct np_error *error)
{
	return send_exchange(boot, NULL, 0, error);
}

int np_boot_peer_arrived(struct np_boot *boot, bool *arrived, struct np_error *error)
{
	struct pollfd wait = { .fd = boot->control, .events = POLLIN };

	*arrived = poll(&wait, 1, 0) > 0;
	return *arrived ? receive_exchange(boot, NULL, 0, error) : 0;
}

/* Exchanges at most EXCHANGE_MAX bytes. */
static int exchange_piece(struct np_boot *boot, const void *mine, void *theirs,
			  size_t length, struct np_error *error)
{
	int rc;

	/* Rank 0 sends first: two blocking sends could fill both sockets and deadlock. */
	if (boot->rank == 0) {
		rc = send_exchange(boot, mine, length, error);
		return rc != 0 ? rc : receive_exchange(boot, theirs, length, error);
	}
	unsigned char *received = malloc(length + 1);
	if (received == NULL)
		return np_fail_errno(error, ENOMEM, "cannot exchange %zu bytes", length);
	rc = receive_exchange(boot, received, length, error);
	if (rc == 0)
		rc = send_exchange(boot, mine, length, error);
	if (rc == 0 && length != 0)
		memcpy(theirs, received, length);
	free(received);
	return rc;
}

int np_boot_exchange(struct np_boot *boot, const void *mine, void *theirs, size_t length,
		     struct np_error *error)
{
	const unsigned char *from = mine;
	unsigned char *to = theirs;
	int rc = 0;

	for (; rc == 0 && length > EXCHANGE_MAX; length -= EXCHANGE_MAX) {
		rc = exchange_piece(boot, from, to, EXCHANGE_MAX, error);
		from += EXCHANGE_MAX;
		to += EXCHANGE_MAX;
	}
	return rc != 0 ? rc : exchange_piece(boot, from, to, length, error);
}

/* Rank 1's side of a link: listen, send the port, accept. */
static int accept_link(struct np_boot *boot,
		       int (*prepare)(int fd, void *context, struct np_error *error),
		       void *context, int *fd, struct np_error *error)
{
	const struct np_link_wait wait = {
		.identity = &np_link_data_identity,
		.kinds = np_link_bit(NP_LINK_DATA),
		.token = boot->token,
		.key = boot->key,
		/* No data is due on the control channel before the link is established: a
		   readable socket means that the peer is gone. */
		.wake = boot->control,
		.deadline = np_deadline_in(LINK_TIMEOUT_MS)
	};
	unsigned char mine[2], theirs[2] = { 0 };
	int rc = 0;

	/* Processes of one command have no listener yet: loopback is enough. */
	if (boot->listener < 0)
		rc = np_link_listen("127.0.0.1", 0, &boot->listener, error);
	if (rc == 0 && prepare != NULL)
		rc = prepare(boot->listener, context, error);
	if (rc != 0)
		return rc;
	const uint16_t port = np_link_port(boot->listener);
	mine[0] = (unsigned char)(port & 0xff);
	mine[1] = (unsigned char)(port >> 8);
	rc = np_boot_exchange(boot, mine, theirs, sizeof(mine), error);
	if (rc != 0)
		return rc;
	rc = boot->relay >= 0 ? np_link_relay_receive(boot->relay, &wait, fd, error) :
				np_link_accept(boot->listener, &wait, fd, error);
	return rc == -EINTR ? np_boot_lost(-ECONNRESET, error) : rc;
}

static int open_link(const struct sockaddr *address, socklen_t length,
		     int (*prepare)(int fd, void *context, struct np_error *error),
		     void *context, struct np_boot *boot, int *fd, struct np_error *error)
{
	const struct np_link_order order = {
		.address = address,
		.length = length,
		.from = (const struct sockaddr *)&boot->from,
		.from_length = boot->from_length,
		.handshake = { .identity = &np_link_data_identity,
			       .kind = NP_LINK_DATA,
			       .token = boot->token,
			       .key = boot->key },
		.prepare = prepare,
		.context = context,
		.control = boot->control,
		.connected = np_deadline_never(),
		.deadline = np_deadline_in(LINK_TIMEOUT_MS),
	};
	const int rc = np_link_open(&order, fd, error);
	char text[64];

	if (rc == 0 || error->code != 0)
		return rc;
	np_link_address_text(address, text, sizeof(text));
	return np_fail(error, NP_ERROR_PEER, rc, "cannot connect to %s: %s", text,
		       strerror(-rc));
}

/* Rank 0's side of a link: wait for the peer's port, connect to it. */
static int connect_link(struct np_boot *boot,
			int (*prepare)(int fd, void *context, struct np_error *error),
			void *context, int *fd, struct np_error *error)
{
	unsigned char mine[2] = { 0 }, theirs[2] = { 0 };
	const int rc = np_boot_exchange(boot, mine, theirs, sizeof(mine), error);

	if (rc != 0)
		return rc;
	if (boot->peer.ss_family != AF_UNSPEC)
		return open_link((struct sockaddr *)&boot->peer, boot->peer_length, prepare,
				 context, boot, fd, error);
	const struct sockaddr_in local = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)(theirs[0] | theirs[1] << 8)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	return open_link((const struct sockaddr *)&local, sizeof(local), prepare, context,
			 boot, fd, error);
}

int np_boot_link(struct np_boot *boot,
		 int (*prepare)(int fd, void *context, struct np_error *error),
		 void *context, int *fd, struct np_error *error)
{
	const int on = 1;
	const int rc = boot->rank == 1 ? accept_link(boot, prepare, context, fd, error) :
					 connect_link(boot, prepare, context, fd, error);

	if (rc == 0)
		setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return rc;
}

/* PR_SET_PDEATHSIG: the child must not outlive a killed parent. */
static void become_child(struct np_boot *boot, const int *control, const int *heartbeat,
			 pid_t parent)
{
	boot->rank = 1;
	boot->control = control[1];
	boot->heartbeat = heartbeat[1];
	close(control[0]);
	close(heartbeat[0]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		raise(SIGKILL);
}

int np_boot_fork(struct np_boot *boot, pid_t *child, struct np_error *error)
{
	int control[2], heartbeat[2];
	const pid_t parent = getpid();

	np_boot_init(boot, 0);
	boot->same_host = boot->related = true;
	int rc = np_boot_draw_token(boot, error);
	if (rc != 0)
		return rc;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0)
		return np_fail_errno(error, errno, "cannot make a socket pair");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, heartbeat) != 0) {
		rc = np_fail_errno(error, errno, "cannot make a socket pair");
		close(control[0]);
		close(control[1]);
		return rc;
	}
	const pid_t pid = fork();
	if (pid == 0) {
		become_child(boot, control, heartbeat, parent);
		*child = 0;
		return 0;
	}
	close(control[1]);
	close(heartbeat[1]);
	boot->control = control[0];
	boot->heartbeat = heartbeat[0];
	if (pid < 0) {
		rc = np_fail_errno(error, errno, "cannot start the server process");
		np_boot_close(boot);
		return rc;
	}
	*child = pid;
	return 0;
}
