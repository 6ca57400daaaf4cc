/*
 * server.c - the server: listens, accepts a client, performs its run; with --serve, one run
 * after the other.
 *
 * With --serve one process listens and forks a child for each run: a run leaves no state in
 * the server, and a crash does not end the server.  Links of a run arrive at the same port
 * as those of later runs and unauthenticated connections.  The listening process
 * authenticates all of them and passes the run's to its child (np_link_relay_send());
 * during a measurement it sleeps.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "boot/boot_tcp.h"
#include "boot/channel.h"
#include "boot/link.h"
#include "boot/pending.h"
#include "endpoint/watch.h"
#include "program/program.h"

/* ---- --serve ------------------------------------------------------------------ */

enum {
	LOOK_MS = 200,
	SCARCE_MS = 500, /* pause after a lack of descriptors */
	ENDING_MS = 9500 /* from a signal to SIGKILL: longer than the end of a run */
};

enum { LINES_PER_WINDOW = 20 };
static const uint64_t window_ns = 10000000000u;

/* Rate limit of the lines of a server. */
struct log_limit {
	const struct np_notes *out;
	uint64_t window_end_ns; /* end of the current window; UINT64_MAX: none has begun */
	unsigned passed;	/* lines printed in the window */
	unsigned long suppressed;
};

/* Prints the number of suppressed lines when their window is over; called periodically. */
static void report_suppressed(struct log_limit *limit)
{
	char line[80];

	if (np_clock_ns() < limit->window_end_ns)
		return;
	if (limit->suppressed != 0) {
		snprintf(line, sizeof(line), "and %lu more like these", limit->suppressed);
		limit->out->note(limit->out->context, line);
	}
	limit->suppressed = 0;
	limit->passed = 0;
	limit->window_end_ns = UINT64_MAX;
}

static void note_limited(void *context, const char *text)
{
	struct log_limit *limit = context;

	report_suppressed(limit);
	if (limit->passed == 0)
		limit->window_end_ns = np_clock_ns() + window_ns;
	if (limit->passed < LINES_PER_WINDOW) {
		limit->passed++;
		limit->out->note(limit->out->context, text);
	} else {
		limit->suppressed++;
	}
}

/* Makes `notes` a rate-limited front of `out`.  limit and out must outlive `notes`. */
static void limit_log(struct log_limit *limit, const struct np_notes *out,
		      struct np_notes *notes)
{
	*limit = (struct log_limit){ .out = out, .window_end_ns = UINT64_MAX };
	*notes = (struct np_notes){ .note = note_limited, .context = limit };
}

/* State of the listening process. */
struct server {
	const struct np_link_wait *criteria;
	struct np_boot *boot; /* the listening socket; in a child, the run's channel */
	struct np_pending pending;
	struct log_limit log_limit;
	struct np_notes notes;
	unsigned char token[NP_TOKEN_LENGTH]; /* of the run in progress */
	pid_t run;			      /* process of the run in progress; 0: none */
	int relay;			      /* socket that passes links to it; -1: none */
	uint64_t runs;			      /* number of runs begun */
};

static void note(const struct server *server, const char *text)
{
	server->criteria->notes->note(server->criteria->notes->context, text);
}

/* Drops inherited descriptors and the right to gain privileges: the process may run for
 * years. */
static void drop_privileges(int listener, int signals)
{
	const int low = listener < signals ? listener : signals;
	const int high = listener < signals ? signals : listener;
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

/* Criteria of links accepted at this time: the control link of a new run, or the other
 * links of the run in progress. */
static struct np_link_wait criteria_of(struct server *server)
{
	struct np_link_wait criteria = *server->criteria;

	criteria.kinds = server->run == 0 ?
				 np_link_bit(NP_LINK_CONTROL) :
				 np_link_bit(NP_LINK_HEARTBEAT) | np_link_bit(NP_LINK_DATA);
	criteria.token = server->token;
	criteria.wake = -1;
	criteria.deadline = np_deadline_never();
	criteria.notes = &server->notes;
	return criteria;
}

/* Child: closes other connections and completes the channel of the run.  Returns 1 or
 * -errno. */
static int become_run(struct server *server, const struct np_pending_connection *connection,
		      int relay, pid_t parent, struct np_error *error)
{
	const struct np_link_wait criteria = criteria_of(server);
	struct np_boot *boot = server->boot;
	/* Modules set socket options at the listener, which links inherit. */
	const int listener = boot->listener;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		raise(SIGTERM);
	np_pending_close(&server->pending);
	np_boot_init(boot, 1);
	boot->control = connection->fd;
	boot->relay = relay;
	boot->listener = listener;
	boot->key = criteria.key;
	memcpy(boot->token, server->token, sizeof(boot->token));
	const int rc = np_boot_complete(boot, &criteria, error);
	return rc == 0 ? 1 : rc;
}

/* Forks the process of a run.  Returns 0 in the listening process; 1 or -errno in the
 * child. */
static int begin_run(struct server *server, const struct np_pending_connection *connection,
		     struct np_error *error)
{
	const pid_t parent = getpid();
	char address[64], line[120];
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
		note(server, "cannot begin a run: no descriptor is left");
		close(connection->fd);
		return 0;
	}
	const pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		return become_run(server, connection, ends[1], parent, error);
	}
	close(ends[1]);
	close(connection->fd);
	if (child < 0) {
		close(ends[0]);
		note(server, "cannot begin a run: no process can be made");
		return 0;
	}
	server->run = child;
	server->relay = ends[0];
	np_link_address_text((const struct sockaddr *)&connection->address, address,
			     sizeof(address));
	snprintf(line, sizeof(line), "run %llu, of %s, begins",
		 (unsigned long long)++server->runs, address);
	note(server, line);
	return 0;
}

/* Replaces the listening socket, so that socket options set by a run's module do not affect
 * the next.  Connections in the backlog are accepted first.  On failure the old socket
 * stays: the port is never closed. */
static void listen_anew(struct server *server)
{
	const struct np_link_wait criteria = criteria_of(server);
	const int old = server->boot->listener;
	struct np_error why = { .code = 0 };

	if (np_link_listen_beside(old, &server->boot->listener, &why) != 0) {
		note(server, why.text);
		return;
	}
	np_pending_accept(&server->pending, old, &criteria);
	close(old);
}

static void end_run(struct server *server)
{
	const struct np_child_end end = { .wait_ms = ENDING_MS };
	const int status = np_child_end(server->run, &end);
	char line[120];

	close(server->relay);
	server->relay = -1;
	server->run = 0;
	if (WIFSIGNALED(status))
		snprintf(line, sizeof(line), "run %llu was killed by SIG%s",
			 (unsigned long long)server->runs, sigabbrev_np(WTERMSIG(status)));
	else
		snprintf(line, sizeof(line), "run %llu ends, status %d",
			 (unsigned long long)server->runs, WEXITSTATUS(status));
	note(server, line);
	listen_anew(server);
}

/* Forwards a signal to the run in progress and waits for its end.  Returns -EINTR. */
static int stop(struct server *server, struct np_error *error)
{
	struct np_child_end end = { .grace_ms = ENDING_MS };

	np_watch_read_signal(server->criteria->wake, error);
	end.signal = (int)error->kind - 128;
	if (server->run != 0)
		np_child_end(server->run, &end);
	return -EINTR;
}

/* Waits for one event and handles it.  Returns 0 to go on, else as serve(). */
static int serve_once(struct server *server, struct np_error *error)
{
	const struct timespec pause = { .tv_nsec = SCARCE_MS * 1000000L };
	const struct np_link_wait criteria = criteria_of(server);
	const int listener = server->boot->listener;
	struct pollfd fds[NP_PENDING_FDS + 2];
	const size_t count = np_pending_pollfds(&server->pending, listener, fds);
	struct np_error scarce = { .code = 0 };
	struct np_pending_connection connection;

	fds[count] = (struct pollfd){ .fd = server->criteria->wake, .events = POLLIN };
	fds[count + 1] = (struct pollfd){ .fd = server->relay, .events = POLLIN };
	if (poll(fds, count + 2, LOOK_MS) < 0 && errno != EINTR)
		return np_fail_errno(error, errno, "cannot wait for the peer");
	if (fds[count].revents != 0)
		return stop(server, error);
	report_suppressed(&server->log_limit);
	const int rc = np_pending_handle(&server->pending, listener, fds, &criteria,
					 &connection, &scarce);
	if (rc < 0) {
		server->notes.note(server->notes.context, scarce.text);
		nanosleep(&pause, NULL);
	} else if (rc == 1 && server->run == 0) {
		return begin_run(server, &connection, error);
	} else if (rc == 1) {
		np_link_relay_send(server->relay, np_hello_kind(connection.hello),
				   connection.fd);
		close(connection.fd);
	}
	if (fds[count + 1].revents != 0)
		end_run(server);
	return 0;
}

/*
 * Serves at boot->listener until a signal is readable at criteria->wake, a signalfd.  Drops
 * inherited descriptors, standard input and the right to gain privileges first.
 *
 * Returns 1 in the child of each run, with a rank 1 channel in boot; else -errno with a
 * text: in a child, the reason why its run did not begin; in the listening process, the
 * signal, or the reason why it cannot continue.
 */
static int serve(const struct np_link_wait *criteria, struct np_boot *boot,
		 struct np_error *error)
{
	struct server server = { .criteria = criteria, .boot = boot, .relay = -1 };
	int rc;

	limit_log(&server.log_limit, criteria->notes, &server.notes);
	drop_privileges(boot->listener, criteria->wake);
	do {
		rc = serve_once(&server, error);
	} while (rc == 0);
	np_pending_close(&server.pending);
	return rc;
}

/* ---- One run, or several ------------------------------------------------------ */

/* Environment variable with the descriptor of the listening socket: the server executes
 * itself again for each of --runs, and after a plan that it has refused. */
static const char listener_variable[] = "NETPONG_LISTENER";

/* Clients that a server waits for after it has executed itself again. */
enum next_client { NEXT_RUN, ANY_CLIENT };

static const char *const next_clients[] = { [NEXT_RUN] = " next", [ANY_CLIENT] = " any" };

/* Timeout for the next of several runs, whose client starts at once. */
enum { NEXT_RUN_MS = 30000 };

/* Address to listen at; NULL: every address.  With --serve and no access option, this host
 * only, as the default of databases. */
static const char *address_of(const struct np_program *program)
{
	const struct np_options *options = &program->options;

	if (options->bind_address == NULL && options->serve && program->key == NULL &&
	    options->allow == NULL)
		return "127.0.0.1";
	return options->bind_address;
}

/* Prints address, port and the hosts that may connect. */
static void announce(const struct np_program *program, const struct np_notes *notes,
		     int listener)
{
	const struct np_options *options = &program->options;
	const char *address = address_of(program);
	const bool here = address != NULL && options->bind_address == NULL;
	char line[512], where[80] = "", who[300] = "any host";

	/* An ephemeral port is printed even with --quiet. */
	if (notes->announce == NULL || (options->quiet && options->port != 0))
		return;
	if (address != NULL)
		snprintf(where, sizeof(where), " of %.64s", address);
	if (here)
		snprintf(who, sizeof(who), "programs of this host");
	if (options->allow != NULL && !np_options_open(options))
		snprintf(who, sizeof(who), "hosts of %.280s", options->allow);
	const bool is_open = !here && program->key == NULL &&
			     (options->allow == NULL || np_options_open(options));

	snprintf(line, sizeof(line), "%s %s waits at port %u%s; %s%s%s may connect%s",
		 program->identity.program, program->identity.version,
		 (unsigned)np_link_port(listener), where, is_open ? "it is open: " : "",
		 who, program->key != NULL ? " with the token" : "",
		 here ? "; --token-file or --allow lets others" : "");
	notes->announce(notes->context, line);
}

/* Warns of an option that has no effect in a server: the client's plan replaces it. */
static void note_ignored(const struct np_program *program, const struct np_notes *notes)
{
	char line[160];

	if (program->planned == NULL || program->options.quiet)
		return;
	snprintf(line, sizeof(line),
		 "--%s has no effect here: the client decides what is measured; give it "
		 "there",
		 program->planned->name);
	notes->note(notes->context, line);
}

/* Takes over the listening socket that the environment names.  Returns 0 and *next, or
 * -errno. */
static int inherit_listener(const char *text, int *listener, enum next_client *next,
			    struct np_error *error)
{
	socklen_t length = sizeof(int);
	char *word = NULL;
	const long number = strtol(text, &word, 10);
	int listens = 0;

	*next = strcmp(word, next_clients[ANY_CLIENT]) == 0 ? ANY_CLIENT : NEXT_RUN;
	*listener = number > STDERR_FILENO && number <= INT_MAX ? (int)number : -1;
	/* Close on exec: children of this run do not inherit the port. */
	if (strcmp(word, next_clients[*next]) == 0 &&
	    getsockopt(*listener, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 &&
	    listens != 0 && fcntl(*listener, F_SETFD, FD_CLOEXEC) == 0)
		return 0;
	*listener = -1;
	return np_refuse(error,
			 "%s=%.40s in the environment is no listening socket: unset it, as "
			 "only a server sets it for itself",
			 listener_variable, text);
}

/* Inherits the listening socket, or makes it.  *next: the clients to wait for. */
static int find_listener(struct np_program *program, const struct np_notes *notes,
			 int *listener, enum next_client *next, struct np_error *error)
{
	const struct np_options *options = &program->options;
	const char *text = getenv(listener_variable);

	*next = ANY_CLIENT;
	if (text != NULL) {
		const int inherited = inherit_listener(text, listener, next, error);

		unsetenv(listener_variable);
		return inherited;
	}
	const int rc = np_link_listen(address_of(program), (uint16_t)options->port,
				      listener, error);
	if (rc == 0) {
		note_ignored(program, notes);
		announce(program, notes, *listener);
	}
	return rc;
}

/* Executes this program again with the same listening socket. */
static int start_over(struct np_program *program, int listener, enum next_client next,
		      struct np_error *error)
{
	char text[24];

	if (fcntl(listener, F_SETFD, 0) != 0)
		return np_fail_errno(error, errno, "cannot keep the port");
	snprintf(text, sizeof(text), "%d%s", listener, next_clients[next]);
	setenv(listener_variable, text, 1);
	execv("/proc/self/exe", program->arguments);
	return np_fail_errno(error, errno, "cannot start over");
}

/* Prints the error of a peer whose run has not begun, and hangs up. */
static void forget_peer(struct np_boot *boot, const struct np_link_wait *how,
			struct np_error *error)
{
	how->notes->note(how->notes->context, error->text);
	*error = (struct np_error){ .code = 0 };
	np_boot_hang_up(boot);
}

/* Returns whether the server goes on listening after a failure of a peer that it has met:
 * no run has begun, and the peer is at fault. */
static bool waits_on(const struct np_received *received, const struct np_error *error)
{
	return (!received->plan && error->kind == NP_ERROR_PEER) ||
	       (received->refused &&
		(error->kind == NP_ERROR_PEER || error->kind == NP_ERROR_USAGE));
}

static int wait_once(struct np_program *program, const struct np_link_wait *how,
		     struct np_boot *boot, struct np_error *error)
{
	struct np_received received = { .plan = false };
	int rc;

	for (;;) {
		rc = np_boot_wait(boot, how, error);
		/* Without a control link the failure is of the server itself. */
		if (rc != 0 && (rc == -EINTR || boot->control < 0))
			break;
		const bool met = rc == 0;
		if (met)
			rc = np_receive(program, boot, true, &received, error);
		/* --launched: the only client has this error. */
		if (met && (rc == 0 || !waits_on(&received, error) ||
			    (received.refused && program->options.launched)))
			break;
		forget_peer(boot, how, error);
		/* The plan has changed the options of this process. */
		if (met && received.refused)
			return start_over(program, boot->listener, ANY_CLIENT, error);
	}
	if (rc == -EINTR && error->code == 0)
		np_watch_read_signal(program->signals, error);
	/* With --remote the client starts another server for the next run. */
	if (rc == 0 && received.runs_left > 0 && !program->options.launched)
		rc = start_over(program, boot->listener, NEXT_RUN, error);
	return rc;
}

static int wait_for_all(struct np_program *program, const struct np_link_wait *how,
			struct np_boot *boot, struct np_error *error)
{
	struct np_received received;
	const int rc = serve(how, boot, error);

	return rc == 1 ? np_receive(program, boot, true, &received, error) : rc;
}

int np_wait(struct np_program *program, const struct np_notes *notes,
	    struct np_error *error)
{
	struct np_link_wait how = { .identity = &program->identity,
				    .key = program->key,
				    .wake = program->signals,
				    .notes = notes };
	struct np_allow allow;
	struct np_boot boot;
	enum next_client next;

	np_boot_init(&boot, 1);
	int rc = np_allow_parse(np_options_open(&program->options) ? NULL :
								     program->options.allow,
				&allow, error);
	how.allow = &allow;
	if (rc == 0)
		rc = find_listener(program, notes, &boot.listener, &next, error);
	if (rc == 0) {
		how.deadline = next == NEXT_RUN ? np_deadline_in(NEXT_RUN_MS) :
						  np_deadline_never();
		rc = program->options.serve ? wait_for_all(program, &how, &boot, error) :
					      wait_once(program, &how, &boot, error);
	}
	np_boot_close(&boot);
	return rc;
}
