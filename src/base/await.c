/*
 * await.c - calls in a thread that is abandoned at a deadline.
 */
#include "base/await.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum state { RUNNING, DONE, ABANDONED };

struct waiting {
	struct np_awaited awaited;
	sem_t done;
	atomic_int state; /* enum state */
};

static void free_waiting(struct waiting *waiting)
{
	sem_destroy(&waiting->done);
	free(waiting);
}

static void *make_call(void *context)
{
	struct waiting *waiting = context;

	waiting->awaited.call(waiting->awaited.context);
	if (atomic_exchange(&waiting->state, DONE) == ABANDONED) {
		waiting->awaited.release(waiting->awaited.context);
		free_waiting(waiting);
	} else {
		sem_post(&waiting->done);
	}
	return NULL;
}

/* Returns whether the call has returned by the deadline. */
static bool is_done_by(struct waiting *waiting, struct np_deadline deadline)
{
	const struct timespec until = { .tv_sec = (time_t)(deadline.at_ns / 1000000000),
					.tv_nsec = (long)(deadline.at_ns % 1000000000) };

	int rc;

	while ((rc = sem_clockwait(&waiting->done, CLOCK_MONOTONIC, &until)) != 0 &&
	       errno == EINTR)
		;
	return rc == 0;
}

int np_await(const struct np_awaited *awaited, struct np_deadline deadline,
	     struct np_error *error)
{
	struct waiting *waiting = calloc(1, sizeof(*waiting));
	pthread_t thread;
	int rc = -ENOMEM;

	if (waiting != NULL) {
		waiting->awaited = *awaited;
		atomic_init(&waiting->state, RUNNING);
		sem_init(&waiting->done, 0, 0);
		rc = -pthread_create(&thread, NULL, make_call, waiting);
	}
	if (rc != 0) {
		if (waiting != NULL)
			free_waiting(waiting);
		awaited->release(awaited->context);
		return np_fail_errno(error, rc, "cannot start a thread for a file or name");
	}
	const bool done = is_done_by(waiting, deadline);
	if (!done && atomic_exchange(&waiting->state, ABANDONED) == RUNNING) {
		pthread_detach(thread);
		return -ETIMEDOUT;
	}
	/* A fork() while the thread ends would copy a part of it. */
	pthread_join(thread, NULL);
	free_waiting(waiting);
	return 0;
}
