/*
 * fleet.c - additive model of the times of pairs of hosts: median sweeps and residuals.
 */
#include "stats/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/fleet_judge.h"
#include "stats/stats.h"

enum {
	SWEEPS_MOST = 12,
	PARTNERS_MOST = 1000,  /* per host, for its median: more are no more precise */
	SAMPLES_MOST = 200000, /* pairs for levels and sigma */
	NEIGHBOURS_MOST = 16   /* per host in its group */
};

static const double converged = 1e-5;

/* Efficiency of the MAD relative to the standard deviation (Rousseeuw and Croux, 1993). */
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

/* Logarithm of a pair's time minus the level. */
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

double np_fleet_left_of(const struct np_fleet *fleet, size_t one, size_t other)
{
	return np_fleet_left(fleet, one, other,
			     (double)fleet->logs[np_fleet_at(one, other)]);
}

/* ---- The sweeps ------------------------------------------------------------- */

static int compare_groups(const void *left, const void *right, void *context)
{
	const size_t *group = context, a = *(const size_t *)left,
		     b = *(const size_t *)right;

	return group[a] != group[b] ? (group[a] > group[b]) - (group[a] < group[b]) :
				      (a > b) - (a < b);
}

static int begin_sweep(const struct np_fleet *fleet, struct np_fleet_sweep *sweep)
{
	sweep->order = malloc((fleet->hosts + 1) * sizeof(*sweep->order));
	/* Levels and groups have at most one value per host and neighbour. */
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

static void end_sweep(struct np_fleet_sweep *sweep)
{
	free(sweep->order);
	free(sweep->effects);
	free(sweep->values);
}

size_t np_fleet_take(double *values, size_t count, double value)
{
	if (!isnan(value))
		values[count++] = value;
	return count;
}

/* Distance of the sampled partners of a host, for at most `most` of them. */
static size_t partner_step(const struct np_fleet *fleet, size_t most)
{
	const size_t step = (fleet->hosts - 1) / (most != 0 ? most : 1);

	return step != 0 ? step : 1;
}

/* Residuals of a sample of pairs; of different groups if there are groups. */
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
				count = np_fleet_take(values, count,
						      np_fleet_left_of(fleet, i, other));
		}
	}
	return count;
}

/* Residuals of pairs within `group`, or within any for fleet->groups; their number. */
size_t np_fleet_sample_within(const struct np_fleet *fleet,
			      const struct np_fleet_sweep *sweep, size_t group)
{
	size_t count = 0;

	for (size_t i = 0; i < fleet->hosts; i++) {
		for (size_t k = 1; k <= NEIGHBOURS_MOST && i + k < fleet->hosts; k++) {
			const size_t one = sweep->order[i], other = sweep->order[i + k];

			if (!is_within(fleet, one, other))
				break;
			if (group == fleet->groups || group == fleet->group[one])
				count = np_fleet_take(sweep->values, count,
						      np_fleet_left_of(fleet, one, other));
		}
	}
	return count;
}

static void sweep_levels(struct np_fleet *fleet, const struct np_fleet_sweep *sweep)
{
	size_t count = sample_left(fleet, sweep->values);

	if (count != 0)
		fleet->level += np_median(sweep->values, count);
	count = np_fleet_sample_within(fleet, sweep, fleet->groups);
	if (count != 0)
		fleet->level_within += np_median(sweep->values, count);
}

/* Values of a host without its own effect; their number. */
size_t np_fleet_take_host(const struct np_fleet *fleet, size_t host, double *values)
{
	const size_t step = partner_step(fleet, PARTNERS_MOST);
	size_t count = 0;

	for (size_t away = 1; away < fleet->hosts; away += step) {
		const size_t other = (host + away) % fleet->hosts;

		count = np_fleet_take(values, count,
				      above_level(fleet, host, other) -
					      fleet->host_effects[other].effect);
	}
	return count;
}

/* Updates the effects of all hosts at once, since successive updates would absorb effects
 * of the hosts that follow.  Returns the largest change. */
static double sweep_hosts(struct np_fleet *fleet, const struct np_fleet_sweep *sweep)
{
	double change = 0;

	for (size_t i = 0; i < fleet->hosts; i++) {
		const size_t count = np_fleet_take_host(fleet, i, sweep->values);
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

/* Robust deviation of residuals around 0 after a fit of `spent` levels; values change. */
double np_fleet_spread(double *values, size_t count, size_t spent, unsigned *degrees)
{
	const double free_ones = count > spent ? (double)(count - spent) : 1;

	for (size_t i = 0; i < count; i++)
		values[i] = fabs(values[i]);
	*degrees = (unsigned)fmax(1, mad_efficiency * free_ones);
	return count == 0 ? 0 :
			    np_median(values, count) / NP_NORMAL_MAD *
				    sqrt((double)count / free_ones);
}

/* Sets sigma and its degrees of freedom.  The standard error of the measurements bounds
 * sigma from below and adds its degrees of freedom, since few hosts have few pairs. */
static void find_sigma(struct np_fleet *fleet, const struct np_fleet_sweep *sweep)
{
	const size_t pairs = fleet->hosts * (fleet->hosts - 1) / 2;
	const size_t count = sample_left(fleet, sweep->values);
	unsigned degrees;

	/* Pairs of a small fleet are sampled twice, once from each host. */
	const double sigma = np_fleet_spread(sweep->values, count,
					     count * fleet->hosts / pairs, &degrees);
	fleet->sigma = fmax(sigma, fleet->error);
	fleet->degrees = (count >= pairs ? degrees / 2 : degrees) + fleet->error_degrees;
	if (fleet->degrees == 0)
		fleet->degrees = 1;
}

int np_fleet_fit(struct np_fleet *fleet)
{
	struct np_fleet_sweep sweep = { .order = NULL };
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
		rc = np_fleet_judge(fleet, &sweep);
	}
	end_sweep(&sweep);
	return rc;
}
