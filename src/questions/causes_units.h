/*
 * causes_units.h - the units of --why: medians of each mode and condition, in each pass or
 * run.
 */
#pragma once

#include "results/results.h"

/* Seconds of a message by mode, in one unit; NAN if not measured. */
struct np_causes_unit {
	size_t first; /* index of its first visit without a condition */
	double seconds[NP_MODES];
	double varied[NP_FACTORS][2]; /* reuse and rotate, by condition */
};

struct np_causes_units {
	struct np_causes_unit *list;
	size_t count;
	size_t length; /* bytes of the messages */
};

/* Gathers the units of one variant that have the four modes of the factorial design, in the
 * order of their visits.  The caller frees the list.  Returns 0 or -ENOMEM. */
int np_causes_gather(const struct np_results *results, size_t variant,
		     struct np_causes_units *units);
