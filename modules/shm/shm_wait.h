/*
 * shm_wait.h - waiting for the peer: by polling, or asleep in the kernel.
 *
 * Each function takes `sleeps` as a constant and is inlined, so a code path holds
 * one way of waiting and no question about it.
 *
 * Sleeping and waking.  An end that goes to sleep stores into its bell what it
 * sleeps for, then looks once more whether it has come, then waits in the
 * kernel as long as the bell still says so.  An end that has published
 * something looks at the peer's bell, and if it names what was published, sets
 * it to 0 and wakes.  A wake-up would be lost if the sleeper missed what was
 * published and the publisher missed the bell: each stores one word and loads
 * the other, and with release and acquire both loads may run ahead of both
 * stores.  So these four accesses are sequentially consistent: in the single
 * order of such accesses one of the two stores is first, and the other end's
 * load, which follows its own store, sees it.  That costs the publisher a full
 * fence per cell, and is why spinning is a code path of its own.
 *
 * The publisher's store of 0 is always followed by its wake.  If it comes late
 * and falls into the next sleep, then either the kernel finds 0 in the bell and
 * does not sleep, or the wake ends that sleep; the sleeper looks again and sets
 * its bell again.  A needless wake-up is harmless, a missing one cannot happen.
 */
#ifndef SHM_WAIT_H
#define SHM_WAIT_H

#include <errno.h>

#include "shm_private.h"

/* What an end may wait for; bits. */
enum {
	SHM_CELL = 1,	/* the next cell has come */
	SHM_ROOM = 2,	/* a cell may be written */
	SHM_DRAINED = 4 /* all cells written were taken */
};

enum {
	SHM_POLLS = 1000,      /* between two looks at the stop flag */
	SHM_EAGER_POLLS = 250, /* of these, without a pause */
	SHM_AWAKE_POLLS = 200  /* before going to sleep */
};

/* How a store is ordered that the peer waits for, and a load that ends a wait. */
NP_ALWAYS_INLINE memory_order shm_publish_order(const bool sleeps)
{
	return sleeps ? memory_order_seq_cst : memory_order_release;
}

/* Tells the processor that this is a wait.  A pause takes 20 to 50 ns, about as
 * long as a line takes to arrive, so the first polls do without. */
NP_ALWAYS_INLINE void shm_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

/* True if one of `events` has happened. */
NP_ALWAYS_INLINE bool shm_happened(struct shm_port *port, const unsigned events,
				   const memory_order order)
{
	if ((events & SHM_CELL) != 0 && shm_has_come(port, order))
		return true;
	if ((events & (SHM_ROOM | SHM_DRAINED)) == 0)
		return false;
	shm_ask_taken(port, order);
	return ((events & SHM_ROOM) != 0 && shm_has_room(port)) ||
	       ((events & SHM_DRAINED) != 0 && shm_is_drained(port));
}

/* shm_wait.c: sleeps until one of events has happened or the run has to end.
 * Returns 0 or -ECANCELED. */
int np_shm_sleep(struct shm_endpoint *shm, unsigned events);
/* shm_wait.c: clears the peer's bell and wakes the peer. */
void np_shm_wake(struct shm_endpoint *shm);

/* Waits for one of events.  Returns 0, or -ECANCELED when the run has to end. */
NP_ALWAYS_INLINE int shm_await(struct shm_endpoint *shm, const unsigned events,
			       const bool sleeps)
{
	for (;;) {
		for (int poll = 0; poll < (sleeps ? SHM_AWAKE_POLLS : SHM_POLLS); poll++) {
			if (shm_happened(&shm->port, events, memory_order_acquire))
				return 0;
			if (poll >= SHM_EAGER_POLLS)
				shm_relax();
		}
		if (sleeps)
			return np_shm_sleep(shm, events);
		if (np_give_way(&shm->np))
			return -ECANCELED;
	}
}

/* After publishing: wakes the peer if it sleeps for one of `events`. */
NP_ALWAYS_INLINE void shm_tell(struct shm_endpoint *shm, const unsigned events,
			       const bool sleeps)
{
	if (sleeps &&
	    NP_UNLIKELY((atomic_load_explicit(shm->peer_bell, memory_order_seq_cst) &
			 events) != 0))
		np_shm_wake(shm);
}

/* Waits for room unless there is some: a branch that is taken without a load of
 * anything shared. */
NP_ALWAYS_INLINE int shm_await_room(struct shm_endpoint *shm, const bool sleeps)
{
	if (shm_has_room(&shm->port))
		return 0;
	return shm_await(shm, SHM_ROOM, sleeps);
}

/* One cell out, one cell in, with the peer told. */
NP_ALWAYS_INLINE void shm_push(struct shm_endpoint *shm, const void *payload, size_t length,
			       const size_t offset, const bool sleeps)
{
	shm_put(&shm->port, payload, length, offset, shm_publish_order(sleeps));
	shm_tell(shm, SHM_CELL, sleeps);
}

NP_ALWAYS_INLINE void shm_pull(struct shm_endpoint *shm, void *payload, size_t length,
			       const size_t offset, const bool sleeps)
{
	if (shm_take(&shm->port, payload, length, offset, shm_publish_order(sleeps)))
		shm_tell(shm, SHM_ROOM | SHM_DRAINED, sleeps);
}

/* Gives the next cell back, with the peer told; it was read in place. */
NP_ALWAYS_INLINE void shm_give_back(struct shm_endpoint *shm, const bool sleeps)
{
	if (shm_release(&shm->port, shm_publish_order(sleeps)))
		shm_tell(shm, SHM_ROOM | SHM_DRAINED, sleeps);
}

/* Hooks for which there is nothing to do, here so that they are inlined. */
static inline int shm_no_slot(struct np_endpoint *ep, size_t slot)
{
	(void)ep;
	(void)slot;
	return 0;
}

static inline int shm_no_flush(struct np_endpoint *ep)
{
	(void)ep;
	return 0;
}

#endif
