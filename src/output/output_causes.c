/*
 * output_causes.c - causes of --why: on the terminal and as result lines.
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

static void print_effect(FILE *file, const struct np_causes *causes,
			 const struct np_named_effect *named)
{
	const struct np_effect *effect = named->effect;

	if (isnan(effect->share))
		return;
	fprintf(file, "why:   %-24s %+9.3f us %+6.1f %%", named->text,
		effect->share * causes->reuse_s * 1e6, effect->share * 100);
	if (!isnan(effect->low))
		fprintf(file, " [%+.1f, %+.1f]", effect->low * 100, effect->high * 100);
	if (named->part && causes->whole.p <= 0.01 && causes->whole.share > 0)
		/* No -0. */
		fprintf(file, "  %3.0f %%%s",
			0.0 + round(100 * effect->share / causes->whole.share),
			effect->named	   ? "" :
			effect->p <= 0.005 ? " small" :
					     " n.s.");
	fputc('\n', file);
}

/* The cost of rotation at the other level of a factor, or why it is not known. */
static void print_factor(FILE *file, const struct np_results *results,
			 const struct np_causes *causes, enum np_factor factor)
{
	const struct np_condition *condition = &results->conditions[factor];
	const struct np_varied *varied = &causes->varied[factor];

	if (varied->units == 0) {
		if (condition->reason[0] != '\0')
			fprintf(file, "why:   %s not compared: %s\n",
				np_factor_name(factor), condition->reason);
		return;
	}
	fprintf(file,
		"why:   with %s, not %s: rotation costs %+.3f us %+.1f %%, change %+.1f %%",
		condition->other, condition->base,
		varied->cost.share * causes->reuse_s * 1e6, 100 * varied->cost.share,
		100 * varied->change.share);
	if (!isnan(varied->change.low))
		fprintf(file, " [%+.1f, %+.1f]", 100 * varied->change.low,
			100 * varied->change.high);
	fputc('\n', file);
}

/* A change whose own interval is on one side of 0, though it is no verdict: it is not
 * significant among all, or a small part of the cost. */
static bool is_seen(const struct np_varied *varied)
{
	return varied->units != 0 && varied->verdict == NP_REMOVAL_NONE &&
	       (varied->change.low > 0 || varied->change.high < 0);
}

static void print_seen(FILE *file, const struct np_condition *condition,
		       enum np_factor factor, const struct np_causes *causes)
{
	const struct np_varied *varied = &causes->varied[factor];
	const bool significant = varied->adjusted_p <= NP_CAUSES_FACTORS_SURE_AT,
		   small = fabs(varied->change.share) <
			   NP_CAUSES_LEAST_PART * causes->whole.share;

	fprintf(file,
		"why: verdict: %s: having %s and not %s %s it by %+.3g %% [%+.3g, %+.3g]%s "
		"(p %.1g over %zu)\n",
		np_factor_name(factor), condition->other, condition->base,
		significant ? "changes" : "may change", 100 * varied->change.share,
		100 * varied->change.low, 100 * varied->change.high,
		!significant ? ": unclear" :
		small	     ? ", less than a tenth of it" :
			       "",
		varied->adjusted_p, causes->compared);
}

static void print_factor_verdicts(FILE *file, const struct np_results *results,
				  const struct np_causes *causes)
{
	const char *between = "";
	bool any = false;

	for (size_t i = 0; i < FACTORS; i++) {
		const struct np_condition *condition = &results->conditions[factors[i]];
		const struct np_varied *varied = &causes->varied[factors[i]];

		if (is_seen(varied))
			print_seen(file, condition, factors[i], causes);
		any |= varied->verdict >= NP_REMOVAL_REMOVES || is_seen(varied);
		if (varied->verdict < NP_REMOVAL_REMOVES)
			continue;
		fprintf(file,
			"why: verdict: %s: having %s and not %s %s (p %.1g over %zu)\n",
			np_factor_name(factors[i]), condition->other, condition->base,
			np_removal_text(varied->verdict), varied->adjusted_p,
			causes->compared);
	}
	if (any || causes->compared == 0 || causes->units < NP_CAUSES_UNITS)
		return;
	fputs("why: verdict: other ", file);
	for (size_t i = 0; i < FACTORS; i++) {
		if (causes->varied[factors[i]].units == 0)
			continue;
		fprintf(file, "%s%s", between, np_factor_name(factors[i]));
		between = ", ";
	}
	fputs(": no significant change\n", file);
}

static void print_causes(FILE *file, const struct np_results *results,
			 const struct np_causes *causes)
{
	const char *variant = np_variant_name(results, causes->variant);
	struct np_named_effect list[NP_EFFECTS];
	char bytes[32];

	np_text_bytes(causes->length, bytes, sizeof(bytes));
	fprintf(file, "why: %s%s%s: %.3f us reusing, %.3f us with cold buffers (%.2fx)\n",
		bytes, variant != NULL ? ", " : "", variant != NULL ? variant : "",
		causes->reuse_s * 1e6, causes->rotate_s * 1e6,
		causes->rotate_s / causes->reuse_s);
	fprintf(file, "why: verdict: %s (%llu %s)\n", np_cause_text(causes->verdict),
		(unsigned long long)causes->units, results->runs > 1 ? "runs" : "passes");
	print_factor_verdicts(file, results, causes);
	np_causes_effects(causes, list);
	for (size_t i = 0; i < NP_EFFECTS; i++)
		print_effect(file, causes, &list[i]);
	for (size_t i = 0; i < FACTORS; i++)
		print_factor(file, results, causes, factors[i]);
}

int np_text_causes(FILE *file, const struct np_results *results)
{
	const size_t variants = results->variant_count != 0 ? results->variant_count : 1;

	for (size_t variant = 0; variant < variants; variant++) {
		struct np_causes causes;
		const int rc = np_causes_derive(results, variant, &causes);

		if (rc == 0)
			print_causes(file, results, &causes);
		else if (rc != -ENOENT)
			return rc;
	}
	return 0;
}

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

/* null for an empty string. */
static json_t *word_or_null(const char *word)
{
	return *word != '\0' ? json_string(word) : json_null();
}

/* The factors that were compared. */
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
				  np_json_number(varied->reuse_s), "dropout",
				  np_json_number(varied->cost.share), "dropout_low",
				  np_json_number(varied->cost.low), "dropout_high",
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
