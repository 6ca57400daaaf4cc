/*
 * table_single.c - tables on the terminal of one mode and one variant.
 */
#include "output/table_single.h"

#include <math.h>

#include "output/say.h"

/* Prints microseconds; "-" for a percentile without enough samples. */
static void print_us(FILE *file, int width, double seconds)
{
	char text[64];

	np_text_number(seconds * 1e6, 4, text, sizeof(text));
	fprintf(file, " %*s", width, text);
}

static bool has_rate(const struct np_results *results)
{
	return results->operation == NP_STREAM || results->operation == NP_STREAM_ACKED;
}

static void print_head(FILE *file, const struct np_table_view *view)
{
	const struct np_results *results = view->results;

	fprintf(file, "%9s %11s  %-17s", "size", np_table_time_title(results),
		results->runs > 1 ? "95 % CI over runs" : "95 % CI, this run");
	if (results->per_message)
		fprintf(file, " %8s %8s %8s %8s\n", "p50", "p90", "p99", "p99.9");
	else if (has_rate(results))
		fprintf(file, " %9s %9s %12s\n", "min us", np_table_rate_unit(view),
			"messages/s");
	else
		fprintf(file, " %9s %9s\n", "min us", np_table_rate_unit(view));
}

static void print_row(FILE *file, struct np_table_view *view, const struct np_row *row)
{
	const struct np_results *results = view->results;
	char size[32], time[64], interval[136];

	np_size_text(row->length, size, sizeof(size));
	np_text_number(row->median_s * 1e6, 4, time, sizeof(time));
	np_table_interval(row->ci_low_s * 1e6, row->ci_high_s * 1e6, interval,
			  sizeof(interval));
	fprintf(file, "%9s %11s  %-17s", size, time, interval);
	if (results->per_message) {
		print_us(file, 8, row->p50_s);
		print_us(file, 8, row->p90_s);
		print_us(file, 8, row->p99_s);
		print_us(file, 8, row->p999_s);
	} else {
		print_us(file, 9, row->min_s);
		np_table_rate(file, view, row->mbps);
		if (has_rate(results))
			fprintf(file, " %12.0f", row->messages_per_s);
	}
	np_table_marks(file, view, row->flags, false);
}

/* Prints the rows of one mode and variant, with a title if the run has several. */
static void print_rows_like(FILE *file, struct np_table_view *view,
			    const struct np_row *first, bool titled)
{
	const struct np_table *table = view->table;
	const char *variant = np_variant_name(view->results, first->variant);

	fputc('\n', file);
	if (titled)
		fprintf(file, "  %s%s%s\n", np_mode_name(first->mode),
			variant != NULL ? ", " : "", variant != NULL ? variant : "");
	print_head(file, view);
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->mode == first->mode && row->variant == first->variant &&
		    np_table_shows(view, row->length))
			print_row(file, view, row);
	}
}

void np_table_print_single(FILE *file, struct np_table_view *view)
{
	const struct np_table *table = view->table;
	bool titled = false;

	for (size_t i = 1; i < table->row_count; i++)
		titled |= table->rows[i].mode != table->rows[0].mode ||
			  table->rows[i].variant != table->rows[0].variant;
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];
		bool printed = row->mode == NP_MODE_CONTROL;

		for (size_t k = 0; k < i && !printed; k++)
			printed = table->rows[k].mode == row->mode &&
				  table->rows[k].variant == row->variant;
		if (!printed)
			print_rows_like(file, view, row, titled);
	}
	if (view->results->operation == NP_PINGPONG)
		np_say_plain(file, 2, "  latency: one way, half of the round trip");
}
