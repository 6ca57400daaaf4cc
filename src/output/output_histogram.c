/*
 * output_histogram.c - histograms of --per-message on the terminal: bars at quarters of
 * a doubling of the time.
 */
#include <math.h>

#include "output/output.h"

enum { BARS = 120, BAR_WIDTH = 50, BARS_A_DOUBLING = 4 };

/* Counts the messages of a row by time, half round trips of a ping-pong.  Returns their
 * number. */
static uint64_t count_messages(const struct np_results *results, const struct np_row *row,
			       uint64_t bars[BARS])
{
	uint64_t total = 0;

	for (size_t i = 0; i < row->visit_count; i++) {
		const struct np_visit *visit = row->visits[i];

		for (size_t k = 0; k < visit->kept; k++) {
			const double ns =
				round(1e9 * np_message_seconds(results, visit,
							       visit->samples_ns[k]));
			const double bar = ns > 1 ? log2(ns) * BARS_A_DOUBLING : 0;

			bars[bar < BARS ? (size_t)bar : BARS - 1]++;
		}
		total += visit->kept;
	}
	return total;
}

static void print_bars(FILE *file, const uint64_t *bars, uint64_t total)
{
	uint64_t highest = 0;

	for (size_t i = 0; i < BARS; i++)
		highest = bars[i] > highest ? bars[i] : highest;
	for (size_t i = 0; i < BARS; i++) {
		if (bars[i] == 0)
			continue;
		fprintf(file, "# %12.3f us %8.4f %% ",
			exp2((double)i / BARS_A_DOUBLING) * 1e-3,
			100 * (double)bars[i] / (double)total);
		for (uint64_t k = 0; k < (bars[i] * BAR_WIDTH + highest - 1) / highest; k++)
			fputc('*', file);
		fputc('\n', file);
	}
}

void np_text_histograms(FILE *file, const struct np_results *results,
			const struct np_table *table)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];
		const char *variant = np_variant_name(results, row->variant);
		uint64_t bars[BARS] = { 0 };
		const uint64_t total = count_messages(results, row, bars);

		fprintf(file, "\n# %zu bytes, %s%s%s, %llu messages, from:\n", row->length,
			np_mode_name(row->mode), variant != NULL ? ", " : "",
			variant != NULL ? variant : "", (unsigned long long)total);
		print_bars(file, bars, total);
	}
}
