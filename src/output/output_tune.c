/*
 * output_tune.c - settings that --tune recommends, with the sizes that each makes faster or
 * slower.
 */
#include <ctype.h>
#include <string.h>

#include "output/json_line.h"
#include "output/output.h"
#include "output/terminal.h"

static bool needs_quotes(const char *value)
{
	const char *at = value;

	while (isalnum((unsigned char)*at) ||
	       (*at != '\0' && strchr("_,.:/+-", *at) != NULL))
		at++;
	return *at != '\0' || at == value;
}

/* Formats "export UCX_RNDV_THRESH=8K", "--wait poll". */
static void line_text(const struct np_variant_setting *setting, char *text, size_t size)
{
	const char *quote = needs_quotes(setting->value) ? "'" : "";

	snprintf(text, size, "%s%s%s%s%s%s", setting->variable ? "export " : "--",
		 setting->name, setting->variable ? "=" : " ", quote, setting->value,
		 quote);
}

static void say_ranges(FILE *file, const struct np_table *table, const char *title,
		       const struct np_tuned_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct np_tuned_range *range = &ranges[i];
		const struct np_pair *most = range->most;
		const bool modes = most->mode != table->rows[0].mode;
		char sizes[96], at[32], effect[128];

		np_text_sizes(range->smallest, range->largest, range->sizes, sizes,
			      sizeof(sizes));
		np_text_bytes(most->length, at, sizeof(at));
		np_text_slower(most->ratio, most->low, most->high, effect, sizeof(effect));
		np_say(file, "", "%s %s%s%s: %s%s%s", title, sizes, modes ? ", " : "",
		       modes ? np_mode_name(most->mode) : "", effect,
		       range->sizes > 1 ? " at most, at " : "", range->sizes > 1 ? at : "");
	}
}

void np_text_tune(FILE *file, const struct np_table *table,
		  const struct np_variants *variants)
{
	const struct np_tune tune = np_tune_derive(table);
	char line[512];

	fputc('\n', file);
	if (tune.count == 0)
		np_say(file, "tune",
		       "nothing to set: no variant is significantly faster than %s at any "
		       "size",
		       variants->list[0].name);
	for (size_t i = 0; i < tune.count; i++) {
		const struct np_tuned *tuned = &tune.list[i];
		const struct np_variant *variant = &variants->list[tuned->variant];

		if (variant->count == 0)
			np_say(file, i == 0 ? "tune" : "", "%s: nothing set",
			       variant->name);
		for (size_t k = 0; k < variant->count; k++) {
			line_text(&variant->settings[k], line, sizeof(line));
			np_say(file, i == 0 && k == 0 ? "tune" : "", "%s", line);
		}
		say_ranges(file, table, "  gains", tuned->gains, tuned->gain_count);
		say_ranges(file, table, "  loses", tuned->losses, tuned->loss_count);
		if (tuned->loss_count == 0)
			np_say(file, "", "  loses at no size");
	}
}

static json_t *ranges_array(const struct np_tuned_range *ranges, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct np_pair *most = ranges[i].most;

		json_array_append_new(
			array, json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:f}", "mode",
					 np_mode_name(most->mode), "smallest",
					 (json_int_t)ranges[i].smallest, "largest",
					 (json_int_t)ranges[i].largest, "sizes",
					 (json_int_t)ranges[i].sizes, "most_at",
					 (json_int_t)most->length, "ratio", most->ratio,
					 "ratio_low", most->low, "ratio_high", most->high));
	}
	return array;
}

int np_json_tune(FILE *file, const struct np_table *table,
		 const struct np_variants *variants, struct np_error *error)
{
	const struct np_tune tune = np_tune_derive(table);
	int rc = 0;

	for (size_t i = 0; i < tune.count && rc == 0; i++) {
		const struct np_tuned *tuned = &tune.list[i];
		const struct np_variant *variant = &variants->list[tuned->variant];
		json_t *lines = json_array();
		char line[512];

		for (size_t k = 0; k < variant->count; k++) {
			line_text(&variant->settings[k], line, sizeof(line));
			json_array_append_new(lines, json_string(line));
		}
		rc = np_json_write_line(
			file,
			json_pack("{s:s, s:s, s:o, s:o, s:o}", "kind", "tune", "variant",
				  variant->name, "set", lines, "gains",
				  ranges_array(tuned->gains, tuned->gain_count), "losses",
				  ranges_array(tuned->losses, tuned->loss_count)),
			error);
	}
	return rc;
}
