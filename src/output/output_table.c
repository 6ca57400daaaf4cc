/*
 * output_table.c - tables on the terminal that compare modes or variants.
 */
#include <math.h>
#include <string.h>

#include "output/output.h"
#include "output/say.h"
#include "output/table_single.h"
#include "results/pairs.h"

/* Returns the names of both sides of a pair: modes, or variants. */
static void side_names(const struct np_results *results, const struct np_pair *pair,
		       const char **base, const char **over)
{
	const bool modes = np_pair_is_of_modes(pair);

	*base = modes ? np_mode_name(pair->base_mode) :
			np_variant_name(results, pair->base_variant);
	*over = modes ? np_mode_name(pair->mode) : np_variant_name(results, pair->variant);
}

/* Returns what both sides share: the variant, or the mode; NULL: no variants. */
static const char *common_name(const struct np_results *results, const struct np_pair *pair)
{
	return np_pair_is_of_modes(pair) ? np_variant_name(results, pair->variant) :
					   np_mode_name(pair->mode);
}

static void print_time(FILE *file, double seconds)
{
	char text[64];

	np_text_number(seconds * 1e6, 4, text, sizeof(text));
	fprintf(file, " %10s", text);
}

static void print_verdict(FILE *file, enum np_verdict verdict)
{
	const enum np_color color = verdict == NP_SLOWER ? NP_RED :
				    verdict == NP_FASTER ? NP_GREEN :
							   NP_PLAIN;
	char text[32];

	snprintf(text, sizeof(text), "%-7s", np_verdict_word(verdict));
	np_say_colored(file, color, text);
}

static void print_pair(FILE *file, struct np_table_view *view, const struct np_pair *pair)
{
	const struct np_row *base = np_table_find(view->table, pair->length,
						  pair->base_mode, pair->base_variant);
	const struct np_row *over =
		np_table_find(view->table, pair->length, pair->mode, pair->variant);
	char size[32], ratio[64], interval[128];

	if (base == NULL || over == NULL)
		return;
	np_size_text(pair->length, size, sizeof(size));
	np_text_number(pair->ratio, 4, ratio, sizeof(ratio));
	np_table_interval(pair->low, pair->high, interval, sizeof(interval));
	fprintf(file, "%9s", size);
	print_time(file, base->median_s);
	print_time(file, over->median_s);
	fprintf(file, " %6sx  %-15s ", ratio, interval);
	print_verdict(file, pair->verdict);
	np_table_rate(file, view, over->mbps);
	np_table_marks(file, view, base->flags | over->flags, pair->unstable);
}

/* Prints title and heads; names are cut to the width of a column. */
static void print_heads(FILE *file, const struct np_table_view *view,
			const struct np_pair *pair)
{
	const char *base, *over, *common = common_name(view->results, pair);

	side_names(view->results, pair, &base, &over);
	fprintf(file, "\n  %s: %s over %s%s%s\n", np_table_time_title(view->results), over,
		base, common != NULL ? ", " : "", common != NULL ? common : "");
	fprintf(file, "%9s %10.10s %10.10s %7s  %-15s %-7s %9s\n", "size", base, over,
		"ratio", "interval", "verdict", np_table_rate_unit(view));
}

/* Prints all pairs of the kind of the first. */
static void print_kind(FILE *file, struct np_table_view *view, const struct np_pair *first)
{
	const struct np_table *table = view->table;

	print_heads(file, view, first);
	for (size_t i = 0; i < table->pair_count; i++) {
		if (table->pairs[i].kind == first->kind &&
		    np_table_shows(view, table->pairs[i].length))
			print_pair(file, view, &table->pairs[i]);
	}
}

/* Prints a table for each kind of pair.  Returns their number. */
static size_t print_all_pairs(FILE *file, struct np_table_view *view)
{
	const struct np_table *table = view->table;
	size_t kinds = 0;

	for (size_t i = 0; i < table->pair_count; i++) {
		bool printed = false;

		for (size_t k = 0; k < i && !printed; k++)
			printed = table->pairs[k].kind == table->pairs[i].kind;
		if (printed)
			continue;
		print_kind(file, view, &table->pairs[i]);
		kinds++;
	}
	if (kinds != 0)
		np_say_plain(file, 2,
			     "  interval: 95 %%, corrected for the number of sizes; "
			     "%s is that of the second column",
			     np_table_rate_unit(view));
	return kinds;
}

void np_text_table(FILE *file, const struct np_results *results,
		   const struct np_table *table, bool all_rows)
{
	struct np_table_view view = np_table_view_of(results, table, all_rows);

	if (table->row_count == 0)
		return;
	if (results->per_message || print_all_pairs(file, &view) == 0)
		np_table_print_single(file, &view);
	np_table_foot(file, &view);
}
