/*
 * refined.c - which gaps --refine searches, and which breaks its visits show.
 *
 * Median polish splits log times into effects of sizes (levels), effects of passes, and
 * residuals, which give the standard error of a level.  Least squares fits two models to
 * the sizes around a gap: a straight line of time over bytes with a step in the gap, and a
 * straight line with one size off.
 */
#include "questions/refined.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/least.h"
#include "stats/stats.h"

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
		/* At the ends of the curve one side is missing: nothing is excluded there.
		 */
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
