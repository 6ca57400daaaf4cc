/*
 * steps_fit.c - the levels of a question's sizes, and the best line with steps.
 *
 * Median polish separates the levels of sizes from those of rounds.  All lines with none,
 * one or two steps are fitted, and the least squared error plus a price for each step wins:
 * with one step alone, two steps in one gap could hide each other.
 */
#include "questions/steps_fit.h"

#include <math.h>

#include "stats/least.h"
#include "stats/polish.h"

/* Price of a step, in variances. */
static const double price = NP_STEPS_LIKELY * NP_STEPS_LIKELY;

/* Prior of the slope: relative gain of time over an interval, divided by the relative width
 * of the interval.  Below 1, since start-up takes part of the time; the spread allows bytes
 * that cost more than the average. */
static const double usual_gain = 0.5, gain_spread = 0.75;

/* Least relative error: no curve is closer to a line. */
static const double least_error = 1e-5;

enum { SWEEPS = 6, UNKNOWNS = 2 + NP_STEPS_FITTED };

struct np_steps_levels np_steps_level(const struct np_steps_rounds *rounds, size_t count)
{
	double table[NP_QUESTION_SIZES * NP_ROUNDS_MOST], scratch[NP_ROUNDS_MOST];
	struct np_steps_levels levels;

	for (size_t round = 0; round < rounds->count; round++) {
		for (size_t i = 0; i < count; i++)
			table[i * rounds->count + round] = log(rounds->seconds[round][i]);
	}
	np_median_polish(table, count, rounds->count, SWEEPS, levels.seconds, scratch);
	for (size_t round = 0; round < rounds->count; round++)
		levels.rounds[round] =
			rounds->seconds[round][0] / exp(levels.seconds[0] + table[round]);
	/* Degrees of freedom removed from the table, as a share. */
	const double lost = 1 - 1 / (double)count - 1 / (double)rounds->count;
	levels.error = np_polish_error(table, rounds->count * count,
				       (double)rounds->count * lost, table);
	levels.error = fmax(levels.error, least_error);
	for (size_t i = 0; i < count; i++)
		levels.seconds[i] = exp(levels.seconds[i]);
	return levels;
}

struct np_bimodal np_steps_modes(const struct np_steps_rounds *rounds,
				 const struct np_steps_levels *levels, size_t size,
				 double apart)
{
	double values[NP_STEPS_ROUNDS * NP_STEPS_SAMPLES];
	size_t visits[NP_STEPS_ROUNDS], count = 0;

	for (size_t round = 0; round < rounds->count; round++) {
		visits[round] = rounds->sample_counts[round][size];
		for (size_t i = 0; i < visits[round]; i++)
			values[count++] =
				rounds->samples[round][size][i] / levels->rounds[round];
	}
	const double independent = np_independent_values(values, visits, rounds->count);

	return np_bimodal_find(values, count, independent, apart);
}

/* Bytes from the first to the last size of a question. */
static double width_of(const struct np_steps_task *task)
{
	return (double)(task->sizes[task->count - 1] - task->sizes[0]);
}

/* Adds the equation of a size: a line with steps, as a share of the size's time. */
static void add_size(const struct np_steps_task *task, const double *seconds, size_t size,
		     const struct np_steps_fit *fit, struct np_least *least)
{
	const double scale = seconds[0] / seconds[size];
	const double along = (double)(task->sizes[size] - task->sizes[0]);
	double row[UNKNOWNS + 1] = { scale, scale * along / width_of(task) };

	for (size_t k = 0; k < fit->count; k++)
		row[2 + k] = size > fit->steps[k].at ? 1 : 0;
	row[least->columns] = 1;
	np_least_add(least, row);
}

/* Adds the prior of the slope as one more size.  Over a narrow interval the slope is 0, and
 * any rise is a step. */
static void add_slope(const struct np_steps_task *task, double error,
		      struct np_least *least)
{
	const double share = width_of(task) / (double)task->sizes[task->count - 1];
	const double weight = error / (gain_spread * share);
	double row[UNKNOWNS + 1] = { 0, weight };

	row[least->columns] = weight * usual_gain * share;
	np_least_add(least, row);
}

/* Fits a line with steps at given places.  Returns false if there are too few sizes. */
static bool fit_steps(const struct np_steps_task *task,
		      const struct np_steps_levels *levels, struct np_steps_fit *fit)
{
	struct np_least least = { .columns = 2 + fit->count };
	struct np_solution solution;

	add_slope(task, levels->error, &least);
	for (size_t size = 0; size < task->count; size++)
		add_size(task, levels->seconds, size, fit, &least);
	if (!np_least_solve(&least, least.columns, &solution))
		return false;
	for (size_t k = 0; k < fit->count; k++) {
		struct np_fitted_step *step = &fit->steps[k];
		/* Share of the time after the step, below 1. */
		const double share = np_solution_unknown(&solution, 2 + k, &step->error);

		step->effect = -log1p(-fmin(share, 0.999));
		step->error *= levels->error;
	}
	fit->misfit = solution.squares / (levels->error * levels->error) +
		      price * (double)fit->count;
	return true;
}

static void keep_better(const struct np_steps_task *task,
			const struct np_steps_levels *levels, struct np_steps_fit *fit,
			struct np_steps_fit *best)
{
	if (fit_steps(task, levels, fit) && fit->misfit < best->misfit)
		*best = *fit;
}

struct np_steps_fit np_steps_fit(const struct np_steps_task *task,
				 const struct np_steps_levels *levels)
{
	struct np_steps_fit best = { .misfit = (double)INFINITY };
	const size_t gaps = task->count - 1;
	struct np_steps_fit fit = { .count = 0 };

	keep_better(task, levels, &fit, &best);
	for (size_t i = 0; i < gaps; i++) {
		fit = (struct np_steps_fit){ .count = 1, .steps = { { .at = i } } };
		keep_better(task, levels, &fit, &best);
		/* Two steps need more sizes than unknowns. */
		for (size_t k = i + 1; k < gaps && task->count > UNKNOWNS; k++) {
			fit = (struct np_steps_fit){
				.count = 2, .steps = { { .at = i }, { .at = k } }
			};
			keep_better(task, levels, &fit, &best);
		}
	}
	return best;
}

size_t np_steps_places(const struct np_steps_task *task,
		       const struct np_steps_levels *levels, double within,
		       struct np_fitted_step places[NP_QUESTION_SIZES])
{
	struct np_steps_fit fits[NP_QUESTION_SIZES];
	double least = (double)INFINITY;
	size_t count = 0, best = 0;

	for (size_t i = 0; i + 1 < task->count; i++) {
		struct np_steps_fit *fit = &fits[count];

		*fit = (struct np_steps_fit){ .count = 1, .steps = { { .at = i } } };
		if (!fit_steps(task, levels, fit))
			continue;
		if (fit->misfit < least) {
			least = fit->misfit;
			best = count;
		}
		count++;
	}
	if (count == 0)
		return 0;
	places[0] = fits[best].steps[0];
	size_t found = 1;
	for (size_t i = 0; i < count; i++) {
		if (i != best && fits[i].misfit <= least + within)
			places[found++] = fits[i].steps[0];
	}
	return found;
}
