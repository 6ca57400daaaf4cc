/*
 * host_state.c - host states of a run, by the core-to-core latency of its visits.
 */
#include "results/host_state.h"

#include <stdlib.h>

#include "stats/stats.h"

/* Of one state, two latencies differ by less than this. */
static const double state_width = 2.0;

static int compare_numbers(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* The median of the state with the most probes; of equal ones, of the fastest. */
static double usual_of(double *probes, size_t count)
{
	size_t most = 0, begin = 0;

	qsort(probes, count, sizeof(*probes), compare_numbers);
	for (size_t first = 0, end = 0; first < count; first++) {
		while (end < count && probes[end] <= state_width * probes[first])
			end++;
		if (end - first > most) {
			most = end - first;
			begin = first;
		}
	}
	return most != 0 ? np_median(probes + begin, most) : 0;
}

/* 0: not probed, so not known. */
static bool is_other(double core_latency_ns, double usual_ns)
{
	return core_latency_ns > state_width * usual_ns ||
	       (core_latency_ns > 0 && core_latency_ns < usual_ns / state_width);
}

/* Latencies of the visits that were probed: of all (usual_ns 0), or of those that do not
 * lie in the usual state.  NULL: no memory. */
static double *list_probes(const struct np_results *results, double usual_ns, size_t *count)
{
	double *probes = malloc((results->count + 1) * sizeof(*probes));

	*count = 0;
	for (size_t i = 0; i < results->count && probes != NULL; i++) {
		const double ns = results->visits[i]->core_latency_ns;

		if (ns > 0 && (usual_ns <= 0 || is_other(ns, usual_ns)))
			probes[(*count)++] = ns;
	}
	return probes;
}

void np_mark_host_states(struct np_results *results)
{
	const struct np_visit *next = NULL; /* the first one of the next serial */
	size_t count;
	double *probes = list_probes(results, 0, &count);

	if (probes == NULL)
		return;
	const double usual = usual_of(probes, count);
	free(probes);
	for (size_t i = results->count; i-- > 0;) {
		struct np_visit *visit = results->visits[i];
		const struct np_visit *later =
			i + 1 < results->count ? results->visits[i + 1] : NULL;

		if (later != NULL && later->serial != visit->serial)
			next = later;
		visit->other_state = is_other(visit->core_latency_ns, usual) ||
				     (next != NULL && next->run_index == visit->run_index &&
				      is_other(next->core_latency_ns, usual));
	}
}

struct np_host_states np_host_states_of(const struct np_results *results)
{
	struct np_host_states states = { .visits = results->count };
	size_t count;
	double *probes = list_probes(results, 0, &count);

	for (size_t i = 0; i < results->count; i++) {
		states.other += results->visits[i]->other_state;
		states.redone += results->visits[i]->superseded;
	}
	if (count != 0)
		states.usual_ns = usual_of(probes, count);
	free(probes);
	if (states.usual_ns <= 0)
		return states;
	probes = list_probes(results, states.usual_ns, &count);
	if (count != 0)
		states.other_ns = np_median(probes, count);
	free(probes);
	return states;
}
