/*
 * output_code_paths.c - how the transport moved each range of sizes, on the terminal (-v).
 */
#include <string.h>

#include "output/output.h"
#include "output/say.h"

static void say_range(FILE *file, const char *title, const char *variant,
		      const struct np_row *first, const struct np_row *last)
{
	char low[32], high[32];

	np_text_size_unit(first->length, low, sizeof(low));
	np_text_size_unit(last->length, high, sizeof(high));
	np_say(file, title, "%s%s%s%s%s: %s", variant != NULL ? variant : "",
	       variant != NULL ? ", " : "", low, first != last ? " to " : "",
	       first != last ? high : "", first->code_path);
}

static void say_variant(FILE *file, const struct np_results *results,
			const struct np_table *table, size_t variant)
{
	const char *name = np_variant_name(results, variant), *title = "code path";
	const struct np_row *first = NULL, *last = NULL;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->mode != table->rows[0].mode || row->variant != variant ||
		    *row->code_path == '\0')
			continue;
		if (first != NULL && strcmp(row->code_path, first->code_path) != 0) {
			say_range(file, title, name, first, last);
			title = "";
			first = NULL;
		}
		first = first == NULL ? row : first;
		last = row;
	}
	if (first != NULL)
		say_range(file, title, name, first, last);
}

void np_text_code_paths(FILE *file, const struct np_results *results,
			const struct np_table *table)
{
	const size_t variants = results->variant_count != 0 ? results->variant_count : 1;

	for (size_t variant = 0; variant < variants; variant++)
		say_variant(file, results, table, variant);
}
