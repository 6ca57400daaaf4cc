/*
 * segments.c - judges the breaks of a curve, and cuts it into segments.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "curve/fewest.h"
#include "curve/segments.h"
#include "curve/shape_search.h"
#include "stats/adjust.h"
#include "stats/stats.h"

/* Most neighbours on either side of a break whose intervals count. */
enum { NEAR = 4 };

/* Median half width of the intervals of at most NEAR points from first to before end, as a
 * logarithm: from the time up if `up`, else down; 0 without points. */
static double reach_of(const struct np_point *points, size_t first, size_t end, bool up)
{
	double reaches[2 * NEAR];
	size_t count = 0;

	for (size_t i = first; i < end && count < NEAR; i++)
		reaches[count++] = up ? log(points[i].high / points[i].seconds) :
					log(points[i].seconds / points[i].low);
	return count != 0 ? np_median(reaches, count) : 0.0;
}

/*
 * Returns true if a step or dropout may be an artefact of bimodal passes: its interval
 * overlaps those of its neighbours.  All points have intervals.
 *
 * If passes are of two host states, or of any two modes, the median of a size is in one of
 * them by chance, and its interval spans both.  A size with all passes in one mode looks
 * like a dropout with a narrow interval, but the intervals of its neighbours span its time.
 */
static bool is_explained(const struct np_point *points, size_t count,
			 const struct np_break *at)
{
	const bool dropout = at->kind == NP_BREAK_DROPOUT, slower = at->effect > 1.0;
	const double off = fabs(log(at->effect));
	/* A step lies between its points; a dropout consists of its points. */
	const size_t before = dropout ? at->first : at->first + 1;
	const size_t begin = before > NEAR ? before - NEAR : 0;
	const size_t end = dropout ? at->last + 1 : count;
	const double own = reach_of(points, dropout ? at->first : at->last, end, !slower);
	double around = reach_of(points, begin, before, slower);

	if (dropout)
		around = fmax(around, reach_of(points, at->last + 1, count, slower));
	return off <= own + around;
}

struct np_shape_options np_shape_defaults(void)
{
	return (struct np_shape_options){
		.q = 0.01, .q_reported = 0.05, .least_effect = 0.03, .bend = 0.6, .apart = 1
	};
}

const char *np_break_word(enum np_break_kind kind)
{
	static const char *const words[] = {
		[NP_BREAK_STEP] = "step",
		[NP_BREAK_BEND] = "bend",
		[NP_BREAK_DROPOUT] = "dropout",
	};

	return words[kind];
}

static struct np_break break_of(const struct np_search *search,
				const struct np_candidate *candidate, bool intervals)
{
	const double spread = NP_ERRORS_IN_95 * candidate->place.log_error;
	const double effect = candidate->place.effect;

	return (struct np_break){
		.kind = candidate->kind,
		.first = candidate->first,
		.last = candidate->last,
		.bytes_low = search->work.points[candidate->first].bytes,
		.bytes_high = search->work.points[candidate->last].bytes,
		.effect = effect,
		.low = intervals ? effect * exp(-spread) : (double)NAN,
		.high = intervals ? effect * exp(spread) : (double)NAN,
		.p = np_search_chance(search, candidate),
		.open = candidate->place.open,
	};
}

/* Marks the breaks that are significant at q, corrected for the number of all places
 * tested.  Returns 0 or -ENOMEM. */
static int judge(const struct np_search *search, struct np_break *breaks, size_t count)
{
	double *p = search->work.buffer;

	for (size_t i = 0; i < count; i++)
		p[i] = breaks[i].p;
	const int rc = np_adjust_p(p, count, search->places, NP_ADJUST_FDR, p);
	for (size_t i = 0; i < count && rc == 0; i++)
		breaks[i].sure = p[i] <= search->work.options->q;
	return rc;
}

/* Clears the significance of steps and dropouts that two host states may explain: the end
 * of their interval nearest to 1 is within the ratio `apart` of these. */
static void exclude_states(double apart, struct np_shape *shape)
{
	for (size_t i = 0; i < shape->break_count; i++) {
		struct np_break *at = &shape->breaks[i];
		const double nearest = isnan(at->low) ? at->effect :
				       at->effect > 1 ? at->low :
							at->high;

		const bool within =
			at->effect > 1 ? nearest <= apart : nearest * apart >= 1;

		at->of_states =
			at->sure && at->kind != NP_BREAK_BEND && apart > 1 && within;
		at->sure &= !at->of_states;
	}
}

/* A step or dropout is significant only if its interval excludes 1; of one that is not, the
 * interval at this place alone is not kept. */
static void join_tests(struct np_shape *shape)
{
	for (size_t i = 0; i < shape->break_count; i++) {
		struct np_break *at = &shape->breaks[i];

		if (at->low <= 1.0 && at->high >= 1.0)
			at->sure = false;
		if (!at->sure && !at->of_states)
			at->low = at->high = (double)NAN;
	}
}

static void cut_segments(size_t count, struct np_shape *shape)
{
	size_t begin = 0;

	for (size_t i = 0; i < shape->break_count; i++) {
		const struct np_break *cut = &shape->breaks[i];

		if (cut->kind == NP_BREAK_DROPOUT || !cut->sure)
			continue;
		shape->segments[shape->segment_count++] =
			(struct np_segment){ begin, cut->last - 1 };
		begin = cut->last;
	}
	shape->segments[shape->segment_count++] = (struct np_segment){ begin, count - 1 };
}

static double mean_error(const struct np_search *search)
{
	double sum = 0.0;

	for (size_t i = 0; i < search->work.count; i++)
		sum += log(search->work.error[i]);
	return exp(sum / (double)search->work.count);
}

static int allocate(struct np_search *search, const struct np_point *points, size_t count,
		    const struct np_shape_options *options, struct np_shape *shape)
{
	*search = (struct np_search){
		.work = { .points = points, .count = count, .options = options },
		.places = NP_SEARCH_PLACES * count
	};
	search->numbers = calloc(3 * count, sizeof(double));
	search->flags = calloc(2 * count, sizeof(bool));
	search->work.places = calloc(count, sizeof(size_t));
	search->work.sides = calloc(2 * (size_t)NP_SIDES_KEPT, sizeof(struct np_side));
	search->parts = calloc(count, sizeof(*search->parts));
	search->taken = calloc(count, sizeof(*search->taken));
	shape->breaks = calloc(count + NP_FEWEST_MOST, sizeof(*shape->breaks));
	shape->segments = calloc(count + NP_FEWEST_MOST + 1, sizeof(*shape->segments));
	if (search->numbers == NULL || search->flags == NULL ||
	    search->work.places == NULL || search->work.sides == NULL ||
	    search->parts == NULL || search->taken == NULL || shape->breaks == NULL ||
	    shape->segments == NULL)
		return -ENOMEM;
	search->work.octaves = search->numbers;
	search->work.error = search->numbers + count;
	search->work.buffer = search->numbers + 2 * count;
	search->work.dropped = search->flags;
	search->work.broken = search->flags + count;
	for (size_t i = 0; i < count; i++)
		search->work.octaves[i] = np_point_octave(&points[i]);
	return 0;
}

static void release(struct np_search *search)
{
	free(search->numbers);
	free(search->flags);
	free(search->work.places);
	free(search->work.sides);
	free(search->parts);
	free(search->taken);
}

static bool all_intervals(const struct np_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!np_point_has_interval(&points[i]))
			return false;
	}
	return true;
}

int np_shape_find(const struct np_point *points, size_t count,
		  const struct np_shape_options *options, struct np_shape *shape)
{
	struct np_shape made = { 0 };
	struct np_search search;

	if (!np_curve_valid(points, count, NULL) || !(options->q > 0.0) ||
	    !(options->q_reported >= options->q && options->q_reported < 1.0) ||
	    !(options->least_effect >= 0.0) || !(options->bend >= 0.0) ||
	    !(options->apart >= 1.0))
		return -EINVAL;
	if (count == 0) {
		*shape = made;
		return 0;
	}
	int rc = allocate(&search, points, count, options, &made);
	if (rc == 0 && count >= NP_SHAPE_POINTS) {
		rc = np_search_run(&search);
		made.break_count = search.taken_count;
		for (size_t i = 0; i < search.taken_count; i++)
			made.breaks[i] = break_of(&search, &search.taken[i],
						  all_intervals(points, count));
		if (rc == 0)
			rc = judge(&search, made.breaks, made.break_count);
		made.noise = mean_error(&search);
	}
	for (size_t i = 0; i < made.break_count && all_intervals(points, count); i++) {
		struct np_break *at = &made.breaks[i];

		at->sure &= at->kind == NP_BREAK_BEND || !is_explained(points, count, at);
	}
	if (rc == 0 && np_fewest_suits(points, count))
		rc = np_fewest_add(points, count, made.breaks, &made.break_count,
				   &made.noise);
	release(&search);
	if (rc == 0) {
		exclude_states(options->apart, &made);
		join_tests(&made);
		cut_segments(count, &made);
		*shape = made;
	} else {
		np_shape_free(&made);
	}
	return rc;
}

void np_shape_free(struct np_shape *shape)
{
	free(shape->breaks);
	free(shape->segments);
	*shape = (struct np_shape){ 0 };
}

bool np_shape_drops(const struct np_shape *shape, size_t point)
{
	for (size_t i = 0; i < shape->break_count; i++) {
		const struct np_break *drop = &shape->breaks[i];

		if (drop->kind == NP_BREAK_DROPOUT && drop->first <= point &&
		    point <= drop->last)
			return true;
	}
	return false;
}
