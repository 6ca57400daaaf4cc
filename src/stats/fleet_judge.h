/*
 * fleet_judge.h - tests of hosts and groups of a fleet, and outlying pairs.
 */
#pragma once

#include "stats/fleet.h"

/* Tests groups and hosts.  Returns 0 or -ENOMEM. */
int np_fleet_judge(struct np_fleet *fleet, const struct np_fleet_sweep *sweep);

struct np_fleet_pair {
	size_t one, other;
	double left; /* residual: logarithm of the time minus the model */
};

/*
 * Finds outlying pairs: residuals above half the margin, and above the quantile that ten
 * pairs of a fleet exceed by chance.  Slowest first; the caller frees them.  Returns 0 or
 * -ENOMEM.
 */
int np_fleet_stand_out(const struct np_fleet *fleet, struct np_fleet_pair **pairs,
		       size_t *count);
