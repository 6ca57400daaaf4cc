/*
 * shape_misfit.c - the lines of a break, and their residuals.
 */
#include "curve/shape_misfit.h"

#include <math.h>

#include "curve/shape_window.h"

/* Most points on either side that are compared. */
enum { CHOICE_REACH = 9, CHOICE_MOST = 2 * CHOICE_REACH + NP_PLACE_RUN };

/* Lists the points first_seen to last_seen and their neighbours, ascending, up to known
 * breaks. */
static size_t list_points(const struct np_shape_work *work, size_t first_seen,
			  size_t last_seen, size_t *list)
{
	size_t count = 0;

	if (!work->broken[first_seen]) {
		const struct np_side *left = np_side_before(work, first_seen);

		for (size_t i = left->count < CHOICE_REACH ? left->count : CHOICE_REACH;
		     i-- > 0;)
			list[count++] = left->points[i];
	}
	for (size_t i = first_seen; i <= last_seen && count < CHOICE_REACH + NP_PLACE_RUN;
	     i++) {
		if (!work->dropped[i])
			list[count++] = i;
	}
	if (last_seen + 1 < work->count && !work->broken[last_seen + 1]) {
		const struct np_side *right = np_side_from(work, last_seen + 1);

		for (size_t i = 0; i < right->count && i < CHOICE_REACH; i++)
			list[count++] = right->points[i];
	}
	return count;
}

double np_place_misfit(const struct np_shape_work *work, size_t first_seen,
		       size_t last_seen, const struct np_break_place *tried)
{
	const double middle = fmax(1.0, (double)work->points[tried->last].bytes);
	struct np_least lines[2] = { { .columns = NP_LINE_COLUMNS },
				     { .columns = NP_LINE_COLUMNS } };
	struct np_least both;
	struct np_solution solution;
	size_t list[CHOICE_MOST], in_run = 0;
	const size_t count = list_points(work, first_seen, last_seen, list);
	const size_t bend = count >= NP_BEND_LEAST ? 1 : 0;

	for (size_t i = 0; i < count; i++) {
		const bool behind = tried->gap && list[i] >= tried->last;

		if (!tried->gap && list[i] >= tried->first && list[i] <= tried->last)
			in_run++;
		else
			np_line_add(work, list[i], middle, &lines[behind]);
	}
	const size_t parameters = (tried->gap ? 4 : 2 + in_run) + bend;
	if (lines[0].rows + lines[1].rows < 3 ||
	    (tried->gap && (lines[0].rows < 2 || lines[1].rows < 2)))
		return (double)INFINITY;
	if (tried->gap)
		np_lines_join(&lines[0], &lines[1], &both);
	if (!np_least_solve(tried->gap ? &both : &lines[0], (tried->gap ? 4 : 2) + bend,
			    &solution))
		return (double)INFINITY;
	/* Uses the logarithm of squares: errors may be underestimated, for all breaks
	 * alike. */
	return (double)count * log1p(solution.squares / (double)count) +
	       (double)parameters * log((double)count);
}
