/*
 * capacity_trial.c - weighted least squares of the ratios of a sweep.
 */
#include "questions/capacity_trial.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/least.h"

_Static_assert(NP_CHOICE_MOST + 1 <= NP_LEAST_COLUMNS, "a column for each term and a base");

static bool is_fitted(const struct np_capacity *capacity,
		      const struct np_capacity_point *point)
{
	return capacity->axes[point->axis].noise > 0 && point->ratio > 0;
}

/* Two capacities of one unit within this factor are one. */
static const double near_by = 2.25;

/* Model error of predicted misses, as a share of their cost: a sample uses only part of the
 * buffers, in one random order. */
static const double model_error = 0.015;

/* Standard error of a ratio: the noise of its axis is that of the logarithm. */
static double noise_of(const struct np_capacity *capacity,
		       const struct np_capacity_point *point)
{
	return point->ratio * capacity->axes[point->axis].noise;
}

/* Model error at a point before capacities are known: any share may be misses. */
static double error_of(const struct np_capacity *capacity,
		       const struct np_capacity_point *point)
{
	return hypot(noise_of(capacity, point), (point->ratio - 1) * model_error);
}

static const struct np_capacity_point *point_of(const struct np_trials *trials, size_t at)
{
	return &trials->capacity->points[trials->points[at]];
}

int np_trials_make(const struct np_capacity *capacity, struct np_trials *trials)
{
	*trials = (struct np_trials){ .capacity = capacity };
	trials->points = calloc(capacity->point_count + 1, sizeof(*trials->points));
	trials->errors = calloc(capacity->point_count + 1, sizeof(*trials->errors));
	if (trials->points == NULL || trials->errors == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < capacity->point_count; i++) {
		if (!is_fitted(capacity, &capacity->points[i]))
			continue;
		trials->errors[trials->point_count] =
			error_of(capacity, &capacity->points[i]);
		trials->points[trials->point_count++] = i;
	}
	return 0;
}

int np_trials_add(struct np_trials *trials, const struct np_chosen *trial)
{
	if (trials->count == trials->room) {
		const size_t room = trials->room * 2 + 64;
		struct np_chosen *list = reallocarray(trials->list, room, sizeof(*list));

		if (list == NULL)
			return -ENOMEM;
		trials->list = list;
		trials->room = room;
	}
	trials->list[trials->count++] = *trial;
	return 0;
}

int np_trials_seal(struct np_trials *trials)
{
	const size_t points = trials->point_count;
	double *shares =
		reallocarray(trials->shares, trials->count * points + 1, sizeof(*shares));

	if (shares == NULL)
		return -ENOMEM;
	trials->shares = shares;
	for (; trials->sealed < trials->count; trials->sealed++) {
		struct np_chosen whole = trials->list[trials->sealed];

		whole.cost = 1;
		for (size_t point = 0; point < points; point++) {
			const struct np_capacity_point *at = point_of(trials, point);

			shares[trials->sealed * points + point] =
				np_chosen_part(trials->capacity, &whole, at->axis,
					       at->buffers) /
				trials->errors[point];
		}
	}
	return 0;
}

bool np_chosen_is_same(const struct np_chosen *one, const struct np_chosen *other)
{
	return one->unit == other->unit && one->unit != NP_HOLDS_NONE &&
	       one->count <= near_by * other->count && other->count <= near_by * one->count;
}

static bool is_gradual(const struct np_trials *trials, const size_t *at, size_t count,
		       size_t place)
{
	const struct np_chosen *term = &trials->list[at[place]];

	for (size_t i = 0; i < count; i++) {
		if (i != place && np_chosen_is_same(&trials->list[at[i]], term))
			return true;
	}
	return term->unit != NP_HOLDS_NONE && term->replacement != NP_REPLACES_OLDEST;
}

/* Model error of the misses of a candidate at a point, in the unit of
 * np_capacity_unit_misses(). Proportional to the misses where few miss, to sqrt(p (1 - p))
 * of the miss rate p where most do, 0 where all miss.  More where chance decides which
 * entries share a set. */
static double doubt_of(const struct np_trials *trials, const struct np_chosen *term,
		       bool gradual, const struct np_capacity_point *point)
{
	const struct np_capacity_host *host = &trials->capacity->host;

	if (term->unit == NP_HOLDS_NONE)
		return 0;
	const double all =
		np_capacity_unit_uses(host, term->unit, point->axis, point->buffers);
	const double misses =
		np_capacity_unit_misses(host, term->unit, point->axis, point->buffers,
					term->replacement, term->count);
	const double model =
		model_error * fmin(misses, 2 * sqrt(misses * fmax(0, all - misses)));

	if (!gradual)
		return model;
	return hypot(model, np_capacity_unit_scatter(host, term->unit, point->axis,
						     point->buffers, term->count));
}

int np_trials_doubt(struct np_trials *trials, const size_t *at, size_t count)
{
	struct np_trial_fit fit;

	np_trials_fit(trials, at, count, &fit);
	for (size_t k = 0; k < trials->point_count; k++)
		trials->errors[k] = noise_of(trials->capacity, point_of(trials, k));
	for (size_t i = 0; i < count; i++) {
		const struct np_chosen *term = &trials->list[at[i]];
		const bool gradual = is_gradual(trials, at, count, i);

		for (size_t k = 0; k < trials->point_count; k++)
			trials->errors[k] =
				hypot(trials->errors[k],
				      fit.costs[i] * doubt_of(trials, term, gradual,
							      point_of(trials, k)));
	}
	trials->sealed = 0;
	return np_trials_seal(trials);
}

void np_trials_fit(const struct np_trials *trials, const size_t *at, size_t count,
		   struct np_trial_fit *fit)
{
	struct np_least least = { .columns = count + 1 };
	struct np_solution solution;

	*fit = (struct np_trial_fit){ .squares = (double)INFINITY, .scale = 1 };
	for (size_t point = 0; point < trials->point_count; point++) {
		const struct np_capacity_point *measured = point_of(trials, point);
		double row[NP_LEAST_WIDTH];

		row[0] = 1 / trials->errors[point];
		for (size_t i = 0; i < count; i++)
			row[i + 1] = trials->shares[at[i] * trials->point_count + point];
		row[count + 1] = measured->ratio * row[0];
		np_least_add(&least, row);
	}
	if (!np_least_solve(&least, count + 1, &solution))
		return;
	fit->base = solution.x[0];
	for (size_t i = 0; i < count; i++) {
		fit->costs[i] = solution.x[i + 1];
		/* Only a step of one axis may be negative: less time is not a capacity. */
		if (fit->costs[i] < 0 && trials->list[at[i]].unit != NP_HOLDS_NONE)
			return;
	}
	fit->squares = solution.squares;
	fit->scale = fmax(1, solution.squares / fmax(1, (double)solution.free));
}

void np_trials_free(struct np_trials *trials)
{
	free(trials->list);
	free(trials->points);
	free(trials->errors);
	free(trials->shares);
	*trials = (struct np_trials){ .count = 0 };
}

double np_chosen_part(const struct np_capacity *capacity, const struct np_chosen *term,
		      enum np_axis axis, uint64_t buffers)
{
	if (term->unit == NP_HOLDS_NONE)
		return axis == term->axis && buffers > term->buffers ? term->cost : 0;
	return term->cost * np_capacity_unit_misses(&capacity->host, term->unit, axis,
						    buffers, term->replacement,
						    term->count);
}

double np_choice_ratio(const struct np_capacity *capacity, const struct np_choice *choice,
		       enum np_axis axis, uint64_t buffers)
{
	double ratio = choice->base;

	for (size_t i = 0; i < choice->count; i++)
		ratio += np_chosen_part(capacity, &choice->list[i], axis, buffers);
	return ratio;
}
