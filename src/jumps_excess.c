/*
 * jumps_excess.c - how much of a growth of time the slope around it does not
 * explain.
 *
 * Levels of sizes and of rounds are told apart by median polish (J. W. Tukey,
 * Exploratory Data Analysis, 1977, chapter 11): neither a visit that was disturbed
 * nor a round that was slow as a whole moves the level of a size.
 */
#include <math.h>

#include "jumps_private.h"
#include "stats.h"

/* What turns a median distance from the median into a standard deviation, of normal
 * errors; the loss of a median against a mean; and what the ends of an interval and
 * the slope beside it add up to. */
static const double of_normal = 1.4826, of_median = 1.25, of_excess = 1.6;

enum { SWEEPS = 3 };

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
	levels.error = of_normal * of_median * of_excess *
		       (left != 0 ? np_median(rest, left) : 0) /
		       sqrt((double)rounds->count * lost);
	for (size_t i = 0; i < count; i++)
		levels.seconds[i] = exp(levels.seconds[i]);
	return levels;
}

double np_jumps_excess(const struct np_jumps_task *task, const double *seconds, size_t at,
		       const bool *left_out)
{
	const double width = (double)(task->sizes[at + 1] - task->sizes[at]);
	const double level = (seconds[at] + seconds[at + 1]) / 2;
	double rise = 0, run = 0;

	for (size_t i = 0; i + 1 < task->count; i++) {
		if (i == at || left_out[i])
			continue;
		rise += seconds[i + 1] - seconds[i];
		run += (double)(task->sizes[i + 1] - task->sizes[i]);
	}
	if (!(run > 0))
		return (double)NAN;
	return (seconds[at + 1] - seconds[at] - rise / run * width) / level;
}
