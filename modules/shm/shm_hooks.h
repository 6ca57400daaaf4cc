/*
 * shm_hooks.h - the hook tables of a transfer, one spinning and one with futexes.
 *
 * The including file defines the three functions declared first.  The hooks call them
 * with `sleeps` as a constant, so that no hook tests it at run time.  Everything is
 * static: each including file gets its own tables, inlined into its loops.
 */
#pragma once

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

/* The hooks for one way to wait, and their table. */
#define SHM_HOOKS(how, sleeps)                                                             \
	static inline int how##_send(struct np_endpoint *ep, size_t slot)                  \
	{                                                                                  \
		return send_message(ep, slot, sleeps);                                     \
	}                                                                                  \
	static inline int how##_recv(struct np_endpoint *ep, size_t slot)                  \
	{                                                                                  \
		return recv_message(ep, slot, sleeps);                                     \
	}                                                                                  \
	static inline int how##_flush(struct np_endpoint *ep)                              \
	{                                                                                  \
		return flush_messages(ep, sleeps);                                         \
	}                                                                                  \
	static inline int how##_send_ack(struct np_endpoint *ep)                           \
	{                                                                                  \
		return send_ack(ep, sleeps);                                               \
	}                                                                                  \
	static inline int how##_recv_ack(struct np_endpoint *ep)                           \
	{                                                                                  \
		return recv_ack(ep, sleeps);                                               \
	}                                                                                  \
	static const struct np_hot how##_hooks = {                                         \
		.post_recv = shm_no_slot,                                                  \
		.send = how##_send,                                                        \
		.recv = how##_recv,                                                        \
		.flush = how##_flush,                                                      \
		.send_ack = how##_send_ack,                                                \
		.recv_ack = how##_recv_ack,                                                \
		.step = shm_no_slot,                                                       \
	}

SHM_HOOKS(spin, false);
SHM_HOOKS(sleep, true);
