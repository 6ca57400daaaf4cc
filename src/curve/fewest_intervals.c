/*
 * fewest_intervals.c - intervals widened, and breaks that are evident beside them.
 */
#include "curve/fewest_intervals.h"

#include <math.h>

#include "curve/smooth.h"
#include "stats/stats.h"

/* Neighbouring intervals whose median is the least interval of a point. */
enum { INTERVALS_NEAR = 9 };

void np_fewest_widen(const struct np_point *points, size_t count, struct np_point *widened)
{
	for (size_t i = 0; i < count; i++) {
		const size_t half = INTERVALS_NEAR / 2;
		const size_t begin = i < half ? 0 : i - half;
		const size_t end = i + half < count ? i + half + 1 : count;
		double around[INTERVALS_NEAR];

		for (size_t k = begin; k < end; k++)
			around[k - begin] = np_point_error(&points[k]);
		widened[i] = points[i];
		if (!np_point_has_interval(&points[i]))
			continue;
		const double spread =
			NP_ERRORS_IN_95 *
			fmax(np_point_error(&points[i]), np_median(around, end - begin));
		widened[i].low = points[i].seconds * exp(-spread);
		widened[i].high = points[i].seconds * exp(spread);
	}
}

/* Returns true for an increase, or for a decrease below the time of the previous size: a
 * line extrapolated through two points is no evidence. */
static bool is_plain(const struct np_point *points, const struct np_break *at)
{
	const size_t before = at->kind == NP_BREAK_DROPOUT ? at->first - 1 : at->first;
	const size_t after = at->kind == NP_BREAK_DROPOUT ? at->first : at->last;

	if (at->effect > 1.0 || at->first == 0)
		return true;
	return points[before].seconds >
	       points[after].seconds *
		       np_smooth_factor(&points[before], NP_TOLERANCE_EVIDENT) *
		       np_smooth_factor(&points[after], NP_TOLERANCE_EVIDENT);
}

void np_fewest_add_between(const struct np_point *points, const struct np_break *fewest,
			   size_t found, struct np_break *breaks, size_t *break_count)
{
	const size_t before = *break_count;

	for (size_t k = 0; k < found; k++) {
		bool alone = fewest[k].sure && fewest[k].kind != NP_BREAK_BEND &&
			     is_plain(points, &fewest[k]);

		for (size_t i = 0; i < before; i++)
			alone = alone && (breaks[i].last < fewest[k].first ||
					  fewest[k].last < breaks[i].first);
		if (alone)
			breaks[(*break_count)++] = fewest[k];
	}
}
