/*
 * remote.c - processes on other hosts: start, input and output, end.
 */
#include "program/remote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "program/remote_command.h"
#include "boot/access.h"

enum {
	START_MS = 8000,  /* at least: the user may have to type a password */
	ENDING_MS = 1500, /* to exit by itself */
	FORCE_MS = 500,	  /* to exit after a signal */
	ALONE_MS = 2500,  /* after the partner has exited */
	LINE_MOST = 512
};

/* Appends to the kept end of the process's standard error. */
static void keep_words(struct np_remote *remote, const char *bytes, size_t length)
{
	if (length > NP_REMOTE_WORDS) {
		bytes += length - NP_REMOTE_WORDS;
		length = NP_REMOTE_WORDS;
	}
	if (remote->word_count + length > NP_REMOTE_WORDS) {
		const size_t excess = remote->word_count + length - NP_REMOTE_WORDS;

		memmove(remote->words, remote->words + excess, remote->word_count - excess);
		remote->word_count -= excess;
	}
	memcpy(remote->words + remote->word_count, bytes, length);
	remote->word_count += length;
	remote->words[remote->word_count] = '\0';
}

/* Reads once from the process's standard error. */
static void hear_words(void *context)
{
	struct np_remote *remote = context;
	char bytes[512];
	const ssize_t length = read(remote->err, bytes, sizeof(bytes));

	if (length > 0) {
		keep_words(remote, bytes, (size_t)length);
	} else if (length == 0 || errno != EINTR) {
		close(remote->err);
		remote->err = -1;
	}
}

/* Waits for standard output of the process.  Returns 0 when it is readable, -EINTR if wake
 * is, or -ETIMEDOUT. */
static int wait_for_output(struct np_remote *remote, const struct np_remote *partner,
			   int wake, uint64_t deadline_ns)
{
	int partner_out = partner != NULL ? partner->out.fd : -1;

	for (;;) {
		struct pollfd fds[4] = { { .fd = remote->out.fd, .events = POLLIN },
					 { .fd = remote->err, .events = POLLIN },
					 { .fd = wake, .events = POLLIN },
					 /* hang-up only */
					 { .fd = partner_out } };
		const uint64_t now = np_clock_ns();

		if (now >= deadline_ns)
			return -ETIMEDOUT;
		if (poll(fds, 4, 200) < 0)
			continue;
		if (fds[2].revents != 0)
			return -EINTR;
		if (fds[1].revents != 0)
			hear_words(remote);
		if (fds[0].revents != 0)
			return 0;
		if (fds[3].revents != 0) {
			deadline_ns = now + ALONE_MS * 1000000ull;
			partner_out = -1;
		}
	}
}

/* Reads a line of the process's standard output.  Returns 1; 0 at the end, where an
 * incomplete line is dropped; or as wait_for_output(). */
static int next_line(struct np_remote *remote, const struct np_remote *partner, int wake,
		     uint64_t deadline_ns, char **line, struct np_error *error)
{
	size_t length;
	int rc;

	while ((rc = np_lines_take(&remote->out, line, &length, error)) == 0 &&
	       !remote->out.over) {
		rc = wait_for_output(remote, partner, wake, deadline_ns);
		if (rc == 0)
			rc = np_lines_read(&remote->out, error);
		if (rc != 0)
			return rc;
	}
	return remote->out.cut ? 0 : rc;
}

int np_remote_line(struct np_remote *remote, const struct np_remote *partner, int wake,
		   char **line, struct np_error *error)
{
	const int rc = next_line(remote, partner, wake, UINT64_MAX, line, error);

	if (rc != -ETIMEDOUT)
		return rc;
	remote->silent = true;
	return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
		       "%s at %.100s says nothing more, though its peer has ended",
		       remote->program, remote->host);
}

/* Returns true for the last line of a usage error, which does not help on another host. */
static bool points_to_help(const char *line)
{
	return strncmp(line, "Try '", 5) == 0;
}

/* Returns the last line of the process's standard error, without a hint at --help. */
static const char *last_words(struct np_remote *remote)
{
	char *end = remote->words + remote->word_count;
	const char *last;

	do {
		while (end > remote->words && (end[-1] == '\n' || end[-1] == '\r'))
			*--end = '\0';
		const char *newline = strrchr(remote->words, '\n');
		last = newline != NULL ? newline + 1 : remote->words;
		end = remote->words + (last - remote->words);
	} while (points_to_help(last) && end > remote->words);
	remote->told = true;
	return last;
}

int np_remote_failed(struct np_remote *remote, int status, struct np_error *error)
{
	const size_t name = strlen(remote->program);
	const char *why = last_words(remote);

	if (strncmp(why, remote->program, name) == 0 && why[name] == ':')
		why += name + 1 + strspn(why + name + 1, " ");
	if (*why == '\0')
		return np_fail(error, NP_ERROR_PEER, ECHILD, "%s ended with status %d",
			       remote->program, status);
	return np_fail(error, NP_ERROR_PEER, ECHILD, "%.350s", why);
}

/* NetPIPE's program of the same name has no long options: getopt(3) complains, and the
 * usage follows. */
static bool is_netpipe(const char *words)
{
	return strstr(words, "invalid option -- '-'") != NULL ||
	       strstr(words, "NETPIPE USAGE") != NULL;
}

static int refuse_netpipe(struct np_remote *remote, struct np_error *error)
{
	/* NetPIPE's error about an unknown option adds nothing. */
	remote->told = true;
	return np_fail(error, NP_ERROR_PEER, EPROTO,
		       "%s at %.100s is another program of that name, as Debian's "
		       "netpipe-tcp has one: --remote-program says where NetPong's is",
		       remote->program, remote->host);
}

/* Reports that the process has exited before it printed a port. */
static int did_not_start(struct np_remote *remote, struct np_error *error)
{
	char status[40];

	/* np_remote_end() reads the rest of its standard error. */
	snprintf(status, sizeof(status), "exit status %d", np_remote_end(remote));
	const char *why = last_words(remote);
	if (strstr(why, "'--launched'") != NULL)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "%s at %.100s is of another version: it does not know "
			       "--launched",
			       remote->program, remote->host);
	if (is_netpipe(remote->words))
		return refuse_netpipe(remote, error);
	return np_fail(error, NP_ERROR_PEER, ECHILD, "cannot start %s at %.100s: %.200s",
		       remote->program, remote->host, *why != '\0' ? why : status);
}

/* "NPtcp 0.4.0 waits at port 40123; ..."  Returns 0 and the port, or -errno. */
static int read_announcement(struct np_remote *remote, const struct np_identity *identity,
			     const char *line, uint16_t *port, struct np_error *error)
{
	char program[32], version[32];
	unsigned long number = 0;
	int at = 0;

	if (sscanf(line, "%31s %31s waits at port %n", program, version, &at) == 2 &&
	    at != 0)
		number = strtoul(line + at, NULL, 10);
	if (number == 0 && (is_netpipe(line) || is_netpipe(remote->words)))
		return refuse_netpipe(remote, error);
	if (number == 0 || number > 65535)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "what was started at %.100s is no %s: it said '%.100s'",
			       remote->host, identity->program, line);
	if (strcmp(program, identity->program) != 0 ||
	    strcmp(version, identity->version) != 0)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "%.100s has %s %s, and this is %s %s: both must be the "
			       "same version",
			       remote->host, program, version, identity->program,
			       identity->version);
	*port = (uint16_t)number;
	return 0;
}

/* Waits for the port at which the process listens. */
static int read_port(struct np_remote *remote, const struct np_program *program,
		     uint16_t *port, struct np_error *error)
{
	const uint64_t deadline = np_clock_ns() + remote->patience_ms * 1000000ull;
	char *line;
	const int rc = next_line(remote, NULL, program->signals, deadline, &line, error);

	if (rc == 0)
		return did_not_start(remote, error);
	remote->silent = rc == -ETIMEDOUT;
	if (remote->silent)
		return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
			       "%s at %.100s did not start within %u s "
			       "(--connect-timeout gives it more)",
			       remote->program, remote->host, remote->patience_ms / 1000);
	return rc < 0 ? rc :
			read_announcement(remote, &program->identity, line, port, error);
}

/* Sends the token, and the plan if there is one. */
static int send_orders(struct np_remote *remote, const struct np_remote_order *order,
		       struct np_error *error)
{
	const char *plan = order->plan != NULL ? order->plan : "";
	char token[NP_KEY_DIGITS + 1];

	np_token_print(order->program->secret, token);
	const int length =
		dprintf(remote->in, "%s\ntoken=%s\n%s\n", np_remote_greeting, token, plan);
	/* EPIPE: the process has exited, and its standard error has the reason. */
	if (length < 0 && errno != EPIPE)
		return np_fail_errno(error, errno, "cannot speak to %s at %.100s",
				     remote->program, remote->host);
	return 0;
}

int np_remote_start(struct np_remote *remote, const struct np_remote_order *order,
		    struct np_error *error)
{
	const struct np_options *options = &order->program->options;
	struct np_remote_command command;

	*remote = (struct np_remote){ .host = order->host,
				      .program = order->program->identity.program,
				      .patience_ms = START_MS,
				      .in = -1,
				      .out = { .fd = -1 },
				      .err = -1 };
	if (options->connect_timeout * 1000 > START_MS)
		remote->patience_ms = (unsigned)(options->connect_timeout * 1000);
	int rc = np_remote_command_make(&command, order, error);
	if (rc == 0)
		rc = np_remote_command_run(&command, remote, error);
	np_remote_command_free(&command);
	return rc == 0 ? send_orders(remote, order, error) : rc;
}

int np_remote_serve(struct np_remote *remote, struct np_program *program, const char *host,
		    uint16_t *port, struct np_error *error)
{
	static const char *const arguments[] = { "--once", "--port=0", NULL };
	const struct np_remote_order order = { .program = program,
					       .host = host,
					       .arguments = arguments };
	int rc;

	*remote = (struct np_remote){ .in = -1, .out = { .fd = -1 }, .err = -1 };
	rc = np_token_draw(program->secret, error);
	if (rc == 0)
		rc = np_remote_start(remote, &order, error);
	return rc == 0 ? read_port(remote, program, port, error) : rc;
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
					  .hear = hear_words,
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

/* Returns true if a line only repeats the error of this process. */
static bool is_echo(const char *line, const struct np_error *why)
{
	/* A process ends so when its standard input closes. */
	if (strcmp(line, "stopped by SIGHUP") == 0)
		return true;
	if (why->code == 0)
		return false;
	return (int)why->kind > 128 || strstr(why->text, line) != NULL ||
	       strncmp(line, "at the peer: ", 13) == 0 ||
	       strncmp(line, "connection to the peer lost", 27) == 0;
}

void np_remote_tell(struct np_remote *remote, const struct np_error *why,
		    const struct np_notes *notes)
{
	char *line = remote->words, *newline;
	char text[LINE_MOST];

	for (; !remote->told && *line != '\0'; line = newline + 1) {
		const size_t name = strlen(remote->program);

		newline = strchrnul(line, '\n');
		const bool last = *newline == '\0';
		*newline = '\0';
		/* The prefix is this program's name: the host's name replaces it. */
		if (strncmp(line, remote->program, name) == 0 && line[name] == ':')
			line += name + 1 + strspn(line + name + 1, " ");
		if (*line != '\0' && !points_to_help(line) && !is_echo(line, why)) {
			snprintf(text, sizeof(text), "%.100s: %.400s", remote->host, line);
			notes->note(notes->context, text);
		}
		if (last)
			break;
	}
	remote->told = true;
}

const char *np_remote_address(const char *host)
{
	const char *at = strrchr(host, '@');

	return at != NULL ? at + 1 : host;
}
