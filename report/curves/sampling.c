/*
 * sampling.c - bottom-k sampling: a row keeps the visits with the smallest hashes of their
 * serials.
 */
#include "report/curves/sampling.h"

#include <errno.h>
#include <stdlib.h>

#include "results/results.h"

/* Sort key of a visit. */
struct ranked {
	uint64_t row, chance; /* hashes: of size, mode and variant; of run and serial */
	size_t at;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	struct np_random random = { hash ^ value };

	return np_random_next(&random);
}

static struct ranked rank_of(const struct np_results *results, size_t at)
{
	const struct np_visit *visit = results->visits[at];
	const uint64_t labels = (uint64_t)visit->mode | (uint64_t)visit->axis << 8 |
				(uint64_t)visit->factor << 16 |
				(uint64_t)visit->refine << 24 |
				(uint64_t)visit->sentinel << 25;

	return (struct ranked){ .row = mix(mix(mix(mix(0, labels), visit->variant),
					       visit->length),
					   visit->buffers),
				.chance = mix(mix(1, visit->run_index), visit->serial),
				.at = at };
}

static int compare_ranks(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->row != right->row)
		return left->row < right->row ? -1 : 1;
	return (left->chance > right->chance) - (left->chance < right->chance);
}

/* Removes freed visits; the order is kept. */
static void close_gaps(struct np_results *results)
{
	size_t kept = 0;

	for (size_t i = 0; i < results->count; i++) {
		if (results->visits[i] != NULL)
			results->visits[kept++] = results->visits[i];
	}
	results->count = kept;
}

static int drop_visits(struct np_sampling *sampling, struct np_results *results)
{
	struct ranked *ranks = malloc((results->count + 1) * sizeof(*ranks));
	size_t rows = 0, of_row = 0;

	if (ranks == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < results->count; i++)
		ranks[i] = rank_of(results, i);
	qsort(ranks, results->count, sizeof(*ranks), compare_ranks);
	for (size_t i = 0; i < results->count; i++) {
		const bool first = i == 0 || ranks[i].row != ranks[i - 1].row;
		struct np_visit **visit = &results->visits[ranks[i].at];

		rows += first;
		of_row = first ? 1 : of_row + 1;
		if (of_row <= NP_VISITS_OF_ROW)
			continue;
		sampling->samples -= (*visit)->kept;
		np_visit_free(*visit);
		*visit = NULL;
	}
	free(ranks);
	close_gaps(results);
	sampling->begin = results->count + results->count / 4;
	if (sampling->begin < NP_VISITS_ALL)
		sampling->begin = NP_VISITS_ALL;
	return rows > NP_ROWS_MOST ? -EFBIG : 0;
}

/* Keeps each sample with probability one half. */
static void halve(struct np_sampling *sampling, struct np_visit *visit)
{
	size_t kept = 0;

	for (size_t i = 0; i < visit->kept; i++) {
		if (np_random_next(&sampling->random) >> 63 != 0)
			visit->samples_ns[kept++] = visit->samples_ns[i];
	}
	sampling->samples -= visit->kept - kept;
	visit->kept = kept;
	uint64_t *smaller =
		realloc(visit->samples_ns, (kept + 1) * sizeof(*visit->samples_ns));
	if (smaller != NULL)
		visit->samples_ns = smaller;
}

static void drop_samples(struct np_sampling *sampling, struct np_results *results)
{
	struct np_visit *newest = results->visits[results->count - 1];

	sampling->samples += newest->kept;
	for (unsigned i = 0; i < sampling->halvings && newest->kept != 0; i++)
		halve(sampling, newest);
	if (sampling->samples <= NP_SAMPLES_ALL)
		return;
	sampling->halvings++;
	for (size_t i = 0; i < results->count; i++) {
		if (results->visits[i]->kept != 0)
			halve(sampling, results->visits[i]);
	}
}

int np_sample_visits(struct np_sampling *sampling, struct np_results *results)
{
	const size_t begin = sampling->begin != 0 ? sampling->begin : NP_VISITS_ALL;

	drop_samples(sampling, results);
	return results->count > begin ? drop_visits(sampling, results) : 0;
}

int np_sample_visits_end(struct np_sampling *sampling, struct np_results *results)
{
	/* Thin the visits added since the last sampling, too, so that all visits of a row
	 * have the same probability. */
	return sampling->begin != 0 ? drop_visits(sampling, results) : 0;
}
