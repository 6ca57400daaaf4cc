/*
 * fewest.c - optimal partitioning of a curve into smooth segments, by dynamic programming.
 *
 * The state of a smooth curve (fewest.h) at a size is its time, and its slope since the
 * size before: the cost of a byte.  The states of all smooth curves within the tolerance of
 * all points so far form a convex polygon.  Up to the next size the slope may change by a
 * factor, which stretches the polygon; the time there is linear in the state; the tolerance
 * of the next point clips the polygon.  If it is empty, no smooth curve reaches this point.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curve/fewest.h"
#include "stats/partition.h"
#include "stats/stats.h"

/* Tolerance of a point in standard errors: all NP_SMOOTH_MOST points of a curve lie within
 * it with a probability of 99 %. */
static const double errors_of_all = 4;

/* Capacity of a polygon: a point adds at most four corners, and stretching doubles them. */
enum { CORNERS = 16 * NP_SMOOTH_MOST };

/* State of a smooth curve at a size: time in seconds, and cost of a byte since the size
 * before, in seconds. */
struct corner {
	double seconds, cost;
};

struct polygon {
	struct corner corners[CORNERS];
	size_t count;
};

static int compare_corners(const void *left, const void *right)
{
	const struct corner *a = left, *b = right;

	if (a->seconds < b->seconds || a->seconds > b->seconds)
		return a->seconds < b->seconds ? -1 : 1;
	return (a->cost > b->cost) - (a->cost < b->cost);
}

/* Returns true if the path from a over b to c turns left. */
static bool turns_left(const struct corner *a, const struct corner *b,
		       const struct corner *c)
{
	return (b->seconds - a->seconds) * (c->cost - b->cost) -
		       (b->cost - a->cost) * (c->seconds - b->seconds) >
	       0.0;
}

/* Appends the lower, or the upper (back), chain of the convex hull of sorted corners. */
static void add_chain(struct polygon *hull, const struct polygon *from, bool back)
{
	const size_t base = hull->count;

	for (size_t i = 0; i < from->count; i++) {
		const struct corner *next = &from->corners[back ? from->count - 1 - i : i];

		while (hull->count >= base + 2 &&
		       !turns_left(&hull->corners[hull->count - 2],
				   &hull->corners[hull->count - 1], next))
			hull->count--;
		hull->corners[hull->count++] = *next;
	}
	hull->count--; /* first corner of the other chain */
}

/* Replaces a polygon by its convex hull: A. M. Andrew's monotone chains. */
static void wrap(struct polygon *polygon)
{
	struct polygon hull = { .count = 0 };

	if (polygon->count < 3)
		return;
	qsort(polygon->corners, polygon->count, sizeof(*polygon->corners), compare_corners);
	add_chain(&hull, polygon, false);
	add_chain(&hull, polygon, true);
	polygon->count = hull.count;
	memcpy(polygon->corners, hull.corners, hull.count * sizeof(*hull.corners));
}

/* Clips a polygon to times below, or above, `limit` seconds. */
static void cut(struct polygon *polygon, double limit, bool below)
{
	const double sign = below ? 1.0 : -1.0;
	struct polygon left = { .count = 0 };

	for (size_t i = 0; i < polygon->count; i++) {
		const struct corner a = polygon->corners[i];
		const struct corner b = polygon->corners[(i + 1) % polygon->count];
		const double in_a = sign * (limit - a.seconds);
		const double in_b = sign * (limit - b.seconds);

		if (in_a >= 0.0)
			left.corners[left.count++] = a;
		if ((in_a > 0.0 && in_b < 0.0) || (in_a < 0.0 && in_b > 0.0)) {
			const double share = in_a / (in_a - in_b);

			left.corners[left.count++] =
				(struct corner){ limit,
						 a.cost + share * (b.cost - a.cost) };
		}
	}
	polygon->count = left.count;
	memcpy(polygon->corners, left.corners, left.count * sizeof(*left.corners));
}

/* Largest factor between the time of a point and a smooth curve: 1 + tolerance, or
 * errors_of_all standard errors of the point if larger. */
static double smooth_factor(const struct np_point *point, double tolerance)
{
	if (!np_point_has_interval(point))
		return 1.0 + tolerance;
	return fmax(1.0 + tolerance, exp(errors_of_all * np_point_error(point)));
}

/* Sets the polygon of the states, at the second point, of all smooth curves through the
 * first two points. */
static void begin(const struct np_point *points, double tolerance, struct polygon *polygon)
{
	const double width = (double)(points[1].bytes - points[0].bytes);
	const double first = smooth_factor(&points[0], tolerance),
		     factor = smooth_factor(&points[1], tolerance);
	const double lowest = points[0].seconds / first;

	polygon->count = 0;
	for (int high = 0; high < 2; high++) {
		const double seconds = high ? points[1].seconds * factor :
					      fmax(points[1].seconds / factor, lowest);
		const double start = fmin(points[0].seconds * first, seconds);

		polygon->corners[polygon->count++] =
			(struct corner){ seconds, (seconds - lowest) / width };
		polygon->corners[polygon->count++] =
			(struct corner){ seconds, (seconds - start) / width };
	}
	if (points[1].seconds * factor < lowest)
		polygon->count = 0;
	/* Further corner: the least slope is 0 up to this time, and positive above it. */
	const double level = points[0].seconds * first;
	if (polygon->count != 0 && level > polygon->corners[0].seconds &&
	    level < polygon->corners[2].seconds)
		polygon->corners[polygon->count++] = (struct corner){ level, 0.0 };
	wrap(polygon);
}

/* Advances the polygon of states from the second of three points to the third. */
static void go_on(const struct np_point *points, double tolerance, double bend,
		  struct polygon *polygon)
{
	const double factor = smooth_factor(&points[2], tolerance);
	const double before = (double)points[0].bytes + (double)points[1].bytes;
	const double after = (double)points[1].bytes + (double)points[2].bytes;
	const double change = exp2(bend * log2(after / before));
	const double width = (double)(points[2].bytes - points[1].bytes);
	const size_t count = polygon->count;

	for (size_t i = 0; i < count; i++) {
		const struct corner was = polygon->corners[i];
		const double costs[2] = { was.cost / change, was.cost * change };

		polygon->corners[i] =
			(struct corner){ was.seconds + costs[0] * width, costs[0] };
		polygon->corners[count + i] =
			(struct corner){ was.seconds + costs[1] * width, costs[1] };
	}
	polygon->count = 2 * count;
	wrap(polygon);
	cut(polygon, points[2].seconds * factor, true);
	cut(polygon, points[2].seconds / factor, false);
}

size_t np_smooth_reach(const struct np_point *points, size_t count, double bend,
		       double tolerance)
{
	struct polygon polygon;

	if (count < 2)
		return count;
	begin(points, tolerance, &polygon);
	for (size_t i = 2; i < count && polygon.count != 0; i++) {
		go_on(points + i - 2, tolerance, bend, &polygon);
		if (polygon.count == 0)
			return i;
	}
	return polygon.count != 0 ? count : 1;
}

/* Least relative tolerance of points with intervals: only evident breaks are added to those
 * found by lines (segments.h). */
static const double tolerance_evident = 0.1;

/* Window of points, centred on a point, whose median interval is the least interval of the
 * point. */
enum { INTERVALS_NEAR = 9 };

/* Widens narrow intervals to the median width of their neighbours: with few passes, some
 * intervals are narrow by chance. */
static void widen_intervals(const struct np_point *points, size_t count,
			    struct np_point *widened)
{
	for (size_t i = 0; i < count; i++) {
		const size_t half = INTERVALS_NEAR / 2;
		const size_t first = i < half ? 0 : i - half;
		const size_t end = i + half < count ? i + half + 1 : count;
		double around[INTERVALS_NEAR];

		for (size_t k = first; k < end; k++)
			around[k - first] = np_point_error(&points[k]);
		widened[i] = points[i];
		if (!np_point_has_interval(&points[i]))
			continue;
		const double spread =
			NP_ERRORS_IN_95 *
			fmax(np_point_error(&points[i]), np_median(around, end - first));
		widened[i].low = points[i].seconds * exp(-spread);
		widened[i].high = points[i].seconds * exp(spread);
	}
}

/* Returns true if a break is evident without extrapolation: an increase, or a decrease
 * below the time of the previous size by more than both tolerances.  A decrease below a
 * line extrapolated through two points is no evidence. */
static bool is_plain(const struct np_point *points, const struct np_break *at)
{
	const size_t before = at->kind == NP_BREAK_DROPOUT ? at->first - 1 : at->first;
	const size_t after = at->kind == NP_BREAK_DROPOUT ? at->first : at->last;

	if (at->effect > 1.0 || at->first == 0)
		return true;
	return points[before].seconds >
	       points[after].seconds * smooth_factor(&points[before], tolerance_evident) *
		       smooth_factor(&points[after], tolerance_evident);
}

/* Partition of a curve into segments; dropouts are left out of their segments. */
struct partition {
	const struct np_point *points;
	size_t count;
	size_t segment[NP_SMOOTH_MOST]; /* by point: index of its segment, ascending */
	bool out[NP_SMOOTH_MOST];	/* by point: in a dropout */
};

/* Up to two points of a segment on one side of a break, nearest first, without dropouts. */
struct side {
	const struct np_point *points[2];
	size_t count;
	/* Seconds per byte between both points, at least 0; 0 with fewer points. */
	double cost;
};

static struct side find_side(const struct partition *partition, size_t segment, size_t from,
			     bool back)
{
	struct side side = { .count = 0 };

	for (size_t i = from; side.count < 2; i += back ? (size_t)-1 : 1) {
		if (i >= partition->count || partition->segment[i] != segment)
			break;
		if (!partition->out[i])
			side.points[side.count++] = &partition->points[i];
	}
	if (side.count == 2)
		side.cost = fmax(0.0, (side.points[1]->seconds - side.points[0]->seconds) /
					      ((double)side.points[1]->bytes -
					       (double)side.points[0]->bytes));
	return side;
}

/* Time in seconds at the size of `at`, extrapolated from one side with `cost` seconds per
 * byte, but at least half the time of its nearest point.  Returns the time of `at` if the
 * side has no point. */
static double extrapolate(const struct side *side, double cost, const struct np_point *at)
{
	const struct np_point *near = side->points[0];

	if (near == NULL)
		return at->seconds;
	return fmax(near->seconds / 2.0,
		    near->seconds + cost * ((double)at->bytes - (double)near->bytes));
}

static struct np_break new_break(const struct partition *partition, enum np_break_kind kind,
				 size_t first, size_t last)
{
	return (struct np_break){ .kind = kind,
				  .first = first,
				  .last = last,
				  .bytes_low = partition->points[first].bytes,
				  .bytes_high = partition->points[last].bytes,
				  .low = (double)NAN,
				  .high = (double)NAN,
				  .p = (double)NAN };
}

/* Relative tolerance of a point without interval: the larger of tolerance_least and
 * tolerance_noise times the noise, the relative standard error of a point. */
static const double tolerance_least = 0.04;
static const double tolerance_noise = 2.5;
/* Factor between two tolerances that are tried; from 1.05 to 1.3 the breaks of all
 * published tables are the same. */
static const double tolerance_step = 1.2;

/* Returns true if a ratio of times differs from 1 by more than the tolerances of both
 * points.  Tolerances of intervals bound the times of all points, so they add up.  Without
 * intervals a tolerance is a multiple of the noise, whose errors are independent, or the
 * least tolerance; least tolerances add up. */
static bool is_sure(double ratio, const struct np_point *a, const struct np_point *b,
		    double tolerance)
{
	const double of_a = log(smooth_factor(a, tolerance)),
		     of_b = log(smooth_factor(b, tolerance));

	if (np_point_has_interval(a))
		return fabs(log(ratio)) > of_a + of_b;
	return fabs(log(ratio)) > fmax(2.0 * log1p(tolerance_least), hypot(of_a, of_b));
}

/* Sets the 95 % interval of the effect of a break, from the errors of two points. */
static void set_interval(const struct np_point *a, const struct np_point *b,
			 struct np_break *found)
{
	const double spread = NP_ERRORS_IN_95 * hypot(np_point_error(a), np_point_error(b));

	found->low = found->effect * exp(-spread);
	found->high = found->effect * exp(spread);
}

/* Step or bend between two segments; `point` is the first of the second one.  Each segment
 * is extrapolated to the nearest point of the other: a step if the times differ in the same
 * direction at both points, else a bend.  Significant if a time differs by more than the
 * tolerances of both points. */
static struct np_break gap_at(const struct partition *partition, size_t point,
			      double tolerance)
{
	const size_t *segment = partition->segment;
	const struct side left = find_side(partition, segment[point] - 1, point - 1, true);
	const struct side right = find_side(partition, segment[point], point, false);
	const struct np_point *points = partition->points;
	const struct np_point *low = left.count != 0 ? left.points[0] : points + point - 1;
	const struct np_point *high = right.count != 0 ? right.points[0] : points + point;
	const size_t first = (size_t)(low - points);
	const size_t last = (size_t)(high - points);
	/* A single point has no slope: take 0 on the left, the left slope on the right. */
	const double left_cost = left.count == 2 ? left.cost : 0.0;
	const double right_cost = right.count == 2 ? right.cost : left_cost;
	const double at_high = high->seconds / extrapolate(&left, left_cost, high);
	const double at_low = extrapolate(&right, right_cost, low) / low->seconds;

	if ((at_high - 1.0) * (at_low - 1.0) > 0.0) {
		struct np_break step = new_break(partition, NP_BREAK_STEP, first, last);

		step.effect = at_high;
		step.sure = is_sure(sqrt(at_high * at_low), low, high, tolerance);
		set_interval(low, high, &step);
		return step;
	}
	struct np_break bend = new_break(partition, NP_BREAK_BEND, first, last);
	bend.effect = left_cost > 0.0 ? right_cost / left_cost : (double)INFINITY;
	bend.sure = is_sure(at_high, low, high, tolerance) ||
		    is_sure(at_low, low, high, tolerance);
	return bend;
}

/* Time in seconds that a point of a dropout would have without it: interpolated between the
 * points on either side, or extrapolated if one side has none. */
static double interpolate(const struct side *left, const struct side *right,
			  const struct np_point *at)
{
	if (left->count == 0)
		return extrapolate(right, right->cost, at);
	if (right->count == 0)
		return extrapolate(left, left->cost, at);
	const struct np_point *low = left->points[0], *high = right->points[0];
	const double share = ((double)at->bytes - (double)low->bytes) /
			     ((double)high->bytes - (double)low->bytes);

	return low->seconds + share * (high->seconds - low->seconds);
}

/* Dropout whose first point is `point`, with the largest deviation from the interpolated
 * times as its effect; significant if that exceeds the tolerances of this point and its
 * neighbour. */
static struct np_break dropout_at(const struct partition *partition, size_t point,
				  double tolerance)
{
	size_t last = point;

	while (last + 1 < partition->count && partition->out[last + 1] &&
	       partition->segment[last + 1] == partition->segment[point])
		last++;
	const struct side left =
		find_side(partition, partition->segment[point], point - 1, true);
	const struct side right =
		find_side(partition, partition->segment[point], last + 1, false);
	struct np_break run = new_break(partition, NP_BREAK_DROPOUT, point, last);

	const struct np_point *deepest = &partition->points[point];

	run.effect = 1.0;
	run.open = left.count == 0 || right.count == 0;
	for (size_t i = point; i <= last; i++) {
		const double depth = partition->points[i].seconds /
				     interpolate(&left, &right, &partition->points[i]);

		if (fabs(log(depth)) > fabs(log(run.effect))) {
			run.effect = depth;
			deepest = &partition->points[i];
		}
	}
	const struct np_point *beside = left.count != 0 ? left.points[0] : right.points[0];
	run.sure = is_sure(run.effect, deepest, beside, tolerance);
	set_interval(deepest, beside, &run);
	return run;
}

/* Bend of a smooth curve (fewest.h): the cost of a byte changes by at most a factor of
 * 2^0.4 per octave. */
static const double smooth_bend = 0.4;

/* Critical value of a break without intervals, in standard errors of a point on either
 * side. Simulated: with 6 to 8 at most q, 1 % of 1000 smooth tables, have a significant
 * break, with 5 more (tests/unit/test_segments.c). */
static const double sure_noise = 6;

/* Least median distance of neighbouring sizes, in octaves, of a curve of few sizes without
 * intervals. */
static const double spacing_least = 0.7;

enum {
	POINTS_LEAST = 7,
	SEGMENT_LEAST = 3,
	DIFFERENCES_LEAST = 5,
	RUNS_MOST = 2, /* dropouts of a segment, at most */
	/* Points before the end of the smooth curve that are tried as dropouts. */
	BEHIND = 4
};

/* Penalty for a second point of a dropout, and for a segment of one or two points, where a
 * break costs 1.  Decides between partitions with the same number of breaks. */
static const double little = 0.25;

/* Dropouts of one segment: their points, their cost in breaks, and the misfit of the other
 * points (sum_roughness()). */
struct drops {
	bool out[NP_SMOOTH_MOST];
	double cost, misfit;
};

struct search {
	const struct np_point *points;
	size_t count;
	double tolerance;
	/* By point: np_smooth_reach() from it on, without dropouts. */
	size_t reach[NP_SMOOTH_MOST];
	/* Lower bound of the cost of dropouts in the last segment, which does not fall as
	 * the segment begins earlier. */
	double least;
	struct drops drops; /* those of the segment tried last */
};

/* Returns true for a curve of few sizes (np_fewest_add()). */
static bool suits(const struct np_point *points, size_t count)
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
	qsort(spacing, count - 1, sizeof(*spacing), np_compare_doubles);
	return intervals == count ||
	       (intervals == 0 && spacing[(count - 1) / 2] >= spacing_least);
}

/* Lists the points of a segment outside of dropouts, and their indices.  Returns their
 * number. */
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

/* Returns true if a point may be in a dropout: inside of its segment, or at an end of the
 * curve. */
static bool may_drop(const struct search *search, size_t first, size_t last, size_t point)
{
	return (point > first || point == 0) &&
	       (point < last || point + 1 == search->count);
}

/* Misfit of a segment: sum of the squared logarithms of the time of each point over the
 * line between its neighbours. */
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

/* Searches for the cheapest dropouts without which points first to last are a smooth curve.
 * Replaces *best by dropouts of lower cost, or of equal cost and less misfit.  Recursive:
 * `out` and `cost` are the dropouts so far; up to `runs` further ones are tried where the
 * smooth curve ends. */
static void leave_out(const struct search *search, size_t first, size_t last, bool *out,
		      double cost, int runs, struct drops *best)
{
	struct np_point kept[NP_SMOOTH_MOST] = { { .bytes = 0 } };
	size_t places[NP_SMOOTH_MOST] = { 0 };

	if (cost > best->cost)
		return;
	const size_t count = keep_points(search, first, last, out, kept, places);
	const size_t reach = np_smooth_reach(kept, count, smooth_bend, search->tolerance);

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

/* Weight of the misfit beside the cost in breaks: it only chooses among equal costs. */
static const double misfit_weight = 1e-7;

/* Cost of a segment: the break before it, its dropouts, and its misfit. */
static double cost_of(void *context, struct np_part part, double most)
{
	struct search *search = context;
	const double alone = (part.first > 0 ? 1.0 : 0.0) +
			     (part.end - part.first < SEGMENT_LEAST ? little : 0.0);
	bool out[NP_SMOOTH_MOST] = { false };

	if (part.end - part.first == 1)
		search->least = 0.0;
	if (part.first + search->reach[part.first] >= part.end) {
		search->drops =
			(struct drops){ .misfit = sum_roughness(search->points + part.first,
								part.end - part.first) };
		return alone + misfit_weight * search->drops.misfit;
	}
	search->least = fmax(search->least, 1.0);
	/* Without the misfit: a multiple of `little`. */
	search->drops = (struct drops){ .cost = little * round((most - alone) / little),
					.misfit = (double)INFINITY };
	if (search->drops.cost < search->least)
		return (double)INFINITY;
	leave_out(search, part.first, part.end - 1, out, 0.0, RUNS_MOST, &search->drops);
	if (isinf(search->drops.misfit)) {
		search->least = fmax(search->least, search->drops.cost + little);
		return (double)INFINITY;
	}
	return alone + search->drops.cost + misfit_weight * search->drops.misfit;
}

/* Finds the best partition of all points.  Returns 0 or -ENOMEM. */
static int cut_up(struct search *search, struct partition *partition)
{
	const struct np_partition task = { .count = search->count,
					   .cost = cost_of,
					   .context = search,
					   .between = (double)INFINITY };
	struct np_part parts[NP_SMOOTH_MOST];
	size_t count;
	const int rc = np_partition_find(&task, parts, &count);

	for (size_t k = 0; k < count; k++) {
		search->least = 0.0;
		cost_of(search, parts[k], (double)INFINITY);
		for (size_t i = parts[k].first; i < parts[k].end; i++) {
			partition->segment[i] = k;
			partition->out[i] = search->drops.out[i];
		}
	}
	return rc;
}

/* Relative standard error of a point, 0 with too few: median of the absolute third
 * differences of log(seconds) within segments, which are small in smooth curves. */
static double measure_noise(const struct partition *partition)
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
	qsort(differences, found, sizeof(*differences), np_compare_doubles);
	return differences[found / 2] / NP_NORMAL_MAD;
}

/* Appends a break, unless it is a step or dropout of at most tolerance_least. */
static void add_break(struct np_break found, struct np_break *breaks, size_t *count)
{
	if (found.kind == NP_BREAK_BEND || fabs(log(found.effect)) > log1p(tolerance_least))
		breaks[(*count)++] = found;
}

/* Returns true if the line of the segment before reaches the first point of a segment.  Two
 * lines that meet at a point have the same misfit on either side of it; the cut then lies
 * behind the point.  Curves with intervals keep their cuts. */
static bool is_reached(const struct partition *partition, size_t point)
{
	const size_t before = partition->segment[point] - 1, next = point + 2;
	const struct side left = find_side(partition, before, point - 1, true);
	const struct np_point *at = &partition->points[point];

	return !np_point_has_interval(at) && left.count == 2 && !partition->out[point] &&
	       next < partition->count &&
	       partition->segment[next] == partition->segment[point] &&
	       fabs(log(at->seconds / extrapolate(&left, left.cost, at))) <=
		       log1p(tolerance_least);
}

/* Moves cuts by one point where the segment before reaches it. */
static void move_cuts(struct partition *partition)
{
	for (size_t i = 1; i < partition->count; i++) {
		if (partition->segment[i] != partition->segment[i - 1] &&
		    is_reached(partition, i)) {
			partition->segment[i] = partition->segment[i - 1];
			i++;
		}
	}
}

/* Lists the breaks of a partition, ascending.  Returns their number. */
static size_t list_breaks(const struct partition *partition, double tolerance,
			  struct np_break *breaks)
{
	const size_t *segment = partition->segment;
	size_t count = 0;

	for (size_t i = 0; i < partition->count; i++) {
		const bool begins = i > 0 && segment[i] != segment[i - 1];

		if (begins)
			add_break(gap_at(partition, i, tolerance), breaks, &count);
		if (partition->out[i] && (begins || i == 0 || !partition->out[i - 1]))
			add_break(dropout_at(partition, i, tolerance), breaks, &count);
	}
	return count;
}

/* Lists the fewest breaks.  Returns 0 or -ENOMEM.  Without intervals, *noise becomes the
 * relative standard error of a point within segments, and the tolerance grows until
 * tolerance_noise times the noise is within it. */
static int find_fewest(const struct np_point *points, size_t count, struct np_break *breaks,
		       size_t *break_count, double *noise)
{
	const bool intervals = np_point_has_interval(&points[0]);
	struct search search = { .points = points,
				 .count = count,
				 .tolerance =
					 intervals ? tolerance_evident : tolerance_least };
	struct partition partition = { .points = points, .count = count };
	double tolerance = search.tolerance;

	*break_count = 0;
	if (intervals && np_smooth_reach(points, count, smooth_bend, tolerance) == count)
		return 0;
	for (;; search.tolerance *= tolerance_step) {
		for (size_t i = 0; i < count; i++)
			search.reach[i] = np_smooth_reach(points + i, count - i,
							  smooth_bend, search.tolerance);
		const int rc = cut_up(&search, &partition);
		if (rc != 0)
			return rc;
		if (intervals)
			break;
		*noise = measure_noise(&partition);
		tolerance = fmax(tolerance_least, sure_noise * *noise);
		if (!(tolerance_noise * *noise > search.tolerance))
			break;
	}
	move_cuts(&partition);
	*break_count = list_breaks(&partition, tolerance, breaks);
	return 0;
}

static int compare_breaks(const void *left, const void *right)
{
	const struct np_break *a = left, *b = right;

	return (a->first > b->first) - (a->first < b->first);
}

static bool overlaps(const struct np_break *at, const struct np_break *others, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (at->last >= others[i].first && others[i].last >= at->first)
			return true;
	}
	return false;
}

/* Removes the breaks that are not significant or overlap one of `others`. */
static void keep_alone(struct np_break *breaks, size_t *count,
		       const struct np_break *others, size_t other_count)
{
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++) {
		if (breaks[i].sure && !overlaps(&breaks[i], others, other_count))
			breaks[kept++] = breaks[i];
	}
	*count = kept;
}

int np_fewest_add(const struct np_point *points, size_t count, struct np_break *breaks,
		  size_t *break_count, double *noise)
{
	struct np_break fewest[NP_FEWEST_MOST];
	struct np_point widened[NP_SMOOTH_MOST];
	size_t found;

	if (!suits(points, count))
		return 0;
	widen_intervals(points, count, widened);
	const int rc = find_fewest(widened, count, fewest, &found, noise);
	if (rc != 0)
		return rc;
	/* With intervals lines are the better test, but a curve that breaks every few sizes
	 * has too few points for them. */
	if (np_point_has_interval(&points[0])) {
		for (size_t i = 0; i < found; i++)
			fewest[i].sure &= fewest[i].kind != NP_BREAK_BEND &&
					  is_plain(widened, &fewest[i]);
		keep_alone(fewest, &found, breaks, *break_count);
	} else {
		keep_alone(breaks, break_count, fewest, found);
	}
	memcpy(breaks + *break_count, fewest, found * sizeof(*fewest));
	*break_count += found;
	qsort(breaks, *break_count, sizeof(*breaks), compare_breaks);
	return 0;
}
