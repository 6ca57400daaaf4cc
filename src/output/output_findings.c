/*
 * output_findings.c - findings on the terminal: latency, peak, comparison, precision.
 */
#include <math.h>

#include "output/output.h"

static const char *variant_of(const struct np_results *results, const struct np_row *row)
{
	const char *name = np_variant_name(results, row->variant);

	return name != NULL ? name : "";
}

static const char *before_variant(const struct np_results *results,
				  const struct np_row *row)
{
	return np_variant_name(results, row->variant) != NULL ? ", " : "";
}

static void print_speed(FILE *file, const struct np_results *results,
			const struct np_findings *findings)
{
	const struct np_row *latency = findings->latency, *peak = findings->peak;
	char bytes[32];

	np_text_bytes(latency->length, bytes, sizeof(bytes));
	fprintf(file, "latency: %.3f us", latency->median_s * 1e6);
	if (!isnan(latency->ci_low_s))
		fprintf(file, " [%.3f, %.3f]", latency->ci_low_s * 1e6,
			latency->ci_high_s * 1e6);
	fprintf(file, " at %s (%s, %s%s%s)\n", bytes, results->operation_name,
		np_mode_name(latency->mode), before_variant(results, latency),
		variant_of(results, latency));
	if (peak == NULL)
		return;
	np_text_bytes(peak->length, bytes, sizeof(bytes));
	fprintf(file, "peak: %.4g Mbit/s, %.4g MB/s, at %s (%s%s%s)\n", peak->mbps,
		peak->mbps / 8, bytes, np_mode_name(peak->mode),
		before_variant(results, peak), variant_of(results, peak));
}

/* A line for each mode and each variant but the first. */
static void print_comparisons(FILE *file, const struct np_results *results,
			      const struct np_findings *findings)
{
	for (size_t i = 0; i < findings->comparison_count; i++) {
		const struct np_comparison *comparison = &findings->comparisons[i];
		const char *over = np_variant_name(results, comparison->like.variant),
			   *base = np_variant_name(results, comparison->like.base_variant);
		char smallest[32], largest[32];

		if (over == NULL || base == NULL)
			continue;
		np_text_bytes(comparison->smallest, smallest, sizeof(smallest));
		np_text_bytes(comparison->largest, largest, sizeof(largest));
		fprintf(file,
			"comparison: %s takes %.3f times as long as %s (%.3f to %.3f), "
			"over %zu "
			"sizes, from %s to %s, %s; by intervals slower at %zu, faster at "
			"%zu\n",
			over, comparison->ratio, base, comparison->least, comparison->most,
			comparison->pairs, smallest, largest,
			np_mode_name(comparison->like.mode), comparison->above,
			comparison->below);
	}
}

static void print_trust(FILE *file, const struct np_results *results,
			const struct np_findings *findings)
{
	char bytes[32];

	if (results->precision > 0)
		fprintf(file,
			"precision: %zu of %zu rows reached +-%.3g %% (interval of %d %%, "
			"unit: "
			"the %s)%s\n",
			findings->rows_precise, findings->rows, 100 * results->precision,
			NP_CONFIDENCE_PERCENT, results->runs > 1 ? "launch" : "pass",
			findings->rows_few_units != 0 ? "; an interval needs six of them" :
							"");
	if (results->runs == 1)
		fprintf(file,
			"precision: this is one launch; another may differ by more than "
			"these intervals: %s by how much\n",
			results->job ? "eight starts of the job, each with a --json file "
				       "of its own, show" :
				       "--launches 8 shows");
	if (findings->drift > 0) {
		np_text_bytes(findings->sentinel_length, bytes, sizeof(bytes));
		fprintf(file,
			"drift: %s took %.3f times as long at the end as at the start\n",
			bytes, findings->drift);
	}
	if (findings->core_latency_median_ns > 0)
		fprintf(file,
			"machine: a cache line goes from end to end in %.0f ns; %zu of %zu "
			"visits were in another state, %zu visits were replaced\n",
			findings->core_latency_median_ns, findings->visits_other_state,
			findings->visits, findings->visits_redone);
	if (findings->rows_faulted != 0)
		fprintf(file, "warning: pages were faulted in during %zu rows\n",
			findings->rows_faulted);
	if (findings->rows_unsteady != 0)
		fprintf(file,
			"warning: %zu rows had not settled: first and last third of their "
			"blocks differ\n",
			findings->rows_unsteady);
	if (findings->rows_other_state != 0)
		fprintf(file, "warning: %zu rows contain visits in another machine state\n",
			findings->rows_other_state);
}

void np_text_findings(FILE *file, const struct np_results *results,
		      const struct np_findings *findings)
{
	if (findings->latency == NULL) {
		fputs("nothing was measured\n", file);
		return;
	}
	fputc('\n', file);
	if (!findings->one_question) {
		print_speed(file, results, findings);
		np_text_costs(file, results, findings);
	}
	print_comparisons(file, results, findings);
	print_trust(file, results, findings);
}
