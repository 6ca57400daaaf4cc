/*
 * host_state.c - host states of a run, by the core-to-core latency and by the sentinel.
 */
#include "results/host_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/bimodal.h"
#include "stats/stats.h"

/* Least ratio of the core-to-core latencies of two host states.  The closest known states
 * are two threads of one core, 15 ns, and neighbouring cores, 23 to 40 ns (doc/method.md).
 */
static const double states_apart = 1.5;

/* Returns the median of the most frequent host state, ns: of the range of a factor of
 * states_apart that holds the most probes, the faster of equal ones.  Returns 0 without
 * probes.  Sorts probes. */
static double usual_of(double *probes, size_t count)
{
	size_t most = 0, begin = 0;

	qsort(probes, count, sizeof(*probes), np_compare_doubles);
	for (size_t first = 0, end = 0; first < count; first++) {
		while (end < count && probes[end] <= states_apart * probes[first])
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
	       (core_latency_ns > states_apart * usual_ns ||
		core_latency_ns < usual_ns / states_apart);
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
	const struct np_visit *next = NULL; /* first visit of the next serial */
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

void np_latency_bounds_to_facts(const struct np_latency_bounds *bounds,
				struct np_facts *facts)
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

struct np_latency_bounds np_latency_bounds_from_facts(const struct np_facts *facts)
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
	*bounds = (struct np_latency_bounds){ .least_ns = usual_ns / states_apart,
					      .most_ns = usual_ns * states_apart };
	snprintf(bounds->source, sizeof(bounds->source), "%.150s has %.0f ns", file,
		 usual_ns);
}

/* Smallest share and number of visits in either state: one disturbance is no state. */
static const double share_least = 0.1;
enum { IN_STATE_LEAST = 2 };

/* Medians of the visits of the first run and its first mode, in order of time: runs and
 * modes differ for other reasons.  Returns their number; the caller frees medians, which is
 * NULL without memory. */
static size_t collect(const struct np_results *results, double **medians, size_t *length)
{
	const struct np_selection sentinels = { .purposes = NP_FOR_SENTINEL,
						.timed = true };
	const struct np_visit *first = NULL;
	size_t count, kept = 0;
	struct np_visit **visits = np_visits_select(results, &sentinels, &count);

	*medians = visits != NULL ? malloc((count + 1) * sizeof(**medians)) : NULL;
	for (size_t i = 0; i < count && *medians != NULL; i++) {
		if (visits[i]->run_index != 0)
			continue;
		first = first != NULL ? first : visits[i];
		if (visits[i]->mode == first->mode)
			(*medians)[kept++] = visits[i]->median_s;
	}
	*length = first != NULL ? first->length : 0;
	free(visits);
	return kept;
}

/* Returns the median of the last third over the median of the first: single visits are too
 * noisy.  Returns 0 for fewer than three. */
static double find_drift(const double *medians, size_t count)
{
	const size_t third = count / 3;

	return third == 0 ? 0 :
			    np_median(medians + count - third, third) /
				    np_median(medians, third);
}

/* Counts values between two groups: in the middle half, on a logarithmic scale, of the gap
 * between their medians.  Two host states leave it almost empty, drifting times do not. */
static size_t count_between(const double *values, size_t count,
			    const struct np_bimodal *split)
{
	const double quarter = pow(split->upper / split->lower, 0.25);
	size_t between = 0;

	for (size_t i = 0; i < count; i++)
		between += values[i] >= split->lower * quarter &&
			   values[i] * quarter <= split->upper;
	return between;
}

static void find_states(double *values, size_t count, struct np_sentinel *sentinel)
{
	const struct np_bimodal split = np_split_in_two(
		values, count,
		fmax(share_least, count != 0 ? IN_STATE_LEAST / (double)count : 0),
		states_apart);

	if (split.two &&
	    (double)count_between(values, count, &split) <= share_least * (double)count) {
		sentinel->state_ratio = split.upper / split.lower;
		sentinel->slower = (size_t)lround(split.share * (double)count);
	}
}

struct np_sentinel np_sentinel_of(const struct np_results *results)
{
	struct np_sentinel sentinel = { .state_ratio = 1 };
	double *medians;
	const size_t count = collect(results, &medians, &sentinel.length);

	if (medians == NULL)
		return sentinel;
	sentinel.visits = count;
	sentinel.drift = find_drift(medians, count);
	find_states(medians, count, &sentinel);
	free(medians);
	return sentinel;
}
