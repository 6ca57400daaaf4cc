/*
 * shm_wait.h - waiting for the peer: by spinning, or asleep on a futex.
 *
 * Each function takes `sleeps` as a constant and is inlined, so that no code path tests
 * it at run time.
 *
 * Lost wake-ups.  The sleeper stores the events that it waits for into its futex word,
 * tests once more whether one has happened, and then calls FUTEX_WAIT.  The publisher
 * stores a cell or a count, and then loads the peer's futex word; if the word contains
 * the event, it sets the word to 0 and calls FUTEX_WAKE.  A wake-up would be lost if
 * the sleeper missed the publication and the publisher missed the futex word: each
 * stores one word and loads the other, and release and acquire allow both loads to
 * precede both stores.  Therefore these four accesses are sequentially consistent: in
 * their total order one store is first, and the load of the other process, which
 * follows its own store, sees it.  This costs the publisher a full fence per cell,
 * which is why spinning is a separate code path.
 *
 * FUTEX_WAKE always follows the publisher's store of 0.  If the store is late and hits
 * the next sleep, then either FUTEX_WAIT finds 0 and returns, or FUTEX_WAKE ends that
 * sleep; the sleeper tests again and sets its futex again.  So a wake-up may be
 * spurious, but is never lost.
 */
#pragma once

#include <errno.h>

#include "shm_private.h"

/* Events; bits. */
enum {
	SHM_CELL = 1,	/* the next cell has arrived */
	SHM_ROOM = 2,	/* a cell is free */
	SHM_DRAINED = 4 /* the peer has taken all cells */
};

enum {
	SHM_POLLS = 1000,      /* between two checks of the stop flag */
	SHM_EAGER_POLLS = 250, /* first polls without a pause */
	SHM_AWAKE_POLLS = 200  /* polls before a sleep */
};

/* Memory order of a store that the peer may wait for. */
NP_ALWAYS_INLINE memory_order shm_publish_order(const bool sleeps)
{
	return sleeps ? memory_order_seq_cst : memory_order_release;
}

/* Spin-wait hint to the CPU.  A pause takes 20 to 50 ns, about the latency of a cache
 * line from the other core, so the first polls do without. */
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
	if ((events & SHM_CELL) != 0 && shm_has_cell(port, order))
		return true;
	if ((events & (SHM_ROOM | SHM_DRAINED)) == 0)
		return false;
	shm_load_taken(port, order);
	return ((events & SHM_ROOM) != 0 && shm_has_room(port)) ||
	       ((events & SHM_DRAINED) != 0 && shm_is_drained(port));
}

/* Sleeps until one of events has happened or the run is stopped.
 * Returns 0 or -ECANCELED. */
int np_shm_sleep(struct shm_endpoint *shm, unsigned events);
/* Clears the peer's futex word and wakes the peer. */
void np_shm_wake(struct shm_endpoint *shm);

/* Waits for one of events.  Returns 0, or -ECANCELED when the run is stopped. */
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
NP_ALWAYS_INLINE void shm_wake_peer(struct shm_endpoint *shm, const unsigned events,
				    const bool sleeps)
{
	if (sleeps &&
	    NP_UNLIKELY((atomic_load_explicit(shm->peer_futex, memory_order_seq_cst) &
			 events) != 0))
		np_shm_wake(shm);
}

/* Waits for a free cell.  If one is known, no shared memory is loaded. */
NP_ALWAYS_INLINE int shm_await_room(struct shm_endpoint *shm, const bool sleeps)
{
	if (shm_has_room(&shm->port))
		return 0;
	return shm_await(shm, SHM_ROOM, sleeps);
}

/* Push writes a cell, pull reads one; both wake a peer that sleeps for that event. */
NP_ALWAYS_INLINE void shm_push(struct shm_endpoint *shm, const void *payload, size_t length,
			       const size_t offset, const bool sleeps)
{
	shm_put(&shm->port, payload, length, offset, shm_publish_order(sleeps));
	shm_wake_peer(shm, SHM_CELL, sleeps);
}

NP_ALWAYS_INLINE void shm_pull(struct shm_endpoint *shm, void *payload, size_t length,
			       const size_t offset, const bool sleeps)
{
	if (shm_take(&shm->port, payload, length, offset, shm_publish_order(sleeps)))
		shm_wake_peer(shm, SHM_ROOM | SHM_DRAINED, sleeps);
}

/* Releases the next cell, which was read in place, and wakes the peer. */
NP_ALWAYS_INLINE void shm_release_cell(struct shm_endpoint *shm, const bool sleeps)
{
	if (shm_release(&shm->port, shm_publish_order(sleeps)))
		shm_wake_peer(shm, SHM_ROOM | SHM_DRAINED, sleeps);
}
