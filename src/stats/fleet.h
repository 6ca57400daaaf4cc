/*
 * fleet.h - which hosts and groups of a fleet are slow, and which pairs stand out.
 *
 * The model of the time of a pair is additive in its logarithm: a level, the effects of
 * both hosts, and what is left.  Levels and effects are medians, swept in turn (polish.h):
 * up to half of the pairs of a host may be slow without moving it.  With groups there are
 * two levels, of pairs within one group and of others, and the effect of a group is the
 * median of its hosts.
 *
 * Slow is what is significantly slower than a margin: the null hypothesis is that the
 * effect is the margin or less, and p values are corrected for the number of hosts, or
 * groups (adjust.h, false discovery rate).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { NP_FLEET_LEAST = 4, NP_FLEET_GROUPS_LEAST = 3, NP_FLEET_MEMBERS_LEAST = 3 };

/* The effect of a host or of a group, as a logarithm; NAN: not known. */
struct np_fleet_effect {
	double effect, low, high; /* 95 % interval */
	double q; /* the least rate of false discoveries at which it is slow */
	bool slow;
	bool undecided; /* it is not, though slower than the margin */
	bool uplink;	/* of a slow group: the pairs within it are not slow */
};

struct np_fleet {
	size_t hosts, groups;
	size_t *group; /* of each host; below groups */
	/* Logarithms of times, at np_fleet_at(); NAN: none.  There are many. */
	float *logs;
	double slow;	   /* the margin: 0.07 */
	double error_rate; /* of discoveries: 0.01 */
	/* The standard error of a value as far as its measurement tells, and what it is
	 * worth; or 0. */
	double error;
	unsigned error_degrees;

	struct np_fleet_effect *host_effects, *group_effects;
	double level, level_within;
	double sigma; /* of what is left of a pair */
	unsigned degrees;
};

/* Where the value of a pair is. */
static inline size_t np_fleet_at(size_t one, size_t other)
{
	const size_t low = one < other ? one : other, high = one < other ? other : one;

	return high * (high - 1) / 2 + low;
}

/* group: of each host, copied, or NULL.  Returns 0 or -ENOMEM; np_fleet_free() copes with
 * both. */
int np_fleet_init(struct np_fleet *fleet, size_t hosts, const size_t *group, size_t groups);
void np_fleet_free(struct np_fleet *fleet);

/* Finds effects and slow ones.  Fewer than four hosts have none.  Returns 0 or -ENOMEM. */
int np_fleet_fit(struct np_fleet *fleet);

/* What is left of a time of two hosts. */
double np_fleet_left(const struct np_fleet *fleet, size_t one, size_t other, double value);

/* Whether levels differ within groups, and groups are judged. */
bool np_fleet_has_groups(const struct np_fleet *fleet);

/* ---- For fleet_judge.c: samples of the pairs ------------------------------------ */

/* Hosts in the order of their groups, and room for values. */
struct np_fleet_sweep {
	size_t *order;
	double *values;
	double *effects; /* of the hosts, in this sweep */
};

/* Adds a value unless it is NAN.  Returns how many there are. */
size_t np_fleet_take(double *values, size_t count, double value);

/* What is left of the pair as it was measured. */
double np_fleet_left_of(const struct np_fleet *fleet, size_t one, size_t other);

/* Values of a host, without its own effect; how many. */
size_t np_fleet_take_host(const struct np_fleet *fleet, size_t host, double *values);

/* What is left of pairs within a group, or for `groups` within any; how many. */
size_t np_fleet_sample_within(const struct np_fleet *fleet,
			      const struct np_fleet_sweep *sweep, size_t group);

/* A robust deviation of values around 0 that `spent` levels were fitted to; the values
 * change. */
double np_fleet_spread(double *values, size_t count, size_t spent, unsigned *degrees);
