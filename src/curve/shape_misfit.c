/*
 * shape_misfit.c - how well a feature explains the points around it.
 */
#include "curve/shape_window.h"

#include <math.h>

/* Points to a side that a variant between features looks at. */
enum { CHOICE_REACH = 9 };

double np_place_misfit(const struct np_shape_work *work, size_t first_seen,
		       size_t last_seen, const struct np_feature *feature)
{
	struct np_window window = { .left = 0 };
	struct np_least least;
	size_t in_run = 0;
	/* Breaks that are known end the window. */
	size_t all = work->broken[first_seen] ?
			     0 :
			     np_window_left(work, first_seen, CHOICE_REACH, window.list);
	size_t right[NP_PLACE_REACH];

	for (size_t i = first_seen; i <= last_seen && all < CHOICE_REACH + NP_PLACE_RUN;
	     i++)
		if (!work->dropped[i])
			window.list[all++] = i;
	const bool ends = last_seen + 1 == work->count || work->broken[last_seen + 1];
	const size_t more =
		ends ? 0 : np_window_right(work, last_seen + 1, CHOICE_REACH, right);
	for (size_t i = 0; i < more; i++)
		window.list[all++] = right[i];
	window.bend = all >= NP_BEND_LEAST;
	for (size_t i = 0; i < all; i++) {
		const size_t point = window.list[i];

		if (!feature->gap && point >= feature->first && point <= feature->last) {
			in_run++;
			continue;
		}
		window.list[window.count++] = point;
		window.left += point < feature->last;
	}
	const size_t parameters = (feature->gap ? 4 : 2 + in_run) + (window.bend ? 1 : 0);
	if (window.count < 3 ||
	    (feature->gap && (window.left < 2 || window.count - window.left < 2)))
		return (double)INFINITY;
	np_window_center(work, &window, feature->last);
	if (!np_window_solve(work, &window, !feature->gap, &least))
		return (double)INFINITY;
	/* Errors may be larger than they are thought to be, for all features
	 * alike: then it is the ratio of squares that counts. */
	return (double)all * log1p(least.squares / (double)all) +
	       (double)parameters * log((double)all);
}
