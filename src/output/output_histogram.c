/*
 * output_histogram.c - --per-message: the samples of each row as bars, one for
 * each doubling of the time by a fourth root, so that two modes of a size show
 * as two hills.
 */
#include <math.h>
#include <stdlib.h>

#include "stats/histogram.h"
#include "output/output.h"

enum { BARS = 120, BAR_WIDTH = 50, BARS_A_DOUBLING = 4 };

/* All times of one row, as half round trips where the operation is a ping-pong. */
static void collect(const struct np_results *results, const struct np_row *row,
		    struct np_histogram *histogram)
{
	for (size_t i = 0; i < results->count; i++) {
		const struct np_visit *visit = results->visits[i];
		const size_t samples = visit->blocks * visit->samples_per_block;

		if (visit->length != row->length || visit->mode != row->mode ||
		    visit->variant != row->variant || visit->sentinel || visit->superseded)
			continue;
		for (size_t k = 0; k < samples; k++)
			np_histogram_add(
				histogram,
				(uint64_t)(np_message_seconds(results, visit,
							      visit->samples_ns[k]) *
						   1e9 +
					   0.5));
	}
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
	struct np_histogram *histogram = malloc(sizeof(*histogram));

	for (size_t i = 0; i < table->row_count && histogram != NULL; i++) {
		const struct np_row *row = &table->rows[i];
		struct np_histogram_bucket bucket;
		uint64_t bars[BARS] = { 0 };
		size_t cursor = 0;

		*histogram = (struct np_histogram){ .total = 0 };
		collect(results, row, histogram);
		while (np_histogram_next(histogram, &cursor, &bucket)) {
			const double at = bucket.low > 1 ? log2((double)bucket.low) *
								   BARS_A_DOUBLING :
							   0;
			const size_t bar = (size_t)at;

			bars[bar < BARS ? bar : BARS - 1] += bucket.count;
		}
		const char *variant = np_variant_name(results, row->variant);

		fprintf(file, "\n# %zu bytes, %s%s%s, %llu messages, from:\n", row->length,
			np_mode_name(row->mode), variant != NULL ? ", " : "",
			variant != NULL ? variant : "",
			(unsigned long long)histogram->total);
		print_bars(file, bars, histogram->total);
	}
	free(histogram);
}
