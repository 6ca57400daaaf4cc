/*
 * lock.h - spin lock of the recorder: 4 ns where a mutex takes 14.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <time.h>

/* Returns false after about 0.1 s: a signal handler that interrupted the holder would wait
 * for ever.  A holder that lost its processor has it again by then. */
static inline bool np_lock(int *lock)
{
	for (int attempt = 0; attempt < 1100; attempt++) {
		if (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) == 0)
			return true;
		if (attempt > 1000)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		else if (attempt > 20)
			sched_yield();
	}
	return false;
}

static inline void np_unlock(int *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}
