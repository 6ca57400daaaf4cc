/*
 * fleet.h - slow hosts and groups of a fleet, and outlying pairs.
 *
 * The logarithm of a pair's time is a level, the effects of both hosts, and a residual.
 * Levels and effects are medians, swept in turn as in a median polish: up to half of the
 * pairs of a host may be slow without changing its effect.  With groups there are two
 * levels, within a group and between groups, and the effect of a group is the median of
 * its hosts.
 *
 * A host or group is slow if it is significantly slower than a margin.  Null hypothesis:
 * the effect is at most the margin; p values are corrected for the number of hosts or
 * groups (adjust.h, false discovery rate).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { NP_FLEET_LEAST = 4, NP_FLEET_GROUPS_LEAST = 3, NP_FLEET_MEMBERS_LEAST = 3 };

/* Effect of a host or group, as a logarithm; NAN: unknown. */
struct np_fleet_effect {
	double effect, low, high; /* 95 % interval */
	double q;		  /* least false discovery rate at which it is slow */
	bool slow;
	bool undecided; /* not slow, with an effect above the margin */
	bool uplink;	/* slow group whose inner pairs are not slow */
};

struct np_fleet {
	size_t hosts, groups;
	size_t *group; /* per host; below groups */
	/* Logarithms of times, at np_fleet_at(); NAN: none.  float saves memory. */
	float *logs;
	double slow;	   /* margin: 0.07 */
	double error_rate; /* false discovery rate: 0.01 */
	/* Standard error of a value from its measurement, and its degrees of freedom; or
	 * 0. */
	double error;
	unsigned error_degrees;

	struct np_fleet_effect *host_effects, *group_effects;
	double level, level_within;
	double sigma; /* deviation of the residuals of pairs */
	unsigned degrees;
};

/* Index of a pair. */
static inline size_t np_fleet_at(size_t one, size_t other)
{
	const size_t low = one < other ? one : other, high = one < other ? other : one;

	return high * (high - 1) / 2 + low;
}

/* Allocates the arrays; group: per host, copied, or NULL.  Returns 0 or -ENOMEM;
 * np_fleet_free() must follow in both cases. */
int np_fleet_init(struct np_fleet *fleet, size_t hosts, const size_t *group, size_t groups);
void np_fleet_free(struct np_fleet *fleet);

/* Estimates effects and tests hosts and groups; nothing with fewer than NP_FLEET_LEAST
 * hosts.  Returns 0 or -ENOMEM. */
int np_fleet_fit(struct np_fleet *fleet);

/* Residual of a logarithm of a time of two hosts. */
double np_fleet_left(const struct np_fleet *fleet, size_t one, size_t other, double value);

/* True if there are levels within groups, and groups are tested. */
bool np_fleet_has_groups(const struct np_fleet *fleet);

/* ---- For fleet_judge.c: samples of the pairs ------------------------------------ */

/* Hosts in the order of their groups, and scratch memory. */
struct np_fleet_sweep {
	size_t *order;
	double *values;
	double *effects; /* per host, in this sweep */
};

/* Appends a value unless it is NAN.  Returns the new count. */
size_t np_fleet_take(double *values, size_t count, double value);

/* Residual of a measured pair. */
double np_fleet_left_of(const struct np_fleet *fleet, size_t one, size_t other);

/* Values of a host without its own effect; returns their number. */
size_t np_fleet_take_host(const struct np_fleet *fleet, size_t host, double *values);

/* Residuals of pairs within a group, or within any for `groups`; returns their number. */
size_t np_fleet_sample_within(const struct np_fleet *fleet,
			      const struct np_fleet_sweep *sweep, size_t group);

/* Robust deviation of residuals around 0 after a fit of `spent` levels; the values
 * change. */
double np_fleet_spread(double *values, size_t count, size_t spent, unsigned *degrees);
