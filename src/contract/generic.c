/*
 * generic.c - code of modules that is compiled once: sleeps, and the loops of np_loop.h
 * with hooks called through the table of the endpoint's code path.
 */
#include <poll.h>

#include "contract/np_loop.h"

enum { SLEEP_MS = 1000 };

int np_sleep_on(struct np_endpoint *ep, int fd)
{
	struct pollfd wait[2] = { { .fd = fd, .events = POLLIN },
				  { .fd = ep->wake, .events = POLLIN } };

	if (poll(wait, 2, SLEEP_MS) < 0 && errno != EINTR)
		return np_fail_errno(&ep->error, errno, "cannot wait for an event");
	if (np_should_stop(ep))
		return -ECANCELED;
	return wait[0].revents != 0 ? 1 : 0;
}

int np_loop_idle(struct np_endpoint *ep, size_t slot, uint64_t messages, uint64_t batches)
{
	(void)slot;
	(void)messages;
	(void)batches;
	return ep->code_path->hot->recv_ack(ep);
}

#define HOOKS (*ep->code_path->hot)

NP_LOOPS(NP_LOOP, generic, HOOKS)
NP_LOOPS(NP_LOOP_BURST, burst, HOOKS)

const struct np_code_path np_generic_path = { .name = "generic",
					      .loops = NP_LOOP_TABLE(generic) };
const struct np_code_path np_generic_burst = { .name = "generic",
					       .loops = NP_LOOP_TABLE(burst) };
