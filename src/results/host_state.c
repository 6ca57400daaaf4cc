/*
 * host_state.c - host states of a run, by the core-to-core latency of its visits.
 */
#include "results/host_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

/* Ratio of latencies of two states, at least.  A line between threads of one core takes
 * little more than half of the time between neighbouring cores. */
const double np_states_apart = 1.5;

static int compare_numbers(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Median of the state with the most probes; of the faster one if two have as many. */
static double usual_of(double *probes, size_t count)
{
	size_t most = 0, begin = 0;

	qsort(probes, count, sizeof(*probes), compare_numbers);
	for (size_t first = 0, end = 0; first < count; first++) {
		while (end < count && probes[end] <= np_states_apart * probes[first])
			end++;
		if (end - first > most) {
			most = end - first;
			begin = first;
		}
	}
	return most != 0 ? np_median(probes + begin, most) : 0;
}

bool np_is_other_state(double core_latency_ns, double usual_ns)
{
	return core_latency_ns > 0 && usual_ns > 0 &&
	       (core_latency_ns > np_states_apart * usual_ns ||
		core_latency_ns < usual_ns / np_states_apart);
}

/* Lists the core-to-core latencies of all visits (usual_ns 0), or of visits outside the
 * usual state.  Returns NULL without memory. */
static double *list_probes(const struct np_results *results, double usual_ns, size_t *count)
{
	double *probes = malloc((results->count + 1) * sizeof(*probes));

	*count = 0;
	for (size_t i = 0; i < results->count && probes != NULL; i++) {
		const double ns = results->visits[i]->core_latency_ns;

		if (ns > 0 && (usual_ns <= 0 || np_is_other_state(ns, usual_ns)))
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
		visit->other_state = np_is_other_state(visit->core_latency_ns, usual) ||
				     (next != NULL && next->run_index == visit->run_index &&
				      np_is_other_state(next->core_latency_ns, usual));
	}
}

struct np_host_states np_host_states_of(const struct np_results *results)
{
	const struct np_latency_bounds *bounds = &results->latency_bounds;
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
	if (bounds->most_ns > 0 && states.usual_ns > bounds->most_ns)
		states.seen = NP_STATE_SLOWER;
	else if (states.usual_ns < bounds->least_ns)
		states.seen = NP_STATE_FASTER;
	probes = list_probes(results, states.usual_ns, &count);
	if (count != 0)
		states.other_ns = np_median(probes, count);
	free(probes);
	return states;
}

static const char least_fact[] = "core_latency_least_ns";
static const char most_fact[] = "core_latency_most_ns";
static const char source_fact[] = "core_latency_bounds";

void np_latency_bounds_tell(const struct np_latency_bounds *bounds, struct np_facts *facts)
{
	if (bounds->most_ns <= 0)
		return;
	if (bounds->least_ns > 0)
		np_facts_add(facts, least_fact, "%.4g", bounds->least_ns);
	np_facts_add(facts, most_fact, "%.4g", bounds->most_ns);
	np_facts_add(facts, source_fact, "%s", bounds->source);
}

/* Returns 0 for implausible values, which a file may have. */
static double number_of(const struct np_facts *facts, const char *name)
{
	const char *text = np_facts_find(facts, name);
	const double ns = text != NULL ? strtod(text, NULL) : 0;

	return ns > 0 && ns < 1e9 ? ns : 0;
}

struct np_latency_bounds np_latency_bounds_of(const struct np_facts *facts)
{
	struct np_latency_bounds bounds = { .least_ns = number_of(facts, least_fact),
					    .most_ns = number_of(facts, most_fact) };
	const char *source = np_facts_find(facts, source_fact);

	snprintf(bounds.source, sizeof(bounds.source), "%s", source != NULL ? source : "");
	return bounds;
}

void np_latency_bounds_refer(struct np_latency_bounds *bounds, double usual_ns,
			     const char *file)
{
	const size_t used = strlen(bounds->source);

	if (bounds->most_ns > 0 && usual_ns > bounds->most_ns) {
		snprintf(bounds->source + used, sizeof(bounds->source) - used,
			 "; %.100s has %.0f ns, too slow as well", file, usual_ns);
		return;
	}
	*bounds = (struct np_latency_bounds){ .least_ns = usual_ns / np_states_apart,
					      .most_ns = usual_ns * np_states_apart };
	snprintf(bounds->source, sizeof(bounds->source), "%.150s has %.0f ns", file,
		 usual_ns);
}
