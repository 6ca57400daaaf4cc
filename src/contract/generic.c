/*
 * generic.c - code of modules that is compiled once: requests of reads, sleeps, and the
 * loops of np_loop.h with hooks called through the table of the endpoint's code path.
 */
#include <poll.h>

#include "contract/np_loop.h"

int np_request_reads(struct np_request *request, const char *module, const char *alone,
		     const char *stream, struct np_error *error)
{
	const bool streams = request->operation == NP_STREAM;
	const struct np_refusal refusals[] = {
		{ request->operation == NP_BIDIRECTIONAL, "-2",
		  "the operation is one-sided: only the client works" },
		{ request->operation == NP_STREAM_ACKED, "--window 1",
		  "the operation is one-sided: nobody is there to acknowledge" },
		{ request->smallest == 0, "-l 0",
		  "a one-sided operation of 0 B moves nothing" },
		{ !streams && request->window > 1, "--window",
		  "without -s each operation waits for the one before" },
		{ .option = NULL },
	};

	if (request->window == 0)
		request->window = streams ? NP_STREAM_WINDOW : 1;
	np_request_one_sided(request, NP_ONE_SIDED_GET, streams ? stream : alone);
	return np_refuse_first(refusals, module, error);
}

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
