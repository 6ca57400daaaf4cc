/*
 * remote_child.c - --launched: a process that remote.c started from another host reads
 * token and plan from standard input, and raises SIGHUP when its parent is gone.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "program/program.h"
#include "program/remote.h"
#include "boot/access.h"

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
static int next_line(struct np_lines *lines, uint64_t deadline_ns, char **line)
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

	while (understood && !whole && next_line(&lines, deadline, &line) == 1) {
		whole = lines.number > 2 && *line == '\0';
		if (lines.number == 1)
			understood = strcmp(line, np_remote_greeting) == 0;
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
			       "unknown request from the launching NetPong: are the "
			       "versions equal?");
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
