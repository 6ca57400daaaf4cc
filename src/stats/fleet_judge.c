/*
 * fleet_judge.c - tests of hosts and groups, and outlying pairs.
 */
#include "stats/fleet_judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/adjust.h"
#include "stats/stats.h"
#include "stats/tails.h"

enum { BY_CHANCE = 10 /* outlying pairs expected in a healthy fleet */ };

/* ---- Tests ------------------------------------------------------------------- */

/* Sets the interval; returns the one-sided p value of effect - base <= margin. */
static double test_effect(struct np_fleet_effect *found, double base, double error,
			  unsigned degrees, double slow)
{
	const double reach = np_student_quantile(0.05, degrees) * error;
	const double above = found->effect - base - log1p(slow);

	found->low = found->effect - reach;
	found->high = found->effect + reach;
	found->undecided = above > 0;
	if (!(error > 0))
		return above > 0 ? 0 : 1;
	const double p = np_student_p(above / error, degrees) / 2;
	return above > 0 ? p : 1 - p;
}

static int correct(struct np_fleet_effect *effects, double *p, size_t count, double rate)
{
	const int rc = np_adjust_p(p, count, 0, NP_ADJUST_FDR, p);

	for (size_t i = 0; i < count && rc == 0; i++) {
		effects[i].q = p[i];
		effects[i].slow = p[i] <= rate;
		effects[i].undecided &= !effects[i].slow;
	}
	return rc;
}

/* Effect of the host's group if that is slow, else 0. */
static double base_of(const struct np_fleet *fleet, size_t host)
{
	if (!np_fleet_has_groups(fleet) || !fleet->group_effects[fleet->group[host]].slow)
		return 0;
	return fleet->group_effects[fleet->group[host]].effect;
}

static int judge_hosts(struct np_fleet *fleet, const struct np_fleet_sweep *sweep)
{
	double *p = malloc((fleet->hosts + 1) * sizeof(*p));

	if (p == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < fleet->hosts; i++) {
		struct np_fleet_effect *found = &fleet->host_effects[i];
		const size_t count = np_fleet_take_host(fleet, i, sweep->values);

		p[i] = (double)NAN;
		if (count == 0)
			found->effect = found->low = found->high = (double)NAN;
		else
			p[i] = test_effect(found, base_of(fleet, i),
					   NP_MEDIAN_LOSS * fleet->sigma /
						   sqrt((double)count),
					   fleet->degrees, fleet->slow);
	}
	const int rc = correct(fleet->host_effects, p, fleet->hosts, fleet->error_rate);
	free(p);
	return rc;
}

/* Sets the median of each group; returns the deviation of hosts around them. */
static double find_groups(struct np_fleet *fleet, const struct np_fleet_sweep *sweep,
			  size_t *members, unsigned *degrees)
{
	double *values = sweep->values;
	size_t count = 0;

	for (size_t g = 0, at = 0; g < fleet->groups; g++) {
		members[g] = 0;
		for (; at < fleet->hosts && fleet->group[sweep->order[at]] == g; at++)
			values[members[g]++] = fleet->host_effects[sweep->order[at]].effect;
		fleet->group_effects[g].effect =
			members[g] != 0 ? np_median(values, members[g]) : (double)NAN;
	}
	for (size_t i = 0; i < fleet->hosts; i++)
		count = np_fleet_take(values, count,
				      fleet->host_effects[i].effect -
					      fleet->group_effects[fleet->group[i]].effect);
	return np_fleet_spread(values, count, fleet->groups, degrees);
}

static int judge_groups(struct np_fleet *fleet, const struct np_fleet_sweep *sweep)
{
	double *p = malloc((fleet->groups + 1) * sizeof(*p));
	size_t *members = calloc(fleet->groups + 1, sizeof(*members));
	int rc = p != NULL && members != NULL ? 0 : -ENOMEM;

	if (rc == 0) {
		unsigned degrees;
		const double spread = find_groups(fleet, sweep, members, &degrees);

		for (size_t g = 0; g < fleet->groups; g++)
			p[g] = members[g] < NP_FLEET_MEMBERS_LEAST ?
				       (double)NAN :
				       test_effect(&fleet->group_effects[g], 0,
						   NP_MEDIAN_LOSS * spread /
							   sqrt((double)members[g]),
						   degrees, fleet->slow);
		rc = correct(fleet->group_effects, p, fleet->groups, fleet->error_rate);
	}
	for (size_t g = 0; rc == 0 && g < fleet->groups; g++) {
		struct np_fleet_effect *found = &fleet->group_effects[g];
		const size_t count =
			found->slow ? np_fleet_sample_within(fleet, sweep, g) : 0;

		/* Inner pairs lack twice the effect if it is not one of the hosts. */
		found->uplink =
			count != 0 && np_median(sweep->values, count) < -found->effect;
	}
	free(p);
	free(members);
	return rc;
}

int np_fleet_judge(struct np_fleet *fleet, const struct np_fleet_sweep *sweep)
{
	const int rc = np_fleet_has_groups(fleet) ? judge_groups(fleet, sweep) : 0;

	return rc != 0 ? rc : judge_hosts(fleet, sweep);
}

/* ---- Pairs -------------------------------------------------------------------- */

static int compare_left(const void *left, const void *right)
{
	const struct np_fleet_pair *a = left, *b = right;

	return (a->left < b->left) - (a->left > b->left);
}

static int keep_pair(struct np_fleet_pair **pairs, size_t *count,
		     const struct np_fleet_pair *pair)
{
	/* Doubles the capacity at each power of two. */
	if ((*count & (*count - 1)) == 0) {
		struct np_fleet_pair *more =
			realloc(*pairs, (2 * *count + 1) * sizeof(**pairs));

		if (more == NULL)
			return -ENOMEM;
		*pairs = more;
	}
	(*pairs)[(*count)++] = *pair;
	return 0;
}

int np_fleet_stand_out(const struct np_fleet *fleet, struct np_fleet_pair **pairs,
		       size_t *count)
{
	const size_t number = fleet->hosts * (fleet->hosts - 1) / 2;
	const double chance = fmin(0.05, BY_CHANCE / (double)number);
	const double above =
		fmax(log1p(fleet->slow) / 2,
		     fleet->sigma * np_student_quantile(2 * chance, fleet->degrees));
	int rc = 0;

	*pairs = NULL;
	*count = 0;
	for (size_t one = 0; fleet->hosts >= NP_FLEET_LEAST && one < fleet->hosts; one++) {
		for (size_t other = 0; other < one && rc == 0; other++) {
			const struct np_fleet_pair pair = {
				.one = other,
				.other = one,
				.left = np_fleet_left_of(fleet, one, other),
			};

			if (pair.left > above)
				rc = keep_pair(pairs, count, &pair);
		}
	}
	if (rc == 0 && *count != 0)
		qsort(*pairs, *count, sizeof(**pairs), compare_left);
	return rc;
}
