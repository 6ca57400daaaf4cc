/*
 * output_json_causes.c - causes of --why as result lines.
 */
#include <errno.h>
#include <math.h>

#include "questions/causes.h"
#include "output/json_line.h"
#include "output/output.h"
#include "questions/causes_factors.h"

/* Factors in the order of the report. */
static const enum np_factor factors[] = { NP_FACTOR_REGISTRATIONS, NP_FACTOR_PAGES,
					  NP_FACTOR_ALIGNMENT, NP_FACTOR_WAIT };
enum { FACTORS = sizeof(factors) / sizeof(*factors) };

static json_t *effects_array(const struct np_causes *causes)
{
	struct np_named_effect list[NP_EFFECTS];
	json_t *array = json_array();

	np_causes_effects(causes, list);
	for (size_t i = 0; i < NP_EFFECTS; i++) {
		const struct np_effect *effect = list[i].effect;

		json_array_append_new(
			array,
			json_pack("{s:s, s:o, s:o, s:o, s:o, s:b}", "of", list[i].name,
				  "share", np_json_number(effect->share), "share_low",
				  np_json_number(effect->low), "share_high",
				  np_json_number(effect->high), "p",
				  np_json_number(effect->p), "named", effect->named));
	}
	return array;
}

/* Converts a word; an empty one becomes null. */
static json_t *word_or_null(const char *word)
{
	return *word != '\0' ? json_string(word) : json_null();
}

/* Lists the compared factors. */
static json_t *factors_array(const struct np_causes *causes)
{
	json_t *array = json_array();

	for (size_t i = 0; i < FACTORS; i++) {
		const struct np_varied *varied = &causes->varied[factors[i]];

		if (varied->units == 0)
			continue;
		json_array_append_new(
			array,
			json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
				  "s:s}",
				  "factor", np_factor_name(factors[i]), "units",
				  (json_int_t)varied->units, "reuse_s",
				  np_json_number(varied->reuse_s), "cost",
				  np_json_number(varied->cost.share), "cost_low",
				  np_json_number(varied->cost.low), "cost_high",
				  np_json_number(varied->cost.high), "change",
				  np_json_number(varied->change.share), "change_low",
				  np_json_number(varied->change.low), "change_high",
				  np_json_number(varied->change.high), "p",
				  np_json_number(varied->change.p), "adjusted_p",
				  np_json_number(varied->adjusted_p), "verdict",
				  np_removal_name(varied->verdict)));
	}
	return array;
}

int np_json_condition(FILE *file, const struct np_results *results, enum np_factor factor,
		      struct np_error *error)
{
	const struct np_condition *condition = &results->conditions[factor];

	return np_json_write_line(
		file,
		json_pack("{s:s, s:s, s:b, s:s, s:o, s:o}", "kind", "condition", "factor",
			  np_factor_name(factor), "asked", condition->asked, "base",
			  condition->base, "other", word_or_null(condition->other),
			  "reason", word_or_null(condition->reason)),
		error);
}

int np_json_causes(FILE *file, const struct np_results *results, struct np_error *error)
{
	const size_t variants = results->variant_count != 0 ? results->variant_count : 1;

	for (size_t variant = 0; variant < variants; variant++) {
		struct np_causes causes;
		int rc = np_causes_derive(results, variant, &causes);

		if (rc == -ENOENT)
			continue;
		if (rc != 0)
			return np_fail_errno(error, rc, "no memory for the causes");
		rc = np_json_write_line(
			file,
			json_pack("{s:s, s:I, s:s, s:o, s:o, s:o, s:s, s:I, s:o, s:o}",
				  "kind", "causes", "bytes", (json_int_t)causes.length,
				  "op", results->operation_name, "variant",
				  np_json_variant(results, variant), "reuse_s",
				  np_json_number(causes.reuse_s), "rotate_s",
				  np_json_number(causes.rotate_s), "verdict",
				  np_cause_name(causes.verdict),
				  results->runs > 1 ? "runs" : "passes",
				  (json_int_t)causes.units, "effects",
				  effects_array(&causes), "factors",
				  factors_array(&causes)),
			error);
		if (rc != 0)
			return rc;
	}
	return 0;
}
