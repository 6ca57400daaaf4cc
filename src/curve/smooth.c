/*
 * smooth.c - the set of possible smooth curves, extended point by point.
 *
 * A curve continues from its time at the last point and the cost of a byte before it.  The
 * pairs of both that smooth curves through all points so far can have are a convex polygon.
 * Costs may grow and shrink by a factor, which stretches it; the time at the next size is
 * linear in both; the tolerance cuts it.  No smooth curve continues if the polygon is
 * empty.
 */
#include "curve/smooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Standard errors within which all of NP_SMOOTH_MOST points lie, in 99 % of curves. */
static const double errors_of_all = 4;

/* A point adds at most four corners, and stretching doubles them. */
enum { CORNERS = 16 * NP_SMOOTH_MOST };

/* State of a curve at a size: its time, and the cost of a byte from the size before. */
struct corner {
	double seconds, cost;
};

struct polygon {
	struct corner corners[CORNERS];
	size_t count;
};

static int compare_corners(const void *left, const void *right)
{
	const struct corner *a = left;
	const struct corner *b = right;

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

/* Adds one half of the hull: the corners from one end of the order to the other. */
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

/* Convex hull of the corners, by A. M. Andrew's monotone chains. */
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

/* Distance of a corner within a limit of its time, upper or lower; negative if outside. */
static double within(const struct corner *corner, double limit, bool below)
{
	return below ? limit - corner->seconds : corner->seconds - limit;
}

/* Cuts off the part beyond a limit of the time. */
static void cut(struct polygon *polygon, double limit, bool below)
{
	struct polygon left = { .count = 0 };

	for (size_t i = 0; i < polygon->count; i++) {
		const struct corner a = polygon->corners[i];
		const struct corner b = polygon->corners[(i + 1) % polygon->count];
		const double in_a = within(&a, limit, below);
		const double in_b = within(&b, limit, below);

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

/* Sets the polygon of all curves through the first two points. */
static void begin(const struct np_point *points, double tolerance, struct polygon *polygon)
{
	const double width = (double)(points[1].bytes - points[0].bytes);
	const double first = np_smooth_factor(&points[0], tolerance),
		     factor = np_smooth_factor(&points[1], tolerance);
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
	/* Time from which the cost may be 0, between both. */
	const double level = points[0].seconds * first;
	if (polygon->count != 0 && level > polygon->corners[0].seconds &&
	    level < polygon->corners[2].seconds)
		polygon->corners[polygon->count++] = (struct corner){ level, 0.0 };
	wrap(polygon);
}

/* Extends the curves from the second of three points to the third. */
static void go_on(const struct np_point *points, double tolerance, double bend,
		  struct polygon *polygon)
{
	const double factor = np_smooth_factor(&points[2], tolerance);
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

double np_smooth_factor(const struct np_point *point, double tolerance)
{
	if (!np_point_has_interval(point))
		return 1.0 + tolerance;
	return fmax(1.0 + tolerance, exp(errors_of_all * np_point_error(point)));
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
