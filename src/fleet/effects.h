/*
 * effects.h - slow hosts and groups of a fleet, and outlying pairs of hosts.
 *
 * Additive model: the logarithm of the time of a pair of hosts is an overall level, the
 * effects of both hosts, and a residual.  Levels and effects are estimated by median
 * polish: up to half of the pairs of a host may be slow without changing its effect.  With
 * groups there are two levels, for pairs within a group and between groups, and the effect
 * of a group is the median of its hosts.
 *
 * A host or group is slow if it is significantly slower than a margin.  Null hypothesis:
 * the effect is at most the margin; p-values are corrected for the number of hosts or
 * groups (adjust.h, false discovery rate).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { NP_FLEET_LEAST = 4, NP_FLEET_GROUPS_LEAST = 3, NP_FLEET_MEMBERS_LEAST = 3 };

/* Effect of a host or group on times, as the logarithm of a factor; NAN: unknown. */
struct np_fleet_effect {
	double effect, low, high; /* 95 % interval */
	/* Adjusted p-value: least false discovery rate at which it is slow. */
	double q;
	bool slow;
	/* Not significantly slow, but its effect is above the margin. */
	bool undecided;
	/* Slow group whose pairs of hosts within the group are not slow. */
	bool uplink;
};

struct np_fleet {
	size_t hosts, groups;
	size_t *group; /* per host: its group, below groups */
	/* Logarithms of the times of pairs of hosts, at np_fleet_at(); NAN: none.  float
	 * saves memory. */
	float *logs;
	double slow;	   /* margin of slow as a share: 0.07 is 7 % */
	double error_rate; /* false discovery rate: 0.01 */
	/* Standard error of a logarithm by repeated measurements, and its degrees of
	 * freedom; 0: unknown. */
	double error;
	unsigned error_degrees;

	struct np_fleet_effect *host_effects, *group_effects;
	/* Levels, as logarithms: of all pairs or between groups, and within groups. */
	double level, level_within;
	/* Robust standard deviation of the residuals of pairs; degrees: its degrees of
	 * freedom. */
	double sigma;
	unsigned degrees;
};

/* Index into logs of a pair of hosts. */
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

/* Residual of a pair of hosts; value: logarithm of its time. */
double np_fleet_left(const struct np_fleet *fleet, size_t one, size_t other, double value);

/* Returns true if groups are enough, and on average large enough, for a level within groups
 * and for tests of groups. */
bool np_fleet_has_groups(const struct np_fleet *fleet);

enum np_fleet_outcome {
	NP_FLEET_SLOW,	    /* slow when measured alone */
	NP_FLEET_CROWDED,   /* slow only while other pairs are measured */
	NP_FLEET_BY_CHANCE, /* slow in neither case */
	NP_FLEET_UNDECIDED,
	NP_FLEET_UNSEEN, /* too many suspects to be measured alone */
	NP_FLEET_OUTCOMES
};

/* "slow", "crowded", "chance", "undecided", "unseen". */
extern const char *const np_fleet_outcomes[NP_FLEET_OUTCOMES];

/* A pair that stands out. */
struct np_fleet_suspect {
	size_t one, other;
	double left; /* residual: logarithm of the time minus the model */
	enum np_fleet_outcome outcome;
	/* Log ratio of times, this pair over ordinary pairs, with interval; NAN: unknown.
	 */
	double slower, low, high;
	size_t repeats;
};

/*
 * Finds outlying pairs of hosts: residuals above half the margin, and above the quantile
 * that ten pairs of a healthy fleet exceed by chance.  Slowest first; the caller frees
 * them.  Returns 0 or -ENOMEM.
 */
int np_fleet_stand_out(const struct np_fleet *fleet, struct np_fleet_suspect **pairs,
		       size_t *count);
