/*
 * output_costs.c - costs of modes, on the terminal: verdicts, ranges, detection limit.
 */
#include <math.h>

#include "output/output.h"
#include "results/pairs.h"
#include "stats/proof.h"

/* Detection limits below 0.1 % are printed as 0.1 %. */
static const double resolution_min = 0.001;

/* Limit of the ranges printed. */
enum { RANGES_PRINTED = 4 };

/* Begins a line: "rotation: " or the names of the modes, and the variant. */
static void begin_line(FILE *file, const struct np_results *results,
		       const struct np_cost *cost)
{
	const char *variant = np_variant_name(results, cost->like.variant);
	char name[2 * NP_WORD];

	np_pair_name(results, &cost->like, name, sizeof(name));
	if (cost->like.mode == NP_MODE_ROTATE)
		fputs("rotation", file);
	else
		fputs(name, file);
	fprintf(file, "%s%s: ", variant != NULL ? ", " : "",
		variant != NULL ? variant : "");
}

void np_text_range(FILE *file, const struct np_pair_range *range)
{
	const double more = 100 * (range->ratio - 1), low = 100 * (range->low - 1),
		     high = 100 * (range->high - 1);
	char smallest[32], largest[32];

	np_text_bytes(range->smallest, smallest, sizeof(smallest));
	np_text_bytes(range->largest, largest, sizeof(largest));
	if (range->sizes == 1)
		fprintf(file, "%s: ", smallest);
	else
		fprintf(file, "%s to %s (%zu sizes): ", smallest, largest, range->sizes);
	if (isnan(range->low))
		fputs("too few to tell", file);
	else if (range->verdict == NP_SLOWER)
		fprintf(file, "%.1f %% slower [%.1f, %.1f]", more, low, high);
	else if (range->verdict == NP_FASTER)
		fprintf(file, "%.1f %% faster [%.1f, %.1f]", -more, -high, -low);
	else
		fprintf(file, "%s, %+.1f %% [%+.1f, %+.1f]",
			np_verdict_word(range->verdict), more, low, high);
}

void np_text_verdict_counts(FILE *file, const size_t counts[NP_VERDICTS], size_t sizes)
{
	fprintf(file,
		"slower at %zu of %zu sizes, faster at %zu, same at %zu, unclear at %zu",
		counts[NP_SLOWER], sizes, counts[NP_FASTER], counts[NP_SAME],
		counts[NP_UNCLEAR]);
	if (counts[NP_SLOWER] + counts[NP_FASTER] != 0)
		fprintf(file, "; on average at most %.0f %% of the first two are wrong",
			100 * NP_PROOF_Q);
	fputc('\n', file);
}

static void print_verdicts(FILE *file, const struct np_results *results,
			   const struct np_cost *cost)
{
	const size_t *sizes = cost->verdicts;

	begin_line(file, results, cost);
	if (cost->too_few == cost->pairs) {
		fprintf(file, "too few %s to tell whether it costs anything\n",
			results->runs > 1 ? "launches" : "passes");
		return;
	}
	np_text_verdict_counts(file, sizes, cost->pairs);
}

/* A single range of all sizes is said, too: what holds for all of them. */
static void print_ranges(FILE *file, const struct np_results *results,
			 const struct np_cost *cost)
{
	for (size_t i = 0; i < cost->range_count; i++) {
		begin_line(file, results, cost);
		np_text_range(file, &cost->ranges[i]);
		fputc('\n', file);
	}
}

/* With several runs, the ratio of each. */
static void print_runs(FILE *file, const struct np_results *results,
		       const struct np_pair *pair)
{
	if (results->runs < 2 || pair->unit_ratios == NULL)
		return;
	fputs("; by launch", file);
	for (uint64_t i = 0; i < pair->units; i++)
		fprintf(file, " %.3f", pair->unit_ratios[i]);
}

/* Counts that differ at one of its sizes. */
static void print_changes(FILE *file, const struct np_results *results,
			  const struct np_cost *cost, const struct np_pair *pair)
{
	char at[32];

	if (pair == NULL || pair->change_count == 0)
		return;
	np_text_bytes(pair->length, at, sizeof(at));
	begin_line(file, results, cost);
	fprintf(file, "counted at %s: ", at);
	np_text_changes(file, pair->changes, pair->change_count);
	fputc('\n', file);
}

static void print_slow_ranges(FILE *file, const struct np_results *results,
			      const struct np_cost *cost)
{
	char smallest[32], largest[32], at[32];
	size_t others = cost->verdicts[NP_SLOWER];

	for (size_t i = 0; i < cost->slow_range_count && i < RANGES_PRINTED; i++) {
		const struct np_slow_range *range = &cost->slow_ranges[i];

		np_text_bytes(range->smallest, smallest, sizeof(smallest));
		np_text_bytes(range->largest, largest, sizeof(largest));
		np_text_bytes(range->worst->length, at, sizeof(at));
		begin_line(file, results, cost);
		if (range->sizes == 1)
			fprintf(file, "slower at %s", at);
		else
			fprintf(file, "slower from %s to %s (%zu sizes), most at %s",
				smallest, largest, range->sizes, at);
		fprintf(file, ": %.3f times as long [%.3f, %.3f]", range->worst->ratio,
			range->worst->low, range->worst->high);
		print_runs(file, results, range->worst);
		fputc('\n', file);
		print_changes(file, results, cost, range->worst);
		others -= range->sizes;
	}
	if (others != 0) {
		begin_line(file, results, cost);
		fprintf(file, "slower at %zu sizes more: the table has them\n", others);
	}
}

static void print_resolution(FILE *file, const struct np_results *results,
			     const struct np_cost *cost)
{
	char half[32], all[32];

	if (!isnan(cost->resolution)) {
		np_text_percent(fmax(cost->resolution, resolution_min), half, sizeof(half));
		np_text_percent(fmax(cost->resolution_most, resolution_min), all,
				sizeof(all));
		begin_line(file, results, cost);
		fprintf(file,
			"%san effect of %s would have been found at half of the sizes, one "
			"of %s at all\n",
			cost->verdicts[NP_SLOWER] != 0 ? "elsewhere, " : "", half, all);
	}
}

/* Printed once: the control is the same for all modes of a variant. */
static void print_control(FILE *file, const struct np_results *results,
			  const struct np_cost *cost)
{
	if (!isnan(cost->control_ratio)) {
		begin_line(file, results, cost);
		fprintf(file, "reuse against itself took %.3f times as long (%.3f to %.3f)",
			cost->control_ratio, cost->control_least, cost->control_most);
		if (cost->unstable != 0)
			fprintf(file,
				"; where it differs from 1, at %zu sizes, intervals are "
				"wider by as much",
				cost->unstable);
		fputc('\n', file);
	}
}

void np_text_costs(FILE *file, const struct np_results *results,
		   const struct np_findings *findings)
{
	bool rotates = false, fresh = false;

	for (size_t i = 0; i < findings->cost_count; i++) {
		const struct np_cost *cost = &findings->costs[i];

		print_verdicts(file, results, cost);
		print_ranges(file, results, cost);
		print_slow_ranges(file, results, cost);
		print_changes(file, results, cost, cost->fastest);
		print_resolution(file, results, cost);
		if (cost->like.mode == NP_MODE_ROTATE)
			print_control(file, results, cost);
		rotates |= cost->like.mode == NP_MODE_ROTATE;
		fresh |= cost->like.mode == NP_MODE_FRESH;
	}
	if (rotates && !fresh)
		fputs("rotation: this is the steady cost of caches and of address "
		      "translation; what remembers,\n"
		      "  registration caches and eager buffers, shows with --fresh and "
		      "--arms-apart\n",
		      file);
}
