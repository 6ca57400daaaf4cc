/*
 * shape_noise.c - noise of a curve from its roughness.
 */
#include <math.h>
#include <string.h>

#include "curve/shape_noise.h"
#include "stats/stats.h"

/* Lower bound of the relative standard error of a point. */
static const double exact = 1e-4;

/* Degrees of freedom that a residual adds to the error estimate, the median absolute
 * residual: 0.37, its efficiency, for independent residuals; less here, since neighbouring
 * residuals share points. */
static const double worth = 0.3;
static const double degrees_least = 4.0;

enum {
	RESIDUALS_LEAST = 3,
	NEAR_LEAST = 21, /* least residuals of a local median */
	NEAR_MOST = 101
};

/* Pseudo-residual of a point (segments.h): its distance from the line between two
 * neighbours, scaled to the relative error of one point. */
static double pseudo_residual(const struct np_point *left, const struct np_point *point,
			      const struct np_point *right)
{
	const double share = (double)(right->bytes - point->bytes) /
			     (double)(right->bytes - left->bytes);
	const double a = share * left->seconds;
	const double b = (1.0 - share) * right->seconds;

	return (point->seconds - a - b) /
	       sqrt(point->seconds * point->seconds + a * a + b * b);
}

/* Lists the absolute pseudo-residuals of all neighbouring triples that contain no known
 * break, with the middle point of each.  Returns their number. */
static size_t list_residuals(const struct np_shape_work *work, double *residuals,
			     size_t *middles)
{
	size_t found = 0;
	size_t run[3] = { 0, 0, 0 };
	size_t length = 0;

	for (size_t i = 0; i < work->count; i++) {
		if (work->broken[i])
			length = 0;
		if (work->dropped[i])
			continue;
		run[0] = run[1];
		run[1] = run[2];
		run[2] = i;
		if (++length < 3)
			continue;
		residuals[found] =
			fabs(pseudo_residual(&work->points[run[0]], &work->points[run[1]],
					     &work->points[run[2]]));
		middles[found++] = run[1];
	}
	return found;
}

/* First index of the window of `near` values among `total`, centred at `middle` if
 * possible. */
static size_t window_begin(size_t middle, size_t near, size_t total)
{
	const size_t half = near / 2;

	if (middle < half)
		return 0;
	return middle - half + near > total ? total - near : middle - half;
}

/* Moving window of `near` values, sorted. */
struct window {
	const double *values;
	size_t begin, near;
	double ordered[NEAR_MOST];
};

/* Index of the first of the `count` sorted values that is not below `value`. */
static size_t place_in(const struct window *window, size_t count, double value)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (window->ordered[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Inserts a value into the `count` sorted values. */
static void put_in(struct window *window, size_t count, double value)
{
	const size_t at = place_in(window, count, value);

	memmove(window->ordered + at + 1, window->ordered + at,
		(count - at) * sizeof(value));
	window->ordered[at] = value;
}

static struct window first_window(const double *values, size_t near)
{
	struct window window = { .values = values, .near = near };

	for (size_t i = 0; i < near; i++)
		put_in(&window, i, values[i]);
	return window;
}

/* Moves the window to `begin` and returns its median. */
static double median_from(struct window *window, size_t begin)
{
	const size_t near = window->near;

	for (; window->begin < begin; window->begin++) {
		const size_t at = place_in(window, near, window->values[window->begin]);

		memmove(window->ordered + at, window->ordered + at + 1,
			(near - at - 1) * sizeof(*window->ordered));
		put_in(window, near - 1, window->values[window->begin + near]);
	}
	return (window->ordered[(near - 1) / 2] + window->ordered[near / 2]) / 2.0;
}

/* Sets the relative standard error of each point, from the median of the `near` nearest
 * absolute residuals. */
static void measure_roughness(struct np_shape_work *work, size_t near)
{
	const size_t found = list_residuals(work, work->buffer, work->places);
	size_t at = 0;

	/* Too few residuals: keep the errors of the round before. */
	if (found < RESIDUALS_LEAST)
		return;
	near = near > found ? found : near;
	struct window window = first_window(work->buffer, near);
	for (size_t i = 0; i < work->count; i++) {
		while (at < found && work->places[at] < i)
			at++;
		work->error[i] =
			median_from(&window, window_begin(at, near, found)) / NP_NORMAL_MAD;
	}
}

/* Raises the error of a point whose interval is wider than those of its neighbours, if all
 * points have intervals. */
static void raise_errors(struct np_shape_work *work, size_t near)
{
	double *errors = work->buffer;

	for (size_t i = 0; i < work->count; i++) {
		errors[i] = np_point_error(&work->points[i]);
		if (isnan(errors[i]))
			return;
	}
	struct window window = first_window(errors, near);
	for (size_t i = 0; i < work->count; i++) {
		const double around = fmax(
			exact, median_from(&window, window_begin(i, near, work->count)));

		if (errors[i] > around)
			work->error[i] *= errors[i] / around;
	}
}

void np_shape_noise(struct np_shape_work *work)
{
	const double half = (double)work->count / 2.0;
	const double wanted = fmin(fmax(half, NEAR_LEAST), NEAR_MOST);
	const size_t near = (size_t)fmin(wanted, (double)work->count);

	measure_roughness(work, near);
	raise_errors(work, near);
	/* Floor: without it, rounding of printed times would look like a break in an exact
	 * curve. */
	for (size_t i = 0; i < work->count; i++)
		work->error[i] = work->error[i] > exact ? work->error[i] : exact;
	work->degrees = (unsigned)fmax(degrees_least, worth * (double)near);
}
