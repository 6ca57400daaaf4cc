/*
 * clock.h - the clock of all measurements: CLOCK_MONOTONIC.
 */
#pragma once

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in nanoseconds: never set back, slewed by NTP only. */
static inline uint64_t np_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
