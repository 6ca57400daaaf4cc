/*
 * steady.h - when the times of messages on a new connection have become steady.
 *
 * Messages come in windows: four, four, and then each as many as all before it.  A
 * window's time is its lower quartile: what other work does only adds.  Times are steady
 * once STEADY_LEAST messages have gone and the last two windows were not faster, by
 * STEADY_GAIN, than the fastest before them: buffers that still grow make each doubling
 * faster.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NP_STEADY_WINDOW = 512 /* messages, at most */ };

/* Zeroed: no message yet. */
struct np_steady {
	size_t messages;	     /* all of them */
	size_t after;		     /* those before the fastest window */
	double first, fastest, last; /* of windows, in the unit of the times */
	unsigned flat;		     /* windows since the fastest grew faster */
	bool reached;
};

/* How many messages the next window has. */
size_t np_steady_window(const struct np_steady *steady);

/* Adds a window. */
void np_steady_add(struct np_steady *steady, const double *times, size_t count);
