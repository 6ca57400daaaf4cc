/*
 * output_table.c - tables on the terminal: one for each two modes, or a line for each
 * row.
 */
#include <math.h>
#include <string.h>

#include "output/output.h"
#include "results/pairs.h"

static const char *time_title(const struct np_results *results)
{
	switch (results->operation) {
	case NP_PINGPONG:
		return "half round trip, us";
	case NP_BIDIRECTIONAL:
		return "exchange, us";
	default:
		return "a message, us";
	}
}

/* Ends a line with the code path and the row's flags. */
static void end_row(FILE *file, const char *code_path, unsigned flags)
{
	char text[96];

	np_row_flags_text(flags, text, sizeof(text));
	fprintf(file, "  %s%s%s\n", code_path, text[0] != '\0' ? "  " : "", text);
}

static void print_cell(FILE *file, const struct np_row *row)
{
	fprintf(file, " %10.3f", row->median_s * 1e6);
	if (isnan(row->ci_low_s))
		fprintf(file, " %21s", "no interval");
	else
		fprintf(file, " %10.3f %10.3f", row->ci_low_s * 1e6, row->ci_high_s * 1e6);
	fprintf(file, " %10.4g", row->mbps);
}

/* The column of variants, if the run compares any. */
static void print_variant(FILE *file, const struct np_results *results, size_t variant)
{
	const char *name = np_variant_name(results, variant);

	if (name != NULL)
		fprintf(file, " %14s", name);
}

static void print_variant_title(FILE *file, const struct np_results *results)
{
	if (results->variant_count != 0)
		fprintf(file, " %14s", "choice");
}

static void print_ratio(FILE *file, double ratio, double low, double high)
{
	fprintf(file, " %6.3f", ratio);
	if (isnan(low))
		fprintf(file, " %13s", "no interval");
	else
		fprintf(file, " %6.3f %6.3f", low, high);
}

static bool same_modes(const struct np_pair *a, const struct np_pair *b)
{
	return a->mode == b->mode && a->base_mode == b->base_mode;
}

static void print_pair(FILE *file, const struct np_results *results,
		       const struct np_table *table, const struct np_pair *pair)
{
	const struct np_row *base =
		np_table_find(table, pair->length, pair->base_mode, pair->base_variant);
	const struct np_row *over =
		np_table_find(table, pair->length, pair->mode, pair->variant);
	char flags[96];

	if (base == NULL || over == NULL)
		return;
	fprintf(file, "%9zu", pair->length);
	print_variant(file, results, pair->variant);
	fprintf(file, " %9.3f %9.3f %9.4g |", base->median_s * 1e6, over->median_s * 1e6,
		over->mbps);
	print_ratio(file, pair->ratio, pair->low, pair->high);
	fputs(" |", file);
	if (isnan(pair->control_ratio))
		fprintf(file, " %20s", "none");
	else
		print_ratio(file, pair->control_ratio, pair->control_low,
			    pair->control_high);
	np_row_flags_text(base->flags | over->flags, flags, sizeof(flags));
	fprintf(file, "  %s%s%s\n", np_verdict_word(pair->verdict),
		flags[0] != '\0' ? "  " : "", flags);
}

/* Prints all pairs of the same modes as the first. */
static void print_pairs(FILE *file, const struct np_results *results,
			const struct np_table *table, size_t first)
{
	const struct np_pair *modes = &table->pairs[first];

	fprintf(file, "#%8s", "");
	if (results->variant_count != 0)
		fprintf(file, " %14s", "");
	fprintf(file, " %-29s | %-20s | %s over itself\n", time_title(results),
		"times as long", np_mode_name(NP_MODE_REUSE));
	fprintf(file, "#%8s", "bytes");
	print_variant_title(file, results);
	fprintf(file, " %9s %9s %9s | %6s %6s %6s | %6s %6s %6s  verdict\n",
		np_mode_name(modes->base_mode), np_mode_name(modes->mode), "Mbit/s",
		"ratio", "low", "high", "null", "low", "high");
	for (size_t i = first; i < table->pair_count; i++) {
		if (np_pair_is_of_modes(&table->pairs[i]) &&
		    same_modes(modes, &table->pairs[i]))
			print_pair(file, results, table, &table->pairs[i]);
	}
}

static void print_code_path(FILE *file, const struct np_row *first,
			    const struct np_row *last)
{
	char low[32], high[32];

	np_text_bytes(first->length, low, sizeof(low));
	np_text_bytes(last->length, high, sizeof(high));
	if (first == last)
		fprintf(file, "%s: %s", low, first->code_path);
	else
		fprintf(file, "%s to %s: %s", low, high, first->code_path);
}

/* The code paths of a variant, by ranges of sizes. */
static void print_code_paths(FILE *file, const struct np_results *results,
			     const struct np_table *table, enum np_mode mode,
			     size_t variant)
{
	const char *name = np_variant_name(results, variant);
	const struct np_row *first = NULL, *last = NULL;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->mode != mode || row->variant != variant || *row->code_path == '\0')
			continue;
		if (first == NULL && last == NULL)
			fprintf(file, "# how%s%s  ", name != NULL ? ", " : "",
				name != NULL ? name : "");
		if (first != NULL && strcmp(row->code_path, first->code_path) != 0) {
			print_code_path(file, first, last);
			fputs("; ", file);
			first = NULL;
		}
		first = first == NULL ? row : first;
		last = row;
	}
	if (first == NULL)
		return;
	print_code_path(file, first, last);
	fputc('\n', file);
}

/* A table for each two modes, at their first pair. */
static void print_mode_tables(FILE *file, const struct np_results *results,
			      const struct np_table *table)
{
	for (size_t i = 0; i < table->pair_count; i++) {
		bool printed = !np_pair_is_of_modes(&table->pairs[i]);

		for (size_t k = 0; k < i && !printed; k++)
			printed = np_pair_is_of_modes(&table->pairs[k]) &&
				  same_modes(&table->pairs[i], &table->pairs[k]);
		if (!printed)
			print_pairs(file, results, table, i);
	}
	const size_t variants = results->variant_count != 0 ? results->variant_count : 1;
	for (size_t variant = 0; variant < variants; variant++)
		print_code_paths(file, results, table, NP_MODE_REUSE, variant);
}

static bool has_rotation(const struct np_table *table)
{
	for (size_t i = 0; i < table->pair_count; i++) {
		if (np_pair_is_of_modes(&table->pairs[i]))
			return true;
	}
	return false;
}

/* A percentile without enough samples is NaN. */
static void print_percentile(FILE *file, double seconds)
{
	if (isnan(seconds))
		fprintf(file, " %9s", "-");
	else
		fprintf(file, " %9.3f", seconds * 1e6);
}

static void print_single(FILE *file, const struct np_results *results,
			 const struct np_table *table)
{
	const bool both_modes = has_rotation(table);
	const bool rate =
		results->operation == NP_STREAM || results->operation == NP_STREAM_ACKED;

	fprintf(file, "#%9s %6s | %s\n", "", "", time_title(results));
	fprintf(file, "#%9s %6s", "bytes", "batch");
	if (both_modes)
		fprintf(file, " %6s", "arm");
	print_variant_title(file, results);
	fprintf(file, " %10s %10s %10s %10s %10s", "median", "low", "high", "Mbit/s",
		"min");
	if (rate)
		fprintf(file, " %12s", "messages/s");
	if (results->per_message)
		fprintf(file, " %9s %9s %9s %9s", "p50", "p90", "p99", "p99.9");
	fprintf(file, " %8s %8s  how\n", "samples",
		results->runs > 1 ? "launches" : "passes");
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->mode == NP_MODE_CONTROL)
			continue;
		fprintf(file, "%10zu %6llu", row->length, (unsigned long long)row->batch);
		if (both_modes)
			fprintf(file, " %6s", np_mode_name(row->mode));
		print_variant(file, results, row->variant);
		print_cell(file, row);
		fprintf(file, " %10.3f", row->min_s * 1e6);
		if (rate)
			fprintf(file, " %12.0f", row->messages_per_s);
		if (results->per_message) {
			print_percentile(file, row->p50_s);
			print_percentile(file, row->p90_s);
			print_percentile(file, row->p99_s);
			print_percentile(file, row->p999_s);
		}
		fprintf(file, " %8llu %8llu", (unsigned long long)row->samples,
			(unsigned long long)row->units);
		end_row(file, row->code_path, row->flags);
	}
}

/* The ratio of each variant to the first. */
static void print_comparison(FILE *file, const struct np_results *results,
			     const struct np_table *table)
{
	fprintf(file, "#\n#%9s | times as long as %s\n", "", results->variants[0]);
	fprintf(file, "#%9s %6s %14s %6s %6s %6s  verdict\n", "bytes", "arm", "choice",
		"ratio", "low", "high");
	for (size_t i = 0; i < table->pair_count; i++) {
		const struct np_pair *pair = &table->pairs[i];

		if (np_pair_is_of_modes(pair))
			continue;
		fprintf(file, "%10zu %6s", pair->length, np_mode_name(pair->mode));
		print_variant(file, results, pair->variant);
		print_ratio(file, pair->ratio, pair->low, pair->high);
		fprintf(file, "  %s\n", np_verdict_word(pair->verdict));
	}
}

void np_text_table(FILE *file, const struct np_results *results,
		   const struct np_table *table)
{
	if (has_rotation(table) && !results->per_message)
		print_mode_tables(file, results, table);
	else
		print_single(file, results, table);
	if (results->variant_count != 0)
		print_comparison(file, results, table);
}
