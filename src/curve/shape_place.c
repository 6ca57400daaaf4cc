/*
 * shape_place.c - tests of a place by lines through its neighbours, and the noise of a
 * curve.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "curve/shape_place.h"
#include "stats/stats.h"

enum {
	SIDE_LEAST = 3, /* least points of a side */
	BEND_LEAST = 10 /* least points of both sides for fitting a common bend */
};

/* Octaves from the nearest to the farthest point of a side, unless that leaves fewer than
 * SIDE_LEAST points: within this reach a line and a bend describe a smooth curve. */
static const double reach_octaves = 1.2;

/* Most points of a side in each window. */
static const size_t reaches[NP_REACHES] = { 3, 4, 6, 9, 15, NP_PLACE_REACH };

/* Returns true if a side has enough points without one that is too far from its nearest
 * point. */
static bool too_far(const struct np_shape_work *work, const struct np_side *side,
		    size_t point)
{
	return side->count >= SIDE_LEAST &&
	       fabs(work->octaves[point] - work->octaves[side->points[0]]) > reach_octaves;
}

static void list_before(const struct np_shape_work *work, size_t point,
			struct np_side *side)
{
	for (size_t i = point; i-- > 0 && side->count < NP_PLACE_REACH;) {
		if (!work->dropped[i]) {
			if (too_far(work, side, i))
				return;
			side->points[side->count++] = i;
		}
		if (work->broken[i])
			return;
	}
}

static void list_from(const struct np_shape_work *work, size_t point, struct np_side *side)
{
	for (size_t i = point; i < work->count && side->count < NP_PLACE_REACH; i++) {
		if (i > point && work->broken[i])
			return;
		if (work->dropped[i])
			continue;
		if (too_far(work, side, i))
			return;
		side->points[side->count++] = i;
	}
}

/* Basis function of the bend: n log(n / middle), n being bytes, minus its tangent at
 * middle. */
static double bend_at(double bytes, double middle)
{
	const double away = bytes - middle;

	return (bytes > 0.0 ? bytes * log1p(away / middle) : 0.0) - away;
}

void np_line_add(const struct np_shape_work *work, size_t point, double middle,
		 struct np_least *line)
{
	const double bytes = (double)work->points[point].bytes;
	const double weight = 1.0 / (work->points[point].seconds * work->error[point]);
	double row[] = { weight, weight * (bytes - middle), weight * bend_at(bytes, middle),
			 1.0 / work->error[point] };

	np_least_add(line, row);
}

/* Merges the least squares of both sides.  Unknowns: time at its middle and slope of the
 * left line, both of the right line, and one common bend. */
static void join_lines(const struct np_least *left, const struct np_least *right,
		       struct np_least *both)
{
	const struct np_least *const sides[] = { left, right };

	/* Both sides share the bend. */
	*both = (struct np_least){ .columns = 2 * NP_LINE_COLUMNS - 1 };
	for (size_t side = 0; side < 2; side++) {
		for (size_t k = 0; k < NP_LINE_COLUMNS; k++) {
			const double *from = sides[side]->r[k];
			double row[NP_LEAST_WIDTH] = { 0.0 };

			row[2 * side] = from[0];
			row[2 * side + 1] = from[1];
			row[4] = from[2];
			row[5] = from[3];
			np_least_add(both, row);
		}
	}
	both->squares += left->squares + right->squares;
	both->rows = left->rows + right->rows;
}

/* Bytes at which the columns of sides_line() are centred. */
static double sides_middle(const struct np_side *left, const struct np_side *right)
{
	return right != NULL ? right->middle : left->middle;
}

/* Least squares of one line through both sides in a window, or through the side that is not
 * NULL. */
static void sides_line(const struct np_side *left, const struct np_side *right,
		       size_t reach, struct np_least *line)
{
	if (right == NULL) {
		*line = left->lines[reach];
		return;
	}
	*line = right->lines[reach];
	if (left == NULL)
		return;
	/* Centre the columns of the left side at the middle of the right. */
	const struct np_least *other = &left->lines[reach];
	const double away = right->middle - left->middle;
	const double turn = -log1p(away / left->middle);
	const double start = bend_at(left->middle, right->middle);

	for (size_t k = 0; k < NP_LINE_COLUMNS; k++) {
		const double *from = other->r[k];
		double row[] = { from[0], from[1] - away * from[0],
				 from[2] + turn * from[1] + start * from[0], from[3] };

		np_least_add(line, row);
	}
	line->squares += other->squares;
	line->rows = right->lines[reach].rows + other->rows;
}

static void add_up(const struct np_shape_work *work, struct np_side *side)
{
	struct np_least line = { .columns = NP_LINE_COLUMNS };
	size_t added = 0;

	if (side->count != 0)
		side->middle = fmax(1.0, (double)work->points[side->points[0]].bytes);
	for (size_t i = 0; i < NP_REACHES; i++) {
		for (; added < side->count && added < reaches[i]; added++)
			np_line_add(work, side->points[added], side->middle, &line);
		side->lines[i] = line;
	}
}

/* Returns the cached side at a place; lists and adds its points if it is not cached. */
static const struct np_side *
side_at(const struct np_shape_work *work, size_t place, struct np_side *kept,
	void list(const struct np_shape_work *, size_t, struct np_side *))
{
	struct np_side *side = &kept[place % NP_SIDES_KEPT];

	if (side->place != place) {
		side->place = place;
		side->count = 0;
		list(work, place, side);
		add_up(work, side);
	}
	return side;
}

/* Neighbours before a point, excluding it: up to the nearest break, without points of
 * dropouts, after SIDE_LEAST points only within reach_octaves of the nearest.  Valid for
 * NP_SIDES_KEPT further calls. */
static const struct np_side *side_before(const struct np_shape_work *work, size_t point)
{
	return side_at(work, point, work->sides, list_before);
}

/* Neighbours from a point on, including it. */
static const struct np_side *side_from(const struct np_shape_work *work, size_t point)
{
	return side_at(work, point, work->sides + NP_SIDES_KEPT, list_from);
}

void np_sides_forget(const struct np_shape_work *work)
{
	for (size_t i = 0; i < (size_t)2 * NP_SIDES_KEPT; i++)
		work->sides[i].place = SIZE_MAX;
}

/* Most octaves of a dropout at an end of the sizes. */
static const double open_octaves = 0.5;

/* Least points on both sides of a dropout for fitting a bend. */
enum { RUN_BEND_LEAST = 6 };

static const struct np_place nothing = { 0.0, 1.0, 0.0, false };

/* A gap between two sizes, and the lines on either side of it in one window. */
struct gap {
	const struct np_shape_work *work;
	const struct np_side *left, *right;
	size_t counts[2];		   /* points of the left and of the right line */
	const struct np_point *low, *high; /* nearest points of both sides */
	struct np_solution lines;
	double left_slope, right_slope; /* seconds per byte at the size of high */
};

/* Sets the coefficients of the difference, right line minus left line at a size, in the
 * unknowns of gap->lines. */
static void difference_at(const struct gap *gap, double bytes, double *function)
{
	const double left = gap->left->middle, right = gap->right->middle;

	function[0] = -1.0;
	function[1] = left - bytes;
	function[2] = 1.0;
	function[3] = bytes - right;
	function[4] = bend_at(bytes, right) - bend_at(bytes, left);
}

/* Signed difference of both lines at a point, right minus left, in standard errors, beyond
 * the largest bend of a smooth curve over the gap; 0 within this bend. */
static double apart_at(const struct gap *gap, const struct np_point *point)
{
	const double width = (double)(gap->high->bytes - gap->low->bytes);
	const double slope = fmax(0.0, (gap->left_slope + gap->right_slope) / 2.0);
	const double margin = gap->work->options->bend / 2.0 * slope * width * width /
			      (double)gap->high->bytes;
	double function[NP_LEAST_COLUMNS], error;

	difference_at(gap, (double)point->bytes, function);
	const double difference = np_solution_value(&gap->lines, function, &error);
	error *= np_solution_excess(&gap->lines);
	if (fabs(difference) <= margin)
		return 0.0;
	return copysign((fabs(difference) - margin) / error, difference);
}

static struct np_place judge_step(const struct gap *gap, double at_low, double at_high)
{
	const double to_high = gap->right->middle - gap->left->middle;
	const double functions[2][NP_LEAST_COLUMNS] = {
		{ 1.0, to_high, 0.0, 0.0, bend_at(gap->right->middle, gap->left->middle) },
		{ 0.0, 0.0, 1.0 }
	};
	const double at_start[NP_LEAST_COLUMNS] = { 1.0 };
	double left_error, right_error, start_error;

	/* Lines that cross in the gap are a bend. */
	if (at_low * at_high <= 0.0)
		return nothing;
	double left = np_solution_value(&gap->lines, functions[0], &left_error);
	const double start = np_solution_value(&gap->lines, at_start, &start_error);
	const double right = np_solution_value(&gap->lines, functions[1], &right_error);
	/* Larger messages take no less time, and at most in proportion to their bytes. */
	const double bound =
		fmax(start, fmin(left, start * gap->right->middle / gap->left->middle));

	if (left <= 0.0 || right <= 0.0 || start <= 0.0)
		return nothing;
	const bool bounded = bound < left || bound > left;

	if (bounded) {
		left = bound;
		left_error = start_error * bound / start;
	}
	struct np_place place = { .z = fmin(fabs(at_low), fabs(at_high)),
				  .effect = right / left,
				  .log_error =
					  np_solution_excess(&gap->lines) *
					  hypot(left_error / left, right_error / right) };
	if (bounded)
		place.z = fmin(place.z, fabs(log(place.effect)) / place.log_error);
	return (place.effect - 1.0) * at_high > 0.0 ? place : nothing;
}

/* Mean log2(bytes) of the nearest `count` points of a side. */
static double mean_octave(const struct gap *gap, const struct np_side *side, size_t count)
{
	double sum = 0.0;

	for (size_t i = 0; i < count; i++)
		sum += gap->work->octaves[side->points[i]];
	return sum / (double)count;
}

static struct np_place judge_bend(const struct gap *gap, double at_low, double at_high)
{
	const double sure = 2.0;
	const double function[NP_LEAST_COLUMNS] = {
		0.0, -1.0, 0.0, 1.0, -log(gap->right->middle / gap->left->middle)
	};
	double error;
	const double change = np_solution_value(&gap->lines, function, &error);
	const double weight = fabs(change) * gap->right->middle / gap->high->seconds;

	/* Lines that differ significantly all over the gap are a step. */
	if (at_low * at_high > 0.0 && fmin(fabs(at_low), fabs(at_high)) > sure)
		return nothing;
	if (weight < 5.0 * gap->work->options->least_effect)
		return nothing;
	const double apart = mean_octave(gap, gap->right, gap->counts[1]) -
			     mean_octave(gap, gap->left, gap->counts[0]);
	const double steeper = fmax(gap->left_slope, gap->right_slope);
	const double flatter = fmin(gap->left_slope, gap->right_slope);
	const double margin =
		fmax(0.0, steeper) * (1.0 - exp2(-gap->work->options->bend * apart));
	const double ratio = flatter > 0.0 ? steeper / flatter : (double)INFINITY;
	return (struct np_place){
		.z = (fabs(change) - margin) / (error * np_solution_excess(&gap->lines)),
		.effect = gap->right_slope > gap->left_slope ? ratio : 1.0 / ratio,
		.log_error = (double)NAN,
	};
}

void np_place_gap(const struct np_shape_work *work, size_t after, struct np_place *step,
		  struct np_place *bend)
{
	struct gap gap = { .work = work,
			   .left = side_before(work, after),
			   .right = side_from(work, after) };
	size_t points_before = 0;

	*step = *bend = nothing;
	if (gap.left->count < SIDE_LEAST || gap.right->count < SIDE_LEAST)
		return;
	gap.low = &work->points[gap.left->points[0]];
	gap.high = &work->points[gap.right->points[0]];
	for (size_t i = 0; i < NP_REACHES; i++) {
		struct np_least both;

		join_lines(&gap.left->lines[i], &gap.right->lines[i], &both);
		if (both.rows == points_before)
			return;
		points_before = both.rows;
		gap.counts[0] = gap.left->lines[i].rows;
		gap.counts[1] = gap.right->lines[i].rows;
		if (!np_least_solve(&both, both.rows >= BEND_LEAST ? 5 : 4, &gap.lines))
			continue;
		gap.left_slope = gap.lines.x[1] +
				 gap.lines.x[4] * log(gap.right->middle / gap.left->middle);
		gap.right_slope = gap.lines.x[3];
		const double at_low = apart_at(&gap, gap.low);
		const double at_high = apart_at(&gap, gap.high);
		const struct np_place a = judge_step(&gap, at_low, at_high);
		const struct np_place b = judge_bend(&gap, at_low, at_high);
		*step = a.z > step->z ? a : *step;
		*bend = b.z > bend->z ? b : *bend;
	}
}

/* A run of points tested as a dropout, and one line through both of its sides in one
 * window. */
struct run {
	const struct np_shape_work *work;
	size_t first, count;
	const struct np_side *left, *right; /* NULL without points */
	/* Per point of the run: its equation (1, bytes from the middle, bend); the product
	 * with line.x is the time on the line. */
	double basis[NP_PLACE_RUN][NP_LINE_COLUMNS];
	/* Per point of the run: largest deviation of a smooth curve from the line, in bytes
	 * at the slope of the line. */
	double stray[NP_PLACE_RUN];
	/* Derivative of the basis function of the bend at the first point. */
	double turn;
	struct np_solution line;
	/* Per point of the run: time on the line in seconds, and deviation in excess of a
	 * smooth curve, as a share of this time. */
	double expected[NP_PLACE_RUN], beyond[NP_PLACE_RUN];
	/* Largest deviation, as a share of the time on the line, signed. */
	double deepest;
	size_t deepest_at;
};

/* Bytes between a size and the nearest point of a side. */
static double away_from(const struct run *run, const struct np_side *side, double bytes)
{
	return fabs(bytes - (double)run->work->points[side->points[0]].bytes);
}

/* Sets the members of a run that all windows share; lines are centred at `middle` bytes. */
static void prepare_run(struct run *run, double middle)
{
	const struct np_point *points = run->work->points + run->first;
	const struct np_side *left = run->left != NULL ? run->left : run->right;
	const struct np_side *right = run->right != NULL ? run->right : run->left;

	for (size_t i = 0; i < run->count; i++) {
		const double bytes = (double)points[i].bytes;

		run->basis[i][0] = 1.0;
		run->basis[i][1] = bytes - middle;
		run->basis[i][2] = bend_at(bytes, middle);
		run->stray[i] = run->work->options->bend / 2.0 / fmax(bytes, 1.0) *
				away_from(run, left, bytes) * away_from(run, right, bytes);
	}
	run->turn = log(fmax(1.0, (double)points->bytes) / middle);
}

/* Returns true if all points of the run deviate from the line in the same direction, by
 * more than a smooth curve may, and each at least a third as much as the farthest one:
 * points at an end that deviate less belong to the curve. */
static bool is_off(struct run *run)
{
	const double *x = run->line.x;
	const double slope = fmax(0.0, x[1] + x[2] * run->turn);
	double shallowest = (double)INFINITY;

	run->deepest = 0.0;
	for (size_t i = 0; i < run->count; i++) {
		const double *function = run->basis[i];
		const double expected =
			function[0] * x[0] + function[1] * x[1] + function[2] * x[2];
		const double off = run->work->points[run->first + i].seconds - expected;

		run->expected[i] = expected;
		run->beyond[i] = (fabs(off) - slope * run->stray[i]) / expected;
		if (expected <= 0.0 || run->beyond[i] <= 0.0 || off * run->deepest < 0.0)
			return false;
		if (fabs(off) / expected > fabs(run->deepest)) {
			run->deepest = off / expected;
			run->deepest_at = i;
		}
		shallowest = fmin(shallowest, fabs(off) / expected);
	}
	return shallowest >= fabs(run->deepest) / 3.0;
}

static struct np_place judge_run(struct run *run)
{
	const double *errors = run->work->error + run->first;
	double sum = 0.0, weights = 0.0, mean[NP_LINE_COLUMNS] = { 0.0 }, error;

	if (!is_off(run))
		return nothing;
	for (size_t i = 0; i < run->count; i++) {
		const double weight = 1.0 / (errors[i] * errors[i]);

		sum += weight * run->beyond[i];
		weights += weight;
		for (size_t k = 0; k < NP_LINE_COLUMNS; k++)
			mean[k] += weight * run->basis[i][k] / run->expected[i];
	}
	for (size_t k = 0; k < NP_LINE_COLUMNS; k++)
		mean[k] /= weights;
	np_solution_value(&run->line, mean, &error);
	const double excess = np_solution_excess(&run->line);
	struct np_place place = { .z = sum / weights /
				       hypot(error * excess, 1.0 / sqrt(weights)),
				  .effect = 1.0 + run->deepest };
	np_solution_value(&run->line, run->basis[run->deepest_at], &error);
	place.log_error = hypot(error * excess / run->expected[run->deepest_at],
				errors[run->deepest_at]);
	return place;
}

/* Returns true if a run at an end of the sizes, where the curve is not measured to return,
 * is short enough for a dropout.  A longer one may be the curve itself. */
static bool open_end(const struct np_shape_work *work, size_t first, size_t last)
{
	return (first == 0 || last + 1 == work->count) &&
	       work->octaves[last] - work->octaves[first] <= open_octaves;
}

/* Returns the side, or NULL if it has no points. */
static const struct np_side *side_or_none(const struct np_side *side)
{
	return side->count != 0 ? side : NULL;
}

struct np_place np_place_dropout(const struct np_shape_work *work, size_t first,
				 size_t last)
{
	struct run run = { .work = work, .first = first, .count = last + 1 - first };
	struct np_place best = nothing;
	size_t points_before = 0;

	if (!work->broken[first])
		run.left = side_or_none(side_before(work, first));
	if (last + 1 < work->count && !work->broken[last + 1])
		run.right = side_or_none(side_from(work, last + 1));
	const bool one_sided = run.left == NULL || run.right == NULL;
	const size_t points_least = one_sided ? SIDE_LEAST : SIDE_LEAST + 1;
	if ((run.left == NULL && run.right == NULL) ||
	    (one_sided && !open_end(work, first, last)))
		return nothing;
	prepare_run(&run, sides_middle(run.left, run.right));
	for (size_t i = 0; i < NP_REACHES; i++) {
		struct np_least line;

		sides_line(run.left, run.right, i, &line);
		if (line.rows == points_before)
			break;
		points_before = line.rows;
		if (line.rows < points_least ||
		    !np_least_solve(&line,
				    !one_sided && line.rows >= RUN_BEND_LEAST ? 3 : 2,
				    &run.line))
			continue;
		const struct np_place place = judge_run(&run);
		if (place.z > best.z)
			best = place;
	}
	best.open = one_sided;
	return best;
}

/* ---- Noise of a curve from its roughness --------------------------------- */

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

	/* Too few residuals: keep the errors of the previous round. */
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
	const double most = fmin(fmax(half, NEAR_LEAST), NEAR_MOST);
	const size_t near = (size_t)fmin(most, (double)work->count);

	measure_roughness(work, near);
	raise_errors(work, near);
	/* Floor: without it, rounding of printed times would look like a break in an exact
	 * curve. */
	for (size_t i = 0; i < work->count; i++)
		work->error[i] = work->error[i] > exact ? work->error[i] : exact;
	work->degrees = (unsigned)fmax(degrees_least, worth * (double)near);
}
