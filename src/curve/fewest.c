/*
 * fewest.c - optimal partitioning into smooth segments.
 */
#include "curve/fewest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curve/fewest_effect.h"
#include "curve/fewest_intervals.h"
#include "curve/smooth.h"

/* Change of the cost of a byte per octave, as a power of 2: see smooth.h. */
static const double bend = 0.4;

/* Tolerance of a point, as a share: at least tolerance_least, and tolerance_noise times the
 * noise of the curve. */
static const double tolerance_least = 0.04;
static const double tolerance_noise = 2.5;

/* A break is significant if it exceeds this many times the noise on either side. */
static const double sure_noise = 6;

/* The median of |x| of a standard normal variable. */
static const double normal_median = 0.67448975;

/* Octaves between neighbouring sizes, at least, for half of the gaps. */
static const double spacing_least = 0.7;

enum {
	POINTS_LEAST = 7,
	SEGMENT_LEAST = 3,
	DIFFERENCES_LEAST = 5,
	ROUNDS = 8,
	RUNS_MOST = 2, /* most dropouts of a segment */
	BEHIND = 4     /* points before the end of a smooth curve that may be dropouts */
};

/* Cost of a second point of a dropout, and of a segment with one or two points, in breaks:
 * decides between partitions with the same number of breaks. */
static const double little = 0.25;

/* Points of a segment that are left out, and their cost. */
struct drops {
	bool out[NP_SMOOTH_MOST];
	double cost, misfit;
};

struct search {
	const struct np_point *points;
	size_t count;
	double tolerance;
	/* Best partition of the first i points: cost, misfit, begin of its last segment,
	 * and the points left out of that segment. */
	double cost[NP_SMOOTH_MOST + 1], misfit[NP_SMOOTH_MOST + 1];
	size_t begin[NP_SMOOTH_MOST + 1];
	size_t reach[NP_SMOOTH_MOST]; /* from each point on, with nothing left out */
	struct drops drops[NP_SMOOTH_MOST + 1];
};

static int compare_numbers(const void *left, const void *right)
{
	const double a = *(const double *)left;
	const double b = *(const double *)right;

	return (a > b) - (a < b);
}

bool np_fewest_suits(const struct np_point *points, size_t count)
{
	double spacing[NP_SMOOTH_MOST];
	size_t intervals = 0;

	if (count < POINTS_LEAST || count > NP_SMOOTH_MOST)
		return false;
	for (size_t i = 0; i < count; i++) {
		intervals += np_point_has_interval(&points[i]);
		if (i > 0)
			spacing[i - 1] = np_point_octave(&points[i]) -
					 np_point_octave(&points[i - 1]);
	}
	qsort(spacing, count - 1, sizeof(*spacing), compare_numbers);
	return intervals == count ||
	       (intervals == 0 && spacing[(count - 1) / 2] >= spacing_least);
}

/* Lists the points of a segment that are not left out, and their indices. */
static size_t keep_points(const struct search *search, size_t first, size_t last,
			  const bool *out, struct np_point *kept, size_t *places)
{
	size_t count = 0;

	for (size_t i = first; i <= last; i++) {
		if (out[i])
			continue;
		places[count] = i;
		kept[count++] = search->points[i];
	}
	return count;
}

/* Returns true if a point may be a dropout: between points of its segment, or at an end of
 * the sizes. */
static bool may_drop(const struct search *search, size_t first, size_t last, size_t point)
{
	return (point > first || point == 0) &&
	       (point < last || point + 1 == search->count);
}

/* Sum of squared distances of points from the lines between their neighbours, as
 * logarithms. */
static double sum_roughness(const struct np_point *points, size_t count)
{
	double sum = 0.0;

	for (size_t i = 1; i + 1 < count; i++) {
		const double share =
			((double)points[i].bytes - (double)points[i - 1].bytes) /
			((double)points[i + 1].bytes - (double)points[i - 1].bytes);
		const double line = points[i - 1].seconds +
				    share * (points[i + 1].seconds - points[i - 1].seconds);

		sum += pow(log(points[i].seconds / line), 2.0);
	}
	return sum;
}

/* Finds the cheapest points to leave out of a segment, if cheaper than best->cost.  Tries
 * the points near the end of a smooth curve, recursively for `runs` dropouts. */
static void leave_out(const struct search *search, size_t first, size_t last, bool *out,
		      double cost, int runs, struct drops *best)
{
	struct np_point kept[NP_SMOOTH_MOST] = { { .bytes = 0 } };
	size_t places[NP_SMOOTH_MOST] = { 0 };

	if (cost > best->cost)
		return;
	const size_t count = keep_points(search, first, last, out, kept, places);
	const size_t reach = np_smooth_reach(kept, count, bend, search->tolerance);

	if (reach == count) {
		const double misfit = sum_roughness(kept, count);

		if (cost < best->cost || misfit < best->misfit) {
			memcpy(best->out, out, sizeof(best->out));
			best->cost = cost;
			best->misfit = misfit;
		}
		return;
	}
	if (runs == 0)
		return;
	for (size_t k = reach < BEHIND ? 0 : reach - BEHIND; k <= reach; k++) {
		const size_t at = places[k];

		if (!may_drop(search, first, last, at))
			continue;
		out[at] = true;
		leave_out(search, first, last, out, cost + 1.0, runs - 1, best);
		if (at + 1 <= last && !out[at + 1] &&
		    may_drop(search, first, last, at + 1)) {
			out[at + 1] = true;
			leave_out(search, first, last, out, cost + 1.0 + little, runs - 1,
				  best);
			out[at + 1] = false;
		}
		out[at] = false;
	}
}

/* Finds the best partition of the points up to last, from those of fewer points.  Points
 * left out of a segment cost no less if the segment begins earlier. */
static void extend(struct search *search, size_t last)
{
	const size_t end = last + 1;
	double least = 0.0;

	search->cost[end] = (double)INFINITY;
	for (size_t first = last + 1; first-- > 0;) {
		const double before = search->cost[first] + (first > 0 ? 1.0 : 0.0) +
				      (end - first < SEGMENT_LEAST ? little : 0.0);
		struct drops drops = { .cost = search->cost[end] - before,
				       .misfit = (double)INFINITY };
		bool out[NP_SMOOTH_MOST] = { false };

		if (first + search->reach[first] <= last)
			least = fmax(least, 1.0);
		if (drops.cost < least)
			continue;
		leave_out(search, first, last, out, 0.0, RUNS_MOST, &drops);
		if (isinf(drops.misfit)) {
			least = fmax(least, drops.cost + little);
			continue;
		}
		const double cost = before + drops.cost;
		const double misfit = search->misfit[first] + drops.misfit;
		if (cost < search->cost[end] || misfit < search->misfit[end]) {
			search->cost[end] = cost;
			search->misfit[end] = misfit;
			search->begin[end] = first;
			search->drops[end] = drops;
		}
	}
}

/* Copies the best partition of all points. */
static void cut_up(const struct search *search, struct np_partition *partition)
{
	size_t parts = 0;

	for (size_t end = search->count; end > 0; end = search->begin[end])
		parts++;
	for (size_t end = search->count; end > 0; end = search->begin[end]) {
		parts--;
		for (size_t i = search->begin[end]; i < end; i++) {
			partition->segment[i] = parts;
			partition->out[i] = search->drops[end].out[i];
		}
	}
}

/* Standard error of a point: the median of third differences of log(seconds) within
 * segments, which are small in smooth curves. */
static double measure_noise(const struct np_partition *partition)
{
	const struct np_point *points = partition->points;
	double differences[NP_SMOOTH_MOST];
	size_t run[4] = { 0 }, length = 0, found = 0;

	for (size_t i = 0; i < partition->count; i++) {
		if (i > 0 && partition->segment[i] != partition->segment[i - 1])
			length = 0;
		if (partition->out[i])
			continue;
		memmove(run, run + 1, 3 * sizeof(*run));
		run[3] = i;
		if (++length < 4)
			continue;
		differences[found++] =
			fabs(log(points[run[3]].seconds / points[run[0]].seconds) +
			     3.0 * log(points[run[1]].seconds / points[run[2]].seconds)) /
			sqrt(20.0);
	}
	if (found < DIFFERENCES_LEAST)
		return 0.0;
	qsort(differences, found, sizeof(*differences), compare_numbers);
	return differences[found / 2] / normal_median;
}

/* Adds a break, unless its effect is within the least tolerance. */
static void add_break(struct np_break found, struct np_break *breaks, size_t *count)
{
	if (found.kind == NP_BREAK_BEND || fabs(log(found.effect)) > log1p(tolerance_least))
		breaks[(*count)++] = found;
}

/* Lists the breaks of a partition, ascending. */
static size_t list_breaks(const struct np_partition *partition, double tolerance,
			  struct np_break *breaks)
{
	const size_t *segment = partition->segment;
	size_t count = 0;

	for (size_t i = 0; i < partition->count; i++) {
		const bool begins = i > 0 && segment[i] != segment[i - 1];

		if (begins)
			add_break(np_partition_gap(partition, i, tolerance), breaks,
				  &count);
		if (partition->out[i] && (begins || i == 0 || !partition->out[i - 1]))
			add_break(np_partition_run(partition, i, tolerance), breaks,
				  &count);
	}
	return count;
}

/* Finds the fewest breaks, and the noise left by the segments. */
static size_t find_fewest(const struct np_point *points, size_t count,
			  struct np_break *breaks, double *noise)
{
	const bool intervals = np_point_has_interval(&points[0]);
	struct search search = { .points = points,
				 .count = count,
				 .tolerance = intervals ? NP_TOLERANCE_EVIDENT :
							  tolerance_least };
	struct np_partition partition = { .points = points, .count = count };
	double tolerance = search.tolerance;

	if (intervals && np_smooth_reach(points, count, bend, tolerance) == count)
		return 0;
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < count; i++)
			search.reach[i] = np_smooth_reach(points + i, count - i, bend,
							  search.tolerance);
		for (size_t last = 0; last < count; last++)
			extend(&search, last);
		cut_up(&search, &partition);
		if (intervals)
			break;
		*noise = measure_noise(&partition);
		tolerance = fmax(tolerance_least, sure_noise * *noise);
		if (tolerance_noise * *noise <= search.tolerance)
			break;
		search.tolerance = tolerance_noise * *noise;
	}
	return list_breaks(&partition, tolerance, breaks);
}

static int compare_breaks(const void *left, const void *right)
{
	const struct np_break *a = left;
	const struct np_break *b = right;

	return (a->first > b->first) - (a->first < b->first);
}

void np_fewest_add(const struct np_point *points, size_t count, struct np_break *breaks,
		   size_t *break_count, double *noise)
{
	struct np_break fewest[NP_FEWEST_MOST];
	struct np_point widened[NP_SMOOTH_MOST];
	const bool intervals = np_point_has_interval(&points[0]);
	size_t kept = 0;

	np_fewest_widen(points, count, widened);
	const size_t found = find_fewest(widened, count, fewest, noise);
	if (intervals) {
		np_fewest_add_between(widened, fewest, found, breaks, break_count);
		qsort(breaks, *break_count, sizeof(*breaks), compare_breaks);
		return;
	}
	for (size_t i = 0; i < *break_count; i++) {
		bool alone = breaks[i].sure;

		for (size_t k = 0; k < found; k++)
			alone = alone && (breaks[i].last < fewest[k].first ||
					  fewest[k].last < breaks[i].first);
		if (alone)
			breaks[kept++] = breaks[i];
	}
	memcpy(breaks + kept, fewest, found * sizeof(*fewest));
	*break_count = kept + found;
	qsort(breaks, *break_count, sizeof(*breaks), compare_breaks);
}
