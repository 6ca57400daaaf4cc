/*
 * segments.c - breaks of a curve: an exact partition into lines, tested from the least
 * significant cut on.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "curve/fewest.h"
#include "curve/segments.h"
#include "curve/shape_place.h"
#include "stats/adjust.h"
#include "stats/partition.h"
#include "stats/stats.h"
#include "stats/tails.h"

/* Tests per point in the correction of p: the gap before it, and runs that begin with it,
 * whose tests are highly correlated. */
enum { PLACES_OF_POINT = 4 };

/* A break under test. */
struct candidate {
	struct np_place place;
	enum np_break_kind kind;
	size_t first, last; /* as in np_break */
};

struct search {
	struct np_shape_work work;
	double *numbers; /* memory of the arrays of doubles and of bools */
	bool *flags;
	struct np_part *parts;	 /* scratch, count parts */
	struct candidate *taken; /* room for count candidates */
	size_t taken_count;
	size_t places; /* number of tests that p is corrected for */
};

/* Penalty of a part, in logarithms of the number of points: three coefficients and a place;
 * and of a point in a dropout: its time and its place (G. Schwarz, see segments.h). */
static const double part_penalty = NP_LINE_COLUMNS + 1;
static const double drop_penalty = 2;

enum {
	ROUNDS = 3, /* each round estimates the noise without the known breaks */
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

/* Begins a part with its last point.  Neither time nor bandwidth falls with size in a
 * smooth curve, so the cost of a byte is between 0 and time over size, and the largest bend
 * a share of that.  Both are equations of the part: without them, three points on either
 * side of a step would fit in one part. */
static void begin_part(struct misfit *misfit, const struct np_point *last)
{
	const double bytes = fmax(1.0, (double)last->bytes);
	const double most = last->seconds / bytes;
	double slope[] = { 0.0, 2.0 / most, 0.0, 1.0 };
	double bend[] = { 0.0, 0.0, 1.0 / (misfit->work->options->bend * most), 0.0 };

	misfit->line = (struct np_least){ .columns = NP_LINE_COLUMNS };
	misfit->middle = bytes;
	misfit->dropped = 0;
	np_least_add(&misfit->line, slope);
	if (misfit->work->options->bend > 0.0)
		np_least_add(&misfit->line, bend);
}

/* Cost of a part: sum of squared residuals of a line with a bend, and penalties.  A
 * point that adds more than the penalty of a dropout is in one (P. Fearnhead, G. Rigaill,
 * see fewest.h). */
static double cost_of(void *context, struct np_part part, double most)
{
	struct misfit *misfit = context;

	(void)most;
	if (part.end - part.first == 1)
		begin_part(misfit, &misfit->work->points[part.first]);
	const struct np_least before = misfit->line;

	np_line_add(misfit->work, part.first, misfit->middle, &misfit->line);
	misfit->drops = misfit->line.squares - before.squares > misfit->drop;
	if (misfit->drops) {
		misfit->line = before;
		misfit->dropped++;
	}
	/* A dropout lies within a part, or at the end of the sizes. */
	if (misfit->drops && part.first > 0)
		return (double)INFINITY;
	return misfit->penalty + misfit->drop * (double)misfit->dropped +
	       misfit->line.squares;
}

/* p-value of a candidate at its place alone; null hypothesis: smooth curve. */
static double chance_of(const struct search *search, const struct candidate *candidate)
{
	return np_student_p(candidate->place.z, search->work.degrees);
}

/* Marks a break in the curve, or removes the mark. */
static void mark(struct search *search, const struct candidate *candidate, bool there)
{
	if (candidate->kind != NP_BREAK_DROPOUT)
		search->work.broken[candidate->last] = there;
	for (size_t i = candidate->first;
	     candidate->kind == NP_BREAK_DROPOUT && i <= candidate->last; i++)
		search->work.dropped[i] = there;
	np_sides_forget(&search->work);
}

static void take(struct search *search, enum np_break_kind kind, size_t first, size_t last)
{
	struct candidate *taken = &search->taken[search->taken_count++];

	*taken = (struct candidate){ .kind = kind, .first = first, .last = last };
	mark(search, taken, true);
}

/* Takes the dropouts of a part. */
static void take_dropouts(struct search *search, struct misfit *misfit, struct np_part part)
{
	for (size_t i = part.end; i-- > part.first;) {
		cost_of(misfit, (struct np_part){ i, part.end }, (double)INFINITY);
		search->work.dropped[i] = misfit->drops;
	}
	for (size_t i = part.first; i < part.end; i++) {
		if (!search->work.dropped[i])
			continue;
		const size_t first = i;

		while (i + 1 < part.end && search->work.dropped[i + 1])
			i++;
		take(search, NP_BREAK_DROPOUT, first, i);
	}
}

/* Cuts the curve into parts.  Returns 0 or -ENOMEM. */
static int cut_up(struct search *search)
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
	/* The last points of a part always fit: test the last of the curve, too. */
	if (!search->work.dropped[count - 1] && !search->work.broken[count - 1])
		take(search, NP_BREAK_DROPOUT, count - 1, count - 1);
	return rc;
}

static void improve(const struct search *search, struct candidate *best,
		    const struct np_place *place, enum np_break_kind kind, size_t first,
		    size_t last)
{
	if (place->z > best->place.z &&
	    fabs(place->effect - 1.0) >= search->work.options->least_effect)
		*best = (struct candidate){ *place, kind, first, last };
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

static struct candidate test_run(const struct search *search, size_t first, size_t last)
{
	struct candidate best = { .first = first, .last = last };

	if (!short_run(&search->work, first, last))
		return best;
	const struct np_place run = np_place_dropout(&search->work, first, last);
	improve(search, &best, &run, NP_BREAK_DROPOUT, first, last);
	return best;
}

static struct candidate test_gap(const struct search *search, size_t after)
{
	const size_t before = point_before(&search->work, after);
	struct candidate best = { .first = before, .last = after };
	struct np_place step, bend;

	if (before == after)
		return best;
	np_place_gap(&search->work, after, &step, &bend);
	improve(search, &best, &step, NP_BREAK_STEP, before, after);
	improve(search, &best, &bend, NP_BREAK_BEND, before, after);
	return best;
}

/* Tests a break given all others. */
static void test_again(struct search *search, size_t index)
{
	struct candidate *taken = &search->taken[index];
	const struct candidate was = *taken;

	mark(search, &was, false);
	*taken = was.kind == NP_BREAK_DROPOUT ? test_run(search, was.first, was.last) :
						test_gap(search, was.last);
	if (taken->place.z <= 0.0)
		taken->kind = was.kind;
	mark(search, taken, true);
}

static void remove_taken(struct search *search, size_t index)
{
	for (size_t i = index; i + 1 < search->taken_count; i++)
		search->taken[i] = search->taken[i + 1];
	search->taken_count--;
}

/* Returns true if a candidate is significant with the rank-th smallest p of all tests, at a
 * false discovery rate of q_reported. */
static bool is_significant(const struct search *search, const struct candidate *candidate,
			   size_t rank)
{
	return candidate->place.z > 0.0 &&
	       np_adjust_ranked(chance_of(search, candidate), rank, search->places,
				NP_ADJUST_FDR) <= search->work.options->q_reported;
}

/* Returns true if the points between two neighbouring breaks, or before the first or after
 * the last one, are few enough for a dropout, and neither break is a dropout. */
static bool may_join(const struct search *search, const struct candidate *before,
		     const struct candidate *after, size_t first, size_t last)
{
	return (before != NULL || after != NULL) &&
	       (before == NULL || before->kind != NP_BREAK_DROPOUT) &&
	       (after == NULL || after->kind != NP_BREAK_DROPOUT) &&
	       short_run(&search->work, first, last);
}

static void mark_both(struct search *search, const struct candidate *before,
		      const struct candidate *after, bool there)
{
	if (before != NULL)
		mark(search, before, there);
	if (after != NULL)
		mark(search, after, there);
}

/* Deviation of a cut given all others; 0 if there is none. */
static double deviation_at(const struct search *search, const struct candidate *cut)
{
	return cut != NULL ? test_gap(search, cut->last).place.z : 0.0;
}

/* Replaces the cuts on either side of a short part by a dropout of its points, if that
 * is significant without them, and more so than either cut alone. */
static void join_cuts(struct search *search)
{
	for (size_t i = 0; i <= search->taken_count; i++) {
		struct candidate *before = i > 0 ? &search->taken[i - 1] : NULL;
		struct candidate *after =
			i < search->taken_count ? &search->taken[i] : NULL;
		const size_t first = before != NULL ? before->last : 0;
		const size_t end = after != NULL ? after->last : search->work.count;

		if (!may_join(search, before, after, first, end - 1))
			continue;
		mark_both(search, before, after, false);
		const struct candidate run = test_run(search, first, end - 1);
		if (!is_significant(search, &run, 1) ||
		    fmax(deviation_at(search, before), deviation_at(search, after)) >=
			    run.place.z) {
			mark_both(search, before, after, true);
			continue;
		}
		if (before != NULL)
			*before = run;
		else if (after != NULL)
			*after = run;
		mark(search, &run, true);
		if (before != NULL && after != NULL)
			remove_taken(search, i);
	}
}

/* Most significant dropout that ends before a point, or begins with it, and contains no
 * other break. */
static struct candidate run_beside(const struct search *search, size_t point)
{
	const struct np_shape_work *work = &search->work;
	struct candidate best = { .first = point, .last = point };

	for (size_t first = point; first-- > 0 && short_run(work, first, point - 1) &&
				   !work->dropped[first] &&
				   (first + 1 == point || !work->broken[first + 1]);) {
		const struct candidate run = test_run(search, first, point - 1);

		best = run.place.z > best.place.z ? run : best;
	}
	for (size_t last = point;
	     last < work->count && short_run(work, point, last) && !work->dropped[last] &&
	     (last == point || !work->broken[last]);
	     last++) {
		const struct candidate run = test_run(search, point, last);

		best = run.place.z > best.place.z ? run : best;
	}
	return best;
}

/* Returns true if lines on either side of a run do not differ significantly without it. */
static bool continues(struct search *search, const struct candidate *run)
{
	if (run->last + 1 == search->work.count)
		return true;
	mark(search, run, true);
	const struct candidate gap = test_gap(search, run->last + 1);
	mark(search, run, false);
	return !is_significant(search, &gap, 1);
}

/* Returns true if two neighbouring breaks are at most an octave apart. */
static bool are_near(const struct search *search, size_t before, size_t after)
{
	const double *octaves = search->work.octaves;

	return after < search->taken_count &&
	       octaves[search->taken[after].first] <=
		       1.0 + octaves[search->taken[before].last];
}

/* Replaces a cut near another break by a dropout with an edge there, if that is more
 * significant without the cut and the curve continues behind it: the partition may place
 * the other edge elsewhere. */
static void replace_cuts(struct search *search)
{
	for (size_t i = 0; i < search->taken_count; i++) {
		struct candidate *taken = &search->taken[i];
		const double deviation = deviation_at(search, taken);

		if (taken->kind == NP_BREAK_DROPOUT ||
		    !((i > 0 && are_near(search, i - 1, i)) || are_near(search, i, i + 1)))
			continue;
		mark(search, taken, false);
		const struct candidate run = run_beside(search, taken->last);
		if (is_significant(search, &run, 1) && run.place.z > deviation &&
		    continues(search, &run))
			*taken = run;
		mark(search, taken, true);
	}
}

/* Backward elimination: removes the least significant break, given all others, until all
 * are significant. */
static void eliminate(struct search *search)
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

/* Fills taken with the breaks, ascending.  Returns 0 or -ENOMEM. */
static int run_search(struct search *search)
{
	size_t before = SIZE_MAX;

	for (int round = 0; round < ROUNDS && search->taken_count != before; round++) {
		before = search->taken_count;
		np_shape_noise(&search->work);
		const int rc = cut_up(search);
		if (rc != 0)
			return rc;
		join_cuts(search);
		eliminate(search);
		join_cuts(search);
		replace_cuts(search);
		eliminate(search);
	}
	return 0;
}

/* Number of neighbours on either side of a break whose intervals are compared. */
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

static struct np_break break_of(const struct search *search,
				const struct candidate *candidate, bool intervals)
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
		.p = chance_of(search, candidate),
		.open = candidate->place.open,
	};
}

/* Marks the breaks that are significant at q, corrected for the number of all places
 * tested.  Returns 0 or -ENOMEM. */
static int judge(const struct search *search, struct np_break *breaks, size_t count)
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
 * of the interval nearest to 1 is within the ratio `apart` of both states. */
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

/* Clears the significance of steps and dropouts whose interval contains 1, and the
 * intervals of breaks that are not significant. */
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

static double mean_error(const struct search *search)
{
	double sum = 0.0;

	for (size_t i = 0; i < search->work.count; i++)
		sum += log(search->work.error[i]);
	return exp(sum / (double)search->work.count);
}

static int allocate(struct search *search, const struct np_point *points, size_t count,
		    const struct np_shape_options *options, struct np_shape *shape)
{
	*search = (struct search){
		.work = { .points = points, .count = count, .options = options },
		.places = PLACES_OF_POINT * count
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

static void release(struct search *search)
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

static bool is_valid(const struct np_point *point)
{
	if (!isfinite(point->seconds) || point->seconds <= 0.0)
		return false;
	if (isnan(point->low) && isnan(point->high))
		return true;
	return point->low > 0.0 && point->low <= point->seconds &&
	       point->seconds <= point->high && isfinite(point->high);
}

/* Returns true if sizes ascend strictly, times are above 0 and finite, and each interval is
 * absent or contains its time. */
static bool is_curve(const struct np_point *points, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_valid(&points[i]) ||
		    (i > 0 && points[i - 1].bytes >= points[i].bytes))
			return false;
	}
	return true;
}

int np_shape_find(const struct np_point *points, size_t count,
		  const struct np_shape_options *options, struct np_shape *shape)
{
	struct np_shape made = { 0 };
	struct search search;

	if (!is_curve(points, count) || !(options->q > 0.0) ||
	    !(options->q_reported >= options->q && options->q_reported < 1.0) ||
	    !(options->least_effect >= 0.0) || !(options->bend >= 0.0) ||
	    !(options->apart >= 1.0))
		return -EINVAL;
	if (count == 0) {
		*shape = made;
		return 0;
	}
	const bool intervals = all_intervals(points, count);
	int rc = allocate(&search, points, count, options, &made);
	if (rc == 0 && count >= NP_SHAPE_POINTS) {
		rc = run_search(&search);
		made.break_count = search.taken_count;
		for (size_t i = 0; i < search.taken_count; i++)
			made.breaks[i] = break_of(&search, &search.taken[i], intervals);
		if (rc == 0)
			rc = judge(&search, made.breaks, made.break_count);
		made.noise = mean_error(&search);
	}
	for (size_t i = 0; i < made.break_count && intervals; i++) {
		struct np_break *at = &made.breaks[i];

		at->sure &= at->kind == NP_BREAK_BEND || !is_explained(points, count, at);
	}
	if (rc == 0)
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
