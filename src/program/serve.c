/*
 * serve.c - answering at the port while runs come and go.
 *
 * A run's links all arrive at the same port as its successors and the strangers.
 * The process that listens tells them apart and hands the run's links on
 * (link_relay.c); it does nothing in measured time but sleep.
 */
#include "program/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "boot/channel.h"
#include "boot/boot_tcp.h"
#include "base/clock.h"
#include "boot/link_relay.h"
#include "boot/log_limit.h"
#include "boot/pending.h"
#include "endpoint/watch.h"

enum {
	LOOK_MS = 200,
	SCARCE_MS = 500, /* until the next try when no descriptor is left */
	ENDING_MS = 9500 /* for a run to end that was asked to: longer than it may take */
};

/* The port and who is there. */
struct house {
	struct np_serve *serve;
	struct np_pending pending;
	struct np_log_limit log_limit;
	struct np_notes notes;
	unsigned char token[NP_TOKEN_LENGTH]; /* of the run in progress */
	pid_t run;			      /* its process; 0: none */
	int relay;			      /* to it; -1 */
	uint64_t runs;			      /* begun so far */
};

static void tell(struct house *house, const char *text)
{
	house->serve->notes->note(house->serve->notes->context, text);
}

/* What a process that waits for years need not have. */
static void drop_what_is_not_needed(const struct np_serve *serve)
{
	const int low = serve->listener < serve->signals ? serve->listener : serve->signals;
	const int high =
		serve->listener < serve->signals ? serve->signals : serve->listener;
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null >= 0 && null != STDIN_FILENO) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
	if (low > STDERR_FILENO + 1)
		close_range(STDERR_FILENO + 1, (unsigned)low - 1, 0);
	if (high > low + 1)
		close_range((unsigned)low + 1, (unsigned)high - 1, 0);
	close_range((unsigned)high + 1, ~0u, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static struct np_link_wait wait_of(struct house *house)
{
	return (struct np_link_wait){
		.identity = house->serve->identity,
		.kinds = house->run == 0 ?
				 np_link_bit(NP_LINK_CONTROL) :
				 np_link_bit(NP_LINK_WATCH) | np_link_bit(NP_LINK_DATA),
		.token = house->token,
		.key = house->serve->key,
		.allow = house->serve->allow,
		.wake = -1,
		.notes = &house->notes,
	};
}

/* In the new process: only what is the run's own stays. */
static int become_run(struct house *house, const struct np_connection *connection,
		      int relay, pid_t parent, struct np_boot *boot, struct np_error *error)
{
	const struct np_link_wait how = wait_of(house);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		raise(SIGTERM);
	np_pending_close(&house->pending);
	np_boot_init(boot, 1);
	boot->control = connection->fd;
	boot->relay = relay;
	/* Not to accept from: what a module sets at it, links inherit. */
	boot->listener = house->serve->listener;
	boot->key = house->serve->key;
	memcpy(boot->token, house->token, sizeof(boot->token));
	return np_boot_complete(boot, &how, error) == 0 ? 1 : 0;
}

/* Returns as np_serve() in the new process, and -EAGAIN in the old one. */
static int begin_run(struct house *house, const struct np_connection *connection,
		     struct np_boot *boot, struct np_error *error)
{
	const pid_t parent = getpid();
	char address[64], line[120];
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
		tell(house, "cannot begin a run: no descriptor is left");
		close(connection->fd);
		return -EAGAIN;
	}
	const pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		return become_run(house, connection, ends[1], parent, boot, error);
	}
	close(ends[1]);
	close(connection->fd);
	if (child < 0) {
		close(ends[0]);
		tell(house, "cannot begin a run: no process can be made");
		return -EAGAIN;
	}
	house->run = child;
	house->relay = ends[0];
	np_link_address_text((const struct sockaddr *)&connection->address, address,
			     sizeof(address));
	snprintf(line, sizeof(line), "run %llu, of %s, begins",
		 (unsigned long long)++house->runs, address);
	tell(house, line);
	return -EAGAIN;
}

/* Listens anew: what the run's module has set at the socket must not be the next
 * one's.  Who knocked meanwhile is let in first. */
static int listen_anew(struct house *house, struct np_error *error)
{
	const struct np_link_wait wait = wait_of(house);
	const uint16_t port = np_link_port(house->serve->listener);

	np_pending_accept(&house->pending, house->serve->listener, &wait);
	close(house->serve->listener);
	house->serve->listener = -1;
	return np_link_listen(house->serve->address, port, &house->serve->listener, error);
}

static int end_run(struct house *house, struct np_error *error)
{
	char line[120];
	int status = 0;

	while (waitpid(house->run, &status, 0) < 0 && errno == EINTR)
		;
	close(house->relay);
	house->relay = -1;
	house->run = 0;
	if (WIFSIGNALED(status))
		snprintf(line, sizeof(line), "run %llu was killed by SIG%s",
			 (unsigned long long)house->runs, sigabbrev_np(WTERMSIG(status)));
	else
		snprintf(line, sizeof(line), "run %llu ends, status %d",
			 (unsigned long long)house->runs, WEXITSTATUS(status));
	tell(house, line);
	return listen_anew(house, error);
}

/* A signal to the one that listens is for the run as well. */
static int leave(struct house *house, struct np_error *error)
{
	const struct timespec moment = { .tv_nsec = 10000000 };

	np_watch_read_signal(house->serve->signals, error);
	if (house->run != 0) {
		kill(house->run, (int)error->kind - 128);
		for (int i = 0; i < ENDING_MS / 10; i++) {
			if (waitpid(house->run, NULL, WNOHANG) != 0)
				return -EINTR;
			nanosleep(&moment, NULL);
		}
		kill(house->run, SIGKILL);
		waitpid(house->run, NULL, 0);
	}
	return -EINTR;
}

/* One wait and what comes of it.  Returns -EAGAIN to go on. */
static int serve_once(struct house *house, struct np_boot *boot, struct np_error *error)
{
	const struct timespec pause = { .tv_nsec = SCARCE_MS * 1000000L };
	const struct np_link_wait wait = wait_of(house);
	struct pollfd fds[NP_PENDING_FDS + 2];
	const size_t count =
		np_pending_pollfds(&house->pending, house->serve->listener, fds);
	struct np_error scarce = { .code = 0 };
	struct np_connection connection;

	fds[count] = (struct pollfd){ .fd = house->serve->signals, .events = POLLIN };
	fds[count + 1] = (struct pollfd){ .fd = house->relay, .events = POLLIN };
	if (poll(fds, count + 2, LOOK_MS) < 0 && errno != EINTR)
		return np_fail_errno(error, errno, "cannot wait for the peer");
	if (fds[count].revents != 0)
		return leave(house, error);
	np_log_limit_report(&house->log_limit);
	const int rc = np_pending_handle(&house->pending, house->serve->listener, fds,
					 &wait, &connection, &scarce);
	if (rc < 0) {
		house->notes.note(house->notes.context, scarce.text);
		nanosleep(&pause, NULL);
	} else if (rc == 1 && house->run == 0) {
		return begin_run(house, &connection, boot, error);
	} else if (rc == 1) {
		np_link_relay_send(house->relay, np_hello_kind(connection.hello),
				   connection.fd);
		close(connection.fd);
	}
	if (fds[count + 1].revents == 0)
		return -EAGAIN;
	const int ended = end_run(house, error);
	return ended != 0 ? ended : -EAGAIN;
}

int np_serve(struct np_serve *serve, struct np_boot *boot, struct np_error *error)
{
	struct house house = { .serve = serve, .relay = -1 };
	int rc;

	np_log_limit_init(&house.log_limit, serve->notes, &house.notes);
	drop_what_is_not_needed(serve);
	do {
		rc = serve_once(&house, boot, error);
	} while (rc == -EAGAIN);
	if (rc < 0)
		np_pending_close(&house.pending);
	return rc;
}
