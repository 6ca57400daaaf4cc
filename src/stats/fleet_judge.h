/*
 * fleet_judge.h - tests of the hosts and groups of a fleet, and its pairs that stand out.
 */
#pragma once

#include "stats/fleet.h"

/* Tests groups and hosts.  Returns 0 or -ENOMEM. */
int np_fleet_judge(struct np_fleet *fleet, const struct np_fleet_sweep *sweep);

struct np_fleet_pair {
	size_t one, other;
	double left; /* of its time, above what the model says */
};

/*
 * Pairs that stand out: slower than half the margin says, and so much that chance alone
 * would make some ten of a fleet.  The slowest first; the caller frees them.  Returns 0 or
 * -ENOMEM.
 */
int np_fleet_stand_out(const struct np_fleet *fleet, struct np_fleet_pair **pairs,
		       size_t *count);
