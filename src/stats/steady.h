/*
 * steady.h - warm-up: detection of the steady state of a new connection.
 *
 * Messages are grouped in windows: four, four, then each as many as all before it.  The
 * time of a window is its lower quartile, as disturbances only add.  Times are steady after
 * STEADY_LEAST messages if the last two windows were not faster, by STEADY_GAIN, than the
 * fastest before them: buffers that still grow make each doubling faster.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NP_STEADY_WINDOW = 512 /* most messages of a window */ };

/* Initialized with zeros. */
struct np_steady {
	size_t messages;	     /* so far */
	size_t after;		     /* messages before the fastest window */
	double first, fastest, last; /* times of windows */
	unsigned flat;		     /* windows since the fastest one */
	bool reached;
};

/* Number of messages of the next window. */
size_t np_steady_window(const struct np_steady *steady);

/* Adds a window. */
void np_steady_add(struct np_steady *steady, const double *times, size_t count);
