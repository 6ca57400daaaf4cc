/*
 * shape_place.c - the tests of one place: is there a step, a knee, a dropout?
 *
 * Lines t = a + b n of relative errors, which are exact for start-up and
 * bandwidth; where there are points enough, a bend that both sides share is
 * fitted with them.
 */
#include "curve/shape_window.h"

#include <math.h>

/* Windows: points to a side. */
static const size_t reaches[] = { 3, 4, 6, 9, 15, NP_PLACE_REACH };

/* How much of an octave a dropout may take at an end of the sizes. */
static const double open_octaves = 0.5;

/* Both sides of a gap, in windows of so many points; false if there are too few
 * or no more than in the window before. */
static bool open_gap(const struct np_shape_work *work, size_t after, size_t reach,
		     struct np_window *window, struct np_least *least)
{
	window->left = np_window_left(work, after, reach, window->list);
	const size_t right =
		np_window_right(work, after, reach, window->list + window->left);
	window->count = window->left + right;
	if (window->left < NP_SIDE_LEAST || right < NP_SIDE_LEAST)
		return false;
	window->bend = window->count >= NP_BEND_LEAST;
	np_window_center(work, window, window->list[window->left]);
	return np_window_solve(work, window, false, least);
}

/* The difference of both sides' lines at a size, beyond what a smooth curve may
 * bend over the gap, in errors; its sign is the difference's. */
static double difference_at(const struct np_shape_work *work,
			    const struct np_window *window, const struct np_least *least,
			    double bytes)
{
	const size_t before = window->list[window->left - 1];
	const size_t after = window->list[window->left];
	const double x = (bytes - window->middle) / window->scale;
	const double function[NP_LEAST_COLUMNS] = { -1.0, -x, 1.0, x, 0.0 };
	const double gap = (double)(work->points[after].bytes - work->points[before].bytes);
	const double slope = fmax(0.0, (least->x[1] + least->x[3]) / 2.0 / window->scale);
	const double margin = work->options->bend / 2.0 * slope * gap * gap /
			      (double)work->points[after].bytes;
	double error;
	const double difference = np_least_value(least, function, &error);

	error *= np_least_excess(least);
	if (fabs(difference) <= margin)
		return 0.0;
	return copysign((fabs(difference) - margin) / error, difference);
}

/* What lines on both sides of a gap say of it, in one window; z 0: nothing. */
typedef struct np_place judge_gap(const struct np_shape_work *work,
				  const struct np_window *window,
				  const struct np_least *least);

/* The window that says most of a gap. */
static struct np_place place_gap(const struct np_shape_work *work, size_t after,
				 judge_gap *judge)
{
	struct np_place best = { 0.0, 1.0, 0.0, false };
	struct np_window window;
	struct np_least least;
	size_t points_before = 0;

	for (size_t i = 0; i < sizeof(reaches) / sizeof(*reaches); i++) {
		if (!open_gap(work, after, reaches[i], &window, &least))
			continue;
		if (window.count == points_before)
			break;
		points_before = window.count;
		const struct np_place place = judge(work, &window, &least);
		if (place.z > best.z)
			best = place;
	}
	return best;
}

static struct np_place judge_step(const struct np_shape_work *work,
				  const struct np_window *window,
				  const struct np_least *least)
{
	const struct np_place none = { 0.0, 1.0, 0.0, false };
	const struct np_point *low = &work->points[window->list[window->left - 1]];
	const struct np_point *high = &work->points[window->list[window->left]];
	const double at_low = difference_at(work, window, least, (double)low->bytes);
	const double at_high = difference_at(work, window, least, (double)high->bytes);
	const double function[2][NP_LEAST_COLUMNS] = { { 1.0 }, { 0.0, 0.0, 1.0 } };
	double left_error, right_error;
	const double left = np_least_value(least, function[0], &left_error);
	const double right = np_least_value(least, function[1], &right_error);

	/* Lines that cross in the gap are a knee. */
	if (at_low * at_high <= 0.0 || left <= 0.0 || right <= 0.0)
		return none;
	return (struct np_place){
		.z = fmin(fabs(at_low), fabs(at_high)),
		.effect = right / left,
		.log_error = np_least_excess(least) *
			     hypot(left_error / left, right_error / right),
	};
}

struct np_place np_place_step(const struct np_shape_work *work, size_t after)
{
	return place_gap(work, after, judge_step);
}

/* The mean place of points on the axis of octaves. */
static double mean_octave(const struct np_shape_work *work, const size_t *list,
			  size_t count)
{
	double sum = 0.0;

	for (size_t i = 0; i < count; i++)
		sum += np_point_octave(&work->points[list[i]]);
	return sum / (double)count;
}

/* Whether the lines are surely apart all over the gap, which no knee is. */
static bool apart_in_gap(const struct np_shape_work *work, const struct np_window *window,
			 const struct np_least *least)
{
	const double sure = 2.0;
	const struct np_point *low = &work->points[window->list[window->left - 1]];
	const struct np_point *high = &work->points[window->list[window->left]];
	const double at_low = difference_at(work, window, least, (double)low->bytes);
	const double at_high = difference_at(work, window, least, (double)high->bytes);

	return at_low * at_high > 0.0 && fmin(fabs(at_low), fabs(at_high)) > sure;
}

static struct np_place judge_knee(const struct np_shape_work *work,
				  const struct np_window *window,
				  const struct np_least *least)
{
	const struct np_place none = { 0.0, 1.0, 0.0, false };

	if (apart_in_gap(work, window, least))
		return none;
	const double function[NP_LEAST_COLUMNS] = { 0.0, -1.0, 0.0, 1.0 };
	const size_t right = window->count - window->left;
	const double apart = mean_octave(work, window->list + window->left, right) -
			     mean_octave(work, window->list, window->left);
	double error;
	const double change = np_least_value(least, function, &error);
	const double steeper = fmax(least->x[1], least->x[3]);
	const double margin =
		fmax(0.0, steeper) * (1.0 - exp2(-work->options->bend * apart));
	const double seconds = work->points[window->list[window->left]].seconds;
	const double weight = fabs(change) * window->middle / window->scale / seconds;
	const double flatter = fmin(least->x[1], least->x[3]);
	const double ratio = flatter > 0.0 ? steeper / flatter : (double)INFINITY;

	if (weight < 5.0 * work->options->least_effect)
		return none;
	return (struct np_place){
		.z = (fabs(change) - margin) / (error * np_least_excess(least)),
		.effect = least->x[3] > least->x[1] ? ratio : 1.0 / ratio,
		.log_error = (double)NAN,
	};
}

struct np_place np_place_bend(const struct np_shape_work *work, size_t after)
{
	return place_gap(work, after, judge_knee);
}

/* How far a smooth curve may stray at a point from what its neighbours say. */
static double stray(const struct np_shape_work *work, const struct np_window *window,
		    size_t point, double slope)
{
	const double bytes = (double)work->points[point].bytes;
	const double share = work->options->bend / 2.0 * slope / fmax(bytes, 1.0);

	if (window->left == 0 || window->left == window->count) {
		const size_t nearest = window->left == 0 ? window->list[0] :
							   window->list[window->count - 1];
		const double away = bytes - (double)work->points[nearest].bytes;
		return share * away * away;
	}
	const double left =
		bytes - (double)work->points[window->list[window->left - 1]].bytes;
	const double right = (double)work->points[window->list[window->left]].bytes - bytes;
	return share * left * right;
}

static struct np_place judge_run(const struct np_shape_work *work,
				 const struct np_window *window,
				 const struct np_least *least, size_t first, size_t last)
{
	struct np_place place = { 0.0, 1.0, 0.0, false };
	const double slope = fmax(0.0, least->x[1] / window->scale);
	double sum = 0.0, weights = 0.0, function_sum[NP_LEAST_COLUMNS] = { 0.0 };
	double deepest = 0.0, shallowest = (double)INFINITY;
	int sign = 0;

	for (size_t i = first; i <= last; i++) {
		const double bytes = (double)work->points[i].bytes;
		const double function[NP_LEAST_COLUMNS] = {
			1.0, (bytes - window->middle) / window->scale,
			np_window_bend(bytes, window->middle) / window->scale
		};
		double error;
		const double promised = np_least_value(least, function, &error);
		if (promised <= 0.0)
			return place;
		const double off = work->points[i].seconds - promised;
		const double margin = stray(work, window, i, slope);
		const double beyond = (fabs(off) - margin) / promised;
		if (beyond <= 0.0 || (sign != 0 && sign != (off > 0.0 ? 1 : -1)))
			return place;
		sign = off > 0.0 ? 1 : -1;
		const double own = work->error[i];
		const double weight = 1.0 / (own * own);
		sum += weight * beyond;
		weights += weight;
		for (size_t k = 0; k < least->columns; k++)
			function_sum[k] += weight * function[k] / promised;
		if (fabs(off) / promised > fabs(deepest)) {
			deepest = off / promised;
			place.log_error = hypot(error * np_least_excess(least) / promised,
						work->error[i]);
		}
		shallowest = fmin(shallowest, fabs(off) / promised);
	}
	/* A run is one thing: no shallow ends that belong to the curve. */
	if (shallowest < fabs(deepest) / 3.0)
		return place;
	for (size_t k = 0; k < least->columns; k++)
		function_sum[k] /= weights;
	double fit_error;
	np_least_value(least, function_sum, &fit_error);
	place.z = sum / weights /
		  hypot(fit_error * np_least_excess(least), 1.0 / sqrt(weights));
	place.effect = 1.0 + deepest;
	return place;
}

/* At an end of the sizes a dropout cannot be seen to return; it must be short
 * then, or it is how the curve goes on. */
static bool open_end(const struct np_shape_work *work, size_t first, size_t last)
{
	return (first == 0 || last + 1 == work->count) &&
	       np_point_octave(&work->points[last]) -
			       np_point_octave(&work->points[first]) <=
		       open_octaves;
}

struct np_place np_place_dropout(const struct np_shape_work *work, size_t first,
				 size_t last)
{
	struct np_place best = { 0.0, 1.0, 0.0, false };
	struct np_window window;
	struct np_least least;
	size_t points_before = 0;

	for (size_t i = 0; i < sizeof(reaches) / sizeof(*reaches); i++) {
		window.left = work->broken[first] ?
				      0 :
				      np_window_left(work, first, reaches[i], window.list);
		window.count = window.left;
		if (last + 1 < work->count && !work->broken[last + 1])
			window.count += np_window_right(work, last + 1, reaches[i],
							window.list + window.left);
		if (window.count == points_before)
			break;
		points_before = window.count;
		const bool one_sided = window.left == 0 || window.left == window.count;
		if (one_sided && !open_end(work, first, last))
			break;
		if (window.count <
		    (one_sided ? (size_t)NP_SIDE_LEAST : (size_t)NP_SIDE_LEAST + 1))
			continue;
		window.bend = !one_sided && window.count >= 6;
		np_window_center(work, &window, first);
		if (!np_window_solve(work, &window, true, &least))
			continue;
		struct np_place place = judge_run(work, &window, &least, first, last);
		if (place.z <= best.z)
			continue;
		place.open = one_sided;
		best = place;
	}
	return best;
}
