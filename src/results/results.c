/*
 * results.c - keeping visits.
 */
#include "results/results.h"

#include <errno.h>
#include <stdlib.h>

#include "stats/stats.h"

void np_results_init(struct np_results *results)
{
	*results = (struct np_results){ .runs = 1, .operation_name = "pingpong" };
	pthread_mutex_init(&results->lock, NULL);
}

void np_results_free(struct np_results *results)
{
	for (size_t i = 0; i < results->count; i++)
		np_visit_free(results->visits[i]);
	free(results->visits);
	pthread_mutex_destroy(&results->lock);
}

struct np_visit *np_visit_new(size_t blocks, size_t warmup, size_t samples)
{
	struct np_visit *visit = calloc(1, sizeof(*visit));

	if (visit == NULL)
		return NULL;
	visit->blocks = blocks;
	visit->warmup_per_block = warmup;
	visit->samples_per_block = samples;
	visit->warmup_ns = calloc(blocks * warmup + 1, sizeof(uint64_t));
	visit->samples_ns = calloc(blocks * samples + 1, sizeof(uint64_t));
	if (visit->warmup_ns == NULL || visit->samples_ns == NULL) {
		np_visit_free(visit);
		return NULL;
	}
	return visit;
}

void np_visit_free(struct np_visit *visit)
{
	if (visit == NULL)
		return;
	free(visit->warmup_ns);
	free(visit->samples_ns);
	free(visit);
}

int np_results_add(struct np_results *results, struct np_visit *visit)
{
	int rc = 0;

	pthread_mutex_lock(&results->lock);
	if (results->count == results->room) {
		const size_t room = results->room != 0 ? 2 * results->room : 256;
		struct np_visit **visits =
			realloc(results->visits, room * sizeof(struct np_visit *));

		if (visits != NULL) {
			results->visits = visits;
			results->room = room;
		} else {
			rc = -ENOMEM;
		}
	}
	if (rc == 0)
		results->visits[results->count++] = visit;
	else
		np_visit_free(visit);
	pthread_mutex_unlock(&results->lock);
	return rc;
}

void np_results_supersede(struct np_results *results, unsigned run_index, uint64_t serial)
{
	pthread_mutex_lock(&results->lock);
	for (size_t i = 0; i < results->count; i++) {
		struct np_visit *visit = results->visits[i];

		if (visit->run_index == run_index && visit->serial == serial)
			visit->superseded = true;
	}
	pthread_mutex_unlock(&results->lock);
}

bool np_results_ask_why(const struct np_results *results)
{
	for (size_t i = 0; i < results->count; i++) {
		if (results->visits[i]->mode == NP_MODE_TOUCHED)
			return true;
	}
	return false;
}

/* Messages of a sample: a round trip is two. */
static double messages_of(const struct np_results *results, const struct np_visit *visit)
{
	const double trips = results->operation == NP_PINGPONG ? 2 : 1;

	return (double)visit->messages * trips;
}

double np_visit_messages(const struct np_results *results, const struct np_visit *visit)
{
	const size_t samples =
		visit->blocks * (visit->warmup_per_block + visit->samples_per_block);

	return (double)samples * messages_of(results, visit);
}

double np_message_seconds(const struct np_results *results, const struct np_visit *visit,
			  uint64_t batch_ns)
{
	return (double)batch_ns * 1e-9 / messages_of(results, visit);
}

double np_visit_median(const struct np_results *results, const struct np_visit *visit,
		       size_t first_block, size_t count)
{
	const size_t samples = count * visit->samples_per_block;
	const uint64_t *ns = visit->samples_ns + first_block * visit->samples_per_block;
	double *values = malloc((samples + 1) * sizeof(*values));
	double median = 0;

	if (values == NULL)
		return 0;
	for (size_t i = 0; i < samples; i++)
		values[i] = np_message_seconds(results, visit, ns[i]);
	if (samples != 0)
		median = np_median(values, samples);
	free(values);
	return median;
}

const char *np_variant_name(const struct np_results *results, size_t variant)
{
	return variant < results->variant_count ? results->variants[variant] : NULL;
}

void np_results_compare(struct np_results *results, const struct np_request *request)
{
	results->variant_count = request->variant_count > 1 ? request->variant_count : 0;
	for (size_t i = 0; i < results->variant_count; i++)
		results->variants[i] = request->variants[i];
}

unsigned np_unit_of(const struct np_results *results, const struct np_visit *visit)
{
	return results->runs > 1 ? visit->run_index : visit->pass;
}

size_t np_unit_medians(const struct np_results *results, struct np_visit *const *visits,
		       double *values, size_t count)
{
	size_t units = 0;

	for (size_t begin = 0, end; begin < count; begin = end) {
		for (end = begin + 1;
		     end < count && np_unit_of(results, visits[end]) ==
					    np_unit_of(results, visits[begin]);)
			end++;
		values[units++] = np_median(values + begin, end - begin);
	}
	return units;
}

/* A core-to-core latency that takes this many times longer, or shorter, than the run's
 * median was taken in another state of the machine. */
static const double other_state_beyond = 2.0;

bool np_host_state_is_other(double core_latency_ns, double usual_ns)
{
	return core_latency_ns > other_state_beyond * usual_ns ||
	       (core_latency_ns > 0 && core_latency_ns < usual_ns / other_state_beyond);
}

void np_mark_host_states(struct np_results *results)
{
	double *probes = malloc((results->count + 1) * sizeof(*probes));
	size_t count = 0;

	if (probes == NULL)
		return;
	for (size_t i = 0; i < results->count; i++) {
		if (results->visits[i]->core_latency_ns > 0)
			probes[count++] = results->visits[i]->core_latency_ns;
	}
	const double typical = count != 0 ? np_median(probes, count) : 0;
	free(probes);
	for (size_t i = 0; i < results->count; i++) {
		struct np_visit *visit = results->visits[i];

		visit->other_state =
			np_host_state_is_other(visit->core_latency_ns, typical);
	}
}
