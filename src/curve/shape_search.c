/*
 * shape_search.c - greedy search for the breaks of a curve.
 *
 * The noise is estimated from the roughness of the curve; the Bayesian information
 * criterion chooses among breaks that could explain the same points.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curve/shape_search.h"
#include "stats/adjust.h"
#include "stats/stats.h"
#include "stats/tails.h"
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

/* Most neighbours on either side of a break over which rival breaks are compared. */
enum { CHOICE_REACH = 9, CHOICE_MOST = 2 * CHOICE_REACH + NP_PLACE_RUN };

/* Lists the points first_seen to last_seen and their neighbours up to known breaks,
 * ascending.  Returns their number. */
static size_t list_points(const struct np_shape_work *work, size_t first_seen,
			  size_t last_seen, size_t *list)
{
	size_t count = 0;

	if (!work->broken[first_seen]) {
		const struct np_side *left = np_side_before(work, first_seen);

		for (size_t i = left->count < CHOICE_REACH ? left->count : CHOICE_REACH;
		     i-- > 0;)
			list[count++] = left->points[i];
	}
	for (size_t i = first_seen; i <= last_seen && count < CHOICE_REACH + NP_PLACE_RUN;
	     i++) {
		if (!work->dropped[i])
			list[count++] = i;
	}
	if (last_seen + 1 < work->count && !work->broken[last_seen + 1]) {
		const struct np_side *right = np_side_from(work, last_seen + 1);

		for (size_t i = 0; i < right->count && i < CHOICE_REACH; i++)
			list[count++] = right->points[i];
	}
	return count;
}

/* Hypothesis of a step or bend (gap): two lines, before point `last` and from it on; or of
 * a dropout: one line without points first to last. */
struct hypothesis {
	bool gap;
	size_t first, last;
};

/* Bayesian information criterion of a hypothesis for the points around first_seen to
 * last_seen (G. Schwarz, "Estimating the dimension of a model", Annals of Statistics 6(2),
 * 1978).  Least is best; infinite if there are too few points. */
static double misfit_of(const struct np_shape_work *work, size_t first_seen,
			size_t last_seen, const struct hypothesis *tried)
{
	const double middle = fmax(1.0, (double)work->points[tried->last].bytes);
	struct np_least lines[2] = { { .columns = NP_LINE_COLUMNS },
				     { .columns = NP_LINE_COLUMNS } };
	struct np_least both;
	struct np_solution solution;
	size_t list[CHOICE_MOST], in_run = 0;
	const size_t count = list_points(work, first_seen, last_seen, list);
	const size_t bend = count >= NP_BEND_LEAST ? 1 : 0;

	for (size_t i = 0; i < count; i++) {
		const bool behind = tried->gap && list[i] >= tried->last;

		if (!tried->gap && list[i] >= tried->first && list[i] <= tried->last)
			in_run++;
		else
			np_line_add(work, list[i], middle, &lines[behind]);
	}
	const size_t parameters = (tried->gap ? 4 : 2 + in_run) + bend;
	if (lines[0].rows + lines[1].rows < 3 ||
	    (tried->gap && (lines[0].rows < 2 || lines[1].rows < 2)))
		return (double)INFINITY;
	if (tried->gap)
		np_lines_join(&lines[0], &lines[1], &both);
	if (!np_least_solve(tried->gap ? &both : &lines[0], (tried->gap ? 4 : 2) + bend,
			    &solution))
		return (double)INFINITY;
	/* Logarithm of the mean square: errors may be underestimated, for all hypotheses
	 * alike. */
	return (double)count * log1p(solution.squares / (double)count) +
	       (double)parameters * log((double)count);
}

enum {
	ROUNDS = 3, /* each estimates noise without the known breaks, and searches */
	RIVALS = 3 /* points on either side of a found break at which other places and kinds
		    * of break are compared with it */
};

static bool large_enough(const struct np_search *search, const struct np_place *place)
{
	return fabs(place->effect - 1.0) >= search->work.options->least_effect;
}

static void improve(const struct np_search *search, struct np_candidate *best,
		    const struct np_place *place, enum np_break_kind kind, size_t first,
		    size_t last)
{
	if (place->z > best->place.z && large_enough(search, place))
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

static void test_gap(const struct np_search *search, size_t after,
		     struct np_candidate *best)
{
	const struct np_shape_work *work = &search->work;
	const size_t before = point_before(work, after);

	if (before == after || work->broken[after] || work->dropped[after])
		return;
	struct np_place step, bend;
	np_place_gap(work, after, &step, &bend);
	improve(search, best, &step, NP_BREAK_STEP, before, after);
	improve(search, best, &bend, NP_BREAK_BEND, before, after);
}

static void test_runs(const struct np_search *search, size_t first,
		      struct np_candidate *best)
{
	const struct np_shape_work *work = &search->work;

	for (size_t last = first;
	     last < work->count && !work->dropped[last] &&
	     (last == first || !work->broken[last]) && short_run(work, first, last);
	     last++) {
		const struct np_place run = np_place_dropout(work, first, last);
		improve(search, best, &run, NP_BREAK_DROPOUT, first, last);
	}
}

static void test_point(struct np_search *search, size_t point)
{
	struct np_candidate *best = &search->best[point];

	*best = (struct np_candidate){ .first = point, .last = point };
	if (point > 0)
		test_gap(search, point, best);
	test_runs(search, point, best);
	search->stale[point] = false;
}

/* Sets *begin and *end to the range [*begin, *end) of points at most `reach` before first
 * or behind last. */
static void find_around(const struct np_search *search, size_t first, size_t last,
			size_t reach, size_t *begin, size_t *end)
{
	*begin = first > reach ? first - reach : 0;
	*end = last + reach < search->work.count ? last + reach + 1 : search->work.count;
}

/* Tests all gaps and runs again whose windows contain points first to last. */
static void test_around(struct np_search *search, size_t first, size_t last)
{
	size_t i, end;

	find_around(search, first, last,
		    NP_PLACE_REACH + NP_PLACE_RUN + search->taken_count, &i, &end);
	for (; i < end; i++)
		test_point(search, i);
}

/* Marks all gaps and runs whose windows contain points first to last as stale.  Windows
 * skip dropouts, and so reach farther. */
static void note_change(struct np_search *search, size_t first, size_t last)
{
	size_t begin, end;

	find_around(search, first, last,
		    NP_PLACE_REACH + NP_PLACE_RUN * (search->taken_count + 1), &begin,
		    &end);
	memset(search->stale + begin, true, (end - begin) * sizeof(*search->stale));
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
	note_change(search, candidate->first, candidate->last);
	np_sides_forget(&search->work);
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

static bool next_is_significant(const struct np_search *search,
				const struct np_candidate *candidate)
{
	return is_significant(search, candidate, search->taken_count + 1);
}

/* Replaces *best, with the criterion *least of misfit_of(), by a rival that is significant
 * and has a lower criterion. */
static void prefer(const struct np_search *search, const struct np_candidate *rival,
		   const size_t seen[2], struct np_candidate *best, double *least)
{
	if (!next_is_significant(search, rival))
		return;
	const struct hypothesis tried = { rival->kind != NP_BREAK_DROPOUT, rival->first,
					  rival->last };
	const double misfit = misfit_of(&search->work, seen[0], seen[1], &tried);
	if (misfit < *least) {
		*least = misfit;
		*best = *rival;
	}
}

/* Returns true if a step or bend beside or within a dropout has a lower criterion than the
 * `misfit` of the dropout, significant or not. */
static bool prefers_step(const struct np_search *search, const struct np_candidate *run,
			 const size_t seen[2], double misfit)
{
	for (size_t i = run->first; i <= run->last + 1 && i < search->work.count; i++) {
		const struct hypothesis gap = { true, i, i };

		if (!search->work.dropped[i] && i > 0 && !search->work.broken[i] &&
		    misfit_of(&search->work, seen[0], seen[1], &gap) < misfit)
			return true;
	}
	return false;
}

/* Sets seen to the first and last point at which rivals of a candidate are tried: RIVALS to
 * either side, within known breaks. */
static void find_seen(const struct np_shape_work *work,
		      const struct np_candidate *candidate, size_t seen[2])
{
	seen[0] = candidate->first;
	while (seen[0] > 0 && candidate->first - seen[0] < RIVALS && !work->broken[seen[0]])
		seen[0]--;
	seen[1] = candidate->last;
	while (seen[1] + 1 < work->count && seen[1] - candidate->last < RIVALS &&
	       !work->broken[seen[1] + 1])
		seen[1]++;
}

/* Model selection: returns the candidate, or the significant rival near it with a lower
 * Bayesian information criterion; with z 0 if it is a dropout and a step fits better.  A
 * dropout at an end of the sizes has no rivals. */
static struct np_candidate choose(const struct np_search *search,
				  const struct np_candidate *clearest)
{
	const struct np_shape_work *work = &search->work;
	struct np_candidate best = *clearest;
	size_t seen[2];
	double least = (double)INFINITY;

	if (clearest->place.open)
		return best;
	find_seen(work, clearest, seen);
	prefer(search, clearest, seen, &best, &least);
	for (size_t i = seen[0]; i <= seen[1]; i++) {
		struct np_candidate gap = { .first = i, .last = i };

		if (work->dropped[i])
			continue;
		if (i > 0)
			test_gap(search, i, &gap);
		prefer(search, &gap, seen, &best, &least);
		for (size_t last = i;
		     last <= seen[1] && short_run(work, i, last) && !work->dropped[last] &&
		     (last == i || !work->broken[last]);
		     last++) {
			struct np_candidate run = { .first = i, .last = last };
			const struct np_place place = np_place_dropout(work, i, last);

			improve(search, &run, &place, NP_BREAK_DROPOUT, i, last);
			prefer(search, &run, seen, &best, &least);
		}
	}
	if (best.kind == NP_BREAK_DROPOUT && prefers_step(search, &best, seen, least))
		best.place.z = 0.0;
	return best;
}

/* Forward selection: takes the most significant candidate until none is significant. */
static void take_breaks(struct np_search *search)
{
	while (search->taken_count < NP_BREAKS_MOST) {
		struct np_candidate *clearest = &search->best[0];

		for (size_t i = 1; i < search->work.count; i++) {
			if (search->best[i].place.z > clearest->place.z)
				clearest = &search->best[i];
		}
		if (!next_is_significant(search, clearest))
			return;
		const struct np_candidate chosen = choose(search, clearest);
		if (!next_is_significant(search, &chosen)) {
			clearest->place.z = 0.0;
			search->stale[clearest - search->best] = true;
			continue;
		}
		search->taken[search->taken_count++] = chosen;
		mark(search, &chosen, true);
		test_around(search, chosen.first, chosen.last);
	}
}

/* Tests the place of a break again, given all others. */
static struct np_candidate test_again(const struct np_search *search,
				      const struct np_candidate *taken)
{
	struct np_candidate best = { .first = taken->first, .last = taken->last };
	if (taken->kind == NP_BREAK_DROPOUT) {
		const struct np_place run =
			np_place_dropout(&search->work, taken->first, taken->last);
		improve(search, &best, &run, NP_BREAK_DROPOUT, taken->first, taken->last);
		return best;
	}
	test_gap(search, taken->last, &best);
	return best;
}

static void remove_taken(struct np_search *search, size_t index)
{
	for (size_t i = index; i + 1 < search->taken_count; i++)
		search->taken[i] = search->taken[i + 1];
	search->taken_count--;
}

/* Returns true if breaks a and b may be the edges of one dropout, `run`, of the points
 * between them. */
static bool may_join(const struct np_search *search, const struct np_candidate *a,
		     const struct np_candidate *b, const struct np_candidate *run)
{
	return a->kind != NP_BREAK_DROPOUT && b->kind != NP_BREAK_DROPOUT &&
	       short_run(&search->work, run->first, run->last);
}

/* Replaces two neighbouring steps or bends by a dropout of the points between them, if that
 * is significant without the two. */
static void join_steps(struct np_search *search)
{
	for (size_t i = 0; i + 1 < search->taken_count; i++) {
		const struct np_candidate a = search->taken[i];
		const struct np_candidate b = search->taken[i + 1];
		const struct np_candidate run = { .kind = NP_BREAK_DROPOUT,
						  .first = a.last,
						  .last = b.last - 1 };

		if (!may_join(search, &a, &b, &run))
			continue;
		mark(search, &a, false);
		mark(search, &b, false);
		const struct np_candidate joined = test_again(search, &run);
		if (is_significant(search, &joined, search->taken_count)) {
			search->taken[i] = joined;
			remove_taken(search, i + 1);
			mark(search, &joined, true);
		} else {
			mark(search, &a, true);
			mark(search, &b, true);
		}
	}
}

static int compare_places(const void *left, const void *right)
{
	const struct np_candidate *a = left;
	const struct np_candidate *b = right;

	return (a->last > b->last) - (a->last < b->last);
}

/* Backward elimination: tests each break given all others, and removes those no longer
 * significant. */
static void review(struct np_search *search)
{
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < search->taken_count;) {
			const struct np_candidate was = search->taken[i];

			mark(search, &was, false);
			const struct np_candidate now = test_again(search, &was);
			if (!is_significant(search, &now, search->taken_count)) {
				remove_taken(search, i);
				continue;
			}
			search->taken[i] = now;
			mark(search, &now, true);
			i++;
		}
		qsort(search->taken, search->taken_count, sizeof(*search->taken),
		      compare_places);
		if (round == 0)
			join_steps(search);
	}
}

/* Estimates the noise without the known breaks, and tests again all gaps and runs that it
 * changes. */
static void test_stale(struct np_search *search)
{
	struct np_shape_work *work = &search->work;

	memcpy(search->error_before, work->error, work->count * sizeof(*work->error));
	estimate_noise(work);
	np_sides_forget(work);
	for (size_t i = 0; i < work->count; i++) {
		if (work->error[i] < search->error_before[i] ||
		    work->error[i] > search->error_before[i])
			note_change(search, i, i);
	}
	for (size_t i = 0; i < work->count; i++) {
		if (search->stale[i])
			test_point(search, i);
	}
}

void np_search_run(struct np_search *search)
{
	for (int round = 0; round < ROUNDS; round++) {
		const size_t before = search->taken_count;

		test_stale(search);
		take_breaks(search);
		review(search);
		if (search->taken_count == before)
			return;
	}
}
