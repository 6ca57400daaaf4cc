/*
 * shm_wait.c - FUTEX_WAIT and FUTEX_WAKE, out of line, as they cost a system call
 * anyway.  shm_wait.h proves that no wake-up is lost.
 */
#include "shm_wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Interval at which a sleeping process checks the stop flag. */
enum { SHM_SLEEP_NS = 50 * 1000 * 1000 };

/* No FUTEX_PRIVATE_FLAG: the peer is another process.  The result does not matter: the
 * caller tests its condition again. */
static void sleep_while(_Atomic uint32_t *word, uint32_t value)
{
	const struct timespec timeout = { .tv_nsec = SHM_SLEEP_NS };

	(void)syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

int np_shm_sleep(struct shm_endpoint *shm, unsigned events)
{
	int rc = 0;

	for (;;) {
		/* Store the futex before the test, both sequentially consistent. */
		atomic_store_explicit(shm->own_futex, events, memory_order_seq_cst);
		if (shm_happened(&shm->port, events, memory_order_seq_cst))
			break;
		if (np_should_stop(&shm->np)) {
			rc = -ECANCELED;
			break;
		}
		sleep_while(shm->own_futex, events);
	}
	/* Relaxed: a peer that reads the old value makes a spurious wake-up. */
	atomic_store_explicit(shm->own_futex, 0, memory_order_relaxed);
	return rc;
}

void np_shm_wake(struct shm_endpoint *shm)
{
	/* Relaxed: the system call follows, and FUTEX_WAIT compares the word under the
	 * lock that FUTEX_WAKE takes. */
	atomic_store_explicit(shm->peer_futex, 0, memory_order_relaxed);
	(void)syscall(SYS_futex, shm->peer_futex, FUTEX_WAKE, 1, NULL, NULL, 0);
}
