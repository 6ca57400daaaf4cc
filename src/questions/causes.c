/*
 * causes.c - effects over units.
 */
#include "questions/causes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "questions/causes_factors.h"
#include "stats/stats.h"
#include "stats/t_test.h"
#include "stats/tails.h"

static const enum np_mode parts[] = { NP_MODE_REUSE,   NP_MODE_ROTATE, NP_MODE_EVICTED,
				      NP_MODE_TOUCHED, NP_MODE_SEND,   NP_MODE_RECV };
enum { PARTS = sizeof(parts) / sizeof(*parts), FACTORIAL = 4 };

/* Whether the visit is one of that variant and condition. */
static bool counts(const struct np_visit *visit, size_t variant, enum np_factor factor)
{
	return !visit->sentinel && !visit->superseded && !visit->refine &&
	       visit->axis == NP_AXIS_NONE && visit->variant == variant &&
	       visit->factor == factor;
}

static struct np_causes_unit *unit_of(struct np_causes_unit *units, size_t *count,
				      unsigned number)
{
	for (size_t i = 0; i < *count; i++) {
		if (units[i].number == number)
			return &units[i];
	}
	struct np_causes_unit *unit = &units[(*count)++];

	unit->number = number;
	for (enum np_mode mode = 0; mode < NP_MODES; mode++)
		unit->seconds[mode] = (double)NAN;
	return unit;
}

/* The median of the visits of a mode in a unit. */
static double mode_median(const struct np_results *results, size_t variant, unsigned number,
			  enum np_factor factor, enum np_mode mode, double *buffer)
{
	size_t count = 0;

	for (size_t i = 0; i < results->count; i++) {
		const struct np_visit *visit = results->visits[i];

		if (counts(visit, variant, factor) && visit->mode == mode &&
		    np_unit_of(results, visit) == number)
			buffer[count++] = visit->median_s;
	}
	return np_median(buffer, count);
}

static void gather_conditions(const struct np_results *results, size_t variant,
			      struct np_causes_unit *unit, double *buffer)
{
	static const enum np_mode modes[2] = { NP_MODE_REUSE, NP_MODE_ROTATE };

	for (enum np_factor factor = NP_FACTOR_NONE + 1; factor < NP_FACTORS; factor++) {
		for (size_t i = 0; i < 2; i++)
			unit->varied[factor][i] = mode_median(
				results, variant, unit->number, factor, modes[i], buffer);
	}
}

/* Gathers the units that have all four modes; the others are left out. */
static size_t gather(const struct np_results *results, size_t variant,
		     struct np_causes_unit *units, double *buffer, size_t *length)
{
	size_t count = 0, whole = 0;

	for (size_t i = 0; i < results->count; i++) {
		const struct np_visit *visit = results->visits[i];

		if (!counts(visit, variant, NP_FACTOR_NONE))
			continue;
		*length = visit->length;
		unit_of(units, &count, np_unit_of(results, visit));
	}
	for (size_t i = 0; i < count; i++) {
		bool all = true;

		for (size_t part = 0; part < PARTS; part++) {
			const double seconds =
				mode_median(results, variant, units[i].number,
					    NP_FACTOR_NONE, parts[part], buffer);

			units[i].seconds[parts[part]] = seconds;
			all = all && (part >= FACTORIAL || seconds > 0);
		}
		if (!all)
			continue;
		gather_conditions(results, variant, &units[i], buffer);
		units[whole++] = units[i];
	}
	return whole;
}

struct np_effect np_effect_of(const double *values, size_t count)
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

/* A sum of modes, each so many times, over the time of reuse: one value a unit. */
static struct np_effect effect_of(const struct np_causes_unit *units, size_t count,
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
	return np_effect_of(values, count);
}

static void name_part(struct np_effect *part, const struct np_effect *whole)
{
	part->named = part->p <= NP_CAUSES_SURE_AT / 2 &&
		      part->share >= NP_CAUSES_LEAST_PART * whole->share;
}

static enum np_cause judge(const struct np_causes *causes)
{
	if (causes->units < NP_CAUSES_UNITS)
		return NP_CAUSE_UNDECIDED;
	if (!(causes->whole.p <= NP_CAUSES_SURE_AT) || causes->whole.share <= 0)
		return NP_CAUSE_NOTHING;
	if (causes->cpu.named && causes->translation.named)
		return NP_CAUSE_BOTH;
	if (causes->cpu.named)
		return NP_CAUSE_CPU;
	return causes->translation.named ? NP_CAUSE_TRANSLATION : NP_CAUSE_UNKNOWN;
}

static double median_of(const struct np_causes_unit *units, size_t count, enum np_mode mode,
			double *values)
{
	for (size_t i = 0; i < count; i++)
		values[i] = units[i].seconds[mode];
	return np_median(values, count);
}

/* Derives all effects, from units that have all four modes. */
static int take_apart(const struct np_causes_unit *units, size_t count, double *values,
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
	/* From ratios within units, as its parts are: units differ by more than modes. */
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
	return np_causes_vary(units, count, values, causes);
}

int np_causes_derive(const struct np_results *results, size_t variant,
		     struct np_causes *causes)
{
	struct np_causes_unit *units = malloc((results->count + 1) * sizeof(*units));
	double *values = malloc((results->count + 1) * sizeof(*values));
	int rc = units == NULL || values == NULL ? -ENOMEM : 0;

	if (rc == 0) {
		size_t length = 0;
		const size_t count = gather(results, variant, units, values, &length);

		if (count == 0) {
			rc = -ENOENT;
		} else {
			*causes =
				(struct np_causes){ .length = length, .variant = variant };
			rc = take_apart(units, count, values, causes);
		}
	}
	free(units);
	free(values);
	return rc;
}

/* As in result files, and for the reader. */
static const struct {
	const char *name, *text;
} words[] = {
	[NP_CAUSE_UNDECIDED] = { "undecided", "undecided, there are too few passes" },
	[NP_CAUSE_NOTHING] = { "nothing",
			       "rotation costs nothing here that could be seen" },
	[NP_CAUSE_CPU] = { "cpu", "the CPU, its caches and page translation: touching the "
				  "buffers before removes it" },
	[NP_CAUSE_TRANSLATION] = { "translation", "translation: what goes by address, in "
						  "the library or the device" },
	[NP_CAUSE_BOTH] = { "both",
			    "both, the CPU and translation in the library or the device" },
	[NP_CAUSE_UNKNOWN] = { "unknown",
			       "rotation costs, but neither part of it is sure" },
};

const char *np_cause_text(enum np_cause cause)
{
	return words[cause].text;
}

const char *np_cause_name(enum np_cause cause)
{
	return words[cause].name;
}
