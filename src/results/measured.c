/*
 * measured.c - reduction of a visit from samples to medians, sums and counts.
 */
#include "results/measured.h"

#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

struct np_measured *np_measured_new(size_t blocks, size_t warmup, size_t samples)
{
	struct np_measured *measured = calloc(1, sizeof(*measured));

	if (measured == NULL)
		return NULL;
	measured->blocks = blocks;
	measured->warmup_per_block = warmup;
	measured->samples_per_block = samples;
	measured->warmup_ns = calloc(blocks * warmup + 1, sizeof(uint64_t));
	measured->samples_ns = calloc(blocks * samples + 1, sizeof(uint64_t));
	if (measured->warmup_ns == NULL || measured->samples_ns == NULL) {
		np_measured_free(measured);
		return NULL;
	}
	return measured;
}

void np_measured_free(struct np_measured *measured)
{
	if (measured == NULL)
		return;
	free(measured->warmup_ns);
	free(measured->samples_ns);
	free(measured);
}

void np_visit_free(struct np_visit *visit)
{
	if (visit != NULL)
		free(visit->samples_ns);
	free(visit);
}

/* Index of a count's name; NP_BLOCK_COUNTS if there are too many. */
static size_t number_of_name(struct np_results *results, const char *name)
{
	size_t at = 0;

	while (at < results->count_names_count &&
	       strncmp(results->count_names[at], name, NP_COUNTER_NAME) != 0)
		at++;
	if (at == results->count_names_count && at < NP_BLOCK_COUNTS)
		memcpy(results->count_names[results->count_names_count++], name,
		       NP_COUNTER_NAME);
	return at;
}

/* Ratio of the medians of the first and the last third of each block; values has space
 * for all samples. */
static double find_drift(const struct np_measured *measured, double *values)
{
	const size_t third = measured->samples_per_block / 3;
	const size_t count = measured->blocks * third;
	double *first = values, *last = values + count;

	if (count == 0)
		return 1;
	for (size_t block = 0; block < measured->blocks; block++) {
		const uint64_t *ns =
			measured->samples_ns + block * measured->samples_per_block;

		for (size_t i = 0; i < third; i++) {
			first[block * third + i] = (double)ns[i];
			last[block * third + i] =
				(double)ns[measured->samples_per_block - 1 - i];
		}
	}
	const double end = np_median(last, count);

	return end > 0 ? np_median(first, count) / end : 1;
}

/* Sets sums and medians; values has space for all samples. */
static void reduce_samples(const struct np_results *results,
			   const struct np_measured *measured, double *values,
			   double *block_median_s, struct np_visit *visit)
{
	const size_t each = measured->samples_per_block;
	const size_t samples = measured->blocks * each;

	visit->samples = samples;
	visit->drift = find_drift(measured, values);
	for (size_t i = 0; i < samples; i++)
		values[i] = np_message_seconds(results, visit, measured->samples_ns[i]);
	visit->least_s = np_min(values, samples);
	if (samples == 0)
		return;
	visit->median_s = np_median(values, samples);
	visit->sum_s = np_mean(values, samples) * (double)samples;
	for (size_t i = 0; i < visit->blocks; i++)
		block_median_s[i] = np_median(values + i * each, each);
}

static void take_counts(struct np_results *results, const struct np_measured *measured,
			struct np_count *counts, struct np_visit *visit)
{
	const double trips = results->operation == NP_PINGPONG ? 2 : 1;
	const size_t batches = measured->blocks *
			       (measured->warmup_per_block + measured->samples_per_block);

	visit->counted_messages = (double)batches * ((double)visit->messages * trips);
	for (size_t i = 0; i < measured->counts.count; i++) {
		const struct np_counter *counter = &measured->counts.list[i];
		const size_t name = number_of_name(results, counter->name);

		if (name < NP_BLOCK_COUNTS)
			counts[visit->count_count++] =
				(struct np_count){ counter->value, name };
	}
}

struct np_visit *np_visit_reduce(struct np_results *results,
				 const struct np_measured *measured)
{
	const unsigned blocks = measured->blocks < NP_VISIT_BLOCKS ?
					(unsigned)measured->blocks :
					NP_VISIT_BLOCKS;
	const size_t samples = measured->blocks * measured->samples_per_block;
	double *values = calloc(samples + 1, sizeof(*values));
	/* One allocation: there may be a million visits. */
	struct np_visit *visit = malloc(sizeof(*visit) + blocks * sizeof(double) +
					measured->counts.count * sizeof(struct np_count));

	if (values == NULL || visit == NULL) {
		free(values);
		free(visit);
		return NULL;
	}
	double *block_median_s = (double *)(visit + 1);
	struct np_count *counts = (struct np_count *)(block_median_s + blocks);
	*visit = measured->visit;
	visit->code_path = np_results_word(results, measured->code_path);
	visit->block_median_s = block_median_s;
	visit->blocks = blocks;
	visit->counts = counts;
	visit->count_count = 0;
	reduce_samples(results, measured, values, block_median_s, visit);
	take_counts(results, measured, counts, visit);
	free(values);
	if (!results->per_message && !results->keep_samples)
		return visit;
	visit->samples_ns = malloc((samples + 1) * sizeof(*visit->samples_ns));
	if (visit->samples_ns == NULL) {
		free(visit);
		return NULL;
	}
	memcpy(visit->samples_ns, measured->samples_ns,
	       samples * sizeof(*visit->samples_ns));
	visit->kept = samples;
	return visit;
}
