/*
 * refined.c - which gaps --refine searches, and which steps and dropouts its visits show.
 *
 * Median polish splits log times into effects of sizes (levels), effects of passes, and
 * residuals, which give the standard error of a level.  Least squares fits two models to
 * the sizes around a gap: a straight line of time over bytes with a step in the gap, and a
 * straight line with one size off.
 */
#include "questions/refined.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "stats/adjust.h"
#include "stats/contrast.h"
#include "stats/least.h"
#include "stats/stats.h"

/* ---- Gaps to search ------------------------------------------------------ */

/* Sizes fitted on either side of a gap; sweeps of the median polish: sizes, passes, sizes.
 */
enum { REACH = 4, SWEEPS = 3 };

/* Median polish of log seconds, or log ratios, by size and pass. */
struct levels {
	const size_t *sizes;
	size_t count, passes;
	double *values; /* [count * passes], NAN without a visit; then residuals */
	/* [count]: effect of each size, and its standard error; NAN and infinite without
	 * visits. */
	double *level, *error;
	double *scratch; /* [count * passes] */
};

/* Adds `times` (1, or -1 for a ratio) times the log time of each visit of a mode to its
 * cell. */
static void take_mode(struct np_visit *const *visits, size_t count, enum np_mode mode,
		      double times, struct levels *levels)
{
	for (size_t i = 0; i < count; i++) {
		const struct np_visit *visit = visits[i];
		size_t at = 0;

		if (visit->mode != mode)
			continue;
		while (at < levels->count && levels->sizes[at] != visit->length)
			at++;
		const double seconds = visit->median_s;
		if (at < levels->count && seconds > 0)
			levels->values[at * levels->passes + visit->pass] +=
				times * log(seconds);
	}
}

/* Sets the standard error of each level, from the residuals of the size and its neighbours.
 */
static void find_errors(struct levels *levels)
{
	const size_t passes = levels->passes;

	for (size_t i = 0; i < levels->count; i++) {
		const size_t first = i > REACH ? i - REACH : 0;
		const size_t end = i + REACH < levels->count ? i + REACH : levels->count;
		size_t own = 0;

		for (size_t k = i * passes; k < (i + 1) * passes; k++)
			own += isnan(levels->values[k]) ? 0 : 1;
		levels->error[i] = (double)INFINITY;
		if (own > 2)
			levels->error[i] = np_polish_error(
				levels->values + first * passes, (end - first) * passes,
				(double)own - 1, levels->scratch);
	}
}

/* Least squares of seconds = a + b bytes + offset of some points.  Each equation is divided
 * by the time of its point, so that errors are relative. */
struct fit {
	struct np_least least;
	double error;	  /* largest relative standard error of the points */
	size_t points[2]; /* number on the line; number with the offset */
};

enum { OFF = 2, UNKNOWNS };

static void add_point(struct fit *fit, const struct levels *levels, size_t at, bool off)
{
	const double seconds = exp(levels->level[at]);
	double row[UNKNOWNS + 1] = { 1 / seconds, (double)levels->sizes[at] / seconds,
				     off ? 1 : 0, 1 };

	if (isnan(levels->level[at]))
		return;
	np_least_add(&fit->least, row);
	fit->error = fmax(fit->error, levels->error[at]);
	fit->points[off]++;
}

/* Offset as a share of the time, and its standard error, infinite if there are too few
 * points. */
static struct np_suspicion solve(const struct fit *fit)
{
	struct np_suspicion off = { 0, (double)INFINITY };
	struct np_solution solution;

	if (fit->points[0] < 2 || fit->points[1] < 1 || fit->least.rows <= UNKNOWNS ||
	    !np_least_solve(&fit->least, UNKNOWNS, &solution))
		return off;
	off.step = np_solution_unknown(&solution, OFF, &off.error);
	off.error *= fit->error;
	return off;
}

static struct np_suspicion step_at(const struct levels *levels, size_t gap)
{
	const size_t first = gap + 1 > REACH ? gap + 1 - REACH : 0;
	struct fit fit = { .least = { .columns = UNKNOWNS } };

	for (size_t i = first; i < levels->count && i <= gap + REACH; i++)
		add_point(&fit, levels, i, i > gap);
	return solve(&fit);
}

static struct np_suspicion dropout_at(const struct levels *levels, size_t at)
{
	const size_t first = at > REACH / 2 ? at - REACH / 2 : 0;
	struct fit fit = { .least = { .columns = UNKNOWNS } };

	for (size_t i = first; i < levels->count && i <= at + REACH / 2; i++)
		add_point(&fit, levels, i, i == at);
	return solve(&fit);
}

/* Returns the estimate with the larger upper bound, 3 standard errors from its value. */
static struct np_suspicion worse(struct np_suspicion a, struct np_suspicion b)
{
	return fabs(a.step) + 3 * a.error >= fabs(b.step) + 3 * b.error ? a : b;
}

static void suspect(struct levels *levels, struct np_suspicion *suspicion)
{
	np_median_polish(levels->values, levels->count, levels->passes, SWEEPS,
			 levels->level, levels->scratch);
	find_errors(levels);
	for (size_t gap = 0; gap + 1 < levels->count; gap++) {
		suspicion[gap] =
			worse(dropout_at(levels, gap), dropout_at(levels, gap + 1));
		/* Ends of the curve lack one side: nothing is excluded there. */
		suspicion[gap] = worse(suspicion[gap], step_at(levels, gap));
	}
}

int np_refine_suspect(const struct np_results *results, const size_t *sizes, size_t count,
		      enum np_mode mode, const enum np_mode *base,
		      struct np_suspicion *suspicion)
{
	const struct np_selection curve = { .purposes = NP_FOR_CURVE };
	struct levels levels = { .sizes = sizes, .count = count };
	size_t visit_count;
	struct np_visit **visits = np_visits_select(results, &curve, &visit_count);
	int rc = -ENOMEM;

	for (size_t i = 0; i < visit_count; i++) {
		if (visits[i]->pass >= levels.passes)
			levels.passes = visits[i]->pass + (size_t)1;
	}
	const size_t cells = count * levels.passes;
	levels.values = calloc(2 * cells + 2 * count + 1, sizeof(*levels.values));
	if (visits != NULL && levels.values != NULL) {
		levels.scratch = levels.values + cells;
		levels.level = levels.scratch + cells;
		levels.error = levels.level + count;
		take_mode(visits, visit_count, mode, 1, &levels);
		/* A sum of exactly 0 marks a size without a visit. */
		for (size_t i = 0; i < cells; i++)
			levels.values[i] =
				fabs(levels.values[i]) > 0 ? levels.values[i] : (double)NAN;
		if (base != NULL)
			take_mode(visits, visit_count, *base, -1, &levels);
		suspect(&levels, suspicion);
		rc = 0;
	}
	free(levels.values);
	free(visits);
	return rc;
}

/* ---- Tests of the confirmations ------------------------------------------ */

enum { ROUNDS_MAX = 4 * NP_CONFIRM_ROUNDS };

/* Least effect reported, as a logarithm, however significant. */
static const double least_effect = 0.015;

/* Adjusted p up to which a step is reported as not significant. */
static const double reported = 0.05;

/* Bytes from which one byte costs less than least_effect. */
static const size_t byte_is_nothing = 256;

/* Longest dropout, as a ratio of sizes; longer stretches are two steps. */
static const double dropout_reach = 1.25;

/* Two sizes one byte apart, low and low + 1, and their rounds. */
struct edge {
	enum np_mode mode;
	bool other; /* host state of its rounds */
	size_t low; /* bytes */
	size_t rounds;
	double ratios[ROUNDS_MAX]; /* ratio of times, high over low, by round */
	double steps[ROUNDS_MAX];  /* ratios without the cost of a byte */
	double before[ROUNDS_MAX], after[ROUNDS_MAX]; /* logarithms: size before over low,
							 size after over high */
	size_t before_count, after_count;
	struct np_contrast contrast, step; /* signed-rank tests of ratios, of steps */
};

struct edges {
	struct edge *list;
	size_t count;
};

static struct edge *edge_of(struct edges *edges, const struct np_confirm_visit *visit)
{
	for (size_t i = 0; i < edges->count; i++) {
		struct edge *edge = &edges->list[i];

		if (edge->mode == visit->mode && edge->low == visit->length &&
		    edge->other == visit->other)
			return edge;
	}
	edges->list[edges->count] = (struct edge){ .mode = visit->mode,
						   .low = visit->length,
						   .other = visit->other };
	return &edges->list[edges->count++];
}

/* Log seconds of one size in a round: mean, NAN without visits, and minimum; times: number
 * of visits. */
struct level {
	double mean, least;
	size_t times;
};

static struct level level_of(const struct np_confirm_visit *visits, size_t count,
			     size_t length)
{
	struct level level = { .least = (double)INFINITY };
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (visits[i].length != length)
			continue;
		sum += log(visits[i].seconds);
		level.least = fmin(level.least, log(visits[i].seconds));
		level.times++;
	}
	level.mean = level.times != 0 ? sum / (double)level.times : (double)NAN;
	return level;
}

/* Step in one round: log(high / low) minus the cost of a byte, estimated from the
 * neighbours. From 256 B on a byte costs nothing, and the shorter of two visits of a size
 * is the undisturbed one. */
static double step_of(const struct level *low, const struct level *high, double before,
		      double after, size_t length)
{
	if (length >= byte_is_nothing)
		return high->least - low->least;
	const double byte = isnan(before) ? after :
			    isnan(after)  ? -before :
					    (after - before) / 2;
	return high->mean - low->mean - (isnan(byte) ? 0 : byte);
}

/* Adds a round if it is a confirmation: two sizes one byte apart, visited twice each. */
static void take_round(struct edges *edges, const struct np_confirm_visit *visits,
		       size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (visits[i].other != visits[0].other)
			return;
	}
	for (size_t i = 0; i < count; i++) {
		const size_t length = visits[i].length;
		const struct level low = level_of(visits, count, length),
				   high = level_of(visits, count, length + 1);

		if (low.times != 2 || high.times != 2)
			continue;
		struct edge *edge = edge_of(edges, &visits[i]);
		if (edge->rounds == ROUNDS_MAX)
			return;
		const double before = level_of(visits, count, length - 1).mean - low.mean;
		const double after = level_of(visits, count, length + 2).mean - high.mean;
		edge->steps[edge->rounds] =
			exp(step_of(&low, &high, before, after, length));
		edge->ratios[edge->rounds++] = exp(high.mean - low.mean);
		if (!isnan(before))
			edge->before[edge->before_count++] = before;
		if (!isnan(after))
			edge->after[edge->after_count++] = after;
		return;
	}
}

static int compare_edges(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->mode != b->mode)
		return a->mode < b->mode ? -1 : 1;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return (a->rounds < b->rounds) - (a->rounds > b->rounds);
}

/* Keeps one host state of each edge: the usual state, as in the table, if its rounds
 * suffice for significance, else the state with more rounds, which is sorted first.  n
 * rounds have a p of at least 2^(1 - n). */
static void drop_lesser_states(struct edges *edges)
{
	size_t kept = 0;

	for (size_t i = 0; i < edges->count; i++) {
		const struct edge *edge = &edges->list[i];
		const double least = ldexp(2, -(int)edge->rounds) * (double)edges->count;

		if (kept == 0 || edge->mode != edges->list[kept - 1].mode ||
		    edge->low != edges->list[kept - 1].low)
			edges->list[kept++] = *edge;
		else if (!edge->other && least <= NP_CONFIRMED_ALPHA)
			edges->list[kept - 1] = *edge;
	}
	edges->count = kept;
}

static int take_rounds(struct edges *edges, const struct np_confirm_visit *visits,
		       size_t count)
{
	edges->list = calloc(count / 4 + 1, sizeof(*edges->list));
	if (edges->list == NULL)
		return -ENOMEM;
	for (size_t begin = 0, end; begin < count; begin = end) {
		for (end = begin + 1; end < count &&
				      visits[end].round == visits[begin].round &&
				      visits[end].mode == visits[begin].mode;)
			end++;
		take_round(edges, visits + begin, end - begin);
	}
	if (edges->count != 0)
		qsort(edges->list, edges->count, sizeof(*edges->list), compare_edges);
	drop_lesser_states(edges);
	return 0;
}

/* Median log ratio of a neighbouring size to the adjacent size of the edge; 0 without
 * visits. */
static double beside(const double *levels, size_t count)
{
	return count != 0 ? np_median(levels, count) : 0;
}

/* Cost of a byte from the neighbours, as a logarithm: the lesser difference, since the
 * other may be part of a dropout; at most the cost if all of the time is proportional to
 * the length. */
static double cost_of_byte(size_t length, double before, double after)
{
	const double least = fabs(before) < fabs(after) ? -before : after;

	if (length >= byte_is_nothing)
		return 0;
	return fmin(fmax(least, 0), 1 / (double)(length != 0 ? length : 1));
}

/* Sets effect and kind of a tested edge: step, dropout of one size, or nothing. */
static void claim(const struct edge *edge, struct np_confirmed *found)
{
	const double before = beside(edge->before, edge->before_count),
		     after = beside(edge->after, edge->after_count);
	const double slope = cost_of_byte(edge->low, before, after);
	const double step = log(edge->contrast.ratio) - slope;
	const double scale = exp(-slope);

	found->effect = edge->contrast.ratio * scale;
	found->low_effect = edge->contrast.low * scale;
	found->high_effect = edge->contrast.high * scale;
	/* Most of the step is the correction by the neighbours: one of them is off. */
	if (fabs(step) < least_effect || fabs(step) < 0.6 * fabs(log(edge->step.ratio))) {
		found->kind = NP_CONFIRMED_NOTHING;
		found->sure = false;
	} else if (fabs(after - slope + step) < 0.5 * fabs(step)) {
		found->kind = NP_CONFIRMED_DROPOUT;
		found->low = found->high;
	} else if (fabs(before + slope - step) < 0.5 * fabs(step)) {
		found->kind = NP_CONFIRMED_DROPOUT;
		found->high = found->low;
		found->effect = 1 / found->effect;
		found->low_effect = 1 / (edge->contrast.high * scale);
		found->high_effect = 1 / (edge->contrast.low * scale);
	}
}

/* Tests one edge, corrected by Bonferroni for `tests` edges.  An edge whose curve returns
 * one byte further on is a dropout of one size. */
static struct np_confirmed judge(const struct edge *edge, size_t tests)
{
	/* Each interim analysis of a confirmation is one more test. */
	const size_t looks = edge->rounds > (size_t)2 * NP_CONFIRM_ROUNDS ? 3 :
			     edge->rounds > NP_CONFIRM_ROUNDS		  ? 2 :
									    1;
	struct np_confirmed found = { .kind = NP_CONFIRMED_STEP,
				      .mode = edge->mode,
				      .low = edge->low,
				      .high = edge->low + 1,
				      .p = edge->step.p,
				      .rounds = edge->rounds,
				      .other = edge->other };

	found.adjusted = np_adjust_ranked(found.p, 1, looks * tests, NP_ADJUST_BONFERRONI);
	found.sure = found.adjusted <= NP_CONFIRMED_ALPHA;
	if (found.adjusted <= reported)
		claim(edge, &found);
	else
		found.kind = NP_CONFIRMED_NOTHING;
	return found;
}

/* Returns true if two steps, as factors of the time, cancel to within a third of the
 * larger. */
static bool undoes(double first, double second)
{
	return fabs(log(first * second)) <= fmax(fabs(log(first)), fabs(log(second))) / 3;
}

/* Joins two edges to a dropout: opposite steps, or two halves of a dropout.  Returns true
 * if the second was joined to the first. */
static bool merge(struct np_confirmed *first, const struct np_confirmed *second)
{
	const bool same = first->mode == second->mode &&
			  first->kind != NP_CONFIRMED_NOTHING &&
			  second->kind != NP_CONFIRMED_NOTHING;

	if (!same)
		return false;
	if (first->kind == NP_CONFIRMED_DROPOUT && second->kind == NP_CONFIRMED_DROPOUT) {
		if (first->high != second->low)
			return false;
	} else if (first->kind == NP_CONFIRMED_STEP && second->kind == NP_CONFIRMED_STEP) {
		if ((double)second->low > dropout_reach * (double)first->high ||
		    !undoes(first->effect, second->effect))
			return false;
		first->low = first->high;
		first->high = second->low;
		first->kind = NP_CONFIRMED_DROPOUT;
	} else {
		return false;
	}
	if (second->p < first->p) {
		first->p = second->p;
		first->adjusted = second->adjusted;
	}
	first->sure |= second->sure;
	return true;
}

int np_steps_confirm(const struct np_confirm_visit *visits, size_t count,
		     struct np_confirmed **found, size_t *found_count)
{
	struct edges edges = { .list = NULL };
	int rc = take_rounds(&edges, visits, count);

	*found_count = 0;
	*found = calloc(edges.count + 1, sizeof(**found));
	if (*found == NULL)
		rc = -ENOMEM;
	for (size_t i = 0; rc == 0 && i < edges.count; i++) {
		struct edge *edge = &edges.list[i];

		rc = np_contrast_paired(edge->ratios, edge->rounds, &edge->contrast);
		if (rc == 0)
			rc = np_contrast_paired(edge->steps, edge->rounds, &edge->step);
		if (rc != 0)
			break;
		const struct np_confirmed next = judge(edge, edges.count);
		if (*found_count == 0 || !merge(&(*found)[*found_count - 1], &next))
			(*found)[(*found_count)++] = next;
	}
	/* An interval at 95 % that excludes 1 would contradict "not significant". */
	for (size_t i = 0; i < *found_count; i++) {
		if (!(*found)[i].sure)
			(*found)[i].low_effect = (*found)[i].high_effect = (double)NAN;
	}
	free(edges.list);
	return rc;
}

const char *np_confirmed_word(enum np_confirmed_kind kind)
{
	static const char *const words[] = { [NP_CONFIRMED_STEP] = "step",
					     [NP_CONFIRMED_DROPOUT] = "dropout",
					     [NP_CONFIRMED_NOTHING] = "nothing" };

	return words[kind];
}

/* ---- Result of the search ------------------------------------------------ */

void np_refining_free(struct np_refining *refining)
{
	free(refining->bends);
	*refining = (struct np_refining){ .bends = NULL };
}

int np_refine_derive(const struct np_results *results, struct np_confirmed **found,
		     size_t *count)
{
	const struct np_selection selection = { .purposes = NP_FOR_REFINE,
						.variant = NP_EVERY_VARIANT,
						.every_state = true,
						.timed = true };
	size_t visit_count, found_count = 0;
	struct np_visit **selected = np_visits_select(results, &selection, &visit_count);
	struct np_confirm_visit *visits = calloc(visit_count + 1, sizeof(*visits));
	int rc = selected == NULL || visits == NULL ? -ENOMEM : 0;

	*found = NULL;
	*count = 0;
	for (size_t i = 0; rc == 0 && i < visit_count; i++) {
		const struct np_visit *visit = selected[i];

		visits[i] = (struct np_confirm_visit){ .mode = visit->mode,
						       .round = visit->pass,
						       .length = visit->length,
						       .seconds = visit->median_s,
						       .other = visit->other_state };
	}
	if (rc == 0)
		rc = np_steps_confirm(visits, visit_count, found, &found_count);
	for (size_t i = 0; rc == 0 && i < found_count; i++) {
		if ((*found)[i].kind != NP_CONFIRMED_NOTHING)
			(*found)[(*count)++] = (*found)[i];
	}
	free(selected);
	free(visits);
	return rc;
}

bool np_refine_has(const struct np_confirmed *found, size_t count,
		   const struct np_break *at)
{
	for (size_t i = 0; i < count; i++) {
		if (found[i].high >= at->bytes_low && found[i].low <= at->bytes_high)
			return true;
	}
	return false;
}

void np_refine_deny(const struct np_confirmed *found, size_t count, size_t searched_to,
		    struct np_shape *shape)
{
	for (size_t i = 0; i < shape->break_count; i++) {
		struct np_break *at = &shape->breaks[i];
		const bool searched =
			at->kind != NP_BREAK_BEND && at->bytes_high <= searched_to;

		/* The search measures its sizes in turn, so that a change of host state is
		 * no step.  Steps excused by host states are therefore significant again
		 * before it judges them. */
		if (searched) {
			at->sure |= at->of_states;
			at->of_states = false;
		}
		at->denied = at->sure && searched && !np_refine_has(found, count, at);
		at->sure &= !at->denied;
	}
}
