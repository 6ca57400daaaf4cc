/*
 * knees_place.c - which capacity a transition is of, and how sure that is.
 *
 * Buffers are used in turn.  Of more than fit, the share that is no longer there when
 * its turn comes again depends on what gives way to what, and so does the place of a
 * transition that is not at once: a cache of which any line gives way still keeps some
 * at twice its capacity, and one of sets loses some below it.
 */
#include "questions/knees_place.h"

#include <math.h>
#include <stdbool.h>

#include "stats/least.h"

/* The 95 % point of the likelihood ratio of a place: Hansen 2000, table 1. */
static const double rejected_above = 7.35;

/* Capacities that are tried from one position to the next. */
enum { PARTS = 6 };

/* A row of shares that differ by less in all is one level. */
static const double negligible = 1e-6;

enum manner { OLDEST, ANY, SETS, MANNERS };

/* Ways of a set, as first- and second-level caches and TLBs have them. */
enum { WAYS = 8 };

/* m = 1 - exp(-m x): of x times what fits, a share m misses, and each miss takes the
 * place of any other.  Newton's method from above, where it is convex. */
static double share_of_any(double times)
{
	double share = 1;

	if (times <= 1)
		return 0;
	for (unsigned i = 0; i < 12; i++) {
		const double stays = exp(-share * times);

		share -= (share - 1 + stays) / (1 - times * stays);
	}
	return share;
}

/* The chance that the set of a buffer has WAYS others or more: a Poisson tail. */
static double share_of_sets(double times)
{
	const double mean = times * WAYS;
	double term = exp(-mean), sum = 0;

	for (unsigned others = 0; others < WAYS; others++) {
		sum += term;
		term *= mean / (others + 1);
	}
	return 1 - sum;
}

/* The share that misses of times as many as fit. */
static double share_of(enum manner manner, double times)
{
	switch (manner) {
	case OLDEST:
		return times > 1 ? 1 : 0;
	case ANY:
		return share_of_any(times);
	default:
		return share_of_sets(times);
	}
}

/* The squared error of figures that go from one level to another as the share that
 * misses does.  Levels are fitted; what they differ by is known well enough to turn
 * shares of time into logarithms. */
static double error_of(const struct np_row_of_figures *row, const double *where,
		       const struct np_transition *at, enum manner manner, double capacity)
{
	const double more = expm1(at->behind - at->before);
	struct np_least levels = { .columns = 2 };
	struct np_solution solution;

	for (size_t i = at->first; i <= at->end; i++) {
		const double share = share_of(manner, where[i] / capacity);
		double equation[] = { 1, log1p(more * share), row->figures[i] };

		np_least_add(&levels, equation);
	}
	/* A capacity beyond the last position changes nothing. */
	if (!(fabs(levels.r[1][1]) > negligible) || !np_least_solve(&levels, 2, &solution))
		np_least_solve(&levels, 1, &solution);
	return solution.squares;
}

/* A capacity from one position to the next: the least error that each manner has, its
 * capacities being tried in parts. */
struct trial {
	double errors[MANNERS];
};

static struct trial try_position(const struct np_row_of_figures *row, const double *where,
				 const struct np_transition *at, size_t position)
{
	const double step = where[position + 1] / where[position];
	struct trial trial = { { error_of(row, where, at, OLDEST, where[position]) } };

	for (enum manner manner = ANY; manner < MANNERS; manner++) {
		trial.errors[manner] = (double)INFINITY;
		for (unsigned part = 0; part < PARTS; part++)
			trial.errors[manner] =
				fmin(trial.errors[manner],
				     error_of(row, where, at, manner,
					      where[position] *
						      pow(step, (double)part / PARTS)));
	}
	return trial;
}

static double least_of(const struct trial *trial)
{
	double least = trial->errors[0];

	for (enum manner manner = ANY; manner < MANNERS; manner++)
		least = fmin(least, trial->errors[manner]);
	return least;
}

/* The middle of the places, each as likely as all manners together make it.  In noise, a
 * cache of sets looks like a smaller one of which anything gives way: the place that fits
 * best is that of the one or the other by chance, and the middle is near both. */
static size_t middle_of(const struct trial *trials, const struct np_transition *at,
			double least, double scale)
{
	double weights[NP_KNEE_POSITIONS_MAX] = { 0 }, all = 0, sum = 0;
	size_t place = at->first;

	for (size_t i = at->first; i < at->end; i++) {
		for (size_t manner = 0; manner < MANNERS; manner++)
			weights[i] += exp((least - trials[i].errors[manner]) / (2 * scale));
		all += weights[i];
	}
	for (; place + 1 < at->end; place++) {
		sum += weights[place];
		if (sum >= all / 2)
			break;
	}
	return place;
}

void np_transition_place(const struct np_row_of_figures *row, const double *where,
			 struct np_transition *at)
{
	struct trial trials[NP_KNEE_POSITIONS_MAX];
	double errors[NP_KNEE_POSITIONS_MAX] = { 0 }, least = (double)INFINITY;

	for (size_t i = at->first; i < at->end; i++) {
		trials[i] = try_position(row, where, at, i);
		errors[i] = least_of(&trials[i]);
		least = fmin(least, errors[i]);
	}
	/* Where none of the manners is quite that of the machine, what it leaves over is
	 * more than noise.  No place of a gradual transition is rejected by that alone, and
	 * its foot is hidden in the noise. */
	const double freedom = fmax(1, (double)(at->end - at->first) - 2);
	const double scale = fmax(1, least / freedom);
	const double most = least + rejected_above * scale;

	at->place = middle_of(trials, at, least, scale);

	const bool gradual = at->next > at->last + 1;
	const size_t foot = gradual && at->last > at->first ? at->last - 1 : at->last;

	at->low = foot < at->place ? foot : at->place;
	at->high = at->next > at->place ? at->next : at->place + 1;
	for (size_t i = at->first; i < at->end; i++) {
		if (errors[i] > most)
			continue;
		at->low = i < at->low ? i : at->low;
		at->high = i + 1 > at->high ? i + 1 : at->high;
	}
}
