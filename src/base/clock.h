/*
 * clock.h - the clock that everything is timed by, and what it is worth.
 */
#ifndef NP_CLOCK_H
#define NP_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in nanoseconds: never set back, slewed by NTP only. */
static inline uint64_t np_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* What reading the clock costs and how finely it moves, measured, not asked:
 * clock_getres() promises 1 ns where the counter behind it steps by 10. */
struct np_clock_quality {
	const char *name;
	double overhead_ns;   /* median cost of one reading */
	double resolution_ns; /* smallest step seen between two readings that differ */
};

/* Takes a few milliseconds. */
struct np_clock_quality np_clock_measure(void);

#endif
