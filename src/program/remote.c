/*
 * remote.c - processes on other hosts: command, start, input and output, end; and
 * --launched, the start of such a process there.
 *
 * ssh passes its arguments to a shell; a command of --rsh may not.  Arguments for the other
 * host therefore have only characters that no shell interprets, and others are refused;
 * options of the plan go over standard input.
 */
#include "program/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/deadline.h"
#include "boot/access.h"
#include "endpoint/watch.h"

/* First line on standard input of a started process. */
static const char greeting[] = "NetPong runs";

enum { ARGUMENTS_MOST = 64 };

/* Most bytes that a login shell prints before the program's first line, and most bytes of
 * results of a client. */
enum { BANNER_MOST = 64 << 10, RESULTS_MOST = 256 << 20 };

/* Argument list of a command. */
struct remote_command {
	char *list[ARGUMENTS_MOST + 1]; /* ends with NULL; each is freed */
	size_t count;
};

static const char blanks[] = " \t\n";

static int add(struct remote_command *command, char *word, struct np_error *error)
{
	if (word == NULL || command->count == ARGUMENTS_MOST) {
		free(word);
		return np_fail(error, NP_ERROR_USAGE, E2BIG,
			       "the command for the other host is too long");
	}
	command->list[command->count++] = word;
	return 0;
}

/* Copies a word of --rsh with %h replaced by the host. */
static char *put_host(const char *word, size_t length, const char *host)
{
	const char *mark = memmem(word, length, "%h", 2);
	char *text = NULL;

	if (mark == NULL)
		return strndup(word, length);
	const size_t before = (size_t)(mark - word);
	if (asprintf(&text, "%.*s%s%.*s", (int)before, word, host,
		     (int)(length - before - 2), mark + 2) < 0)
		return NULL;
	return text;
}

static int add_way_in(struct remote_command *command, const struct np_remote_order *order,
		      struct np_error *error)
{
	/* -T: no terminal, since a program reads the output. */
	static const char by_ssh[] =
		"ssh -T -o ConnectTimeout=8 -o ServerAliveInterval=2 %h";
	const char *rsh = order->program->options.rsh;
	const char *at = rsh != NULL ? rsh : by_ssh;
	/* As for rsync -e and the remote shells of MPI, the host is the last word unless %h
	 * is given. */
	const bool names_host = strstr(at, "%h") != NULL;
	int rc = 0;

	if (order->host[0] == '-' || strpbrk(order->host, " \t\n") != NULL ||
	    order->host[0] == '\0')
		return np_refuse(error, "'%.100s' is no host", order->host);
	for (at += strspn(at, blanks); *at != '\0' && rc == 0; at += strspn(at, blanks)) {
		const size_t length = strcspn(at, blanks);

		rc = add(command, put_host(at, length, order->host), error);
		at += length;
	}
	return rc != 0 || names_host ? rc : add(command, strdup(order->host), error);
}

/* Appends the words of text to the command, if a shell on the other host cannot interpret
 * them. */
static int add_words(struct remote_command *command, const char *option, const char *text,
		     struct np_error *error)
{
	static const char harmless[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_-+=./:,@%[]";
	int rc = 0;

	for (text += strspn(text, blanks); *text != '\0' && rc == 0;
	     text += strspn(text, blanks)) {
		const size_t length = strcspn(text, blanks);

		if (strspn(text, harmless) < length)
			return np_refuse(
				error,
				"%s: '%.*s' has characters that a shell may interpret",
				option, (int)(length < 80 ? length : 80), text);
		rc = add(command, strndup(text, length), error);
		text += length;
	}
	return rc;
}

/* Makes the argument list: ssh or --rsh, the program, its arguments.  Returns 0 or -errno:
 * NP_ERROR_USAGE for words that a remote shell might split.  The caller calls
 * free_command() in either case. */
static int make_command(struct remote_command *command, const struct np_remote_order *order,
			struct np_error *error)
{
	const struct np_options *options = &order->program->options;
	const char *const *more = order->arguments;

	*command = (struct remote_command){ .count = 0 };
	int rc = add_way_in(command, order, error);
	if (rc == 0)
		rc = add_words(command, "--remote-program",
			       options->remote_program != NULL ?
				       options->remote_program :
				       order->program->identity.program,
			       error);
	if (rc == 0)
		rc = add(command, strdup("--launched"), error);
	for (; rc == 0 && *more != NULL; more++)
		rc = add_words(command, "an argument", *more, error);
	/* Last, as a later option overrides an earlier one. */
	if (rc == 0 && options->remote_options != NULL)
		rc = add_words(command, "--remote-options", options->remote_options, error);
	return rc;
}

static void free_command(struct remote_command *command)
{
	for (size_t i = 0; i < command->count; i++)
		free(command->list[i]);
	command->count = 0;
}

/* Child: executes the command; writes the errno value of a failure to the last pipe. */
static void __attribute__((noreturn))
become(const struct remote_command *command, int pipes[4][2], pid_t parent)
{
	np_watch_default_signals();
	/* SIGTERM at the parent's exit: ssh may wait for a password and not notice that
	 * standard input was closed. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent && dup2(pipes[0][0], STDIN_FILENO) >= 0 &&
	    dup2(pipes[1][1], STDOUT_FILENO) >= 0 && dup2(pipes[2][1], STDERR_FILENO) >= 0)
		execvp(command->list[0], command->list);
	const int code = errno;
	if (write(pipes[3][1], &code, sizeof(code)) < 0)
		_exit(NP_ERROR_FAILED);
	_exit(NP_ERROR_FAILED);
}

static int open_pipes(int pipes[4][2], struct np_error *error)
{
	for (size_t i = 0; i < 4; i++) {
		if (pipe2(pipes[i], O_CLOEXEC) != 0)
			return np_fail_errno(error, errno, "cannot make a pipe");
	}
	return 0;
}

static void close_pipes(int pipes[4][2])
{
	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < 2; k++) {
			if (pipes[i][k] >= 0)
				close(pipes[i][k]);
			pipes[i][k] = -1;
		}
	}
}

/* Returns a descriptor and excludes it from close_pipes(). */
static int keep(int *fd)
{
	const int kept = *fd;

	*fd = -1;
	return kept;
}

/* Waits until the command is executed, which a dead file system delays.  Returns 0 or
 * -errno. */
static int await_exec(const struct remote_command *command, const struct np_remote *remote,
		      int status, struct np_error *error)
{
	struct pollfd wait[2] = { { .fd = status, .events = POLLIN },
				  { .fd = remote->starter->signals, .events = POLLIN } };
	int code = 0;

	while (poll(wait, 2, np_deadline_left_ms(remote->started, -1)) < 0)
		;
	if (wait[1].revents != 0)
		return -EINTR;
	if (wait[0].revents == 0)
		return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
			       "'%.100s' did not start within %u s", command->list[0],
			       remote->started.seconds);
	if (read(status, &code, sizeof(code)) == (ssize_t)sizeof(code))
		return np_fail(error, NP_ERROR_PEER, code, "cannot run '%.100s': %s",
			       command->list[0], strerror(code));
	return 0;
}

/* Runs the command with pipes in remote->in, out and err.  Returns 0 or -errno. */
static int run_command(const struct remote_command *command, struct np_remote *remote,
		       struct np_error *error)
{
	int pipes[4][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
	const pid_t parent = getpid();
	int rc = open_pipes(pipes, error);

	if (rc == 0) {
		remote->child = fork();
		if (remote->child == 0)
			become(command, pipes, parent);
		if (remote->child < 0)
			rc = np_fail_errno(error, errno, "cannot start '%.100s'",
					   command->list[0]);
	}
	if (rc == 0) {
		remote->in = keep(&pipes[0][1]);
		remote->out.fd = keep(&pipes[1][0]);
		remote->err = keep(&pipes[2][0]);
		close(keep(&pipes[3][1]));
		rc = await_exec(command, remote, pipes[3][0], error);
	}
	close_pipes(pipes);
	return rc;
}

/* ---- The process ------------------------------------------------------------ */

enum {
	START_MS = 8000,  /* at least: the user may have to type a password */
	ENDING_MS = 1500, /* to exit by itself */
	FORCE_MS = 500,	  /* to exit after a signal */
	ALONE_MS = 2500,  /* after the partner has exited */
	LINE_MOST = 512
};

/* Appends to remote->text, which keeps the last NP_REMOTE_STDERR bytes of standard
 * error. */
static void append_stderr(struct np_remote *remote, const char *bytes, size_t length)
{
	if (length > NP_REMOTE_STDERR) {
		bytes += length - NP_REMOTE_STDERR;
		length = NP_REMOTE_STDERR;
	}
	if (remote->text_length + length > NP_REMOTE_STDERR) {
		const size_t excess = remote->text_length + length - NP_REMOTE_STDERR;

		memmove(remote->text, remote->text + excess, remote->text_length - excess);
		remote->text_length -= excess;
	}
	memcpy(remote->text + remote->text_length, bytes, length);
	remote->text_length += length;
	remote->text[remote->text_length] = '\0';
}

/* Reads once from the process's standard error. */
static void read_stderr(void *context)
{
	struct np_remote *remote = context;
	char bytes[512];
	const ssize_t length = read(remote->err, bytes, sizeof(bytes));

	if (length > 0) {
		append_stderr(remote, bytes, (size_t)length);
	} else if (length == 0 || errno != EINTR) {
		close(remote->err);
		remote->err = -1;
	}
}

/* Waits for standard output of the process.  Returns 0 when it is readable, -EINTR when a
 * signal is, -ETIMEDOUT, or -ETIME when the time of the program is over. */
static int wait_for_output(struct np_remote *remote, const struct np_remote *partner,
			   struct np_deadline deadline)
{
	const struct np_deadline all = remote->starter->deadline;
	int partner_out = partner != NULL ? partner->out.fd : -1;

	for (;;) {
		struct pollfd fds[4] = { { .fd = remote->out.fd, .events = POLLIN },
					 { .fd = remote->err, .events = POLLIN },
					 { .fd = remote->starter->signals,
					   .events = POLLIN },
					 /* hang-up only */
					 { .fd = partner_out } };

		if (np_deadline_is_over(all))
			return -ETIME;
		if (np_deadline_is_over(deadline))
			return -ETIMEDOUT;
		if (poll(fds, 4, np_deadline_left_ms(np_deadline_of(all, deadline), -1)) <
		    0)
			continue;
		if (fds[2].revents != 0)
			return -EINTR;
		if (fds[1].revents != 0)
			read_stderr(remote);
		if (fds[0].revents != 0)
			return 0;
		if (fds[3].revents != 0) {
			deadline = np_deadline_of(deadline, np_deadline_in(ALONE_MS));
			partner_out = -1;
		}
	}
}

/* Reads a line of the process's standard output.  Returns 1; 0 at the end, where an
 * incomplete line is dropped; or as wait_for_output(). */
static int next_line(struct np_remote *remote, const struct np_remote *partner, char **line,
		     struct np_error *error)
{
	size_t length;
	int rc;

	while ((rc = np_lines_take(&remote->out, line, &length, error)) == 0 &&
	       !remote->out.over) {
		rc = wait_for_output(remote, partner,
				     remote->begun ? np_deadline_never() : remote->started);
		remote->silent = rc == -ETIMEDOUT || rc == -ETIME;
		if (rc == -ETIME)
			np_fail(error, NP_ERROR_FAILED, ETIME,
				"the run takes longer than %g s: --max-run-time",
				remote->starter->options.max_run_time);
		if (rc == 0)
			rc = np_lines_read(&remote->out, error);
		if (rc != 0)
			return rc;
	}
	return remote->out.cut ? 0 : rc;
}

/* Fails for a process that has printed no line within the time limit of its start. */
static int fail_to_start(const struct np_remote *remote, struct np_error *error)
{
	return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
		       "%s at %.100s did not start within %u s "
		       "(--connect-timeout gives it more)",
		       remote->program, remote->host, remote->started.seconds);
}

int np_remote_line(struct np_remote *remote, const struct np_remote *partner, char **line,
		   struct np_error *error)
{
	struct np_error failure = { .code = 0 };
	int rc;

	/* A login shell may print lines before the first result. */
	while ((rc = next_line(remote, partner, line, &failure)) == 1 && !remote->begun &&
	       **line != '{')
		;
	remote->begun |= rc == 1;
	if (rc == -ETIME)
		*error = failure;
	else if (failure.code != 0)
		return np_fail(error, NP_ERROR_PEER, rc, "%s at %.100s: %.200s",
			       remote->program, remote->host, failure.text);
	if (rc == 1 && remote->out.bytes > RESULTS_MOST)
		return np_fail(error, NP_ERROR_PEER, EFBIG,
			       "%s at %.100s prints more than %d MiB of results: is it "
			       "NetPong's?",
			       remote->program, remote->host, RESULTS_MOST >> 20);
	if (rc != -ETIMEDOUT)
		return rc;
	if (!remote->begun && np_deadline_is_over(remote->started))
		return fail_to_start(remote, error);
	return np_fail(
		error, NP_ERROR_PEER, ETIMEDOUT,
		"%s at %.100s prints no further results, though its server has exited",
		remote->program, remote->host);
}

/* Returns true for the last line of a usage error, which does not help on another host. */
static bool points_to_help(const char *line)
{
	return strncmp(line, "Try '", 5) == 0;
}

/* Returns the last line of the process's standard error, without a hint at --help. */
static const char *stderr_tail(struct np_remote *remote)
{
	char *end = remote->text + remote->text_length;
	const char *last;

	do {
		while (end > remote->text && (end[-1] == '\n' || end[-1] == '\r'))
			*--end = '\0';
		const char *newline = strrchr(remote->text, '\n');
		last = newline != NULL ? newline + 1 : remote->text;
		end = remote->text + (last - remote->text);
	} while (points_to_help(last) && end > remote->text);
	remote->stderr_printed = true;
	return last;
}

int np_remote_failed(struct np_remote *remote, int status, struct np_error *error)
{
	const size_t name = strlen(remote->program);
	const char *why = stderr_tail(remote);

	if (strncmp(why, remote->program, name) == 0 && why[name] == ':')
		why += name + 1 + strspn(why + name + 1, " ");
	if (*why == '\0')
		return np_fail(error, NP_ERROR_PEER, ECHILD, "%s ended with status %d",
			       remote->program, status);
	return np_fail(error, NP_ERROR_PEER, ECHILD, "%.350s", why);
}

/* Detects NetPIPE's program of the same name, which lacks long options: getopt(3) prints an
 * error, and the program its usage. */
static bool is_netpipe(const char *text)
{
	return strstr(text, "invalid option -- '-'") != NULL ||
	       strstr(text, "NETPIPE USAGE") != NULL;
}

static int refuse_netpipe(struct np_remote *remote, struct np_error *error)
{
	/* NetPIPE's error about an unknown option adds nothing. */
	remote->stderr_printed = true;
	return np_fail(error, NP_ERROR_PEER, EPROTO,
		       "%s at %.100s is another program of that name, as Debian's "
		       "netpipe-tcp has one: name NetPong's with --remote-program",
		       remote->program, remote->host);
}

/* Reports that the process has exited before it printed a port. */
static int did_not_start(struct np_remote *remote, struct np_error *error)
{
	char status[40];

	/* np_remote_end() reads the rest of its standard error. */
	snprintf(status, sizeof(status), "exit status %d", np_remote_end(remote));
	const char *why = stderr_tail(remote);
	if (strstr(why, "'--launched'") != NULL)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "%s at %.100s is of another version, without --launched: "
			       "both must be the same version",
			       remote->program, remote->host);
	if (is_netpipe(remote->text))
		return refuse_netpipe(remote, error);
	return np_fail(error, NP_ERROR_PEER, ECHILD, "cannot start %s at %.100s: %.200s",
		       remote->program, remote->host, *why != '\0' ? why : status);
}

/* Returns the port of "NPtcp 0.4.0 waits at port 40123; ...", or 0 for any other line. */
static unsigned long port_of(const char *line, char program[32], char version[32])
{
	int at = 0;

	if (sscanf(line, "%31s %31s waits at port %n", program, version, &at) != 2 ||
	    at == 0)
		return 0;
	const unsigned long number = strtoul(line + at, NULL, 10);

	return number <= 65535 ? number : 0;
}

/* Takes program, version and port from the announcement.  Returns 0 or -errno. */
static int take_announcement(const struct np_remote *remote,
			     const struct np_identity *identity, const char *line,
			     uint16_t *port, struct np_error *error)
{
	char program[32], version[32];

	*port = (uint16_t)port_of(line, program, version);
	if (strcmp(program, identity->program) == 0 &&
	    strcmp(version, identity->version) == 0)
		return 0;
	return np_fail(error, NP_ERROR_PEER, EPROTO,
		       "%.100s has %s %s, and this is %s %s: both must be the same version",
		       remote->host, program, version, identity->program,
		       identity->version);
}

/* Reports that no line announces the port.  last: of those before, "" for none. */
static int refuse_output(struct np_remote *remote, const char *program, const char *last,
			 struct np_error *error)
{
	if (is_netpipe(last) || is_netpipe(remote->text))
		return refuse_netpipe(remote, error);
	return np_fail(error, NP_ERROR_PEER, EPROTO,
		       "the program started at %.100s is not %s: it printed '%.100s'",
		       remote->host, program, last);
}

/* Waits for the port at which the process listens.  A login shell may print lines before.
 */
static int read_port(struct np_remote *remote, uint16_t *port, struct np_error *error)
{
	const struct np_identity *identity = &remote->starter->identity;
	char name[32], version[32], last[104] = "", *line;
	int rc;

	while ((rc = next_line(remote, NULL, &line, error)) == 1 &&
	       port_of(line, name, version) == 0) {
		snprintf(last, sizeof(last), "%s", line);
		if (is_netpipe(line) || remote->out.bytes > BANNER_MOST)
			return refuse_output(remote, identity->program, last, error);
	}
	remote->begun = rc == 1;
	if (rc == 1)
		return take_announcement(remote, identity, line, port, error);
	if (rc == 0 && (*last == '\0' || remote->text_length != 0))
		return did_not_start(remote, error);
	if (*last != '\0' && (rc == 0 || rc == -ETIMEDOUT))
		return refuse_output(remote, identity->program, last, error);
	return rc == -ETIMEDOUT ? fail_to_start(remote, error) : rc;
}

/* Sends the token, and the plan if there is one. */
static int send_orders(struct np_remote *remote, const struct np_remote_order *order,
		       struct np_error *error)
{
	const char *plan = order->plan != NULL ? order->plan : "";
	char token[NP_KEY_DIGITS + 1];

	np_token_print(order->token, token);
	const int length = dprintf(remote->in, "%s\ntoken=%s\n%s\n", greeting, token, plan);
	/* EPIPE: the process has exited, and its standard error has the reason. */
	if (length < 0 && errno != EPIPE)
		return np_fail_errno(error, errno, "cannot write to %s at %.100s",
				     remote->program, remote->host);
	return 0;
}

int np_remote_start(struct np_remote *remote, const struct np_remote_order *order,
		    struct np_error *error)
{
	const struct np_options *options = &order->program->options;
	struct remote_command command;

	*remote = (struct np_remote){ .host = order->host,
				      .program = order->program->identity.program,
				      .starter = order->program,
				      .started = np_deadline_in(START_MS),
				      .in = -1,
				      .out = { .fd = -1 },
				      .err = -1 };
	memcpy(remote->token, order->token, sizeof(remote->token));
	if (options->connect_timeout * 1000 > START_MS)
		remote->started =
			np_deadline_in((uint64_t)(options->connect_timeout * 1000));
	int rc = make_command(&command, order, error);
	if (rc == 0)
		rc = run_command(&command, remote, error);
	free_command(&command);
	return rc == 0 ? send_orders(remote, order, error) : rc;
}

int np_remote_serve(struct np_remote *remote, const struct np_program *program,
		    const char *host, uint16_t *port, struct np_error *error)
{
	static const char *const arguments[] = { "--port=0", NULL };
	unsigned char token[NP_KEY_LENGTH];
	const struct np_remote_order order = {
		.program = program, .token = token, .host = host, .arguments = arguments
	};
	int rc;

	*remote = (struct np_remote){ .in = -1, .out = { .fd = -1 }, .err = -1 };
	rc = np_token_draw(token, error);
	if (rc == 0)
		rc = np_remote_start(remote, &order, error);
	return rc == 0 ? read_port(remote, port, error) : rc;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int np_remote_end(struct np_remote *remote)
{
	const struct np_child_end end = { .wait_ms = remote->silent ? 0 : ENDING_MS,
					  .signal = SIGTERM,
					  .grace_ms = remote->silent ? FORCE_MS : ENDING_MS,
					  .pipe = &remote->err,
					  .read = read_stderr,
					  .context = remote };
	int status = 0;

	close_fd(&remote->in);
	np_lines_close(&remote->out);
	if (remote->child > 0)
		status = np_child_end(remote->child, &end);
	close_fd(&remote->err);
	remote->child = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Returns true if a line of the other process repeats the error of this process. */
static bool is_echo(const char *line, const struct np_error *why)
{
	/* Printed by a process whose standard input was closed, as np_remote_end() does. */
	if (strcmp(line, "stopped by SIGHUP") == 0)
		return true;
	if (why->code == 0)
		return false;
	return (int)why->kind > 128 || strstr(why->text, line) != NULL ||
	       strncmp(line, "at the peer: ", 13) == 0 ||
	       strncmp(line, "connection to the peer lost", 27) == 0;
}

void np_remote_print_stderr(struct np_remote *remote, const struct np_error *why,
			    const struct np_notes *notes)
{
	char *line = remote->text, *newline;
	char text[LINE_MOST];

	for (; !remote->stderr_printed && *line != '\0'; line = newline + 1) {
		const size_t name = strlen(remote->program);

		newline = strchrnul(line, '\n');
		const bool last = *newline == '\0';
		*newline = '\0';
		/* The line's prefix, this program's name, becomes the host's name. */
		if (strncmp(line, remote->program, name) == 0 && line[name] == ':')
			line += name + 1 + strspn(line + name + 1, " ");
		if (*line != '\0' && !points_to_help(line) && !is_echo(line, why)) {
			snprintf(text, sizeof(text), "%.100s: %.400s", remote->host, line);
			notes->note(notes->context, text);
		}
		if (last)
			break;
	}
	remote->stderr_printed = true;
}

/* ---- The started process, --launched ----------------------------------------- */

/* Most bytes of a plan, as on a control channel; time limit of its arrival. */
enum { ORDERS_MOST = 1 << 20, ORDERS_MS = 10000 };

/* Body of a thread: raises SIGHUP when standard input closes, as a terminal does. */
static void *hold_on(void *unused)
{
	char ignored[64];
	ssize_t length;

	(void)unused;
	do {
		length = read(STDIN_FILENO, ignored, sizeof(ignored));
	} while (length > 0 || (length < 0 && errno == EINTR));
	kill(getpid(), SIGHUP);
	return NULL;
}

/* Reads a line of standard input.  Returns 1 and the line, or another number at the end
 * or after the timeout. */
static int next_order(struct np_lines *lines, uint64_t deadline_ns, char **line)
{
	struct np_error ignored = { .code = 0 };
	struct pollfd wait = { .fd = lines->fd, .events = POLLIN };
	size_t length;
	int rc = 0;

	while (rc == 0 && (rc = np_lines_take(lines, line, &length, &ignored)) == 0 &&
	       !lines->over && lines->bytes < ORDERS_MOST && np_clock_ns() < deadline_ns) {
		if (poll(&wait, 1, 200) > 0)
			rc = np_lines_read(lines, &ignored);
	}
	return rc;
}

/* Reads the greeting, "token=" and its digits, the lines of the plan, and an empty
 * line. */
static int read_orders(unsigned char *key, char **plan, struct np_error *error)
{
	const uint64_t deadline = np_clock_ns() + ORDERS_MS * 1000000ull;
	struct np_lines lines = { .fd = dup(STDIN_FILENO) };
	size_t size = 0;
	FILE *text = open_memstream(plan, &size);
	bool whole = false, understood = text != NULL;
	char *line;

	while (understood && !whole && next_order(&lines, deadline, &line) == 1) {
		whole = lines.number > 2 && *line == '\0';
		if (lines.number == 1)
			understood = strcmp(line, greeting) == 0;
		else if (lines.number == 2)
			understood = strncmp(line, "token=", 6) == 0 &&
				     np_token_parse(line + 6, key);
		else if (!whole)
			fprintf(text, "%s\n", line);
	}
	np_lines_close(&lines);
	understood = text != NULL && fclose(text) == 0 && understood;
	if (!understood)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "unknown request from the NetPong that starts this one: "
			       "both must be the same version");
	return whole ? 0 :
		       np_refuse(error, "--launched is for programs that NetPong starts on "
					"other hosts: "
					"token and plan come over standard input");
}

int np_remote_child_start(unsigned char *key, char **plan, struct np_error *error)
{
	pthread_t thread;
	int rc = read_orders(key, plan, error);

	if (rc != 0)
		return rc;
	rc = pthread_create(&thread, NULL, hold_on, NULL);
	if (rc != 0)
		return np_fail_errno(error, rc, "cannot watch standard input");
	pthread_detach(thread);
	return 0;
}
