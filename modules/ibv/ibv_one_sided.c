/*
 * ibv_one_sided.c - hooks and loops of RDMA write and read, and of atomic operations,
 * without the peer's CPU, which sleeps meanwhile.
 *
 * With a window of 1 each operation is completed before the next (latency); with more
 * they overlap, and the flush at the end of a sample completes all.
 */
#include "ibv_wr.h"

NP_ALWAYS_INLINE int put(struct np_endpoint *ep, size_t slot,
			 enum np_ibv_transport transport, enum np_ibv_call call,
			 bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];

	np_ibv_aim_local(ibv, at->send);
	np_ibv_aim_remote(ibv, at->recv);
	return np_ibv_post_message(ibv, slot, transport, call, sleeps);
}

NP_ALWAYS_INLINE int get(struct np_endpoint *ep, size_t slot,
			 enum np_ibv_transport transport, enum np_ibv_call call,
			 bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];

	np_ibv_aim_local(ibv, at->recv);
	np_ibv_aim_remote(ibv, at->send);
	return np_ibv_post_message(ibv, slot, transport, call, sleeps);
}

NP_ALWAYS_INLINE int get_and_wait(struct np_endpoint *ep, size_t slot,
				  enum np_ibv_transport transport, enum np_ibv_call call,
				  bool sleeps)
{
	const int rc = get(ep, slot, transport, call, sleeps);

	return rc != 0 ? rc : np_ibv_flush(np_ibv_of(ep), sleeps);
}

/* Code paths of an act, NAME[sleeps]. */
#define STEP_PATHS(NAME, label, act, transport, call)                                      \
	NP_IBV_POSTING_HOOKS(NAME##_act, act, transport, call)                             \
	static const struct np_hot NAME##_poll_hot =                                       \
		NP_IBV_STEP_HOOKS(NAME##_act_polling, polling);                            \
	static const struct np_hot NAME##_event_hot =                                      \
		NP_IBV_STEP_HOOKS(NAME##_act_sleeping, sleeping);                          \
	NP_LOOP(NAME##_loop, np_loop_one_sided, NAME##_poll_hot)                           \
	static const struct np_code_path NAME##_poll = {                                   \
		.name = "poll" label,                                                      \
		.hot = &NAME##_poll_hot,                                                   \
		.loops = { [NP_ONE_SIDED] = { NAME##_loop, np_loop_idle } }                \
	};                                                                                 \
	static const struct np_code_path NAME##_event = { .name = "event" label,           \
							  .hot = &NAME##_event_hot };      \
	static const struct np_code_path *const NAME[2] = { &NAME##_poll, &NAME##_event }

/* Gets, [waits][sleeps]. */
#define GET_PATHS(NAME, label, transport, call)                                            \
	STEP_PATHS(NAME##_many, label, get, transport, call);                              \
	STEP_PATHS(NAME##_each, label, get_and_wait, transport, call);                     \
	static const struct np_code_path *const *const NAME[2] = { NAME##_many,            \
								   NAME##_each }

STEP_PATHS(put_any, "", put, NP_IBV_WRITE, NP_IBV_BY_SEND);
STEP_PATHS(put_wr, ", ibv_wr", put, NP_IBV_WRITE, NP_IBV_BY_WR);
STEP_PATHS(put_inline, ", ibv_wr", put, NP_IBV_WRITE, NP_IBV_BY_WR_INLINE);
GET_PATHS(get_any, "", NP_IBV_READ, NP_IBV_BY_SEND);
GET_PATHS(get_wr, ", ibv_wr", NP_IBV_READ, NP_IBV_BY_WR);
GET_PATHS(add_wr, ", ibv_wr", NP_IBV_FETCH_ADD, NP_IBV_BY_WR);
GET_PATHS(swap_wr, ", ibv_wr", NP_IBV_COMPARE_SWAP, NP_IBV_BY_WR);

const struct np_code_path *np_ibv_one_sided(const struct np_ibv *ibv)
{
	const bool by_wr = np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR;
	const bool waits = ibv->endpoint.transfer->window == 1;
	/* Rank 1 is idle until the end of the block, and leaves its core to others, as
	 * the kernel threads of RDMA in software. */
	const bool sleeps = ibv->completion == NP_IBV_EVENT || ibv->endpoint.rank == 1;

	if (!by_wr)
		return np_ibv_gets(ibv->transport) ? get_any[waits][sleeps] :
						     put_any[sleeps];
	switch (ibv->transport) {
	case NP_IBV_READ:
		return get_wr[waits][sleeps];
	case NP_IBV_FETCH_ADD:
		return add_wr[waits][sleeps];
	case NP_IBV_COMPARE_SWAP:
		return swap_wr[waits][sleeps];
	default:
		return (np_ibv_inlines(ibv) ? put_inline : put_wr)[sleeps];
	}
}
