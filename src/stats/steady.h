/*
 * steady.h - warm-up: detection of the steady state of a new connection.
 *
 * Messages are grouped in windows: four, four, then each as many as all before it.  The
 * time of a window is its lower quartile, as disturbances only add.  Times are steady after
 * 32 messages (STEADY_LEAST) if neither of the last two windows was 2 % (STEADY_GAIN)
 * faster than the fastest before it: while buffers of a connection grow, each doubling is
 * faster.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NP_STEADY_WINDOW = 512 /* most messages of a window */ };

/* Initialized with zeros. */
struct np_steady {
	size_t messages; /* added so far */
	size_t after;	 /* messages before the fastest window */
	/* Medians of the first and the last window, lower quartile of the fastest one. */
	double first, fastest, last;
	unsigned flat; /* windows since the fastest one */
	bool reached;
};

/* Number of messages of the next window. */
size_t np_steady_window(const struct np_steady *steady);

/* Adds the times of the `count` messages of a window. */
void np_steady_add(struct np_steady *steady, const double *times, size_t count);
