/*
 * jumps_fit.c - the levels of a question's sizes, and the line with steps in it that
 * explains them best.
 *
 * Levels of sizes and of rounds are told apart by median polish (J. W. Tukey,
 * Exploratory Data Analysis, 1977, chapter 11): neither a visit that was disturbed
 * nor a round that was slow as a whole moves the level of a size.  Of all lines with
 * none, one or two steps the one is taken whose squared errors, with a price for each
 * step, are the least: two steps in one gap would else each hide the other.
 */
#include "questions/jumps_fit.h"

#include <math.h>

#include "stats/stats.h"

/* What turns a median distance from the median into a standard deviation, of normal
 * errors; the loss of a median against a mean. */
static const double of_normal = 1.4826, of_median = 1.25;

/* The price of a step: as much as it has to be from nothing, squared. */
static const double price = NP_JUMPS_LIKELY * NP_JUMPS_LIKELY;

/* How much of its time a message gains over an interval, as a share of the interval's
 * width over its size: what start-up leaves of it, and what a dearer byte adds. */
static const double usual_gain = 0.5, gain_spread = 0.75;

/* Closer than that no curve is to a line. */
static const double least_error = 1e-5;

enum { SWEEPS = 3, UNKNOWNS = 2 + NP_JUMPS_STEPS, RIGHT = 2 * UNKNOWNS };

/* Takes the median of some logarithms, a stride apart, out of them.  Returns it. */
static double sweep(double *first, size_t count, size_t stride)
{
	double values[NP_ROUNDS_MOST] = { 0 };

	for (size_t i = 0; i < count; i++)
		values[i] = first[i * stride];
	const double middle = np_median(values, count);
	for (size_t i = 0; i < count; i++)
		first[i * stride] -= middle;
	return middle;
}

struct np_jumps_levels np_jumps_level(const struct np_jumps_rounds *rounds, size_t count)
{
	double rest[NP_ROUNDS_MOST * NP_QUESTION_SIZES];
	struct np_jumps_levels levels = { .error = 0 };
	size_t left = 0;

	for (size_t round = 0; round < rounds->count; round++) {
		for (size_t i = 0; i < count; i++)
			rest[round * count + i] = log(rounds->seconds[round][i]);
	}
	for (size_t k = 0; k < SWEEPS; k++) {
		for (size_t i = 0; i < count; i++)
			levels.seconds[i] += sweep(&rest[i], rounds->count, count);
		for (size_t round = 0; round < rounds->count; round++)
			sweep(&rest[round * count], count, 1);
	}
	/* Each sweep leaves a rest of nothing at the median itself. */
	for (size_t i = 0; i < rounds->count * count; i++) {
		if (fabs(rest[i]) > 0)
			rest[left++] = fabs(rest[i]);
	}
	/* What was taken out of the rest, as degrees of freedom. */
	const double lost = 1 - 1 / (double)count - 1 / (double)rounds->count;
	levels.error = of_normal * of_median * (left != 0 ? np_median(rest, left) : 0) /
		       sqrt((double)rounds->count * lost);
	levels.error = fmax(levels.error, least_error);
	for (size_t i = 0; i < count; i++)
		levels.seconds[i] = exp(levels.seconds[i]);
	return levels;
}

/* Normal equations, the right side last; solved in place. */
struct equations {
	double cell[UNKNOWNS][RIGHT + 1];
	size_t count;
};

/* Gauss and Jordan, with the inverse beside.  False if it has none. */
static bool solve(struct equations *it)
{
	const size_t width = RIGHT + 1;

	for (size_t i = 0; i < it->count; i++)
		it->cell[i][UNKNOWNS + i] = 1;
	for (size_t k = 0; k < it->count; k++) {
		size_t best = k;

		for (size_t i = k + 1; i < it->count; i++) {
			if (fabs(it->cell[i][k]) > fabs(it->cell[best][k]))
				best = i;
		}
		if (!(fabs(it->cell[best][k]) > 1e-12))
			return false;
		for (size_t c = 0; c < width && best != k; c++) {
			const double other = it->cell[k][c];

			it->cell[k][c] = it->cell[best][c];
			it->cell[best][c] = other;
		}
		for (size_t i = 0; i < it->count; i++) {
			const double share = it->cell[i][k] / it->cell[k][k];

			for (size_t c = 0; c < width && i != k; c++)
				it->cell[i][c] -= share * it->cell[k][c];
		}
	}
	for (size_t k = 0; k < it->count; k++) {
		const double scale = it->cell[k][k];

		for (size_t c = 0; c < width; c++)
			it->cell[k][c] /= scale;
	}
	return true;
}

/* What a size, or what is known beforehand, says: parts times unknowns are the value. */
struct row {
	double part[UNKNOWNS], value;
};

/* A size's line with steps, all over its time. */
static struct row size_row(const struct np_jumps_task *task, const double *seconds,
			   size_t size, const struct np_jumps_fit *fit)
{
	const double scale = seconds[0] / seconds[size];
	const double width = (double)(task->sizes[task->count - 1] - task->sizes[0]);
	const double along = (double)(task->sizes[size] - task->sizes[0]);
	struct row row = { .part = { scale, scale * along / width, 0, 0 }, .value = 1 };

	for (size_t k = 0; k < fit->count; k++)
		row.part[2 + k] = size > fit->steps[k].at ? 1 : 0;
	return row;
}

/* What is known of the slope beforehand, as one size more: over a narrow interval it is
 * nothing, and whatever rises there is a step. */
static struct row slope_row(const struct np_jumps_task *task, double error)
{
	const double width = (double)(task->sizes[task->count - 1] - task->sizes[0]);
	const double share = width / (double)task->sizes[task->count - 1];
	const double weight = error / (gain_spread * share);

	return (struct row){ .part = { 0, weight, 0, 0 },
			     .value = weight * usual_gain * share };
}

static void add_row(struct equations *normal, const struct row *row)
{
	for (size_t i = 0; i < UNKNOWNS; i++) {
		for (size_t k = 0; k < UNKNOWNS; k++)
			normal->cell[i][k] += row->part[i] * row->part[k];
		normal->cell[i][RIGHT] += row->part[i] * row->value;
	}
}

/* By how much a row is not explained, squared. */
static double row_misfit(const struct equations *solved, const struct row *row)
{
	double left = row->value;

	for (size_t i = 0; i < UNKNOWNS; i++)
		left -= row->part[i] * solved->cell[i][RIGHT];
	return left * left;
}

/* The best line with steps at given places; false if the sizes do not tell. */
static bool fit_steps(const struct np_jumps_task *task,
		      const struct np_jumps_levels *levels, struct np_jumps_fit *fit)
{
	const struct row slope = slope_row(task, levels->error);
	struct equations normal = { .count = 2 + fit->count };

	add_row(&normal, &slope);
	for (size_t size = 0; size < task->count; size++) {
		const struct row row = size_row(task, levels->seconds, size, fit);

		add_row(&normal, &row);
	}
	if (!solve(&normal))
		return false;
	double misfit = row_misfit(&normal, &slope);
	for (size_t size = 0; size < task->count; size++) {
		const struct row row = size_row(task, levels->seconds, size, fit);

		misfit += row_misfit(&normal, &row);
	}
	for (size_t k = 0; k < fit->count; k++) {
		/* A share of the time behind the step, which cannot be all of it. */
		const double share = normal.cell[2 + k][RIGHT];

		fit->steps[k].effect = -log1p(-fmin(share, 0.999));
		fit->steps[k].error =
			levels->error * sqrt(normal.cell[2 + k][UNKNOWNS + 2 + k]);
	}
	fit->misfit = misfit / (levels->error * levels->error) + price * (double)fit->count;
	return true;
}

static void keep_better(const struct np_jumps_task *task,
			const struct np_jumps_levels *levels, struct np_jumps_fit *fit,
			struct np_jumps_fit *best)
{
	if (fit_steps(task, levels, fit) && fit->misfit < best->misfit)
		*best = *fit;
}

struct np_jumps_fit np_jumps_fit(const struct np_jumps_task *task,
				 const struct np_jumps_levels *levels)
{
	struct np_jumps_fit best = { .misfit = (double)INFINITY };
	const size_t gaps = task->count - 1;
	struct np_jumps_fit fit = { .count = 0 };

	keep_better(task, levels, &fit, &best);
	for (size_t i = 0; i < gaps; i++) {
		fit = (struct np_jumps_fit){ .count = 1, .steps = { { .at = i } } };
		keep_better(task, levels, &fit, &best);
		/* Two steps want a size more than there are unknowns. */
		for (size_t k = i + 1; k < gaps && task->count > UNKNOWNS; k++) {
			fit = (struct np_jumps_fit){
				.count = 2, .steps = { { .at = i }, { .at = k } }
			};
			keep_better(task, levels, &fit, &best);
		}
	}
	return best;
}

size_t np_jumps_places(const struct np_jumps_task *task,
		       const struct np_jumps_levels *levels, double within,
		       struct np_jumps_step places[NP_QUESTION_SIZES])
{
	struct np_jumps_fit fits[NP_QUESTION_SIZES];
	double least = (double)INFINITY;
	size_t count = 0, best = 0;

	for (size_t i = 0; i + 1 < task->count; i++) {
		struct np_jumps_fit *fit = &fits[count];

		*fit = (struct np_jumps_fit){ .count = 1, .steps = { { .at = i } } };
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
