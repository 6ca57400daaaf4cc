/*
 * clock_quality.h - the resolution of the clock, and the cost of reading it.
 */
#ifndef NP_CLOCK_QUALITY_H
#define NP_CLOCK_QUALITY_H

/* Measured: clock_getres() promises 1 ns where the counter behind it steps by 10. */
struct np_clock_quality {
	const char *name;
	double overhead_ns;   /* median cost of one reading */
	double resolution_ns; /* smallest step seen between two readings that differ */
};

/* Takes a few milliseconds. */
struct np_clock_quality np_clock_measure(void);

#endif
