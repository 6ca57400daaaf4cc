/*
 * ibv_one_sided.c - hooks and loops of RDMA write and read, and of atomic operations,
 * without the peer's CPU, which sleeps meanwhile.
 *
 * With a window of 1 each operation is completed before the next (latency); with more
 * they overlap, and the flush at the end of a sample completes all.
 */
#include "ibv_wr.h"

NP_ALWAYS_INLINE int put(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];

	np_ibv_aim_local(ibv, at->send);
	np_ibv_aim_remote(ibv, at->recv);
	return np_ibv_post(ibv, np_ibv_next(ibv, &ibv->send_turn), &ibv->send_request,
			   ibv->send_flags, slot, sleeps);
}

NP_ALWAYS_INLINE int get(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];

	np_ibv_aim_local(ibv, at->recv);
	np_ibv_aim_remote(ibv, at->send);
	return np_ibv_post(ibv, np_ibv_next(ibv, &ibv->send_turn), &ibv->send_request,
			   ibv->send_flags, slot, sleeps);
}

NP_ALWAYS_INLINE int get_and_wait(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	const int rc = get(ep, slot, sleeps);

	return rc != 0 ? rc : np_ibv_flush(np_ibv_of(ep), sleeps);
}

NP_SLOT_HOOKS(put)
NP_SLOT_HOOKS(get)
NP_SLOT_HOOKS(get_and_wait)

static const struct np_hot put_poll_hot = NP_IBV_STEP_HOOKS(put_polling, polling);
static const struct np_hot put_event_hot = NP_IBV_STEP_HOOKS(put_sleeping, sleeping);
static const struct np_hot get_poll_hot = NP_IBV_STEP_HOOKS(get_polling, polling);
static const struct np_hot get_event_hot = NP_IBV_STEP_HOOKS(get_sleeping, sleeping);
static const struct np_hot get_wait_poll_hot =
	NP_IBV_STEP_HOOKS(get_and_wait_polling, polling);
static const struct np_hot get_wait_event_hot =
	NP_IBV_STEP_HOOKS(get_and_wait_sleeping, sleeping);

NP_LOOP(put_poll_loop, np_loop_one_sided, put_poll_hot)
NP_LOOP(get_poll_loop, np_loop_one_sided, get_poll_hot)
NP_LOOP(get_wait_poll_loop, np_loop_one_sided, get_wait_poll_hot)

static const struct np_code_path put_poll = {
	.name = "poll",
	.hot = &put_poll_hot,
	.loops = { [NP_ONE_SIDED] = { put_poll_loop, np_loop_idle } }
};
static const struct np_code_path get_poll = {
	.name = "poll",
	.hot = &get_poll_hot,
	.loops = { [NP_ONE_SIDED] = { get_poll_loop, np_loop_idle } }
};
static const struct np_code_path get_wait_poll = {
	.name = "poll",
	.hot = &get_wait_poll_hot,
	.loops = { [NP_ONE_SIDED] = { get_wait_poll_loop, np_loop_idle } }
};
static const struct np_code_path put_event = { .name = "event", .hot = &put_event_hot };
static const struct np_code_path get_event = { .name = "event", .hot = &get_event_hot };
static const struct np_code_path get_wait_event = { .name = "event",
						    .hot = &get_wait_event_hot };

/* ---- --post wr ------------------------------------------------------------------ */

NP_ALWAYS_INLINE int wr_put(struct np_endpoint *ep, size_t slot, enum ibv_wr_opcode opcode,
			    bool inlined)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];

	np_ibv_aim_local(ibv, at->send);
	np_ibv_aim_remote(ibv, at->recv);
	return np_ibv_post_wr(ibv, slot, opcode, inlined);
}

static int wr_get(struct np_endpoint *ep, size_t slot)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];

	np_ibv_aim_local(ibv, at->recv);
	np_ibv_aim_remote(ibv, at->send);
	return np_ibv_post_wr(ibv, slot, IBV_WR_RDMA_READ, false);
}

static int wr_get_wait(struct np_endpoint *ep, size_t slot)
{
	const int rc = wr_get(ep, slot);

	return rc != 0 ? rc : np_ibv_flush(np_ibv_of(ep), false);
}

NP_IBV_WR_HOOKS(wr_put, plain, IBV_WR_RDMA_WRITE)

#define WR_PATH(act)                                                                       \
	static const struct np_hot act##_hot = NP_IBV_STEP_HOOKS(act, polling);            \
	NP_LOOP(act##_loop, np_loop_one_sided, act##_hot)                                  \
	static const struct np_code_path act##_path = {                                    \
		.name = "poll, ibv_wr",                                                    \
		.hot = &act##_hot,                                                         \
		.loops = { [NP_ONE_SIDED] = { act##_loop, np_loop_idle } }                 \
	}

WR_PATH(wr_put_plain);
WR_PATH(wr_put_plain_inlined);
WR_PATH(wr_get);
WR_PATH(wr_get_wait);

static const struct np_code_path *choose_wr(const struct np_ibv *ibv, bool waits)
{
	if (np_ibv_gets(ibv->transport))
		return waits ? &wr_get_wait_path : &wr_get_path;
	return (ibv->send_flags & IBV_SEND_INLINE) != 0 ? &wr_put_plain_inlined_path :
							  &wr_put_plain_path;
}

const struct np_code_path *np_ibv_one_sided(const struct np_ibv *ibv)
{
	const bool waits = ibv->endpoint.transfer->window == 1;
	/* Rank 1 has nothing to do until the end of the block, and leaves its core to
	 * whoever needs it, as RDMA in software does. */
	const bool sleeps = ibv->completion == NP_IBV_EVENT || ibv->endpoint.rank == 1;

	if (np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR && !sleeps)
		return choose_wr(ibv, waits);
	if (!np_ibv_gets(ibv->transport))
		return sleeps ? &put_event : &put_poll;
	if (sleeps)
		return waits ? &get_wait_event : &get_event;
	return waits ? &get_wait_poll : &get_poll;
}
