/* causes.c - splits the cost of rotation into the effects of factors. */
#include "questions/causes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "questions/causes_factors.h"
#include "questions/causes_units.h"
#include "stats/stats.h"
#include "stats/t_test.h"
#include "stats/tails.h"

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

/* Effect of a weighted sum of modes, over the time of reuse.  values: room for one per
 * unit. */
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
	/* Computed from ratios within units, as the parts are: units differ by more than
	 * modes. */
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
	struct np_causes_units units;
	double *values = NULL;
	int rc = np_causes_gather(results, variant, &units);

	if (rc == 0 && units.count == 0)
		rc = -ENOENT;
	if (rc == 0) {
		values = calloc(units.count, NP_CAUSES_VALUES * sizeof(*values));
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

/* Name in result files, and text for the reader. */
static const struct {
	const char *name, *text;
} words[] = {
	[NP_CAUSE_UNDECIDED] = { "undecided", "undecided: too few passes" },
	[NP_CAUSE_NOTHING] = { "nothing", "no significant cost of rotation" },
	[NP_CAUSE_CPU] = { "cpu", "the CPU: cache misses and page walks; touching the "
				  "buffers before removes it" },
	[NP_CAUSE_TRANSLATION] = { "translation", "address translation in the adapter or "
						  "the library" },
	[NP_CAUSE_BOTH] = { "both", "both: the CPU, and address translation in adapter or "
				    "library" },
	[NP_CAUSE_UNKNOWN] = { "unknown",
			       "significant cost, cause unresolved: use a longer "
			       "--time-budget" },
};

const char *np_cause_text(enum np_cause cause)
{
	return words[cause].text;
}

const char *np_cause_name(enum np_cause cause)
{
	return words[cause].name;
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
