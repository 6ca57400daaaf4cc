/*
 * output_costs.c - what rotation and its like cost, in words: where, how much, what
 * would have been found elsewhere, and what such a pair cannot tell.
 */
#include <math.h>

#include "output/output.h"
#include "results/pairs.h"
#include "stats/proof.h"

/* Nobody needs to know of less, and it would be found as well. */
static const double finest = 0.001;

/* Ranges of sizes that are printed. */
enum { DROPOUTS_PRINTED = 4 };

/* "rotation: ", or for other arms their names, and the variant, if there is one. */
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

void np_text_verdict_counts(FILE *file, const size_t counts[NP_VERDICTS], size_t sizes)
{
	fprintf(file, "slower at %zu of %zu sizes, faster at %zu, no difference at %zu",
		counts[NP_SLOWER], sizes, counts[NP_FASTER], counts[NP_NO_DIFFERENCE]);
	if (counts[NP_UNSTABLE] != 0)
		fprintf(file, ", unstable at %zu", counts[NP_UNSTABLE]);
	if (counts[NP_UNDECIDED] != 0)
		fprintf(file, ", undecided at %zu", counts[NP_UNDECIDED]);
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
	if (sizes[NP_UNDECIDED] == cost->pairs) {
		fprintf(file, "too few %s to tell whether it costs anything\n",
			results->runs > 1 ? "launches" : "passes");
		return;
	}
	np_text_verdict_counts(file, sizes, cost->pairs);
}

/* With several runs: what each of them found. */
static void print_runs(FILE *file, const struct np_results *results,
		       const struct np_pair *pair)
{
	if (results->runs < 2 || pair->unit_ratios == NULL)
		return;
	fputs("; by launch", file);
	for (uint64_t i = 0; i < pair->units; i++)
		fprintf(file, " %.3f", pair->unit_ratios[i]);
}

/* What was counted more often, or less, at one of its sizes. */
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

static void print_dropouts(FILE *file, const struct np_results *results,
			   const struct np_cost *cost)
{
	char smallest[32], largest[32], at[32];
	size_t others = cost->verdicts[NP_SLOWER];

	for (size_t i = 0; i < cost->slow_range_count && i < DROPOUTS_PRINTED; i++) {
		const struct np_slow_range *dropout = &cost->slow_ranges[i];

		np_text_bytes(dropout->smallest, smallest, sizeof(smallest));
		np_text_bytes(dropout->largest, largest, sizeof(largest));
		np_text_bytes(dropout->worst->length, at, sizeof(at));
		begin_line(file, results, cost);
		if (dropout->sizes == 1)
			fprintf(file, "slower at %s", at);
		else
			fprintf(file, "slower from %s to %s (%zu sizes), most at %s",
				smallest, largest, dropout->sizes, at);
		fprintf(file, ": %.3f times as long [%.3f, %.3f]", dropout->worst->ratio,
			dropout->worst->low, dropout->worst->high);
		print_runs(file, results, dropout->worst);
		fputc('\n', file);
		print_changes(file, results, cost, dropout->worst);
		others -= dropout->sizes;
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
		np_text_percent(fmax(cost->resolution, finest), half, sizeof(half));
		np_text_percent(fmax(cost->resolution_most, finest), all, sizeof(all));
		begin_line(file, results, cost);
		fprintf(file,
			"%san effect of %s would have been found at half of the sizes, one "
			"of %s at all\n",
			cost->verdicts[NP_SLOWER] != 0 ? "elsewhere, " : "", half, all);
	}
}

/* Of all modes with one variant it is the same. */
static void print_control(FILE *file, const struct np_results *results,
			  const struct np_cost *cost)
{
	if (!isnan(cost->control_ratio)) {
		begin_line(file, results, cost);
		fprintf(file,
			"reuse against itself took %.3f times as long (%.3f to %.3f)%s\n",
			cost->control_ratio, cost->control_least, cost->control_most,
			cost->verdicts[NP_UNSTABLE] != 0 ?
				"; where it differs from 1, nothing can be told" :
				"");
	}
}

void np_text_costs(FILE *file, const struct np_results *results,
		   const struct np_findings *findings)
{
	bool rotates = false, fresh = false;

	for (size_t i = 0; i < findings->cost_count; i++) {
		const struct np_cost *cost = &findings->costs[i];

		print_verdicts(file, results, cost);
		print_dropouts(file, results, cost);
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
