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
