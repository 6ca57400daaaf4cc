/*
 * remote_obey.c - the end that was started from elsewhere: what it hears from
 * who started it, and that it does not outlive that.
 */
#include "program/remote_obey.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "program/remote_command.h"
#include "boot/token.h"

/* As long as a plan may be that comes over a boot channel. */
enum { ORDERS_MOST = 1 << 20, ORDERS_MS = 10000 };

/* Standard input is a rope: when it is let go, the process gets the signal that
 * a terminal sends when it hangs up. */
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

/* Reads up to the empty line, and not a byte more. */
static int read_orders(char **orders, struct np_error *error)
{
	const uint64_t deadline = np_clock_ns() + ORDERS_MS * 1000000ull;
	size_t room = 4096, length = 0;
	char *text = malloc(room);

	while (text != NULL && length < ORDERS_MOST) {
		struct pollfd wait = { .fd = STDIN_FILENO, .events = POLLIN };

		if (length + 1 == room) {
			char *larger = realloc(text, 2 * room);
			if (larger == NULL)
				break;
			text = larger;
			room *= 2;
		}
		if (np_clock_ns() > deadline)
			break;
		if (poll(&wait, 1, 200) <= 0)
			continue;
		if (read(STDIN_FILENO, text + length, 1) != 1)
			break;
		length++;
		if (length > 1 && text[length - 1] == '\n' && text[length - 2] == '\n') {
			text[length] = '\0';
			*orders = text;
			return 0;
		}
	}
	free(text);
	return np_fail(error, NP_ERROR_USAGE, EINVAL,
		       "--launched is for programs that another has started: it hears "
		       "what to do from its standard input");
}

/* The greeting, "token=" and its digits, then the plan. */
static bool take_orders(char *orders, unsigned char *key, char **plan)
{
	char *line = orders;

	for (unsigned i = 0; i < 2; i++) {
		char *newline = line != NULL ? strchr(line, '\n') : NULL;

		if (newline == NULL)
			return false;
		*newline = '\0';
		if (i == 0 && strcmp(line, np_remote_greeting) != 0)
			return false;
		if (i == 1 &&
		    (strncmp(line, "token=", 6) != 0 || !np_token_parse(line + 6, key)))
			return false;
		line = newline + 1;
	}
	/* Without the empty line. */
	*plan = strndup(line, strlen(line) - 1);
	return *plan != NULL;
}

int np_remote_obey(unsigned char *key, char **plan, struct np_error *error)
{
	char *orders = NULL;
	pthread_t thread;
	int rc = read_orders(&orders, error);

	if (rc != 0)
		return rc;
	if (!take_orders(orders, key, plan))
		rc = np_fail(error, NP_ERROR_PEER, EPROTO,
			     "what started this program says what is not understood");
	free(orders);
	if (rc != 0)
		return rc;
	rc = pthread_create(&thread, NULL, hold_on, NULL);
	if (rc != 0)
		return np_fail_errno(error, rc, "cannot watch standard input");
	pthread_detach(thread);
	return 0;
}
