/*
 * output_json_findings.c - the findings of a run as a result line.
 */
#include "output/output_json_findings.h"

#include <math.h>

#include "output/json_line.h"
#include "output/output_connection.h"
#include "results/pairs.h"

/* Lists comparisons of each variant with the first. */
static json_t *comparisons_array(const struct np_results *results,
				 const struct np_findings *findings)
{
	json_t *array = json_array();

	for (size_t i = 0; i < findings->comparison_count; i++) {
		const struct np_comparison *comparison = &findings->comparisons[i];
		char name[2 * NP_WORD];

		np_pair_name(results, &comparison->like, name, sizeof(name));
		json_array_append_new(
			array,
			json_pack("{s:s, s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I}",
				  "of", name, "mode", np_mode_name(comparison->like.mode),
				  "ratio", np_json_number(comparison->ratio), "ratio_least",
				  np_json_number(comparison->least), "ratio_most",
				  np_json_number(comparison->most), "pairs",
				  (json_int_t)comparison->pairs, "pairs_above_1",
				  (json_int_t)comparison->above, "pairs_below_1",
				  (json_int_t)comparison->below, "smallest_bytes",
				  (json_int_t)comparison->smallest, "largest_bytes",
				  (json_int_t)comparison->largest));
	}
	return array;
}

/* Lists ranges of sizes where a mode is slower than its base. */
static json_t *slow_ranges_array(const struct np_cost *cost)
{
	json_t *array = json_array();

	for (size_t i = 0; i < cost->slow_range_count; i++) {
		const struct np_slow_range *range = &cost->slow_ranges[i];

		json_array_append_new(
			array, json_pack("{s:I, s:I, s:I, s:I, s:o}", "smallest_bytes",
					 (json_int_t)range->smallest, "largest_bytes",
					 (json_int_t)range->largest, "sizes",
					 (json_int_t)range->sizes, "worst_bytes",
					 (json_int_t)range->worst->length, "worst_ratio",
					 np_json_number(range->worst->ratio)));
	}
	return array;
}

static json_t *costs_array(const struct np_results *results,
			   const struct np_findings *findings)
{
	json_t *array = json_array();

	for (size_t i = 0; i < findings->cost_count; i++) {
		const struct np_cost *cost = &findings->costs[i];
		const size_t *sizes = cost->verdicts;
		char name[2 * NP_WORD];

		np_pair_name(results, &cost->like, name, sizeof(name));
		json_array_append_new(
			array,
			json_pack("{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, "
				  "s:o}",
				  "of", name, "variant",
				  np_json_variant(results, cost->like.variant), "pairs",
				  (json_int_t)cost->pairs, "slower",
				  (json_int_t)sizes[NP_SLOWER], "faster",
				  (json_int_t)sizes[NP_FASTER], "same",
				  (json_int_t)sizes[NP_SAME], "unclear",
				  (json_int_t)sizes[NP_UNCLEAR], "unstable",
				  (json_int_t)cost->unstable, "resolution",
				  np_json_number(cost->resolution), "resolution_most",
				  np_json_number(cost->resolution_most), "ranges",
				  np_json_ranges(cost->ranges, cost->range_count),
				  "slow_ranges", slow_ranges_array(cost)));
	}
	return array;
}

json_t *np_json_findings(const struct np_results *results, const struct np_findings *found,
			 const struct np_error *reason)
{
	const struct np_host_states *states = &found->states;
	const struct np_row *latency = found->latency, *peak = found->peak;

	return json_pack(
		"{s:s, s:b, s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
		"s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o}",
		"kind", "findings", "complete", reason == NULL, "reason",
		reason != NULL ? reason->text : "", "latency_s",
		np_json_number(latency != NULL ? latency->median_s : (double)NAN),
		"peak_mbps", np_json_number(peak != NULL ? peak->mbps : (double)NAN),
		"peak_bytes",
		peak != NULL ? json_integer((json_int_t)peak->length) : json_null(), "rows",
		(json_int_t)found->rows, "rows_precise", (json_int_t)found->rows_precise,
		"ratios", (json_int_t)found->ratios, "ratios_precise",
		(json_int_t)found->ratios_precise, "pairs", (json_int_t)found->pairs,
		"pairs_judged", (json_int_t)found->pairs_judged, "pairs_above_1",
		(json_int_t)found->pairs_above, "pairs_below_1",
		(json_int_t)found->pairs_below, "drift",
		np_json_number(found->sentinel.drift != 0 ? found->sentinel.drift :
							    (double)NAN),
		"states_apart", np_json_number(found->sentinel.apart), "core_latency_ns",
		np_json_number(states->usual_ns != 0 ? states->usual_ns : (double)NAN),
		"visits", (json_int_t)states->visits, "visits_other_state",
		(json_int_t)states->other, "new_connection",
		np_json_new_connection(&found->new_connection), "costs",
		costs_array(results, found), "comparisons",
		comparisons_array(results, found));
}
