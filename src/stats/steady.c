/*
 * steady.c - detection of the steady state by windows of messages.
 */
#include "stats/steady.h"

#include "stats/stats.h"

enum { FIRST_WINDOW = 4, STEADY_LEAST = 32, FLAT_WINDOWS = 2 };

static const double STEADY_GAIN = 0.02;

size_t np_steady_window(const struct np_steady *steady)
{
	if (steady->messages < FIRST_WINDOW)
		return FIRST_WINDOW;
	return steady->messages < NP_STEADY_WINDOW ? steady->messages : NP_STEADY_WINDOW;
}

void np_steady_add(struct np_steady *steady, const double *times, size_t count)
{
	const double time = np_quantile(times, count, 0.25);

	if (steady->messages == 0)
		steady->first = np_median(times, count);
	if (steady->messages == 0 || time < (1 - STEADY_GAIN) * steady->fastest) {
		steady->fastest = time;
		steady->after = steady->messages;
		steady->flat = 0;
	} else {
		steady->flat++;
	}
	steady->messages += count;
	steady->last = np_median(times, count);
	steady->reached = steady->messages >= STEADY_LEAST && steady->flat >= FLAT_WINDOWS;
}
