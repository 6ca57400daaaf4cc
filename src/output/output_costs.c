/*
 * output_costs.c - costs of modes, on the terminal: verdicts, ranges, detection limit.
 */
#include <math.h>

#include "base/units.h"
#include "output/output.h"
#include "output/terminal.h"
#include "results/pairs.h"
#include "stats/mode_test.h"

/* Detection limits below 0.1 % are printed as 0.1 %. */
static const double resolution_min = 0.001;

/* Most printed ranges of sizes of a cost. */
enum { RANGES_PRINTED = 4 };

/* Formats the beginning of a line: "fresh/rotate, poll: "; empty for rotate/reuse, the
 * usual one, in a run without variants. */
static void cost_title(const struct np_results *results, const struct np_cost *cost,
		       char *text, size_t size)
{
	const char *variant = np_variant_name(results, cost->like.variant);
	char name[2 * NP_WORD];

	np_pair_name(results, &cost->like, name, sizeof(name));
	if (variant != NULL)
		snprintf(text, size, "%s, %s: ", name, variant);
	else if (cost->like.mode != NP_MODE_ROTATE)
		snprintf(text, size, "%s: ", name);
	else
		*text = '\0';
}

void np_text_sizes(size_t smallest, size_t largest, size_t sizes, char *text, size_t size)
{
	char low[32], high[32];

	np_text_bytes(smallest, low, sizeof(low));
	np_text_bytes(largest, high, sizeof(high));
	if (sizes == 1)
		snprintf(text, size, "%s", low);
	else
		snprintf(text, size, "%s to %s (%zu sizes)", low, high, sizes);
}

void np_text_range(const struct np_pair_range *range, char *text, size_t size)
{
	char sizes[96], effect[128];

	np_text_sizes(range->smallest, range->largest, range->sizes, sizes, sizeof(sizes));
	np_text_slower(range->ratio, range->low, range->high, effect, sizeof(effect));
	if (isnan(range->low))
		snprintf(text, size, "%s: too few to tell", sizes);
	else if (np_verdict_is_sure(range->verdict))
		snprintf(text, size, "%s: %s", sizes, effect);
	else
		snprintf(text, size, "%s: %s, %+.1f %% [%+.1f, %+.1f]", sizes,
			 np_verdict_word(range->verdict), 100 * (range->ratio - 1),
			 100 * (range->low - 1), 100 * (range->high - 1));
}

void np_text_verdict_counts(const size_t counts[NP_VERDICTS], size_t sizes, size_t too_few,
			    char *text, size_t size)
{
	if (too_few == sizes)
		snprintf(text, size, "too few passes or runs to judge any size");
	else if (counts[NP_SLOWER] + counts[NP_FASTER] == 0)
		snprintf(text, size,
			 "no size alone slower or faster: same at %zu of %zu, unclear at "
			 "%zu",
			 counts[NP_SAME], sizes, counts[NP_UNCLEAR]);
	else
		snprintf(text, size,
			 "slower at %zu of %zu size%s, faster at %zu, same at %zu, unclear "
			 "at %zu (FDR 1 %%)",
			 counts[NP_SLOWER], sizes, np_plural(sizes), counts[NP_FASTER],
			 counts[NP_SAME], counts[NP_UNCLEAR]);
}

/* Returns the number of sizes in ranges with this verdict. */
static size_t sizes_of(const struct np_cost *cost, enum np_verdict verdict)
{
	size_t sizes = 0;

	for (size_t i = 0; i < cost->range_count; i++)
		sizes += cost->ranges[i].verdict == verdict ? cost->ranges[i].sizes : 0;
	return sizes;
}

/* Prints the number of sizes at which a mode is slower or faster: in ranges, which the
 * lines below list, and by their own verdicts. */
static void say_verdicts(FILE *file, const struct np_results *results,
			 const struct np_cost *cost, const char *label)
{
	const size_t slower = sizes_of(cost, NP_SLOWER), faster = sizes_of(cost, NP_FASTER),
		     alone = cost->verdicts[NP_SLOWER] + cost->verdicts[NP_FASTER];
	char title[3 * NP_WORD], limit[96] = "", text[64] = "";

	cost_title(results, cost, title, sizeof(title));
	if (cost->too_few == cost->pairs) {
		np_text_verdict_counts(cost->verdicts, cost->pairs, cost->too_few, text,
				       sizeof(text));
		np_say(file, label, "%s%s", title, text);
		return;
	}
	if (slower + faster + alone != 0) {
		if (faster != 0)
			snprintf(text, sizeof(text), ", faster at %zu", faster);
		np_say(file, label, "%sslower at %zu of %zu size%s%s; %zu by %s (FDR 1 %%)",
		       title, slower, cost->pairs, np_plural(cost->pairs), text, alone,
		       alone == 1 ? "itself" : "themselves");
		return;
	}
	if (!isnan(cost->resolution)) {
		np_text_detection(fmax(cost->resolution, resolution_min), text,
				  sizeof(text));
		snprintf(limit, sizeof(limit), "; detection limit %s", text);
	}
	np_say(file, label,
	       "%sneither slower nor faster: same at %zu of %zu, unclear at %zu%s", title,
	       cost->verdicts[NP_SAME], cost->pairs, cost->verdicts[NP_UNCLEAR], limit);
}

/* Returns the pair with the largest effect in a span of ranges, among the sizes whose own
 * verdict is that of the span; NULL: none. */
static const struct np_pair *find_most(const struct np_table *table,
				       const struct np_pair_range *first,
				       const struct np_pair_range *last)
{
	const struct np_pair *most = NULL;

	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (pair->kind == first->kind && pair->length >= first->smallest &&
		    pair->length <= last->largest && pair->verdict == first->verdict &&
		    (most == NULL || fabs(log(pair->ratio)) > fabs(log(most->ratio))))
			most = pair;
	}
	return most;
}

/* Prints neighbouring ranges with one verdict as a span, from the smallest effect of a
 * range to the largest effect of a size: "1 KiB to 64 KiB (12 sizes): from 3.4 % up to
 * 2.69x slower [2.64, 2.74] at 4 KiB". */
static void say_span(FILE *file, const struct np_table *table,
		     const struct np_pair_range *first, const struct np_pair_range *last)
{
	const struct np_pair *most = find_most(table, first, last);
	const struct np_pair_range *least = first;
	char sizes[96], text[256], effect[128], at[96];
	size_t count = 0;

	for (const struct np_pair_range *range = first; range <= last; range++) {
		count += range->sizes;
		if (fabs(log(range->ratio)) < fabs(log(least->ratio)))
			least = range;
	}
	if (first == last || most == NULL) {
		np_text_range(first, text, sizeof(text));
		np_say(file, "", "%s", text);
		return;
	}
	np_text_sizes(first->smallest, last->largest, count, sizes, sizeof(sizes));
	np_text_bytes(most->length, at, sizeof(at));
	np_text_slower(most->ratio, most->low, most->high, effect, sizeof(effect));
	np_say(file, "", "%s: from %.1f %% up to %s at %s", sizes,
	       100 * fabs(least->ratio - 1), effect, at);
}

/* Prints the sizes at which a mode is slower or faster, ascending. */
static void say_ranges(FILE *file, const struct np_table *table, const struct np_cost *cost)
{
	size_t printed = 0;

	for (size_t i = 0, last; i < cost->range_count; i = last + 1) {
		last = i;
		while (last + 1 < cost->range_count &&
		       cost->ranges[last + 1].verdict == cost->ranges[i].verdict)
			last++;
		if ((cost->ranges[i].verdict == NP_SLOWER ||
		     cost->ranges[i].verdict == NP_FASTER) &&
		    printed++ < RANGES_PRINTED)
			say_span(file, table, &cost->ranges[i], &cost->ranges[last]);
	}
	if (printed > RANGES_PRINTED)
		np_say(file, "", "and %zu more range%s: NPreport FILE",
		       printed - RANGES_PRINTED, np_plural(printed - RANGES_PRINTED));
}

/* Prints the ratio of each run at the size where a mode costs most. */
static void say_runs(FILE *file, const struct np_results *results,
		     const struct np_cost *cost)
{
	char at[32], runs[512] = "";
	int used = 0;

	if (cost->slow_range_count == 0 || results->runs < 2)
		return;
	const struct np_pair *worst = cost->slow_ranges[0].worst;
	np_text_bytes(worst->length, at, sizeof(at));
	for (uint64_t i = 0; worst->unit_ratios != NULL && i < worst->units &&
			     used < (int)sizeof(runs) - 16;
	     i++)
		used += snprintf(runs + used, sizeof(runs) - (size_t)used, " %.3f",
				 worst->unit_ratios[i]);
	if (used != 0)
		np_say(file, "", "by run at %s:%s", at, runs);
}

static void say_resolution(FILE *file, const struct np_cost *cost)
{
	char half[32], all[32];

	if (isnan(cost->resolution))
		return;
	np_text_detection(fmax(cost->resolution, resolution_min), half, sizeof(half));
	np_text_detection(fmax(cost->resolution_most, resolution_min), all, sizeof(all));
	np_say(file, "", "detection limit at %s: %s (median), %s (worst)",
	       cost->verdicts[NP_SLOWER] + cost->verdicts[NP_FASTER] != 0 ?
		       "the other sizes" :
		       "these sizes",
	       half, all);
}

static void say_control(FILE *file, const struct np_cost *cost)
{
	char most[32] = "";

	if (isnan(cost->control_ratio))
		return;
	if (cost->unstable != 0)
		snprintf(most, sizeof(most), "%zu", cost->unstable);
	np_say(file, "control", "reuse against reuse %.3fx (%.3f to %.3f)%s%s%s",
	       cost->control_ratio, cost->control_least, cost->control_most,
	       cost->unstable != 0 ? "; differs from 1 at " : "", most,
	       cost->unstable == 0 ? "" :
	       cost->unstable == 1 ? " size: intervals are widened there" :
				     " sizes: intervals are widened there");
}

/* Prints the event counts that differ between both sides of a pair. */
static void say_changes(FILE *file, const struct np_pair *pair)
{
	char at[32], text[512];

	if (pair == NULL || pair->change_count == 0)
		return;
	np_text_bytes(pair->length, at, sizeof(at));
	np_text_changes(pair->changes, pair->change_count, text, sizeof(text));
	np_say(file, "", "counted at %s: %s", at, text);
}

void np_text_costs(FILE *file, const struct np_results *results,
		   const struct np_table *table, const struct np_findings *findings,
		   bool verbose)
{
	const char *label = "cold buffers";

	for (size_t i = 0; i < findings->cost_count; i++) {
		const struct np_cost *cost = &findings->costs[i];

		say_verdicts(file, results, cost, label);
		label = "";
		if (cost->too_few < cost->pairs)
			say_ranges(file, table, cost);
		if (!verbose)
			continue;
		say_runs(file, results, cost);
		for (size_t k = 0; k < cost->slow_range_count && k < RANGES_PRINTED; k++)
			say_changes(file, cost->slow_ranges[k].worst);
		say_changes(file, cost->fastest);
		say_resolution(file, cost);
	}
	for (size_t i = 0; i < findings->cost_count && verbose; i++) {
		if (findings->costs[i].like.mode == NP_MODE_ROTATE)
			say_control(file, &findings->costs[i]);
	}
}

/* Most printed event counts; the result file has all. */
enum { CHANGES_PRINTED = 5 };

/* Formats an event count per message in about three digits; a value above 0 never as 0. */
static void rate_text(double rate, char *text, size_t size)
{
	if (rate >= 100.0)
		snprintf(text, size, "%.0f", rate);
	else if (rate >= 0.1 || !(rate > 0.0))
		snprintf(text, size, "%.2f", rate);
	else
		np_text_number(rate, 2, text, size);
}

void np_text_changes(const struct np_change *changes, size_t count, char *text, size_t size)
{
	int used = 0;

	*text = '\0';
	for (size_t i = 0; i < count && i < CHANGES_PRINTED && used < (int)size; i++) {
		char base[64], over[64], name[NP_COUNTER_NAME];

		rate_text(changes[i].base, base, sizeof(base));
		rate_text(changes[i].over, over, sizeof(over));
		snprintf(name, sizeof(name), "%s", changes[i].name);
		for (char *at = name; *at != '\0'; at++)
			*at = (char)(*at == '_' ? ' ' : *at);
		used += snprintf(text + used, size - (size_t)used, "%s%s %s -> %s%s",
				 i != 0 ? ", " : "", name, base, over,
				 i == 0 ? " per message" : "");
	}
	if (count > CHANGES_PRINTED && used < (int)size)
		snprintf(text + used, size - (size_t)used, ", and %zu more count%s",
			 count - CHANGES_PRINTED, np_plural(count - CHANGES_PRINTED));
}
