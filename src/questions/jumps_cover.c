/*
 * jumps_cover.c - the first questions, and how an interval is cut.
 */
#include "questions/jumps_cover.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A gap is left out if its jump is this many errors below that share of the least; it
 * is likely to have one if its jump is so many errors from none. */
static const double sure_errors = 3, excluded_share = 0.6, likely_errors = 3;

/* Sizes so near to each other lie in one question. */
static const size_t narrow = 3;

int np_jumps_push(struct np_jumps *search, const struct np_jumps_task *task)
{
	if (search->count == search->room) {
		const size_t room = search->room != 0 ? 2 * search->room : 64;
		struct np_jumps_task *tasks = realloc(search->tasks, room * sizeof(*tasks));

		if (tasks == NULL)
			return -ENOMEM;
		search->tasks = tasks;
		search->room = room;
	}
	search->tasks[search->count++] = *task;
	return 0;
}

static void add_size(struct np_jumps_task *task, size_t size)
{
	task->sizes[task->count++] = size;
}

/* The ends, and three sizes in between or all there are. */
static void add_quarters(struct np_jumps_task *task, size_t low, size_t high)
{
	const size_t width = high - low;
	size_t parts = 4;

	if (width < parts)
		parts = width;

	for (size_t i = 0; i < parts; i++)
		add_size(task, low + (size_t)((double)width * (double)i / (double)parts));
	add_size(task, high);
}

struct np_jumps_task np_jumps_split(const struct np_jumps *search, size_t low, size_t high)
{
	struct np_jumps_task task = { .low = low, .high = high };
	const bool context = high - low < 4;

	task.confirms = high - low == 1;
	if (context && low > search->options.smallest)
		add_size(&task, low - 1);
	add_quarters(&task, low, high);
	if (context && high < search->options.largest)
		add_size(&task, high + 1);
	return task;
}

/* What is being covered: sizes, and the gaps that a question has by now. */
struct covering {
	const size_t *sizes;
	size_t count;
	const struct np_suspicion *suspicion; /* of the gap behind each size; or NULL */
	double least;
	bool *covered;
	struct np_jumps_task *tasks;
	size_t task_count;
};

/* What is known of the gaps of a question. */
static void judge(const struct covering *covering, struct np_jumps_task *task, size_t first,
		  size_t last)
{
	task->excluded = covering->suspicion != NULL;
	for (size_t i = first; covering->suspicion != NULL && i < last; i++) {
		const struct np_suspicion *at = &covering->suspicion[i];
		const double jump = fabs(at->jump);

		task->excluded &=
			jump + sure_errors * at->error < excluded_share * covering->least;
		if (jump > covering->least / 2 && jump > likely_errors * at->error)
			task->clarity = fmax(task->clarity, jump / at->error);
	}
}

static bool is_narrow(const struct covering *covering, size_t gap)
{
	return covering->sizes[gap + 1] - covering->sizes[gap] <= narrow;
}

/* A wide gap, with a narrow one on either side. */
static void cover_wide(struct covering *covering, size_t gap)
{
	struct np_jumps_task *task = &covering->tasks[covering->task_count++];
	size_t first = gap, last = gap + 1;

	*task = (struct np_jumps_task){ .first = true };
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

/* A run of narrow gaps, with what lies before and behind it for the slope.  Returns
 * the first gap after those that it covers. */
static size_t cover_narrow(struct covering *covering, size_t gap)
{
	struct np_jumps_task *task = &covering->tasks[covering->task_count++];
	size_t last = gap;

	*task = (struct np_jumps_task){ .first = true, .low = covering->sizes[gap] };
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

/* The last is asked first: the clearest, then from small to large. */
static int compare_tasks(const void *left, const void *right)
{
	const struct np_jumps_task *a = left, *b = right;

	if (a->clarity < b->clarity || a->clarity > b->clarity)
		return a->clarity < b->clarity ? -1 : 1;
	return (a->low < b->low) - (a->low > b->low);
}

static int push_all(struct np_jumps *search, struct covering *covering, bool only_suspects)
{
	int rc = 0;

	qsort(covering->tasks, covering->task_count, sizeof(*covering->tasks),
	      compare_tasks);
	for (size_t i = 0; i < covering->task_count && rc == 0; i++) {
		struct np_jumps_task *task = &covering->tasks[i];

		task->threshold = log1p(search->options.least) / 2;
		if (task->excluded || (only_suspects && !(task->clarity > 0))) {
			search->gaps_clear++;
			continue;
		}
		rc = np_jumps_push(search, task);
		search->gaps += rc == 0;
		search->gaps_left += rc == 0;
	}
	return rc;
}

int np_jumps_cover(struct np_jumps *search, const size_t *sizes, size_t count,
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
