/*
 * fewest_effect.c - lines through the two nearest points of a side.
 */
#include "curve/fewest_effect.h"

#include <math.h>

#include "stats/stats.h"

/* Nearest points of a segment on one side of a place, nearest first. */
struct side {
	const struct np_point *points[2];
	size_t count;
	double cost; /* seconds of a byte, at least 0 */
};

static struct side find_side(const struct np_partition *partition, size_t segment,
			     size_t from, bool back)
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

/* Extrapolates one side to a size; never below half its nearest time.  The time of `at`
 * itself if the side has no point. */
static double promise(const struct side *side, double cost, const struct np_point *at)
{
	const struct np_point *near = side->points[0];

	if (near == NULL)
		return at->seconds;
	return fmax(near->seconds / 2.0,
		    near->seconds + cost * ((double)at->bytes - (double)near->bytes));
}

static struct np_break new_break(const struct np_partition *partition,
				 enum np_break_kind kind, size_t first, size_t last)
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

/* Returns true if a ratio of times exceeds the tolerances of both sides. */
static bool is_sure(double ratio, const struct np_point *a, const struct np_point *b,
		    double tolerance)
{
	return fabs(log(ratio)) >
	       log(np_smooth_factor(a, tolerance) * np_smooth_factor(b, tolerance));
}

/* Sets the interval of an effect, from the errors of both sides. */
static void set_interval(const struct np_point *a, const struct np_point *b,
			 struct np_break *found)
{
	const double spread = NP_ERRORS_IN_95 * hypot(np_point_error(a), np_point_error(b));

	found->low = found->effect * exp(-spread);
	found->high = found->effect * exp(spread);
}

/* A step if both sides, extrapolated to each other's end, differ in the same direction. */
struct np_break np_partition_gap(const struct np_partition *partition, size_t point,
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
	/* A single point has no cost of a byte of its own. */
	const double left_cost = left.count == 2 ? left.cost : 0.0;
	const double right_cost = right.count == 2 ? right.cost : left_cost;
	const double at_high = high->seconds / promise(&left, left_cost, high);
	const double at_low = promise(&right, right_cost, low) / low->seconds;

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

/* Interpolates between the points beside a dropout, or extrapolates if one side has none.
 */
static double promise_between(const struct side *left, const struct side *right,
			      const struct np_point *at)
{
	if (left->count == 0)
		return promise(right, right->cost, at);
	if (right->count == 0)
		return promise(left, left->cost, at);
	const struct np_point *low = left->points[0], *high = right->points[0];
	const double share = ((double)at->bytes - (double)low->bytes) /
			     ((double)high->bytes - (double)low->bytes);

	return low->seconds + share * (high->seconds - low->seconds);
}

struct np_break np_partition_run(const struct np_partition *partition, size_t point,
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
				     promise_between(&left, &right, &partition->points[i]);

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
