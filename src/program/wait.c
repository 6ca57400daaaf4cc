/*
 * wait.c - the server: listens, accepts a client, performs its run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/channel.h"
#include "boot/boot_tcp.h"
#include "program/program.h"
#include "program/serve.h"
#include "endpoint/watch.h"

/* Environment variable with the descriptor of the listening socket: with --runs the server
 * executes itself again for each run. */
static const char listener_variable[] = "NETPONG_LISTENER";

/* Timeout for the next of several runs, whose client starts at once. */
enum { NEXT_LAUNCH_MS = 30000 };

/* Address to listen at; NULL: every address.  With --serve and no access option, this host
 * only, as the default of databases. */
static const char *address_of(const struct np_program *program)
{
	const struct np_options *options = &program->options;

	if (options->bind_address == NULL && options->serve && program->key == NULL &&
	    options->allow == NULL && !options->open)
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
	if (options->allow != NULL)
		snprintf(who, sizeof(who), "hosts of %.280s", options->allow);
	const bool is_open = !here && program->key == NULL && options->allow == NULL;

	snprintf(line, sizeof(line), "%s %s waits at port %u%s; %s%s%s may connect%s",
		 program->identity.program, program->identity.version,
		 (unsigned)np_link_port(listener), where, is_open ? "it is open: " : "",
		 who, program->key != NULL ? " with the token" : "",
		 here ? "; --token-file, --allow or --open lets others" : "");
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

static int find_listener(struct np_program *program, const struct np_notes *notes,
			 int *listener, bool *inherited, struct np_error *error)
{
	const struct np_options *options = &program->options;
	const char *number = getenv(listener_variable);

	*inherited = number != NULL;
	if (number != NULL) {
		*listener = (int)strtol(number, NULL, 10);
		unsetenv(listener_variable);
		/* Children of this run do not need it. */
		return fcntl(*listener, F_SETFD, FD_CLOEXEC) == 0 ?
			       0 :
			       np_fail_errno(error, errno, "cannot take over the port");
	}
	const int rc = np_link_listen(address_of(program), (uint16_t)options->port,
				      listener, error);
	if (rc == 0) {
		note_ignored(program, notes);
		announce(program, notes, *listener);
	}
	return rc;
}

/* Executes this program again for the next run, with the same listening socket. */
static int start_over(struct np_program *program, int listener, struct np_error *error)
{
	char number[16];

	if (fcntl(listener, F_SETFD, 0) != 0)
		return np_fail_errno(error, errno, "cannot keep the port");
	snprintf(number, sizeof(number), "%d", listener);
	setenv(listener_variable, number, 1);
	execv("/proc/self/exe", program->arguments);
	return np_fail_errno(error, errno, "cannot start over");
}

/* Prints the error of a peer that failed before its plan arrived, and goes on listening. */
static void forget_peer(struct np_boot *boot, const struct np_link_wait *how,
			struct np_error *error)
{
	how->notes->note(how->notes->context, error->text);
	*error = (struct np_error){ .code = 0 };
	np_boot_hang_up(boot);
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
		if (met && (rc == 0 || received.plan || error->kind != NP_ERROR_PEER))
			break;
		forget_peer(boot, how, error);
	}
	if (rc == -EINTR && error->code == 0)
		np_watch_read_signal(program->signals, error);
	/* With --remote the client starts another server for the next run. */
	if (rc == 0 && received.runs_left > 0 && !program->options.launched)
		rc = start_over(program, boot->listener, error);
	return rc;
}

static int wait_for_all(struct np_program *program, const struct np_link_wait *how,
			struct np_boot *boot, struct np_error *error)
{
	struct np_received received;
	const int rc = np_serve(how, address_of(program), boot, error);

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
	bool inherited;

	np_boot_init(&boot, 1);
	int rc = np_allow_parse(program->options.allow, &allow, error);
	how.allow = &allow;
	if (rc == 0)
		rc = find_listener(program, notes, &boot.listener, &inherited, error);
	if (rc == 0) {
		how.timeout_ms = inherited ? NEXT_LAUNCH_MS : -1;
		rc = program->options.serve ? wait_for_all(program, &how, &boot, error) :
					      wait_once(program, &how, &boot, error);
	}
	np_boot_close(&boot);
	return rc;
}
