/*
 * causes.c - splits the cost of rotation into the effects of factors.
 *
 * Visits are sorted by unit, condition and mode, and reduced to units in one sweep.  Each
 * factor has a test; p is adjusted over all of them by Holm's method.
 */
#include "questions/causes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/adjust.h"
#include "stats/stats.h"
#include "stats/tails.h"

/* Seconds of a message by mode, in one unit; NAN if not measured. */
struct unit_times {
	size_t first; /* place in time of its first visit in the base */
	double seconds[NP_MODES];
	double varied[NP_FACTORS][2]; /* reuse and rotate, by condition */
};

struct units {
	struct unit_times *list;
	size_t count;
	size_t length; /* bytes of the messages */
};

static const enum np_mode factorial[] = { NP_MODE_REUSE, NP_MODE_ROTATE, NP_MODE_EVICTED,
					  NP_MODE_TOUCHED };

/* A selected visit with its sort keys. */
struct entry {
	const struct np_visit *visit;
	unsigned unit;
	size_t place; /* in order of time */
};

static bool same_figure(const struct entry *one, const struct entry *other)
{
	return one->unit == other->unit && one->visit->factor == other->visit->factor &&
	       one->visit->mode == other->visit->mode;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->unit != right->unit)
		return left->unit < right->unit ? -1 : 1;
	if (left->visit->factor != right->visit->factor)
		return left->visit->factor < right->visit->factor ? -1 : 1;
	if (left->visit->mode != right->visit->mode)
		return left->visit->mode < right->visit->mode ? -1 : 1;
	return (left->place > right->place) - (left->place < right->place);
}

static int compare_units(const void *a, const void *b)
{
	const struct unit_times *left = a, *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

static struct entry *collect(const struct np_results *results, size_t variant,
			     size_t *count, size_t *length)
{
	const struct np_selection selection = { .purposes = NP_FOR_CURVE | NP_FOR_CONDITION,
						.variant = variant };
	struct np_visit **visits = np_visits_select(results, &selection, count);
	struct entry *entries =
		visits != NULL ? malloc((*count + 1) * sizeof(*entries)) : NULL;

	for (size_t i = 0; i < *count && entries != NULL; i++) {
		const struct np_visit *visit = visits[i];

		entries[i] = (struct entry){ visit, np_unit_of(results, visit), i };
		if (visit->factor == NP_FACTOR_NONE)
			*length = visit->length;
	}
	free(visits);
	return entries;
}

/* Stores the median of a mode or of a condition. */
static void set_figure(struct unit_times *unit, const struct entry *first, double seconds)
{
	const enum np_factor factor = first->visit->factor;
	const enum np_mode mode = first->visit->mode;

	if (factor == NP_FACTOR_NONE) {
		unit->seconds[mode] = seconds;
		if (first->place < unit->first)
			unit->first = first->place;
	} else if (mode == NP_MODE_REUSE || mode == NP_MODE_ROTATE) {
		unit->varied[factor][mode == NP_MODE_ROTATE ? 1 : 0] = seconds;
	}
}

/* Reduces the sorted entries of one unit to a median for each mode and condition.  Returns
 * the number of these entries. */
static size_t take_unit(const struct entry *entries, size_t count, double *values,
			struct unit_times *unit)
{
	size_t end = 0;

	unit->first = SIZE_MAX;
	for (enum np_mode mode = 0; mode < NP_MODES; mode++)
		unit->seconds[mode] = (double)NAN;
	for (enum np_factor factor = 0; factor < NP_FACTORS; factor++)
		unit->varied[factor][0] = unit->varied[factor][1] = (double)NAN;
	while (end < count && entries[end].unit == entries[0].unit) {
		const struct entry *first = &entries[end];
		size_t found = 0;

		for (; end < count && same_figure(first, &entries[end]); end++)
			values[found++] = entries[end].visit->median_s;
		set_figure(unit, first, np_median(values, found));
	}
	return end;
}

static bool is_whole(const struct unit_times *unit)
{
	for (size_t i = 0; i < sizeof(factorial) / sizeof(*factorial); i++) {
		if (!(unit->seconds[factorial[i]] > 0))
			return false;
	}
	return true;
}

/* Gathers the units of one variant that have the four modes of the factorial design, in the
 * order of their visits.  The caller frees the list.  Returns 0 or -ENOMEM. */
static int gather_units(const struct np_results *results, size_t variant,
			struct units *units)
{
	size_t count;

	*units = (struct units){ .count = 0 };
	struct entry *entries = collect(results, variant, &count, &units->length);
	double *values = malloc((count + 1) * sizeof(*values));
	units->list = malloc((count + 1) * sizeof(*units->list));
	if (entries == NULL || values == NULL || units->list == NULL) {
		free(entries);
		free(values);
		return -ENOMEM;
	}
	qsort(entries, count, sizeof(*entries), compare_entries);
	for (size_t at = 0; at < count;) {
		struct unit_times *unit = &units->list[units->count];

		at += take_unit(&entries[at], count - at, values, unit);
		units->count += is_whole(unit) ? 1 : 0;
	}
	qsort(units->list, units->count, sizeof(*units->list), compare_units);
	free(entries);
	free(values);
	return 0;
}

/* Least share of the cost of rotation at which a part is named as a cause. */
#define LEAST_PART 0.1

/* Significance level of the verdict on the two parts, cpu and translation. */
#define CAUSE_LEVEL (NP_MODE_TEST_Q / 4)

/* Doubles per unit in the scratch memory of vary(). */
enum { VALUES = 3 };

/* Mean over units, with 95 % interval and p by Student's t; NAN with fewer than
 * NP_CAUSES_UNITS units. */
static struct np_effect mean_effect(const double *values, size_t count)
{
	struct np_effect effect = { .p = (double)NAN,
				    .low = (double)NAN,
				    .high = (double)NAN };
	const struct np_t_test test = np_t_test(values, count);

	effect.share = test.mean;
	if (isnan(test.mean) || count < NP_CAUSES_UNITS)
		return effect;
	const double reach = test.error * np_student_quantile(0.05, test.degrees);

	effect.low = test.mean - reach;
	effect.high = test.mean + reach;
	effect.p = test.p;
	return effect;
}

static bool has(const struct unit_times *unit, enum np_factor factor)
{
	const double *seconds = unit->varied[factor];

	return seconds[0] > 0 && seconds[1] > 0;
}

/* Cost of rotation (rotate minus reuse) in the condition of one factor, and its change from
 * the base; both as shares of the unit's time of reuse in the base. */
static struct np_varied vary(const struct unit_times *units, size_t count,
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
	varied.cost = mean_effect(costs, varied.units);
	varied.change = mean_effect(changes, varied.units);
	return varied;
}

/* Adjusts p by Holm's method over all compared factors, including those with too few units
 * for a p.  Returns 0 or -ENOMEM. */
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

static enum np_removal judge_factor(const struct np_causes *causes,
				    const struct np_varied *varied)
{
	const double whole = causes->whole.share, change = varied->change.share;
	const double least = LEAST_PART * whole;
	const bool costs = causes->whole.p <= CAUSE_LEVEL && whole > 0;

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

/* Derives the changes by each factor, from units that have all four modes, with
 * causes->whole set.  values has room for VALUES per unit.  Returns 0 or -ENOMEM.
 */
static int vary_factors(const struct unit_times *units, size_t count, double *values,
			struct np_causes *causes)
{
	for (enum np_factor factor = NP_FACTOR_NONE + 1; factor < NP_FACTORS; factor++) {
		causes->varied[factor] = vary(units, count, factor, values);
		causes->compared += causes->varied[factor].units != 0;
	}
	const int rc = correct(causes);
	for (enum np_factor factor = NP_FACTOR_NONE + 1; factor < NP_FACTORS; factor++)
		causes->varied[factor].verdict =
			judge_factor(causes, &causes->varied[factor]);
	return rc;
}

/* Effect of a contrast: weighted sum of the times of the modes, over the time of reuse in
 * the same unit.  values: room for one per unit. */
static struct np_effect effect_of(const struct unit_times *units, size_t count,
				  const double weights[NP_MODES], double *values)
{
	for (size_t i = 0; i < count; i++) {
		values[i] = 0;
		for (enum np_mode mode = 0; mode < NP_MODES; mode++) {
			if (fpclassify(weights[mode]) != FP_ZERO)
				values[i] += weights[mode] * units[i].seconds[mode];
		}
		values[i] /= units[i].seconds[NP_MODE_REUSE];
	}
	return mean_effect(values, count);
}

static void name_part(struct np_effect *part, const struct np_effect *whole)
{
	part->named =
		part->p <= CAUSE_LEVEL / 2 && part->share >= LEAST_PART * whole->share;
}

static enum np_cause judge(const struct np_causes *causes)
{
	if (causes->units < NP_CAUSES_UNITS)
		return NP_CAUSE_UNDECIDED;
	if (!(causes->whole.p <= CAUSE_LEVEL) || causes->whole.share <= 0)
		return NP_CAUSE_NOTHING;
	if (causes->cpu.named && causes->translation.named)
		return NP_CAUSE_BOTH;
	if (causes->cpu.named)
		return NP_CAUSE_CPU;
	return causes->translation.named ? NP_CAUSE_TRANSLATION : NP_CAUSE_UNKNOWN;
}

static double median_of(const struct unit_times *units, size_t count, enum np_mode mode,
			double *values)
{
	for (size_t i = 0; i < count; i++)
		values[i] = units[i].seconds[mode];
	return np_median(values, count);
}

/* Derives all effects, from units that have all four modes. */
static int take_apart(const struct unit_times *units, size_t count, double *values,
		      struct np_causes *causes)
{
	static const double whole[NP_MODES] = {
		[NP_MODE_ROTATE] = 1, [NP_MODE_REUSE] = -1
	};
	static const double cpu[NP_MODES] = {
		[NP_MODE_ROTATE] = 1, [NP_MODE_TOUCHED] = -1
	};
	static const double translation[NP_MODES] = {
		[NP_MODE_TOUCHED] = 1, [NP_MODE_REUSE] = -1
	};
	static const double lines[NP_MODES] = {
		[NP_MODE_EVICTED] = 1, [NP_MODE_REUSE] = -1
	};
	static const double rest[NP_MODES] = { [NP_MODE_ROTATE] = 1,
					       [NP_MODE_REUSE] = 1,
					       [NP_MODE_TOUCHED] = -1,
					       [NP_MODE_EVICTED] = -1 };
	static const double send[NP_MODES] = { [NP_MODE_SEND] = 1, [NP_MODE_REUSE] = -1 };
	static const double recv[NP_MODES] = { [NP_MODE_RECV] = 1, [NP_MODE_REUSE] = -1 };

	causes->units = count;
	causes->reuse_s = median_of(units, count, NP_MODE_REUSE, values);
	causes->whole = effect_of(units, count, whole, values);
	/* By the ratios within units, as for the parts: units differ by more than modes, so
	 * the median of rotate would not match. */
	causes->rotate_s = causes->reuse_s * (1 + causes->whole.share);
	causes->cpu = effect_of(units, count, cpu, values);
	causes->translation = effect_of(units, count, translation, values);
	causes->lines = effect_of(units, count, lines, values);
	causes->rest = effect_of(units, count, rest, values);
	causes->send = effect_of(units, count, send, values);
	causes->recv = effect_of(units, count, recv, values);
	name_part(&causes->cpu, &causes->whole);
	name_part(&causes->translation, &causes->whole);
	name_part(&causes->lines, &causes->whole);
	name_part(&causes->rest, &causes->whole);
	name_part(&causes->send, &causes->whole);
	name_part(&causes->recv, &causes->whole);
	causes->verdict = judge(causes);
	return vary_factors(units, count, values, causes);
}

int np_causes_derive(const struct np_results *results, size_t variant,
		     struct np_causes *causes)
{
	struct units units;
	double *values = NULL;
	int rc = gather_units(results, variant, &units);

	if (rc == 0 && units.count == 0)
		rc = -ENOENT;
	if (rc == 0) {
		values = calloc(units.count, VALUES * sizeof(*values));
		rc = values == NULL ? -ENOMEM : 0;
	}
	if (values != NULL) {
		*causes = (struct np_causes){ .length = units.length, .variant = variant };
		rc = take_apart(units.list, units.count, values, causes);
	}
	free(units.list);
	free(values);
	return rc;
}

const char *np_cause_text(enum np_cause cause)
{
	static const char *const texts[] = {
		[NP_CAUSE_UNDECIDED] = "undecided: too few passes",
		[NP_CAUSE_NOTHING] = "no significant cost of rotation",
		[NP_CAUSE_CPU] = "the CPU: cache misses and page walks; touching the "
				 "buffers before removes it",
		[NP_CAUSE_TRANSLATION] =
			"address translation in the adapter or the library",
		[NP_CAUSE_BOTH] = "both: the CPU, and address translation in adapter or "
				  "library",
		[NP_CAUSE_UNKNOWN] = "significant cost, cause unresolved: use a longer "
				     "--time-budget",
	};

	return texts[cause];
}

void np_causes_effects(const struct np_causes *causes,
		       struct np_named_effect list[NP_EFFECTS])
{
	const struct np_named_effect all[NP_EFFECTS] = {
		{ "whole", "cost of cold buffers", &causes->whole, false },
		{ "cpu", "CPU: caches, page walks", &causes->cpu, true },
		{ "lines", "  cache misses", &causes->lines, true },
		{ "rest", "  page walks (CPU TLB)", &causes->rest, true },
		{ "translation", "adapter or library", &causes->translation, true },
		{ "send", "send buffers alone", &causes->send, true },
		{ "recv", "receive buffers alone", &causes->recv, true },
	};

	memcpy(list, all, sizeof(all));
}
