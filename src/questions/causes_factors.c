/*
 * causes_factors.c - which factor changes the cost of rotation.
 *
 * Each factor has a test; p is corrected over all of them by Holm's method.
 */
#include "questions/causes_factors.h"

#include <math.h>

#include "stats/adjust.h"
#include "stats/stats.h"

static bool has(const struct np_causes_unit *unit, enum np_factor factor)
{
	const double *seconds = unit->varied[factor];

	return seconds[0] > 0 && seconds[1] > 0;
}

/* Effect of a factor.  Costs are shares of the unit's time with few warm buffers in the
 * base. */
static struct np_varied vary(const struct np_causes_unit *units, size_t count,
			     enum np_factor factor, double *values)
{
	struct np_varied varied = { .units = 0 };
	double *costs = values, *changes = values + count, *reuse = values + 2 * count;

	for (size_t i = 0; i < count; i++) {
		const double *there = units[i].varied[factor], *here = units[i].seconds;
		const double base = here[NP_MODE_REUSE];

		if (!has(&units[i], factor))
			continue;
		reuse[varied.units] = there[0];
		costs[varied.units] = (there[1] - there[0]) / base;
		changes[varied.units] =
			costs[varied.units] - (here[NP_MODE_ROTATE] - base) / base;
		varied.units++;
	}
	if (varied.units == 0)
		return varied;
	varied.reuse_s = np_median(reuse, varied.units);
	varied.cost = np_effect_of(costs, varied.units);
	varied.change = np_effect_of(changes, varied.units);
	return varied;
}

/* Adjusts p over all comparisons, including those without a p.  Returns 0 or -ENOMEM. */
static int correct(struct np_causes *causes)
{
	double p[NP_FACTORS];

	for (enum np_factor at = 0; at < NP_FACTORS; at++)
		p[at] = causes->varied[at].units != 0 ? causes->varied[at].change.p :
							(double)NAN;
	const int rc = np_adjust_p(p, NP_FACTORS, causes->compared, NP_ADJUST_HOLM, p);

	for (enum np_factor at = 0; at < NP_FACTORS && rc == 0; at++)
		causes->varied[at].adjusted_p = p[at];
	return rc;
}

static enum np_removal judge(const struct np_causes *causes, const struct np_varied *varied)
{
	const double whole = causes->whole.share, change = varied->change.share;
	const double least = NP_CAUSES_LEAST_PART * whole;
	const bool costs = causes->whole.p <= NP_CAUSES_SURE_AT && whole > 0;

	if (varied->units == 0)
		return NP_REMOVAL_NOT_COMPARED;
	if (isnan(varied->adjusted_p))
		return NP_REMOVAL_UNDECIDED;
	if (varied->adjusted_p > NP_CAUSES_FACTORS_SURE_AT ||
	    (costs && fabs(change) < least) || (!costs && change < 0))
		return NP_REMOVAL_NONE;
	if (change > 0)
		return NP_REMOVAL_ADDS;
	return varied->cost.share < least ? NP_REMOVAL_REMOVES : NP_REMOVAL_REDUCES;
}

int np_causes_vary(const struct np_causes_unit *units, size_t count, double *values,
		   struct np_causes *causes)
{
	for (enum np_factor factor = NP_FACTOR_NONE + 1; factor < NP_FACTORS; factor++) {
		causes->varied[factor] = vary(units, count, factor, values);
		causes->compared += causes->varied[factor].units != 0;
	}
	const int rc = correct(causes);
	for (enum np_factor factor = NP_FACTOR_NONE + 1; factor < NP_FACTORS; factor++)
		causes->varied[factor].verdict = judge(causes, &causes->varied[factor]);
	return rc;
}

const char *np_removal_name(enum np_removal removal)
{
	static const char *const names[] = {
		[NP_REMOVAL_NOT_COMPARED] = "not_compared",
		[NP_REMOVAL_UNDECIDED] = "undecided",
		[NP_REMOVAL_NONE] = "no_effect",
		[NP_REMOVAL_REMOVES] = "removes",
		[NP_REMOVAL_REDUCES] = "reduces",
		[NP_REMOVAL_ADDS] = "adds",
	};

	return names[removal];
}
