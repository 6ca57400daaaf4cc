/*
 * deadline.h - deadline of a wait.
 *
 * A wait of several steps has one deadline for all of them: timeouts of single steps would
 * add up as often as the peer can repeat a step.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct np_deadline {
	uint64_t at_ns;	  /* np_clock_ns(); UINT64_MAX: never */
	unsigned seconds; /* from its begin, for messages */
};

static inline struct np_deadline np_deadline_never(void)
{
	return (struct np_deadline){ .at_ns = UINT64_MAX };
}

static inline struct np_deadline np_deadline_in(uint64_t ms)
{
	return (struct np_deadline){ .at_ns = np_clock_ns() + ms * 1000000,
				     .seconds = (unsigned)(ms / 1000) };
}

/* Returns the earlier of two deadlines. */
static inline struct np_deadline np_deadline_of(struct np_deadline a, struct np_deadline b)
{
	return a.at_ns <= b.at_ns ? a : b;
}

static inline bool np_deadline_is_over(struct np_deadline deadline)
{
	return np_clock_ns() >= deadline.at_ns;
}

/* Returns the time left for poll(2), ms, rounded up and at most `most`; -1, without limit,
 * if neither bounds it (most below 0). */
static inline int np_deadline_left_ms(struct np_deadline deadline, int most)
{
	const uint64_t now = deadline.at_ns != UINT64_MAX ? np_clock_ns() : 0;
	const uint64_t left =
		now < deadline.at_ns ? (deadline.at_ns - now + 999999) / 1000000 : 0;

	if (deadline.at_ns == UINT64_MAX || (most >= 0 && left > (uint64_t)most))
		return most;
	return left < INT_MAX ? (int)left : INT_MAX;
}
