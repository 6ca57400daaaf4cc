/*
 * shm_hooks.h - the hook tables of a transfer, one spinning and one with futexes.
 *
 * The including file defines the three functions declared first.  The hooks call them
 * with `sleeps` as a constant, so that no hook tests it at run time.  Everything is
 * static: each including file gets its own tables, inlined into its loops.
 */
#ifndef SHM_HOOKS_H
#define SHM_HOOKS_H

#include "shm_wait.h"

/* Defined by the including file; see struct np_hot. */
NP_ALWAYS_INLINE int send_message(struct np_endpoint *ep, size_t slot, const bool sleeps);
NP_ALWAYS_INLINE int recv_message(struct np_endpoint *ep, size_t slot, const bool sleeps);
NP_ALWAYS_INLINE int flush_messages(struct np_endpoint *ep, const bool sleeps);

/* An acknowledgement is a cell without payload.  memcpy() needs a valid pointer even
 * for 0 bytes. */
NP_ALWAYS_INLINE int send_ack(struct np_endpoint *ep, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	int rc = shm_await_room(shm, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	shm_push(shm, "", 0, SHM_HEADER, sleeps);
	return 0;
}

NP_ALWAYS_INLINE int recv_ack(struct np_endpoint *ep, const bool sleeps)
{
	struct shm_endpoint *shm = shm_of(ep);
	int rc = shm_await(shm, SHM_CELL, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	shm_release_cell(shm, sleeps);
	return 0;
}

static inline int spin_send(struct np_endpoint *ep, size_t slot)
{
	return send_message(ep, slot, false);
}

static inline int spin_recv(struct np_endpoint *ep, size_t slot)
{
	return recv_message(ep, slot, false);
}

static inline int spin_flush(struct np_endpoint *ep)
{
	return flush_messages(ep, false);
}

static inline int spin_send_ack(struct np_endpoint *ep)
{
	return send_ack(ep, false);
}

static inline int spin_recv_ack(struct np_endpoint *ep)
{
	return recv_ack(ep, false);
}

static inline int sleep_send(struct np_endpoint *ep, size_t slot)
{
	return send_message(ep, slot, true);
}

static inline int sleep_recv(struct np_endpoint *ep, size_t slot)
{
	return recv_message(ep, slot, true);
}

static inline int sleep_flush(struct np_endpoint *ep)
{
	return flush_messages(ep, true);
}

static inline int sleep_send_ack(struct np_endpoint *ep)
{
	return send_ack(ep, true);
}

static inline int sleep_recv_ack(struct np_endpoint *ep)
{
	return recv_ack(ep, true);
}

static const struct np_hot spin_hooks = {
	.post_recv = shm_no_slot,
	.send = spin_send,
	.recv = spin_recv,
	.flush = spin_flush,
	.send_ack = spin_send_ack,
	.recv_ack = spin_recv_ack,
	.step = shm_no_slot,
};

static const struct np_hot sleep_hooks = {
	.post_recv = shm_no_slot,
	.send = sleep_send,
	.recv = sleep_recv,
	.flush = sleep_flush,
	.send_ack = sleep_send_ack,
	.recv_ack = sleep_recv_ack,
	.step = shm_no_slot,
};

#endif
