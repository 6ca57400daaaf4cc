/*
 * generic.c - the loops of np_loop.h around whatever table of hooks the
 * endpoint's code path has.
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

NP_LOOP(generic_ping, np_loop_ping, HOOKS)
NP_LOOP(generic_pong, np_loop_pong, HOOKS)
NP_LOOP(generic_stream_out, np_loop_stream_out, HOOKS)
NP_LOOP(generic_stream_in, np_loop_stream_in, HOOKS)
NP_LOOP(generic_acked_out, np_loop_acked_out, HOOKS)
NP_LOOP(generic_acked_in, np_loop_acked_in, HOOKS)
NP_LOOP(generic_exchange, np_loop_exchange, HOOKS)
NP_LOOP(generic_step, np_loop_one_sided, HOOKS)

const struct np_code_path np_generic_path = {
	.name = "generic",
	.loops = {
		[NP_PINGPONG] = { generic_ping, generic_pong },
		[NP_STREAM] = { generic_stream_out, generic_stream_in },
		[NP_STREAM_ACKED] = { generic_acked_out, generic_acked_in },
		[NP_BIDIRECTIONAL] = { generic_exchange, generic_exchange },
		[NP_ONE_SIDED] = { generic_step, np_loop_idle },
	},
};
