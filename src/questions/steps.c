/*
 * steps.c - selects the sizes to measure next, from the times of those before.
 *
 * Median polish separates effects of sizes from effects of rounds.  Least squares fits all
 * straight lines with none, one or two steps, and the least sum of squares plus a price for
 * each step wins: with one step alone, two steps in one gap could hide each other.
 */
#include "questions/steps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "questions/refined.h"
#include "stats/least.h"
#include "stats/stats.h"

enum {
	ROUNDS_MOST = 4 * NP_CONFIRM_ROUNDS,
	FITTED_MOST = 2 /* most steps fitted in a question */
};

/* Distance of a step from 0, in standard errors, from which on it is followed. */
#define LIKELY_ERRORS 2.5

/* Answers to the question on top of the stack, by round and size. */
struct np_steps_rounds {
	size_t count;
	double seconds[ROUNDS_MOST][NP_QUESTION_SIZES];
	double samples[ROUNDS_MOST][NP_QUESTION_SIZES][NP_STEPS_SAMPLES];
	size_t sample_counts[ROUNDS_MOST][NP_QUESTION_SIZES];
};

/* Effects of the sizes and of the rounds of a question, by median polish. */
struct levels {
	double seconds[NP_QUESTION_SIZES]; /* effect of each size */
	double rounds[ROUNDS_MOST];	   /* effect of each round, as a ratio */
	double error;			   /* standard error of the logarithm of seconds */
};

/* A step between sizes at and at + 1: log ratio without the slope, and its standard error.
 */
struct fitted_step {
	size_t at;
	double effect, error;
};

/* A straight line of time over bytes, with steps. */
struct fit {
	struct fitted_step steps[FITTED_MOST]; /* ascending by at */
	size_t count;
	double misfit; /* sum of squared residuals in variances, plus the price of the steps
			*/
};

/* Price of a step in the sum of squared residuals, in variances. */
static const double price = LIKELY_ERRORS * LIKELY_ERRORS;

/* Prior of the slope: relative gain of time over an interval, divided by the relative width
 * of the interval.  Below 1, since start-up takes part of the time; the spread allows bytes
 * that cost more than the average. */
static const double usual_gain = 0.5, gain_spread = 0.75;

/* Lower bound of the relative standard error: no curve is a perfect line. */
static const double least_error = 1e-5;

enum { SWEEPS = 6, UNKNOWNS = 2 + FITTED_MOST };

static struct levels find_levels(const struct np_steps_rounds *rounds, size_t count)
{
	double table[NP_QUESTION_SIZES * ROUNDS_MOST], scratch[ROUNDS_MOST];
	struct levels levels;

	for (size_t round = 0; round < rounds->count; round++) {
		for (size_t i = 0; i < count; i++)
			table[i * rounds->count + round] = log(rounds->seconds[round][i]);
	}
	np_median_polish(table, count, rounds->count, SWEEPS, levels.seconds, scratch);
	for (size_t round = 0; round < rounds->count; round++)
		levels.rounds[round] =
			rounds->seconds[round][0] / exp(levels.seconds[0] + table[round]);
	/* Share of the degrees of freedom that remain after both effects. */
	const double lost = 1 - 1 / (double)count - 1 / (double)rounds->count;
	levels.error = np_polish_error(table, rounds->count * count,
				       (double)rounds->count * lost, table);
	levels.error = fmax(levels.error, least_error);
	for (size_t i = 0; i < count; i++)
		levels.seconds[i] = exp(levels.seconds[i]);
	return levels;
}

/* Tests a size for two modes, at least the ratio `apart` from each other.  Modes of a whole
 * round are host states and are removed. */
static struct np_bimodal find_modes(const struct np_steps_rounds *rounds,
				    const struct levels *levels, size_t size, double apart)
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

/* Adds the least-squares equation of a size: a straight line with steps, divided by the
 * size's time. */
static void add_equation(const struct np_steps_task *task, const double *seconds,
			 size_t size, const struct fit *fit, struct np_least *least)
{
	const double scale = seconds[0] / seconds[size];
	const double along = (double)(task->sizes[size] - task->sizes[0]);
	double row[UNKNOWNS + 1] = { scale, scale * along / width_of(task) };

	for (size_t k = 0; k < fit->count; k++)
		row[2 + k] = size > fit->steps[k].at ? 1 : 0;
	row[least->columns] = 1;
	np_least_add(least, row);
}

/* Adds the normal prior of the slope as one more equation.  Over a narrow interval the
 * slope is 0, and any rise is a step. */
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
static bool fit_steps(const struct np_steps_task *task, const struct levels *levels,
		      struct fit *fit)
{
	struct np_least least = { .columns = 2 + fit->count };
	struct np_solution solution;

	add_slope(task, levels->error, &least);
	for (size_t size = 0; size < task->count; size++)
		add_equation(task, levels->seconds, size, fit, &least);
	if (!np_least_solve(&least, least.columns, &solution))
		return false;
	for (size_t k = 0; k < fit->count; k++) {
		struct fitted_step *step = &fit->steps[k];
		/* Step as a share of the time after it, below 1. */
		const double share = np_solution_unknown(&solution, 2 + k, &step->error);

		step->effect = -log1p(-fmin(share, 0.999));
		step->error *= levels->error;
	}
	fit->misfit = solution.squares / (levels->error * levels->error) +
		      price * (double)fit->count;
	return true;
}

static void keep_better(const struct np_steps_task *task, const struct levels *levels,
			struct fit *fit, struct fit *best)
{
	if (fit_steps(task, levels, fit) && fit->misfit < best->misfit)
		*best = *fit;
}

/* Returns the line of least misfit among those with 0 to FITTED_MOST steps. */
static struct fit best_fit(const struct np_steps_task *task, const struct levels *levels)
{
	struct fit best = { .misfit = (double)INFINITY };
	const size_t gaps = task->count - 1;
	struct fit fit = { .count = 0 };

	keep_better(task, levels, &fit, &best);
	for (size_t i = 0; i < gaps; i++) {
		fit = (struct fit){ .count = 1, .steps = { { .at = i } } };
		keep_better(task, levels, &fit, &best);
		/* Two steps need more sizes than unknowns. */
		for (size_t k = i + 1; k < gaps && task->count > UNKNOWNS; k++) {
			fit = (struct fit){ .count = 2,
					    .steps = { { .at = i }, { .at = k } } };
			keep_better(task, levels, &fit, &best);
		}
	}
	return best;
}

/* Lists the candidate places of a single step: the best first, then all whose misfit is at
 * most the price of a step above the least.  Returns their number; 0 if there are too few
 * sizes. */
static size_t list_places(const struct np_steps_task *task, const struct levels *levels,
			  struct fitted_step places[NP_QUESTION_SIZES])
{
	struct fit fits[NP_QUESTION_SIZES];
	double least = (double)INFINITY;
	size_t count = 0, best = 0;

	for (size_t i = 0; i + 1 < task->count; i++) {
		struct fit *fit = &fits[count];

		*fit = (struct fit){ .count = 1, .steps = { { .at = i } } };
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
		if (i != best && fits[i].misfit <= least + price)
			places[found++] = fits[i].steps[0];
	}
	return found;
}

/* A gap is excluded if its step in the passes is sure_errors standard errors below
 * excluded_share of the smallest step to find; suspect if it is likely_errors standard
 * errors from 0. */
static const double sure_errors = 3, excluded_share = 0.6, likely_errors = 3;

/* Bytes: neighbouring sizes up to this distance share a question. */
static const size_t narrow = 3;

/* Pushes a question on the stack.  Returns 0 or -ENOMEM. */
static int push_task(struct np_steps *search, const struct np_steps_task *task)
{
	return np_list_add(&search->tasks, &search->count, task, sizeof(*task));
}

static void add_size(struct np_steps_task *task, size_t size)
{
	task->sizes[task->count++] = size;
}

/* Adds both ends and three sizes in between, or all if there are fewer. */
static void add_quarters(struct np_steps_task *task, size_t low, size_t high)
{
	const size_t width = high - low;
	size_t parts = 4;

	if (width < parts)
		parts = width;

	for (size_t i = 0; i < parts; i++)
		add_size(task, low + (size_t)((double)width * (double)i / (double)parts));
	add_size(task, high);
}

/* Question for the gap from low to high: sizes in between and, if these are few, one more
 * on either side. */
static struct np_steps_task split(const struct np_steps *search, size_t low, size_t high)
{
	struct np_steps_task task = { .low = low, .high = high };
	const bool context = high - low < 4;

	task.confirms = high - low == 1;
	if (context && low > search->options.smallest)
		add_size(&task, low - 1);
	add_quarters(&task, low, high);
	if (context && high < search->options.largest)
		add_size(&task, high + 1);
	return task;
}

/* State of np_steps_cover(): sizes of the passes, gaps covered by a question, and these
 * questions. */
struct covering {
	const size_t *sizes;
	size_t count;
	const struct np_suspicion *suspicion; /* of the gap after each size, or NULL */
	double least;			      /* smallest step to find, as a share */
	bool *covered;
	struct np_steps_task *tasks;
	size_t task_count;
};

/* Sets excluded and clarity of a question, from the estimates of the passes in its gaps. */
static void judge(const struct covering *covering, struct np_steps_task *task, size_t first,
		  size_t last)
{
	task->excluded = covering->suspicion != NULL;
	for (size_t i = first; covering->suspicion != NULL && i < last; i++) {
		const struct np_suspicion *at = &covering->suspicion[i];
		const double step = fabs(at->step);

		task->excluded &=
			step + sure_errors * at->error < excluded_share * covering->least;
		if (step > covering->least / 2 && step > likely_errors * at->error)
			task->clarity = fmax(task->clarity, step / at->error);
	}
}

static bool is_narrow(const struct covering *covering, size_t gap)
{
	return covering->sizes[gap + 1] - covering->sizes[gap] <= narrow;
}

/* Adds a question for a wide gap, with the narrow gaps next to it. */
static void cover_wide(struct covering *covering, size_t gap)
{
	struct np_steps_task *task = &covering->tasks[covering->task_count++];
	size_t first = gap, last = gap + 1;

	*task = (struct np_steps_task){ .first = true };
	if (gap > 0 && is_narrow(covering, gap - 1))
		add_size(task, covering->sizes[--first]);
	add_quarters(task, covering->sizes[gap], covering->sizes[gap + 1]);
	if (gap + 2 < covering->count && is_narrow(covering, gap + 1))
		add_size(task, covering->sizes[++last]);
	for (size_t i = first; i < last; i++)
		covering->covered[i] = true;
	task->low = covering->sizes[first];
	task->high = covering->sizes[last];
	judge(covering, task, first, last);
}

/* Adds a question for consecutive narrow gaps, with one more size on either side for the
 * slope. Returns the first gap after them. */
static size_t cover_narrow(struct covering *covering, size_t gap)
{
	struct np_steps_task *task = &covering->tasks[covering->task_count++];
	size_t last = gap;

	*task = (struct np_steps_task){ .first = true, .low = covering->sizes[gap] };
	if (gap > 0)
		add_size(task, covering->sizes[gap - 1]);
	add_size(task, covering->sizes[gap]);
	while (last + 1 < covering->count && !covering->covered[last] &&
	       task->count < NP_QUESTION_SIZES - 1)
		add_size(task, covering->sizes[++last]);
	task->high = covering->sizes[last];
	judge(covering, task, gap, last);
	if (last + 1 < covering->count)
		add_size(task, covering->sizes[last + 1]);
	return last;
}

/* The last task is measured first: clearest step, then small before large sizes. */
static int compare_tasks(const void *left, const void *right)
{
	const struct np_steps_task *a = left, *b = right;

	if (a->clarity < b->clarity || a->clarity > b->clarity)
		return a->clarity < b->clarity ? -1 : 1;
	return (a->low < b->low) - (a->low > b->low);
}

static int push_all(struct np_steps *search, struct covering *covering, bool only_suspects)
{
	int rc = 0;

	qsort(covering->tasks, covering->task_count, sizeof(*covering->tasks),
	      compare_tasks);
	for (size_t i = 0; i < covering->task_count && rc == 0; i++) {
		struct np_steps_task *task = &covering->tasks[i];

		task->threshold = log1p(search->options.least) / 2;
		if (task->excluded || (only_suspects && !(task->clarity > 0))) {
			search->gaps_clear++;
			continue;
		}
		rc = push_task(search, task);
		search->gaps += rc == 0;
		search->gaps_left += rc == 0;
	}
	return rc;
}

int np_steps_cover(struct np_steps *search, const size_t *sizes, size_t count,
		   const struct np_suspicion *suspicion, bool only_suspects)
{
	struct covering covering = { .sizes = sizes,
				     .count = count,
				     .suspicion = suspicion,
				     .least = search->options.least };
	int rc = -ENOMEM;

	covering.covered = calloc(count + 1, sizeof(*covering.covered));
	covering.tasks = calloc(count + 1, sizeof(*covering.tasks));
	if (covering.covered != NULL && covering.tasks != NULL) {
		for (size_t i = 0; i + 1 < count; i++) {
			if (!is_narrow(&covering, i))
				cover_wide(&covering, i);
		}
		for (size_t i = 0; i + 1 < count;)
			i = covering.covered[i] ? i + 1 : cover_narrow(&covering, i);
		rc = push_all(search, &covering, only_suspects);
	}
	free(covering.covered);
	free(covering.tasks);
	return rc;
}

/* Numbers of rounds at which an interim analysis decides; the last one always ends. */
static const size_t interims[] = { 5, 7, 9, 12, 16, 24, 32, NP_STEPS_ROUNDS };

enum { NEXT_MAX = 3 };

/* The questions that follow from one question. */
struct next_questions {
	struct np_steps_task list[NEXT_MAX];
	size_t count;
	bool bimodal; /* bimodal sizes explain a step */
};

/* Share of a parent's step, less a standard error, that a quarter must have: a step keeps
 * its size when a gap is cut in four, a bend keeps a quarter of it.  The estimate of the
 * largest step in five rounds is biased upwards. */
static const double kept = 0.4;

/* An interim analysis decides if the step is this many standard errors from the threshold.
 */
static const double clear_errors = 1.5;

/* Least rounds for a test of bimodality. */
static const size_t bimodal_rounds = 12;

/* A confirmation continues while p lies between these. */
static const double clear_p = 2e-4, unlikely_p = 0.1;

int np_steps_init(struct np_steps *search, const struct np_steps_options *options)
{
	*search = (struct np_steps){ .options = *options };
	search->rounds = calloc(1, sizeof(*search->rounds));
	return search->rounds != NULL ? 0 : -ENOMEM;
}

void np_steps_free(struct np_steps *search)
{
	free(search->tasks);
	free(search->rounds);
	free(search->bends);
	free(search->measured);
	*search = (struct np_steps){ .tasks = NULL };
}

/* Adds a note, unless the search has it.  Returns 0 or -ENOMEM. */
static int note_bend(struct np_steps *search, const struct np_note *bend)
{
	for (size_t i = 0; i < search->bend_count; i++) {
		if (search->bends[i].kind == bend->kind &&
		    search->bends[i].low == bend->low &&
		    search->bends[i].high == bend->high)
			return 0;
	}
	return np_list_add(&search->bends, &search->bend_count, bend, sizeof(*bend));
}

/* Returns 1 if the interval was already measured, 0 after adding it, or -ENOMEM. */
static int was_measured(struct np_steps *search, size_t low, size_t high)
{
	const struct np_steps_interval measured = { low, high };

	for (size_t i = 0; i < search->measured_count; i++) {
		if (search->measured[i].low == low && search->measured[i].high == high)
			return 1;
	}
	return np_list_add(&search->measured, &search->measured_count, &measured,
			   sizeof(measured));
}

static const struct np_steps_task *top(const struct np_steps *search)
{
	return &search->tasks[search->count - 1];
}

bool np_steps_between(const struct np_steps *search)
{
	return search->rounds->count == 0;
}

/* Both sizes twice, in an order in which drift cancels, and their neighbours. */
static void set_confirmation(const struct np_steps_task *task, struct np_question *question)
{
	question->confirms = true;
	if (task->sizes[0] < task->low)
		question->sizes[question->count++] = task->sizes[0];
	question->sizes[question->count++] = task->low;
	question->sizes[question->count++] = task->high;
	question->sizes[question->count++] = task->high;
	question->sizes[question->count++] = task->low;
	if (task->sizes[task->count - 1] > task->high)
		question->sizes[question->count++] = task->sizes[task->count - 1];
}

bool np_steps_next(const struct np_steps *search, struct np_question *question)
{
	*question = (struct np_question){ .count = 0 };
	if (search->count == 0)
		return false;
	const struct np_steps_task *task = top(search);

	if (task->confirms) {
		set_confirmation(task, question);
		return true;
	}
	question->count = task->count;
	for (size_t i = 0; i < task->count; i++)
		question->sizes[i] = task->sizes[i];
	return true;
}

/* Returns true if a confirmation needs no more rounds: at an interim analysis its final
 * test is clear, or the last round was measured. */
static bool is_confirmed(const struct np_steps *search)
{
	const struct np_steps_rounds *rounds = search->rounds;
	struct np_confirm_visit visits[ROUNDS_MOST * NP_QUESTION_SIZES];
	struct np_question question;
	struct np_confirmed *found = NULL;
	size_t count = 0, found_count = 0;
	bool enough = true;

	if (rounds->count != NP_CONFIRM_ROUNDS &&
	    rounds->count != (size_t)2 * NP_CONFIRM_ROUNDS)
		return rounds->count == ROUNDS_MOST;
	np_steps_next(search, &question);
	for (size_t round = 0; round < rounds->count; round++) {
		for (size_t i = 0; i < question.count; i++)
			visits[count++] = (struct np_confirm_visit){
				.round = (unsigned)round,
				.length = question.sizes[i],
				.seconds = rounds->seconds[round][i]
			};
	}
	if (np_steps_confirm(visits, count, &found, &found_count) == 0 && found_count != 0)
		enough = found[0].p < clear_p || found[0].p > unlikely_p;
	free(found);
	return enough;
}

/* Returns true if the ends of an interval are bimodal with equal lower modes: only the
 * shares of the modes differ. */
static bool is_bimodal(const struct np_steps *search, size_t at, double effect,
		       struct np_bimodal *ends)
{
	const struct levels levels = find_levels(search->rounds, top(search)->count);
	const double apart = exp(fmax(fabs(effect) / 2, top(search)->threshold));

	for (size_t i = 0; i < 2; i++)
		ends[i] = find_modes(search->rounds, &levels, at + i, apart);
	return (ends[0].two || ends[1].two) &&
	       fabs(log(ends[1].lower / ends[0].lower)) <= fabs(effect) / 2;
}

/* Returns true if a question needs no more rounds: an interim analysis decides it, or the
 * last round was measured. */
static bool is_clear(const struct np_steps *search)
{
	const struct np_steps_task *task = top(search);
	const size_t rounds = search->rounds->count;
	struct np_bimodal ends[2];
	bool interim = false;

	for (size_t i = 0; i < sizeof(interims) / sizeof(*interims); i++)
		interim |= rounds == interims[i];
	if (!interim || rounds == NP_STEPS_ROUNDS)
		return interim;
	const struct levels levels = find_levels(search->rounds, task->count);
	struct fitted_step places[NP_QUESTION_SIZES];
	const size_t count = list_places(task, &levels, places);
	const struct fitted_step worst = places[0];
	const double most = count != 0 ? fabs(worst.effect) : 0;

	if (count == 0)
		return true;
	if (most < task->threshold)
		return task->threshold - most > clear_errors * worst.error;
	if (most - task->threshold < clear_errors * worst.error ||
	    most < LIKELY_ERRORS * worst.error || (count > 1 && rounds < bimodal_rounds))
		return false;
	/* A single disturbed visit looks like a second mode: more rounds decide. */
	return rounds >= bimodal_rounds ||
	       !is_bimodal(search, worst.at, worst.effect, ends);
}

/* Notes the bimodal sizes of an interval.  Returns 1; 0 if two modes do not explain the
 * step; or -ENOMEM. */
static int note_bimodal(struct np_steps *search, size_t at, double effect)
{
	struct np_bimodal ends[2];

	if (!is_bimodal(search, at, effect, ends))
		return 0;
	for (size_t i = 0; i < 2; i++) {
		const size_t size = top(search)->sizes[at + i];
		const struct np_note bend = { .kind = NP_NOTE_BIMODAL,
					      .low = size,
					      .high = size,
					      .effect = ends[i].upper / ends[i].lower };

		if (ends[i].two && note_bend(search, &bend) != 0)
			return -ENOMEM;
	}
	return 1;
}

/* Adds an interval with a step to the next questions, once.  Returns 0 or -ENOMEM. */
static int follow(struct np_steps *search, const struct fitted_step *step,
		  struct next_questions *next)
{
	const struct np_steps_task *task = top(search);
	const size_t low = task->sizes[step->at], high = task->sizes[step->at + 1];

	if (fabs(step->effect) < fmax(task->threshold, LIKELY_ERRORS * step->error))
		return 0;
	for (size_t i = 0; i < next->count; i++) {
		if (next->list[i].low == low)
			return 0;
	}
	const int explained = note_bimodal(search, step->at, step->effect);
	if (explained < 0)
		return explained;
	next->bimodal |= explained != 0;
	if (explained != 0 || next->count == NEXT_MAX)
		return 0;
	next->list[next->count] = split(search, low, high);
	next->list[next->count].parent = step->effect;
	next->list[next->count].threshold = fmax(log1p(search->options.least) / 2,
						 kept * (fabs(step->effect) - step->error));
	next->count++;
	return 0;
}

/* Adds the questions that follow from an answered one, for the steps of the best line.  If
 * the line has one step, or none is likely, adds the candidate places of a single step,
 * which is_clear() uses too. */
static int find_steps(struct np_steps *search, struct next_questions *next)
{
	const struct np_steps_task *task = top(search);
	const struct levels levels = find_levels(search->rounds, task->count);
	const struct fit fit = best_fit(task, &levels);
	struct fitted_step places[NP_QUESTION_SIZES];
	const size_t count = list_places(task, &levels, places);
	int rc = 0;

	for (size_t i = 0; i < fit.count && rc == 0; i++)
		rc = follow(search, &fit.steps[i], next);
	const bool one = fit.count == 1 || (next->count == 0 && !next->bimodal);
	for (size_t i = 0; one && i < count && rc == 0; i++)
		rc = follow(search, &places[i], next);
	return rc;
}

/* Replaces the answered question on top by the questions that follow from it. */
static int conclude(struct np_steps *search)
{
	const struct np_steps_task task = *top(search);
	struct next_questions next = { .count = 0 };
	int rc = task.confirms ? 0 : find_steps(search, &next);

	if (rc == 0 && !task.confirms && !task.first && !next.bimodal && next.count == 0) {
		const struct np_note bend = { .kind = NP_NOTE_BEND,
					      .low = task.low,
					      .high = task.high,
					      .effect = exp(task.parent) };

		rc = note_bend(search, &bend);
	}
	search->rounds->count = 0;
	search->count--;
	search->gaps_left -= task.first;
	while (rc == 0 && next.count-- > 0) {
		const struct np_steps_task *child = &next.list[next.count];

		rc = was_measured(search, child->low, child->high);
		if (rc == 0)
			rc = push_task(search, child);
		rc = rc < 0 ? rc : 0;
	}
	return rc;
}

static void keep_samples(struct np_steps_rounds *rounds, size_t at,
			 const struct np_answer *answer)
{
	const size_t step = answer->sample_count / NP_STEPS_SAMPLES + 1;
	size_t *count = &rounds->sample_counts[rounds->count][at];

	*count = 0;
	for (size_t i = 0; i < answer->sample_count; i += step)
		rounds->samples[rounds->count][at][(*count)++] = answer->samples[i];
}

int np_steps_answer(struct np_steps *search, const struct np_answer *answers)
{
	struct np_steps_rounds *rounds = search->rounds;
	struct np_question question;

	if (!np_steps_next(search, &question))
		return 0;
	for (size_t i = 0; i < question.count; i++) {
		rounds->seconds[rounds->count][i] = answers[i].seconds;
		if (!question.confirms)
			keep_samples(rounds, i, &answers[i]);
	}
	rounds->count++;
	if (question.confirms ? !is_confirmed(search) : !is_clear(search))
		return 0;
	return conclude(search);
}
