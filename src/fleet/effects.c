/*
 * effects.c - additive model of the times of pairs of hosts: median polish, residuals,
 * tests of hosts and groups, and outlying pairs.
 */
#include "fleet/effects.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "stats/adjust.h"
#include "stats/stats.h"
#include "stats/tails.h"

enum {
	SWEEPS_MOST = 12,
	/* Pairs of a host in the median of its effect: more add no precision. */
	PARTNERS_MOST = 1000,
	SAMPLES_MOST = 200000, /* pairs of hosts in levels and sigma */
	NEIGHBOURS_MOST = 16   /* pairs of a host within its group */
};

/* Largest change of an effect, a logarithm, in the last sweep. */
static const double converged = 1e-5;

/* Efficiency of the MAD relative to the standard deviation (Rousseeuw and Croux, 1993):
 * degrees of freedom per residual. */
static const double mad_efficiency = 0.37;

int np_fleet_init(struct np_fleet *fleet, size_t hosts, const size_t *group, size_t groups)
{
	const size_t pairs = hosts * (hosts - 1) / 2;

	*fleet = (struct np_fleet){ .hosts = hosts,
				    .groups = group != NULL ? groups : 0,
				    .slow = 0.07,
				    .error_rate = 0.01 };
	fleet->group = calloc(hosts + 1, sizeof(*fleet->group));
	fleet->logs = malloc((pairs + 1) * sizeof(*fleet->logs));
	fleet->host_effects = calloc(hosts + 1, sizeof(*fleet->host_effects));
	fleet->group_effects = calloc(fleet->groups + 1, sizeof(*fleet->group_effects));
	if (fleet->group == NULL || fleet->logs == NULL || fleet->host_effects == NULL ||
	    fleet->group_effects == NULL)
		return -ENOMEM;
	if (group != NULL)
		memcpy(fleet->group, group, hosts * sizeof(*group));
	for (size_t i = 0; i < pairs; i++)
		fleet->logs[i] = NAN;
	return 0;
}

void np_fleet_free(struct np_fleet *fleet)
{
	free(fleet->group);
	free(fleet->logs);
	free(fleet->host_effects);
	free(fleet->group_effects);
	*fleet = (struct np_fleet){ .logs = NULL };
}

bool np_fleet_has_groups(const struct np_fleet *fleet)
{
	return fleet->groups >= NP_FLEET_GROUPS_LEAST &&
	       fleet->hosts >= fleet->groups * NP_FLEET_MEMBERS_LEAST;
}

static bool is_within(const struct np_fleet *fleet, size_t one, size_t other)
{
	return np_fleet_has_groups(fleet) && fleet->group[one] == fleet->group[other];
}

/* Logarithm of the time of a pair of hosts minus its level: effects and residual. */
static double above_level(const struct np_fleet *fleet, size_t one, size_t other)
{
	return (double)fleet->logs[np_fleet_at(one, other)] -
	       (is_within(fleet, one, other) ? fleet->level_within : fleet->level);
}

double np_fleet_left(const struct np_fleet *fleet, size_t one, size_t other, double value)
{
	return value - (is_within(fleet, one, other) ? fleet->level_within : fleet->level) -
	       fleet->host_effects[one].effect - fleet->host_effects[other].effect;
}

static double left_of(const struct np_fleet *fleet, size_t one, size_t other)
{
	return np_fleet_left(fleet, one, other,
			     (double)fleet->logs[np_fleet_at(one, other)]);
}

const char *const np_fleet_outcomes[NP_FLEET_OUTCOMES] = {
	[NP_FLEET_SLOW] = "slow",	 [NP_FLEET_CROWDED] = "crowded",
	[NP_FLEET_BY_CHANCE] = "chance", [NP_FLEET_UNDECIDED] = "undecided",
	[NP_FLEET_UNSEEN] = "unseen",
};

enum { BY_CHANCE = 10 /* outlying pairs expected in a healthy fleet */ };

/* Scratch memory of a sweep; order: hosts in the order of their groups. */
struct sweep {
	size_t *order;
	double *values;
	double *effects; /* per host: new effect */
};

/* ---- Sweeps ---- --------------------------------------------------------- */

static int compare_groups(const void *left, const void *right, void *context)
{
	const size_t *group = context, a = *(const size_t *)left,
		     b = *(const size_t *)right;

	return group[a] != group[b] ? (group[a] > group[b]) - (group[a] < group[b]) :
				      (a > b) - (a < b);
}

static int begin_sweep(const struct np_fleet *fleet, struct sweep *sweep)
{
	sweep->order = malloc((fleet->hosts + 1) * sizeof(*sweep->order));
	/* Room for each sample: at most one value per host and neighbour. */
	sweep->values = malloc((SAMPLES_MOST + fleet->hosts * (NEIGHBOURS_MOST + 2)) *
			       sizeof(*sweep->values));
	sweep->effects = calloc(fleet->hosts, sizeof(*sweep->effects));
	if (sweep->order == NULL || sweep->values == NULL || sweep->effects == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < fleet->hosts; i++)
		sweep->order[i] = i;
	qsort_r(sweep->order, fleet->hosts, sizeof(*sweep->order), compare_groups,
		fleet->group);
	return 0;
}

static void end_sweep(struct sweep *sweep)
{
	free(sweep->order);
	free(sweep->effects);
	free(sweep->values);
}

static size_t take(double *values, size_t count, double value)
{
	if (!isnan(value))
		values[count++] = value;
	return count;
}

/* Stride over the partners of a host that samples `most` to twice as many of them. */
static size_t partner_step(const struct np_fleet *fleet, size_t most)
{
	const size_t step = (fleet->hosts - 1) / (most != 0 ? most : 1);

	return step != 0 ? step : 1;
}

/* Samples residuals of pairs of hosts, of different groups if there are groups.  Returns
 * their number. */
static size_t sample_left(const struct np_fleet *fleet, double *values)
{
	const size_t most = SAMPLES_MOST / fleet->hosts,
		     step = partner_step(fleet,
					 most < PARTNERS_MOST ? most : PARTNERS_MOST);
	size_t count = 0;

	for (size_t i = 0; i < fleet->hosts; i++) {
		for (size_t away = 1; away < fleet->hosts && count < SAMPLES_MOST;
		     away += step) {
			const size_t other = (i + away) % fleet->hosts;

			if (!is_within(fleet, i, other))
				count = take(values, count, left_of(fleet, i, other));
		}
	}
	return count;
}

/* Samples residuals of pairs of hosts within `group`, or within all groups for
 * fleet->groups.  Returns their number. */
static size_t sample_within(const struct np_fleet *fleet, const struct sweep *sweep,
			    size_t group)
{
	size_t count = 0;

	for (size_t i = 0; i < fleet->hosts; i++) {
		for (size_t k = 1; k <= NEIGHBOURS_MOST && i + k < fleet->hosts; k++) {
			const size_t one = sweep->order[i], other = sweep->order[i + k];

			if (!is_within(fleet, one, other))
				break;
			if (group == fleet->groups || group == fleet->group[one])
				count = take(sweep->values, count,
					     left_of(fleet, one, other));
		}
	}
	return count;
}

static void sweep_levels(struct np_fleet *fleet, const struct sweep *sweep)
{
	size_t count = sample_left(fleet, sweep->values);

	if (count != 0)
		fleet->level += np_median(sweep->values, count);
	count = sample_within(fleet, sweep, fleet->groups);
	if (count != 0)
		fleet->level_within += np_median(sweep->values, count);
}

/* Sets values to one estimate of the effect of a host per partner, a logarithm without the
 * effect of the partner.  Returns their number. */
static size_t take_host(const struct np_fleet *fleet, size_t host, double *values)
{
	const size_t step = partner_step(fleet, PARTNERS_MOST);
	size_t count = 0;

	for (size_t away = 1; away < fleet->hosts; away += step) {
		const size_t other = (host + away) % fleet->hosts;

		count = take(values, count,
			     above_level(fleet, host, other) -
				     fleet->host_effects[other].effect);
	}
	return count;
}

/* Updates the effects of all hosts at once (Jacobi), since successive updates would absorb
 * effects of the hosts that follow.  Returns the largest change. */
static double sweep_hosts(struct np_fleet *fleet, const struct sweep *sweep)
{
	double change = 0;

	for (size_t i = 0; i < fleet->hosts; i++) {
		const size_t count = take_host(fleet, i, sweep->values);
		const double effect = count != 0 ? np_median(sweep->values, count) : 0;

		change = fmax(change, fabs(effect - fleet->host_effects[i].effect));
		sweep->effects[i] = effect;
	}
	const double middle = np_median(sweep->effects, fleet->hosts);
	for (size_t i = 0; i < fleet->hosts; i++)
		fleet->host_effects[i].effect = sweep->effects[i] - middle;
	fleet->level += 2 * middle;
	fleet->level_within += 2 * middle;
	return change;
}

/* Robust standard deviation (MAD) of residuals around 0 after a fit of `spent` parameters
 * to them; *degrees becomes its degrees of freedom.  Values become absolute. */
static double spread_around_0(double *values, size_t count, size_t spent, unsigned *degrees)
{
	const double free_ones = count > spent ? (double)(count - spent) : 1;

	for (size_t i = 0; i < count; i++)
		values[i] = fabs(values[i]);
	*degrees = (unsigned)fmax(1, mad_efficiency * free_ones);
	return count == 0 ? 0 :
			    np_median(values, count) / NP_NORMAL_MAD *
				    sqrt((double)count / free_ones);
}

/* Sets sigma, the deviation of the residuals of pairs, and its degrees of freedom.  The
 * standard error of the measurements bounds sigma from below and adds its degrees of
 * freedom, since few hosts have few pairs. */
static void find_sigma(struct np_fleet *fleet, const struct sweep *sweep)
{
	const size_t pairs = fleet->hosts * (fleet->hosts - 1) / 2;
	const size_t count = sample_left(fleet, sweep->values);
	unsigned degrees;

	/* Pairs of a small fleet are sampled twice, once from each host. */
	const double sigma = spread_around_0(sweep->values, count,
					     count * fleet->hosts / pairs, &degrees);
	fleet->sigma = fmax(sigma, fleet->error);
	fleet->degrees = (count >= pairs ? degrees / 2 : degrees) + fleet->error_degrees;
	if (fleet->degrees == 0)
		fleet->degrees = 1;
}

/* ---- Tests --------------------------------------------------------------- */

/* Sets the 95 % interval of an effect; returns the one-sided p-value of the null hypothesis
 * that effect - base is at most the margin. */
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

/* Base of the test of a host: effect of its group if that is slow, else 0, so that the
 * hosts of a slow group are not all slow. */
static double base_of(const struct np_fleet *fleet, size_t host)
{
	if (!np_fleet_has_groups(fleet) || !fleet->group_effects[fleet->group[host]].slow)
		return 0;
	return fleet->group_effects[fleet->group[host]].effect;
}

static int judge_hosts(struct np_fleet *fleet, const struct sweep *sweep)
{
	double *p = malloc((fleet->hosts + 1) * sizeof(*p));

	if (p == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < fleet->hosts; i++) {
		struct np_fleet_effect *found = &fleet->host_effects[i];
		const size_t count = take_host(fleet, i, sweep->values);

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

/* Sets the effect of each group, the median of its hosts, and members to their numbers.
 * Returns the robust standard deviation of hosts around the effect of their group. */
static double find_groups(struct np_fleet *fleet, const struct sweep *sweep,
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
		count = take(values, count,
			     fleet->host_effects[i].effect -
				     fleet->group_effects[fleet->group[i]].effect);
	return spread_around_0(values, count, fleet->groups, degrees);
}

static int judge_groups(struct np_fleet *fleet, const struct sweep *sweep)
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
		const size_t count = found->slow ? sample_within(fleet, sweep, g) : 0;

		/* Slow uplink: the model adds the effect to both hosts, so the residuals of
		 * pairs within the group are near minus twice the effect. */
		found->uplink =
			count != 0 && np_median(sweep->values, count) < -found->effect;
	}
	free(p);
	free(members);
	return rc;
}

static int judge(struct np_fleet *fleet, const struct sweep *sweep)
{
	const int rc = np_fleet_has_groups(fleet) ? judge_groups(fleet, sweep) : 0;

	return rc != 0 ? rc : judge_hosts(fleet, sweep);
}

/* ---- Fit ----------------------------------------------------------------- */

int np_fleet_fit(struct np_fleet *fleet)
{
	struct sweep sweep = { .order = NULL };
	int rc = fleet->hosts < NP_FLEET_LEAST ? 0 : begin_sweep(fleet, &sweep);

	if (rc == 0 && fleet->hosts >= NP_FLEET_LEAST) {
		fleet->level = fleet->level_within = 0;
		memset(fleet->host_effects, 0, fleet->hosts * sizeof(*fleet->host_effects));
		for (unsigned k = 0; k < SWEEPS_MOST; k++) {
			sweep_levels(fleet, &sweep);
			if (sweep_hosts(fleet, &sweep) < converged)
				break;
		}
		find_sigma(fleet, &sweep);
		rc = judge(fleet, &sweep);
	}
	end_sweep(&sweep);
	return rc;
}

/* ---- Pairs --------------------------------------------------------------- */

static int compare_left(const void *left, const void *right)
{
	const struct np_fleet_suspect *a = left, *b = right;

	return (a->left < b->left) - (a->left > b->left);
}

int np_fleet_stand_out(const struct np_fleet *fleet, struct np_fleet_suspect **pairs,
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
			const struct np_fleet_suspect pair = {
				.one = other,
				.other = one,
				.left = left_of(fleet, one, other),
				.outcome = NP_FLEET_UNDECIDED,
				.slower = (double)NAN,
				.low = (double)NAN,
				.high = (double)NAN,
			};

			if (pair.left > above)
				rc = np_list_add(pairs, count, &pair, sizeof(pair));
		}
	}
	if (rc == 0 && *count != 0)
		qsort(*pairs, *count, sizeof(**pairs), compare_left);
	return rc;
}
