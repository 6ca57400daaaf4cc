/*
 * output_causes.c - what --why has found, in words and as a result line.
 */
#include <errno.h>
#include <math.h>

#include "causes.h"
#include "json_line.h"
#include "output.h"

/* An effect and what it is called, in files and for the reader. */
struct named_effect {
	const char *name, *text;
	const struct np_effect *effect;
	bool part; /* of the whole: it has a share of it */
};

enum { EFFECTS = 7 };

static void list_effects(const struct np_causes *causes, struct named_effect list[EFFECTS])
{
	const struct named_effect all[EFFECTS] = {
		{ "whole", "all that rotation costs", &causes->whole, false },
		{ "cpu", "what touching removes: CPU", &causes->cpu, true },
		{ "lines", "  missing lines", &causes->lines, true },
		{ "rest", "  far apart as well", &causes->rest, true },
		{ "translation", "what stays: translation", &causes->translation, true },
		{ "send", "buffers sent from alone", &causes->send, true },
		{ "recv", "buffers received into alone", &causes->recv, true },
	};

	for (size_t i = 0; i < EFFECTS; i++)
		list[i] = all[i];
}

static void print_effect(FILE *file, const struct np_causes *causes,
			 const struct named_effect *named)
{
	const struct np_effect *effect = named->effect;

	if (isnan(effect->share))
		return;
	fprintf(file, "why:   %-28s %+9.3f us %+8.1f %%", named->text,
		effect->share * causes->reuse_s * 1e6, effect->share * 100);
	if (!isnan(effect->low))
		fprintf(file, " [%+.1f, %+.1f]", effect->low * 100, effect->high * 100);
	if (named->part && causes->whole.p <= 0.01 && causes->whole.share > 0)
		fprintf(file, ", %.0f %% of it%s",
			100 * effect->share / causes->whole.share,
			effect->named	   ? "" :
			effect->p <= 0.005 ? ", small" :
					     ", not sure");
	fputc('\n', file);
}

static void print_causes(FILE *file, const struct np_results *results,
			 const struct np_causes *causes)
{
	const char *choice = np_choice_name(results, causes->choice);
	struct named_effect list[EFFECTS];
	char bytes[32];

	np_text_bytes(causes->length, bytes, sizeof(bytes));
	fprintf(file,
		"why: %s%s%s takes %.3f us with few warm buffers and %.3f us with many "
		"cold ones\n",
		bytes, choice != NULL ? ", " : "", choice != NULL ? choice : "",
		causes->reuse_s * 1e6, causes->rotate_s * 1e6);
	list_effects(causes, list);
	for (size_t i = 0; i < EFFECTS; i++)
		print_effect(file, causes, &list[i]);
	fprintf(file, "why: verdict: %s (%llu %s)\n", np_cause_text(causes->verdict),
		(unsigned long long)causes->units,
		results->launches > 1 ? "launches" : "passes");
}

int np_text_causes(FILE *file, const struct np_results *results)
{
	const size_t choices = results->choice_count != 0 ? results->choice_count : 1;

	for (size_t choice = 0; choice < choices; choice++) {
		struct np_causes causes;
		const int rc = np_causes_derive(results, choice, &causes);

		if (rc == 0)
			print_causes(file, results, &causes);
		else if (rc != -ENOENT)
			return rc;
	}
	return 0;
}

static json_t *effects_array(const struct np_causes *causes)
{
	struct named_effect list[EFFECTS];
	json_t *array = json_array();

	list_effects(causes, list);
	for (size_t i = 0; i < EFFECTS; i++) {
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

int np_json_causes(FILE *file, const struct np_results *results, struct np_error *error)
{
	const size_t choices = results->choice_count != 0 ? results->choice_count : 1;

	for (size_t choice = 0; choice < choices; choice++) {
		struct np_causes causes;
		int rc = np_causes_derive(results, choice, &causes);

		if (rc == -ENOENT)
			continue;
		if (rc != 0)
			return np_fail_errno(error, rc, "no memory for the causes");
		rc = np_json_write_line(
			file,
			json_pack("{s:s, s:I, s:s, s:o, s:o, s:o, s:s, s:I, s:o}", "kind",
				  "causes", "bytes", (json_int_t)causes.length, "op",
				  results->operation_name, "choice",
				  np_json_choice(results, choice), "reuse_s",
				  np_json_number(causes.reuse_s), "rotate_s",
				  np_json_number(causes.rotate_s), "verdict",
				  np_cause_name(causes.verdict),
				  results->launches > 1 ? "launches" : "passes",
				  (json_int_t)causes.units, "effects",
				  effects_array(&causes)),
			error);
		if (rc != 0)
			return rc;
	}
	return 0;
}
