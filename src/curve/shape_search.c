/* shape_search.c - greedy search for the breaks of a curve. */
#include "curve/shape_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curve/shape_misfit.h"
#include "curve/shape_noise.h"
#include "curve/shape_window.h"
#include "stats/adjust.h"
#include "stats/tails.h"
#include "stats/undo.h"

enum {
	ROUNDS = 3, /* of noise, breaks, and noise without the breaks */
	RIVALS = 3  /* points on either side that may be the place of a break instead */
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

/* Nearest point before that is in no dropout, or the point itself if none. */
static size_t point_before(const struct np_shape_work *work, size_t point)
{
	for (size_t i = point; i-- > 0;) {
		if (!work->dropped[i])
			return i;
	}
	return point;
}

/* Returns true if a run is short: at most an octave, or two points. */
static bool short_run(const struct np_shape_work *work, size_t first, size_t last)
{
	return last - first < NP_PLACE_RUN &&
	       (last - first < 2 || work->octaves[last] - work->octaves[first] <= 1.0);
}

static void look_at_gap(const struct np_search *search, size_t after,
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

static void look_at_runs(const struct np_search *search, size_t first,
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

static void look_at(struct np_search *search, size_t point)
{
	struct np_candidate *best = &search->best[point];

	*best = (struct np_candidate){ .first = point, .last = point };
	if (point > 0)
		look_at_gap(search, point, best);
	look_at_runs(search, point, best);
	search->stale[point] = false;
}

/* Range of the points around first to last, `reach` to either side: from *begin to before
 * *end. */
static void find_around(const struct np_search *search, size_t first, size_t last,
			size_t reach, size_t *begin, size_t *end)
{
	*begin = first > reach ? first - reach : 0;
	*end = last + reach < search->work.count ? last + reach + 1 : search->work.count;
}

/* Tests the points whose windows contain a break at points first to last. */
static void look_around(struct np_search *search, size_t first, size_t last)
{
	size_t i, end;

	find_around(search, first, last,
		    NP_PLACE_REACH + NP_PLACE_RUN + search->taken_count, &i, &end);
	for (; i < end; i++)
		look_at(search, i);
}

/* Marks all places with points first to last in a window as stale.  Windows extend beyond
 * dropouts. */
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

/* Returns true if a candidate is significant as the rank-th of all places. */
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

/* Replaces *best by a rival that is significant and explains the points better. */
static void prefer(const struct np_search *search, const struct np_candidate *rival,
		   const size_t seen[2], struct np_candidate *best, double *least)
{
	if (!next_is_significant(search, rival))
		return;
	const struct np_break_place tried = { rival->kind != NP_BREAK_DROPOUT, rival->first,
					      rival->last };
	const double misfit = np_place_misfit(&search->work, seen[0], seen[1], &tried);
	if (misfit < *least) {
		*least = misfit;
		*best = *rival;
	}
}

/* Returns true if a step beside or within a dropout explains the points better, significant
 * or not. */
static bool rather_step(const struct np_search *search, const struct np_candidate *run,
			const size_t seen[2], double misfit)
{
	for (size_t i = run->first; i <= run->last + 1 && i < search->work.count; i++) {
		const struct np_break_place gap = { true, i, i };

		if (!search->work.dropped[i] && i > 0 && !search->work.broken[i] &&
		    np_place_misfit(&search->work, seen[0], seen[1], &gap) < misfit)
			return true;
	}
	return false;
}

/* Range of the points that may be the place of a candidate instead, within known breaks. */
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

/* Chooses the break that best explains the points around a candidate, among those it may be
 * mistaken for.  No choice at an end of the sizes. */
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
			look_at_gap(search, i, &gap);
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
	if (best.kind == NP_BREAK_DROPOUT && rather_step(search, &best, seen, least))
		best.place.z = 0.0;
	return best;
}

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
		look_around(search, chosen.first, chosen.last);
	}
}

/* Tests the place of a break again, with all others marked. */
static struct np_candidate look_again(const struct np_search *search,
				      const struct np_candidate *taken)
{
	struct np_candidate best = { .first = taken->first, .last = taken->last };
	if (taken->kind == NP_BREAK_DROPOUT) {
		const struct np_place run =
			np_place_dropout(&search->work, taken->first, taken->last);
		improve(search, &best, &run, NP_BREAK_DROPOUT, taken->first, taken->last);
		return best;
	}
	look_at_gap(search, taken->last, &best);
	return best;
}

static void remove_taken(struct np_search *search, size_t index)
{
	for (size_t i = index; i + 1 < search->taken_count; i++)
		search->taken[i] = search->taken[i + 1];
	search->taken_count--;
}

/* Returns true if breaks a and b may be the edges of a dropout of the points between them.
 */
static bool may_join(const struct np_search *search, const struct np_candidate *a,
		     const struct np_candidate *b, const struct np_candidate *run)
{
	if (a->kind == NP_BREAK_DROPOUT || b->kind == NP_BREAK_DROPOUT ||
	    !short_run(&search->work, run->first, run->last))
		return false;
	return a->kind == NP_BREAK_BEND || b->kind == NP_BREAK_BEND ||
	       np_steps_undo(a->place.effect, b->place.effect, NP_UNDO_BETWEEN_SIZES);
}

/* Joins two steps or bends a short way apart to a dropout, if a dropout of the points
 * between them is significant without the two. */
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
		const struct np_candidate joined = look_again(search, &run);
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

/* Tests each break again without its own mark; removes those no longer significant. */
static void review(struct np_search *search)
{
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < search->taken_count;) {
			const struct np_candidate was = search->taken[i];

			mark(search, &was, false);
			const struct np_candidate now = look_again(search, &was);
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

/* Estimates the remaining noise, and tests the stale places. */
static void test_stale(struct np_search *search)
{
	struct np_shape_work *work = &search->work;

	memcpy(search->error_before, work->error, work->count * sizeof(*work->error));
	np_shape_noise(work);
	np_sides_forget(work);
	for (size_t i = 0; i < work->count; i++) {
		if (work->error[i] < search->error_before[i] ||
		    work->error[i] > search->error_before[i])
			note_change(search, i, i);
	}
	for (size_t i = 0; i < work->count; i++) {
		if (search->stale[i])
			look_at(search, i);
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
