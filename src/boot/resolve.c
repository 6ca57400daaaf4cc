/*
 * resolve.c - addresses of a host by name, with a timeout.
 *
 * getaddrinfo() queries each name server several times, for half a minute and more, and
 * cannot be interrupted.  A thread runs it, which is abandoned after the timeout and then
 * frees the lookup itself.
 */
#include "boot/resolve.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum state { RUNNING, DONE, ABANDONED };

struct lookup {
	char *host, *service;
	struct addrinfo *list;
	int failure; /* of getaddrinfo() */
	sem_t done;
	atomic_int state; /* enum state */
};

static void free_lookup(struct lookup *lookup)
{
	if (lookup->list != NULL)
		freeaddrinfo(lookup->list);
	sem_destroy(&lookup->done);
	free(lookup->host);
	free(lookup->service);
	free(lookup);
}

static void *look_up(void *context)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct lookup *lookup = context;

	lookup->failure = getaddrinfo(lookup->host, lookup->service, &hints, &lookup->list);
	if (atomic_exchange(&lookup->state, DONE) == ABANDONED)
		free_lookup(lookup);
	else
		sem_post(&lookup->done);
	return NULL;
}

static struct lookup *make_lookup(const char *host, const char *service)
{
	struct lookup *lookup = calloc(1, sizeof(*lookup));

	if (lookup == NULL)
		return NULL;
	atomic_init(&lookup->state, RUNNING);
	sem_init(&lookup->done, 0, 0);
	lookup->host = strdup(host);
	lookup->service = strdup(service);
	if (lookup->host != NULL && lookup->service != NULL)
		return lookup;
	free_lookup(lookup);
	return NULL;
}

static int start(struct lookup *lookup)
{
	pthread_attr_t detached;
	pthread_t thread;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	const int code = pthread_create(&thread, &detached, look_up, lookup);
	pthread_attr_destroy(&detached);
	return -code;
}

static bool is_done_by(struct lookup *lookup, struct np_deadline deadline)
{
	const struct timespec until = { .tv_sec = (time_t)(deadline.at_ns / 1000000000),
					.tv_nsec = (long)(deadline.at_ns % 1000000000) };
	int rc;

	while ((rc = sem_clockwait(&lookup->done, CLOCK_MONOTONIC, &until)) != 0 &&
	       errno == EINTR)
		;
	return rc == 0;
}

/* Moves the list out of a completed lookup. */
static int take_list(struct lookup *lookup, struct addrinfo **list, struct np_error *error)
{
	if (lookup->failure != 0)
		return np_fail(error, NP_ERROR_PEER, EHOSTUNREACH,
			       "unknown host '%.200s': %s", lookup->host,
			       gai_strerror(lookup->failure));
	*list = lookup->list;
	lookup->list = NULL;
	return 0;
}

int np_resolve(const char *host, const char *service, struct np_deadline deadline,
	       struct addrinfo **list, struct np_error *error)
{
	struct lookup *lookup = make_lookup(host, service);

	if (lookup == NULL)
		return np_fail_errno(error, ENOMEM, "cannot look up '%.200s'", host);
	int rc = start(lookup);
	if (rc != 0) {
		np_fail_errno(error, rc, "cannot start a thread to look up '%.200s'", host);
		free_lookup(lookup);
		return rc;
	}
	const bool done = is_done_by(lookup, deadline);
	/* The exchange is a memory barrier: the thread's results are visible below. */
	if (atomic_exchange(&lookup->state, ABANDONED) == RUNNING)
		return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
			       "unknown host '%.200s': no name server has answered within "
			       "%u s",
			       host, deadline.seconds);
	if (!done) /* completed between the two checks */
		sem_wait(&lookup->done);
	rc = take_list(lookup, list, error);
	free_lookup(lookup);
	return rc;
}
