/*
 * output_causes.c - causes of --why: conclusion, parts of the cost and conditions that were
 * tried; as text, and as result lines.
 */
#include <errno.h>
#include <math.h>

#include "output/json_line.h"
#include "output/output.h"
#include "output/terminal.h"
#include "questions/causes.h"

/* Factors in the order in which the report lists them. */
static const struct {
	enum np_factor factor;
	const char *title;
} factors[] = { { NP_FACTOR_REGISTRATIONS, "registrations" },
		{ NP_FACTOR_PAGES, "pages" },
		{ NP_FACTOR_ALIGNMENT, "alignment" },
		{ NP_FACTOR_WAIT, "completion" } };
enum { FACTORS = sizeof(factors) / sizeof(*factors), BAR = 10 };

/* ---- The conclusion ------------------------------------------------------------- */

static void say_removal(FILE *file, const char *title, const struct np_condition *condition,
			const struct np_varied *varied, double reuse_us)
{
	const bool less = varied->verdict == NP_REMOVAL_REDUCES;

	if (varied->verdict == NP_REMOVAL_REMOVES)
		np_say(file, title, "no cost with %s instead of %s", condition->other,
		       condition->base);
	else
		np_say(file, title, "the cost %s to %+.3f us with %s instead of %s",
		       less ? "falls" : "rises", varied->cost.share * reuse_us,
		       condition->other, condition->base);
}

static void say_conclusion(FILE *file, const struct np_results *results,
			   const struct np_causes *causes)
{
	const char *variant = np_variant_name(results, causes->variant);
	const double reuse_us = causes->reuse_s * 1e6, rotate_us = causes->rotate_s * 1e6;
	char bytes[32], title[40];

	np_text_bytes(causes->length, bytes, sizeof(bytes));
	snprintf(title, sizeof(title), "why %s", bytes);
	np_say(file, title, "%s%s%.3f us reusing, %.3f us with cold buffers: %.2fx",
	       variant != NULL ? variant : "", variant != NULL ? ": " : "", reuse_us,
	       rotate_us, rotate_us / reuse_us);
	np_say(file, "cause", "%s (%llu %s)", np_cause_text(causes->verdict),
	       (unsigned long long)causes->units, results->runs > 1 ? "runs" : "passes");
	for (size_t i = 0; i < FACTORS; i++) {
		const struct np_varied *varied = &causes->varied[factors[i].factor];

		if (varied->verdict >= NP_REMOVAL_REMOVES)
			say_removal(file, factors[i].title,
				    &results->conditions[factors[i].factor], varied,
				    reuse_us);
	}
}

/* ---- Its evidence ---------------------------------------------------------------- */

/* Converts to microseconds; values printed as 0 lose their sign. */
static double us_of(double share, double unit)
{
	const double us = share * unit, least = 0.0005;

	return fabs(us) < least ? 0 : us;
}

/* Formats "[-0.219, +0.008]", in microseconds; empty without an interval. */
static void interval_text(const struct np_effect *effect, double unit, char *text,
			  size_t size)
{
	*text = '\0';
	if (!isnan(effect->low))
		snprintf(text, size, "[%+.3f, %+.3f]", us_of(effect->low, unit),
			 us_of(effect->high, unit));
}

/* Returns a # for each tenth of the whole cost of rotation; "small" for a significant part
 * below a tenth, "n.s." for one that is not significant. */
static const char *bar_of(const struct np_effect *effect, double share)
{
	static const char bar[BAR + 1] = "##########";
	const int tenths = (int)round(BAR * fmin(fmax(share, 0), 1));

	return !effect->named && effect->p <= 0.005 ? "small" :
	       !effect->named			    ? "n.s." :
						      bar + BAR - tenths;
}

static void print_part(FILE *file, const struct np_causes *causes,
		       const struct np_named_effect *named)
{
	const struct np_effect *effect = named->effect;
	const double unit = causes->reuse_s * 1e6,
		     share = effect->share / causes->whole.share;
	char interval[64];

	if (isnan(effect->share))
		return;
	interval_text(effect, unit, interval, sizeof(interval));
	fprintf(file, "    %-23s %+10.3f  %-21s", named->text, us_of(effect->share, unit),
		interval);
	if (named->part && causes->whole.p <= 0.01 && causes->whole.share > 0)
		/* Adding 0.0 turns -0 into 0. */
		fprintf(file, " %3.0f %%  %s", 0.0 + round(100 * share),
			bar_of(effect, share));
	fputc('\n', file);
}

static void print_parts(FILE *file, const struct np_causes *causes)
{
	struct np_named_effect list[NP_EFFECTS];

	np_causes_effects(causes, list);
	fprintf(file, "\n  %-25s %10s  %-21s %5s\n", "parts of the cost", "us", "95 % CI",
		"share");
	for (size_t i = 0; i < NP_EFFECTS; i++)
		print_part(file, causes, &list[i]);
}

/* Returns the word for a change of the cost by a factor.  Without a verdict it is "small"
 * if significant after correction for the number of factors, "unclear" if its uncorrected
 * interval excludes 0, else "n.s.". */
static const char *word_of(const struct np_varied *varied)
{
	static const char *const words[] = {
		[NP_REMOVAL_UNDECIDED] = "undecided",
		[NP_REMOVAL_REMOVES] = "removes",
		[NP_REMOVAL_REDUCES] = "reduces",
		[NP_REMOVAL_ADDS] = "adds",
	};

	if (varied->verdict != NP_REMOVAL_NONE)
		return words[varied->verdict];
	if (varied->adjusted_p <= NP_CAUSES_FACTORS_SURE_AT)
		return "small";
	return varied->change.low > 0 || varied->change.high < 0 ? "unclear" : "n.s.";
}

static void print_tried(FILE *file, const struct np_results *results,
			const struct np_causes *causes)
{
	const double unit = causes->reuse_s * 1e6;
	char interval[64];

	if (causes->compared != 0)
		fprintf(file, "  %-35s %10s  %s\n", "tried instead", "change, us",
			"95 % CI");
	for (size_t i = 0; i < FACTORS; i++) {
		const struct np_varied *varied = &causes->varied[factors[i].factor];

		if (varied->units == 0)
			continue;
		interval_text(&varied->change, unit, interval, sizeof(interval));
		fprintf(file, "    %-33s %+10.3f  %-21s %s\n",
			results->conditions[factors[i].factor].other,
			us_of(varied->change.share, unit), interval, word_of(varied));
	}
	np_say(file, "legend",
	       "n.s.: not significant; small: less than a tenth of the cost");
	for (size_t i = 0; i < FACTORS; i++) {
		const struct np_condition *condition =
			&results->conditions[factors[i].factor];

		if (causes->varied[factors[i].factor].units == 0 &&
		    condition->reason[0] != '\0')
			np_say(file, "not tried", "%s: %s", factors[i].title,
			       condition->reason);
	}
}

int np_text_causes(FILE *file, const struct np_results *results)
{
	const size_t variants = results->variant_count != 0 ? results->variant_count : 1;

	for (size_t variant = 0; variant < variants; variant++) {
		struct np_causes causes;
		const int rc = np_causes_derive(results, variant, &causes);

		if (rc == -ENOENT)
			continue;
		if (rc != 0)
			return rc;
		fputc('\n', file);
		say_conclusion(file, results, &causes);
		print_parts(file, &causes);
		print_tried(file, results, &causes);
	}
	return 0;
}

static json_t *effects_array(const struct np_causes *causes)
{
	struct np_named_effect list[NP_EFFECTS];
	json_t *array = json_array();

	np_causes_effects(causes, list);
	for (size_t i = 0; i < NP_EFFECTS; i++) {
		json_t *object = np_json_record(np_effect_fields, list[i].effect, NULL);

		json_object_set_new(object, "of", json_string(list[i].name));
		json_array_append_new(array, object);
	}
	return array;
}

/* Converts a word; an empty one becomes null. */
static json_t *word_or_null(const char *word)
{
	return *word != '\0' ? json_string(word) : json_null();
}

/* Lists the factors that were varied, with cost, change and verdict. */
static json_t *factors_array(const struct np_causes *causes)
{
	json_t *array = json_array();

	for (size_t i = 0; i < FACTORS; i++) {
		const struct np_varied *varied = &causes->varied[factors[i].factor];

		if (varied->units == 0)
			continue;
		json_t *object = np_json_record(np_factor_fields, varied, NULL);
		json_object_set_new(object, "factor",
				    json_string(np_factor_name(factors[i].factor)));
		json_array_append_new(array, object);
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
		json_t *object = np_json_record(np_causes_fields, &causes, results);
		json_object_set_new(object, "effects", effects_array(&causes));
		json_object_set_new(object, "factors", factors_array(&causes));
		rc = np_json_write_line(file, object, error);
		if (rc != 0)
			return rc;
	}
	return 0;
}
