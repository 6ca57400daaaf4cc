/*
 * await.h - deadline of a call that cannot be interrupted: a file on a file system that
 * does not answer, a FIFO without a writer, a name without a name server.
 */
#pragma once

#include "base/deadline.h"
#include "base/error.h"

struct np_awaited {
	void (*call)(void *context);
	void (*release)(void *context); /* frees context and what call() left in it */
	void *context;
};

/* Makes the call in a thread, which is abandoned at the deadline.  Returns 0: the caller
 * owns the context.  Returns -ETIMEDOUT without a text: the context is released when the
 * call returns.  Returns another -errno with a text: the context is released. */
int np_await(const struct np_awaited *awaited, struct np_deadline deadline,
	     struct np_error *error);
