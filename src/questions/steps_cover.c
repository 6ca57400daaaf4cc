/*
 * steps_cover.c - the first questions of the search: the gaps between sizes.
 */
#include "questions/steps_cover.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/list.h"

/* Exclude a gap if its step is sure_errors standard errors below excluded_share of the
 * smallest step to find; suspect it if its step is likely_errors from 0. */
static const double sure_errors = 3, excluded_share = 0.6, likely_errors = 3;

/* Bytes: neighbouring sizes up to this distance share a question. */
static const size_t narrow = 3;

int np_steps_push(struct np_steps *search, const struct np_steps_task *task)
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

struct np_steps_task np_steps_split(const struct np_steps *search, size_t low, size_t high)
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

/* Sizes, and the gaps between them that have a question. */
struct covering {
	const size_t *sizes;
	size_t count;
	const struct np_suspicion *suspicion; /* of the gap after each size, or NULL */
	double least;
	bool *covered;
	struct np_steps_task *tasks;
	size_t task_count;
};

/* Sets what the passes show in the gaps of a question. */
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
		rc = np_steps_push(search, task);
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
