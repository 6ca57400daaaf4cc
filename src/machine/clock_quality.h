/*
 * clock_quality.h - clock quality: cost of a reading, and resolution.
 */
#pragma once

/* Measured, as clock_getres() reports 1 ns for a counter that advances in larger
 * steps. */
struct np_clock_quality {
	const char *name;
	double overhead_ns;   /* median cost of one reading */
	double resolution_ns; /* smallest step between different readings */
};

/* Measures the clock; takes a few milliseconds. */
struct np_clock_quality np_clock_measure(void);
