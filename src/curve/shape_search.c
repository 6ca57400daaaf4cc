/*
 * shape_search.c - breaks of a curve: an exact partition into lines, tested from the least
 * significant cut on.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "curve/shape_search.h"
#include "stats/adjust.h"
#include "stats/stats.h"
#include "stats/tails.h"

/* Lower bound of the relative standard error of a point. */
static const double exact = 1e-4;

/* Degrees of freedom that a residual adds to the error estimate, the median absolute
 * residual: 0.37, its efficiency, for independent residuals; less here, since neighbouring
 * residuals share points. */
static const double worth = 0.3;
static const double degrees_least = 4.0;

/* Penalty of a part, in logarithms of the number of points: three coefficients and a place;
 * and of a point in a dropout: its time and its place (G. Schwarz, see segments.h). */
static const double part_penalty = NP_LINE_COLUMNS + 1;
static const double drop_penalty = 2;

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

/*
 * Sets the standard error of each point to the roughness: the deviation from the line
 * between neighbouring sizes.  Intervals also contain the variation that all sizes share,
 * so they only serve to raise the error of points with wider ones; if some points have
 * none, roughness is used alone.
 */
static void estimate_noise(struct np_shape_work *work)
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

enum {
	ROUNDS = 3, /* each estimates the noise without the known breaks */
	/* Most points of a part, which limits the time to search: a longer smooth curve is
	 * cut, and its parts are merged again. */
	PART_MOST = 128
};

/* Part tried last. */
struct misfit {
	const struct np_shape_work *work;
	struct np_least line; /* of the points outside of dropouts */
	double middle;	      /* bytes at which its columns are centred */
	double penalty;	      /* of a part */
	double drop;	      /* penalty of a point in a dropout */
	size_t dropped;	      /* points in dropouts */
	bool drops;	      /* the first point of the part is in a dropout */
};

/* Cost of a part: sum of squared residuals of a line with a bend, and penalties.  A
 * point that adds more than the penalty of a dropout is in one (P. Fearnhead, G. Rigaill,
 * see fewest.h). */
static double cost_of(void *context, struct np_part part, double most)
{
	struct misfit *misfit = context;

	(void)most;
	if (part.end - part.first == 1) {
		misfit->line = (struct np_least){ .columns = NP_LINE_COLUMNS };
		misfit->middle = fmax(1.0, (double)misfit->work->points[part.first].bytes);
		misfit->dropped = 0;
	}
	const struct np_least before = misfit->line;

	np_line_add(misfit->work, part.first, misfit->middle, &misfit->line);
	misfit->drops = misfit->line.squares - before.squares > misfit->drop;
	if (misfit->drops) {
		misfit->line = before;
		misfit->dropped++;
	}
	return misfit->penalty + misfit->drop * (double)misfit->dropped +
	       misfit->line.squares;
}

double np_search_chance(const struct np_search *search,
			const struct np_candidate *candidate)
{
	return np_student_p(candidate->place.z, search->work.degrees);
}

/* Marks a break in the curve, or removes the mark. */
static void mark(struct np_search *search, const struct np_candidate *candidate, bool there)
{
	if (candidate->kind != NP_BREAK_DROPOUT)
		search->work.broken[candidate->last] = there;
	for (size_t i = candidate->first;
	     candidate->kind == NP_BREAK_DROPOUT && i <= candidate->last; i++)
		search->work.dropped[i] = there;
	np_sides_forget(&search->work);
}

static void take(struct np_search *search, enum np_break_kind kind, size_t first,
		 size_t last)
{
	struct np_candidate *taken = &search->taken[search->taken_count++];

	*taken = (struct np_candidate){ .kind = kind, .first = first, .last = last };
	mark(search, taken, true);
}

/* Takes the dropouts of a part. */
static void take_dropouts(struct np_search *search, struct misfit *misfit,
			  struct np_part part)
{
	size_t first = part.end;

	for (size_t i = part.end; i-- > part.first;) {
		cost_of(misfit, (struct np_part){ i, part.end }, (double)INFINITY);
		search->work.dropped[i] = misfit->drops;
	}
	for (size_t i = part.first; i < part.end; i++) {
		if (!search->work.dropped[i])
			continue;
		for (first = i; i + 1 < part.end && search->work.dropped[i + 1];)
			i++;
		take(search, NP_BREAK_DROPOUT, first, i);
	}
}

/* Cuts the curve into parts.  Returns 0 or -ENOMEM. */
static int cut_up(struct np_search *search)
{
	const size_t count = search->work.count;
	struct misfit misfit = { .work = &search->work,
				 .penalty = part_penalty * log((double)count),
				 .drop = drop_penalty * log((double)count) };
	const struct np_partition task = { .count = count,
					   .longest = PART_MOST,
					   .cost = cost_of,
					   .context = &misfit,
					   .between = (double)INFINITY };
	size_t parts;
	const int rc = np_partition_find(&task, search->parts, &parts);

	memset(search->work.broken, false, count * sizeof(*search->work.broken));
	memset(search->work.dropped, false, count * sizeof(*search->work.dropped));
	search->taken_count = 0;
	for (size_t k = 0; k < parts; k++) {
		const size_t first = search->parts[k].first;

		if (k > 0)
			take(search, NP_BREAK_STEP, first - 1, first);
		take_dropouts(search, &misfit, search->parts[k]);
	}
	/* A part fits its last points, whatever they are. */
	if (!search->work.dropped[count - 1] && !search->work.broken[count - 1])
		take(search, NP_BREAK_DROPOUT, count - 1, count - 1);
	return rc;
}

static void improve(const struct np_search *search, struct np_candidate *best,
		    const struct np_place *place, enum np_break_kind kind, size_t first,
		    size_t last)
{
	if (place->z > best->place.z &&
	    fabs(place->effect - 1.0) >= search->work.options->least_effect)
		*best = (struct np_candidate){ *place, kind, first, last };
}

/* Nearest point before `point` outside of dropouts, or the point itself if none. */
static size_t point_before(const struct np_shape_work *work, size_t point)
{
	for (size_t i = point; i-- > 0;) {
		if (!work->dropped[i])
			return i;
	}
	return point;
}

/* Returns true if a run is short enough for a dropout: two points, or at most an octave and
 * NP_PLACE_RUN points. */
static bool short_run(const struct np_shape_work *work, size_t first, size_t last)
{
	return last - first < NP_PLACE_RUN &&
	       (last - first < 2 || work->octaves[last] - work->octaves[first] <= 1.0);
}

static struct np_candidate test_run(const struct np_search *search, size_t first,
				    size_t last)
{
	struct np_candidate best = { .first = first, .last = last };

	if (!short_run(&search->work, first, last))
		return best;
	const struct np_place run = np_place_dropout(&search->work, first, last);
	improve(search, &best, &run, NP_BREAK_DROPOUT, first, last);
	return best;
}

static struct np_candidate test_gap(const struct np_search *search, size_t after)
{
	const size_t before = point_before(&search->work, after);
	struct np_candidate best = { .first = before, .last = after };
	struct np_place step, bend;

	if (before == after)
		return best;
	np_place_gap(&search->work, after, &step, &bend);
	improve(search, &best, &step, NP_BREAK_STEP, before, after);
	improve(search, &best, &bend, NP_BREAK_BEND, before, after);
	return best;
}

/* Tests a break given all others. */
static void test_again(struct np_search *search, size_t index)
{
	struct np_candidate *taken = &search->taken[index];
	const struct np_candidate was = *taken;

	mark(search, &was, false);
	*taken = was.kind == NP_BREAK_DROPOUT ? test_run(search, was.first, was.last) :
						test_gap(search, was.last);
	if (taken->place.z <= 0.0)
		taken->kind = was.kind;
	mark(search, taken, true);
}

static void remove_taken(struct np_search *search, size_t index)
{
	for (size_t i = index; i + 1 < search->taken_count; i++)
		search->taken[i] = search->taken[i + 1];
	search->taken_count--;
}

/* Returns true if a candidate is significant with the rank-th smallest p of all tests, at a
 * false discovery rate of q_reported. */
static bool is_significant(const struct np_search *search,
			   const struct np_candidate *candidate, size_t rank)
{
	return candidate->place.z > 0.0 &&
	       np_adjust_ranked(np_search_chance(search, candidate), rank, search->places,
				NP_ADJUST_FDR) <= search->work.options->q_reported;
}

/* Returns true if the points between two neighbouring breaks, or before the first or after
 * the last one, are few enough for a dropout, and none of these is one. */
static bool may_join(const struct np_search *search, const struct np_candidate *before,
		     const struct np_candidate *after, size_t first, size_t last)
{
	return (before != NULL || after != NULL) &&
	       (before == NULL || before->kind != NP_BREAK_DROPOUT) &&
	       (after == NULL || after->kind != NP_BREAK_DROPOUT) &&
	       short_run(&search->work, first, last);
}

static void mark_both(struct np_search *search, const struct np_candidate *before,
		      const struct np_candidate *after, bool there)
{
	if (before != NULL)
		mark(search, before, there);
	if (after != NULL)
		mark(search, after, there);
}

/* Replaces the cuts on either side of a short part by a dropout of its points, if that is
 * significant without them. */
static void join_cuts(struct np_search *search)
{
	for (size_t i = 0; i <= search->taken_count; i++) {
		struct np_candidate *before = i > 0 ? &search->taken[i - 1] : NULL;
		struct np_candidate *after =
			i < search->taken_count ? &search->taken[i] : NULL;
		const size_t first = before != NULL ? before->last : 0;
		const size_t end = after != NULL ? after->last : search->work.count;

		if (!may_join(search, before, after, first, end - 1))
			continue;
		mark_both(search, before, after, false);
		const struct np_candidate run = test_run(search, first, end - 1);
		if (!is_significant(search, &run, 1)) {
			mark_both(search, before, after, true);
			continue;
		}
		*(before != NULL ? before : after) = run;
		mark(search, &run, true);
		if (before != NULL && after != NULL)
			remove_taken(search, i);
	}
}

/* Backward elimination: removes the least significant break, given all others, until all
 * are significant. */
static void eliminate(struct np_search *search)
{
	for (size_t i = 0; i < search->taken_count; i++)
		test_again(search, i);
	while (search->taken_count > 0) {
		size_t least = 0;

		for (size_t i = 1; i < search->taken_count; i++) {
			if (search->taken[i].place.z < search->taken[least].place.z)
				least = i;
		}
		if (is_significant(search, &search->taken[least], search->taken_count))
			return;
		mark(search, &search->taken[least], false);
		remove_taken(search, least);
		for (size_t i = least < 2 ? 0 : least - 2;
		     i < search->taken_count && i < least + 2; i++)
			test_again(search, i);
	}
}

int np_search_run(struct np_search *search)
{
	size_t before = SIZE_MAX;

	for (int round = 0; round < ROUNDS && search->taken_count != before; round++) {
		before = search->taken_count;
		estimate_noise(&search->work);
		const int rc = cut_up(search);
		if (rc != 0)
			return rc;
		join_cuts(search);
		eliminate(search);
		join_cuts(search);
		eliminate(search);
	}
	return 0;
}
