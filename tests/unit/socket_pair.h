/*
 * socket_pair.h - two connected sockets for each test that wants them, as setup
 * and teardown.
 */
#pragma once

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Longer than any test takes; only a bug waits for it. */
enum { PATIENCE_MS = 20000 };

static inline int open_pair(void **state)
{
	int *ends = malloc(2 * sizeof(*ends));

	if (ends == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return -1;
	*state = ends;
	return 0;
}

static inline void close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

static inline int close_pair(void **state)
{
	int *ends = *state;

	close_end(&ends[0]);
	close_end(&ends[1]);
	free(ends);
	return 0;
}
