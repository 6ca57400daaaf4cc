/*
 * remote.c - starting an end at another host, and hearing it.
 */
#include "program/remote.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "program/remote_command.h"
#include "boot/token.h"

enum {
	START_MS = 8000,  /* at least; who has to type a password gives more time */
	ENDING_MS = 1500, /* for it to end by itself */
	FORCE_MS = 500,	  /* for one that does not answer to end by a signal */
	ALONE_MS = 2500,  /* for one whose partner has ended */
	LINE_MOST = 512
};

/* Keeps the last of what it says. */
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

static void hear_words(struct np_remote *remote)
{
	char bytes[512];
	const ssize_t length = read(remote->err, bytes, sizeof(bytes));

	if (length > 0) {
		keep_words(remote, bytes, (size_t)length);
	} else if (length == 0 || errno != EINTR) {
		close(remote->err);
		remote->err = -1;
	}
}

/* Waits for standard output.  Returns 0 when there is something to read, -EINTR
 * for wake, -ETIMEDOUT. */
static int wait_for_output(struct np_remote *remote, const struct np_remote *partner,
			   int wake, uint64_t deadline_ns)
{
	int partner_out = partner != NULL ? partner->out : -1;

	for (;;) {
		struct pollfd fds[4] = { { .fd = remote->out, .events = POLLIN },
					 { .fd = remote->err, .events = POLLIN },
					 { .fd = wake, .events = POLLIN },
					 /* Nothing but that it hangs up. */
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

ssize_t np_remote_read(struct np_remote *remote, const struct np_remote *partner, int wake,
		       char *buffer, size_t size, struct np_error *error)
{
	const int rc = wait_for_output(remote, partner, wake, UINT64_MAX);

	if (rc == -EINTR)
		return rc;
	if (rc != 0) {
		remote->silent = true;
		return np_fail(error, NP_ERROR_PEER, -rc,
			       "%s at %.100s says nothing more, though its peer has ended",
			       remote->program, remote->host);
	}
	const ssize_t length = read(remote->out, buffer, size);
	return length >= 0 ? length :
			     np_fail_errno(error, errno, "cannot hear %s at %.100s",
					   remote->program, remote->host);
}

/* The last line that it said, for an error of one line. */
static const char *last_words(struct np_remote *remote)
{
	char *end = remote->words + remote->word_count;

	while (end > remote->words && (end[-1] == '\n' || end[-1] == '\r'))
		*--end = '\0';
	const char *newline = strrchr(remote->words, '\n');
	remote->told = true;
	return newline != NULL ? newline + 1 : remote->words;
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

/* It has ended without a word where it waits. */
static int did_not_start(struct np_remote *remote, struct np_error *error)
{
	char status[40];

	/* What it has said is heard at its end. */
	snprintf(status, sizeof(status), "exit status %d", np_remote_end(remote));
	const char *why = last_words(remote);
	if (strstr(why, "'--launched'") != NULL)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "%s at %.100s is of another version: it does not know "
			       "--launched",
			       remote->program, remote->host);
	return np_fail(error, NP_ERROR_PEER, ECHILD, "cannot start %s at %.100s: %.200s%s",
		       remote->program, remote->host, *why != '\0' ? why : status,
		       remote->hint);
}

/* "NPtcp 0.3.0 waits at port 40123; ..."  Returns 0 and the port, or -errno. */
static int read_announcement(const struct np_remote *remote,
			     const struct np_identity *identity, const char *line,
			     uint16_t *port, struct np_error *error)
{
	char program[32], version[32];
	unsigned long number = 0;
	int at = 0;

	if (sscanf(line, "%31s %31s waits at port %n", program, version, &at) == 2 &&
	    at != 0)
		number = strtoul(line + at, NULL, 10);
	if (number == 0 || number > 65535)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "what was started at %.100s is no %s: it said '%.100s'",
			       remote->host, identity->program, line);
	if (strcmp(program, identity->program) != 0 ||
	    strcmp(version, identity->version) != 0)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "%.100s has %s %s, and this is %s %s: both ends have to be "
			       "the same",
			       remote->host, program, version, identity->program,
			       identity->version);
	*port = (uint16_t)number;
	return 0;
}

int np_remote_port(struct np_remote *remote, const struct np_identity *identity, int wake,
		   uint16_t *port, struct np_error *error)
{
	const uint64_t deadline = np_clock_ns() + remote->patience_ms * 1000000ull;
	char line[LINE_MOST];
	size_t length = 0;

	while (length < sizeof(line) - 1) {
		const int rc = wait_for_output(remote, NULL, wake, deadline);

		if (rc == -EINTR)
			return rc;
		remote->silent = rc != 0;
		if (rc != 0)
			return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
				       "%s at %.100s did not start within %u s "
				       "(--connect-timeout gives it more)",
				       remote->program, remote->host,
				       remote->patience_ms / 1000);
		const ssize_t got = read(remote->out, line + length, 1);
		if (got <= 0)
			return did_not_start(remote, error);
		if (line[length] == '\n')
			break;
		length++;
	}
	line[length] = '\0';
	return read_announcement(remote, identity, line, port, error);
}

/* Sends it the token, and the plan if there is one. */
static int send_orders(struct np_remote *remote, const struct np_remote_order *order,
		       struct np_error *error)
{
	const char *plan = order->plan != NULL ? order->plan : "";
	char token[NP_KEY_DIGITS + 1];

	np_token_print(order->key, token);
	const int length =
		dprintf(remote->in, "%s\ntoken=%s\n%s\n", np_remote_greeting, token, plan);
	/* It may have ended already: its own words say more than a broken pipe. */
	if (length < 0 && errno != EPIPE)
		return np_fail_errno(error, errno, "cannot speak to %s at %.100s",
				     remote->program, remote->host);
	return 0;
}

int np_remote_start(struct np_remote *remote, const struct np_remote_order *order,
		    struct np_error *error)
{
	struct np_remote_command command;
	const char *rsh = order->options->rsh;
	/* A namespace is named in the command; ssh without a host explains itself. */
	const bool hostless = rsh != NULL && strstr(rsh, "%h") == NULL;

	*remote = (struct np_remote){ .host = order->host,
				      .program = order->identity->program,
				      .hint = hostless ? " (--rsh has no %h for the host)" :
							 "",
				      .patience_ms = START_MS,
				      .in = -1,
				      .out = -1,
				      .err = -1 };
	if (order->options->connect_timeout * 1000 > START_MS)
		remote->patience_ms = (unsigned)(order->options->connect_timeout * 1000);
	int rc = np_remote_command_make(&command, order, error);
	if (rc == 0)
		rc = np_remote_command_run(&command, remote, error);
	np_remote_command_free(&command);
	return rc == 0 ? send_orders(remote, order, error) : rc;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Hears its last words until it is gone, or the time is up. */
static bool ends_within(struct np_remote *remote, int milliseconds, int *status)
{
	const uint64_t deadline = np_clock_ns() + (uint64_t)milliseconds * 1000000;

	while (np_clock_ns() < deadline) {
		struct pollfd wait = { .fd = remote->err, .events = POLLIN };

		if (waitpid(remote->child, status, WNOHANG) != 0)
			return true;
		if (poll(&wait, 1, 10) > 0)
			hear_words(remote);
	}
	return false;
}

int np_remote_end(struct np_remote *remote)
{
	int status = 0;

	close_fd(&remote->in);
	close_fd(&remote->out);
	if (remote->child > 0) {
		if (remote->silent || !ends_within(remote, ENDING_MS, &status)) {
			kill(remote->child, SIGTERM);
			if (!ends_within(remote, remote->silent ? FORCE_MS : ENDING_MS,
					 &status)) {
				kill(remote->child, SIGKILL);
				waitpid(remote->child, &status, 0);
			}
		}
		/* What it said before it went. */
		while (remote->err >= 0) {
			struct pollfd wait = { .fd = remote->err, .events = POLLIN };

			if (poll(&wait, 1, 0) <= 0)
				break;
			hear_words(remote);
		}
	}
	close_fd(&remote->err);
	remote->child = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Whether a line says what is known here, or repeats what this end told it. */
static bool is_echo(const char *line, const struct np_error *why)
{
	/* That is how it ends when it is let go. */
	if (strcmp(line, "stopped by SIGHUP") == 0)
		return true;
	if (why->code == 0)
		return false;
	return (int)why->kind > 128 || strstr(why->text, line) != NULL ||
	       strncmp(line, "at the peer: ", 13) == 0 ||
	       strncmp(line, "the peer is gone", 16) == 0;
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
		/* Its name is ours, and the host's says more. */
		if (strncmp(line, remote->program, name) == 0 && line[name] == ':')
			line += name + 1 + strspn(line + name + 1, " ");
		if (*line != '\0' && !is_echo(line, why)) {
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
