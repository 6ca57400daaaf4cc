/* knees_place.c - which capacity a transition is of, and its interval. */
#include "questions/knees_place.h"

#include <math.h>
#include <stdbool.h>

#include "stats/least.h"

/* 95 % point of the likelihood ratio of a place: Hansen 2000, table 1. */
static const double rejected_above = 7.35;

/* Capacities tried from one position to the next. */
enum { PARTS = 6 };

/* Shares that differ by less in all are one level. */
static const double negligible = 1e-6;

/* Replacement policies: they determine the share of buffers that survive a rotation, and so
 * the place of a gradual transition.  Random replacement keeps some buffers at twice the
 * capacity; a set-associative cache evicts some below it. */
enum replacement { LRU, RANDOM, SET_ASSOCIATIVE, REPLACEMENTS };

/* Ways of a set, as first- and second-level caches and TLBs have them. */
enum { WAYS = 8 };

/* Random replacement, x times as many buffers as fit: the miss rate is m = 1 - exp(-m x).
 * Newton's method from above, where it is convex. */
static double share_of_random(double times)
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

/* Probability that WAYS or more others fall into the set of a buffer: a Poisson tail. */
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

/* Miss rate with so many times the buffers that fit. */
static double share_of(enum replacement policy, double times)
{
	switch (policy) {
	case LRU:
		return times > 1 ? 1 : 0;
	case RANDOM:
		return share_of_random(times);
	default:
		return share_of_sets(times);
	}
}

/* Squared error of figures that go from one level to another in proportion to the miss
 * rate. Levels are fitted; their known difference converts shares of time into logarithms.
 */
static double error_of(const struct np_row_of_figures *row, const double *where,
		       const struct np_transition *at, enum replacement policy,
		       double capacity)
{
	const double more = expm1(at->behind - at->before);
	struct np_least levels = { .columns = 2 };
	struct np_solution solution;

	for (size_t i = at->first; i <= at->end; i++) {
		const double share = share_of(policy, where[i] / capacity);
		double equation[] = { 1, log1p(more * share), row->figures[i] };

		np_least_add(&levels, equation);
	}
	/* A capacity beyond the last position leaves one level. */
	if (!(fabs(levels.r[1][1]) > negligible) || !np_least_solve(&levels, 2, &solution))
		np_least_solve(&levels, 1, &solution);
	return solution.squares;
}

/* Least error by policy, over capacities from one position to the next. */
struct trial {
	double errors[REPLACEMENTS];
};

static struct trial try_position(const struct np_row_of_figures *row, const double *where,
				 const struct np_transition *at, size_t position)
{
	const double step = where[position + 1] / where[position];
	struct trial trial = { { error_of(row, where, at, LRU, where[position]) } };

	for (enum replacement policy = RANDOM; policy < REPLACEMENTS; policy++) {
		trial.errors[policy] = (double)INFINITY;
		for (unsigned part = 0; part < PARTS; part++)
			trial.errors[policy] =
				fmin(trial.errors[policy],
				     error_of(row, where, at, policy,
					      where[position] *
						      pow(step, (double)part / PARTS)));
	}
	return trial;
}

static double least_of(const struct trial *trial)
{
	double least = trial->errors[0];

	for (enum replacement policy = RANDOM; policy < REPLACEMENTS; policy++)
		least = fmin(least, trial->errors[policy]);
	return least;
}

/* Median of the places, weighted by their likelihood under all policies.  In noise a
 * set-associative cache looks like a smaller one with random replacement: the best fit is
 * one of them by chance, and the median is near both. */
static size_t middle_of(const struct trial *trials, const struct np_transition *at,
			double least, double scale)
{
	double weights[NP_KNEE_POSITIONS_MAX] = { 0 }, all = 0, sum = 0;
	size_t place = at->first;

	for (size_t i = at->first; i < at->end; i++) {
		for (enum replacement policy = 0; policy < REPLACEMENTS; policy++)
			weights[i] += exp((least - trials[i].errors[policy]) / (2 * scale));
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
	/* Residuals exceed the noise if the machine has another policy.  Then scale up, so
	 * that no place of a gradual transition is rejected for that alone.  The foot is
	 * hidden in noise. */
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
