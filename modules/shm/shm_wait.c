/*
 * shm_wait.c - sleeping and waking, out of line: whoever gets here pays for a
 * system call anyway.  shm_wait.h says why no wake-up is lost.
 */
#include "shm_wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* How often a sleeper looks at the stop flag by itself. */
enum { SHM_SLEEP_NS = 50 * 1000 * 1000 };

/* Not FUTEX_PRIVATE_FLAG: the other end is another process.  Whatever the
 * kernel says - woken, too late, timed out, a signal - the caller looks again. */
static void sleep_while(_Atomic uint32_t *word, uint32_t value)
{
	const struct timespec timeout = { .tv_nsec = SHM_SLEEP_NS };

	(void)syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

int np_shm_sleep(struct shm_endpoint *shm, unsigned events)
{
	int rc = 0;

	for (;;) {
		/* First the bell, then the look, both sequentially consistent. */
		atomic_store_explicit(shm->own_bell, events, memory_order_seq_cst);
		if (shm_happened(&shm->port, events, memory_order_seq_cst))
			break;
		if (np_should_stop(&shm->np)) {
			rc = -ECANCELED;
			break;
		}
		sleep_while(shm->own_bell, events);
	}
	/* Relaxed: who still sees the old value wakes for nothing. */
	atomic_store_explicit(shm->own_bell, 0, memory_order_relaxed);
	return rc;
}

void np_shm_wake(struct shm_endpoint *shm)
{
	/* Relaxed: the system call comes after it, and the kernel compares the
	 * word under the lock that waking takes. */
	atomic_store_explicit(shm->peer_bell, 0, memory_order_relaxed);
	(void)syscall(SYS_futex, shm->peer_bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}
