/*
 * generic.c - loops of np_loop.h with hooks called through the table of the endpoint's code
 * path.
 */
#include "contract/np_loop.h"

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
