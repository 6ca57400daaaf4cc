/*
 * gather_samples.c - single messages of a run that times each: kept by the same
 * random variant as visits, and made into percentiles where the run did not live to
 * do so.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/curves/gather.h"
#include "stats/stats.h"

/* gcc 12's analyzer loses sight of a list that grows; np_gather_free() frees it. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

/* How run and serial share a word.  No run has more of either; what claims to is
 * not kept. */
enum { SERIAL_BITS = 40 };

/* Room for one more, if there may be: false where the variant has to begin. */
static int make_room(struct np_gather *gather, struct np_sample_list *samples, bool *room)
{
	*room = samples->count < samples->room;
	if (*room)
		return 0;
	const size_t more = samples->room != 0 ? samples->room : 64;
	if (samples->seen != samples->count || samples->room == NP_GATHER_SAMPLES ||
	    gather->sample_count + more > NP_GATHER_SAMPLES_ALL)
		return 0;
	struct np_gathered_sample *list =
		reallocarray(samples->list, samples->room + more, sizeof(*list));
	if (list == NULL)
		return -ENOMEM;
	samples->list = list;
	samples->room += more;
	gather->sample_count += more;
	*room = true;
	return 0;
}

/* As keep() of gather.c. */
static int keep(struct np_gather *gather, struct np_sample_list *samples,
		struct np_gathered_sample sample)
{
	bool room;
	const int rc = make_room(gather, samples, &room);

	if (rc != 0)
		return rc;
	samples->seen++;
	if (room) {
		samples->list[samples->count++] = sample;
		return 0;
	}
	const uint64_t at = np_random_below(&gather->random, samples->seen);
	if (at < samples->count)
		samples->list[at] = sample;
	return 0;
}

int np_gather_samples(struct np_gather *gather, const struct np_results *results,
		      const struct np_visit *visit, struct np_sample_list *samples)
{
	const size_t count = visit->kept;
	int rc = 0;

	if (!gather->per_message || visit->serial >> SERIAL_BITS != 0 ||
	    visit->run_index >> (64 - SERIAL_BITS) != 0)
		return 0;
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = keep(gather, samples,
			  (struct np_gathered_sample){
				  .seconds = np_message_seconds(results, visit,
								visit->samples_ns[i]),
				  .visit = (uint64_t)visit->run_index << SERIAL_BITS |
					   visit->serial });
	return rc;
}

int np_gather_percentiles(const struct np_gather *gather,
			  const struct np_sample_list *samples, struct np_figure *point)
{
	const uint64_t serials = ((uint64_t)1 << SERIAL_BITS) - 1;
	double *values = malloc((samples->count + 1) * sizeof(*values));
	size_t count = 0;

	if (values == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < samples->count; i++) {
		const struct np_gathered_sample *at = &samples->list[i];

		if (np_gather_counts(gather, (unsigned)(at->visit >> SERIAL_BITS),
				     at->visit & serials))
			values[count++] = at->seconds;
	}
	/* Ten samples beyond a percentile are the least that make it one, as in rows.c. */
	if (count >= 100) {
		point->p50_s = np_quantile(values, count, 0.5);
		point->p90_s = np_quantile(values, count, 0.9);
	}
	if (count >= 1000)
		point->p99_s = np_quantile(values, count, 0.99);
	if (count >= 10000)
		point->p999_s = np_quantile(values, count, 0.999);
	free(values);
	return 0;
}
