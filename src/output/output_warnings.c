/*
 * output_warnings.c - at most three warnings at the end of the text, each with a remedy.
 */
#include <math.h>
#include <string.h>

#include "base/plural.h"
#include "output/output.h"
#include "output/say.h"

enum { WARNINGS_PRINTED = 3 };

struct warnings {
	FILE *file;
	unsigned printed, omitted;
};

/* Begins a warning.  Returns false, and counts it as omitted, if three were printed. */
static bool begin(struct warnings *warnings)
{
	if (warnings->printed >= WARNINGS_PRINTED) {
		warnings->omitted++;
		return false;
	}
	if (warnings->printed++ == 0)
		fputc('\n', warnings->file);
	return true;
}

static void warn_by_facts(struct warnings *warnings, const struct np_facts *facts,
			  const char *host)
{
	for (size_t i = 0; i < facts->count; i++) {
		if (strncmp(facts->list[i].name, "warning_", 8) == 0 && begin(warnings))
			np_say(warnings->file, "warning", "%s: %s",
			       host != NULL ? host : "host", facts->list[i].text);
	}
}

static void warn_of_hosts(struct warnings *warnings, const struct np_run_header *header)
{
	for (int rank = 0; rank < 2; rank++) {
		const char *host = np_facts_find(&header->hosts[rank], "host");

		warn_by_facts(warnings, &header->hosts[rank], host);
		warn_by_facts(warnings, &header->paths[rank], host);
	}
}

void np_text_sentinel(const struct np_sentinel *sentinel, char *text, size_t size)
{
	char bytes[32];

	text[0] = '\0';
	np_text_size_unit(sentinel->length, bytes, sizeof(bytes));
	if (sentinel->apart > 1 && sentinel->visits == 0)
		snprintf(text, size, "the host was in two states, %.3gx apart",
			 sentinel->apart);
	else if (sentinel->apart > 1)
		snprintf(text, size,
			 "%s took %.3gx as long in %zu of %zu passes: the host was in two "
			 "states",
			 bytes, sentinel->apart, sentinel->slower, sentinel->visits);
	else if (sentinel->drift > 0 && fabs(sentinel->drift - 1) > 0.02)
		snprintf(text, size, "%s became %.1f %% %s during the run", bytes,
			 100 * fabs(sentinel->drift - 1),
			 sentinel->drift > 1 ? "slower" : "faster");
}

void np_text_state(const struct np_host_states *states,
		   const struct np_latency_bounds *bounds, char *text, size_t size)
{
	snprintf(text, size,
		 "the whole run was in a %s host state: core-to-core latency %.0f ns, "
		 "expected %s %.0f ns (%s)",
		 states->seen == NP_STATE_FASTER ? "faster" : "slower", states->usual_ns,
		 states->seen == NP_STATE_FASTER ? "at least" : "at most",
		 states->seen == NP_STATE_FASTER ? bounds->least_ns : bounds->most_ns,
		 bounds->source);
}

/* Warns of an unexpected host state of the whole run, which nothing within the run shows.
 */
static void warn_of_state(struct warnings *warnings, const struct np_results *results,
			  const struct np_findings *findings)
{
	const struct np_host_states *states = &findings->states;
	const struct np_latency_bounds *bounds = &results->latency_bounds;
	char text[320];

	/* Only --reference sets least_ns. */
	if (bounds->least_ns > 0 && states->usual_ns <= 0 && begin(warnings))
		np_say(warnings->file, "warning",
		       "--reference had no effect: no core-to-core latency was measured, "
		       "as it needs two bound cores of one host");
	if (states->seen == NP_STATE_EXPECTED || !begin(warnings))
		return;
	np_text_state(states, bounds, text, sizeof(text));
	np_say(warnings->file, "warning",
	       "%s; do not compare it with runs in another state; repeat later, or on "
	       "other cores (--bind)",
	       text);
}

void np_text_warnings(FILE *file, const struct np_results *results,
		      const struct np_run_header *header,
		      const struct np_findings *findings)
{
	struct warnings warnings = { .file = file };

	warn_of_state(&warnings, results, findings);
	if (header->cold_count != 0 && !np_text_is_cold(header) && begin(&warnings))
		np_say(file, "warning",
		       "rotating buffers were not cold: their cost is underestimated; "
		       "give a larger --pool, or fewer other programs");
	if (findings->rows_faulted != 0 && begin(&warnings))
		np_say(file, "warning",
		       "page faults in %zu result%s (mark p): free memory, or give a "
		       "smaller --pool",
		       findings->rows_faulted, np_plural(findings->rows_faulted));
	if (findings->rows_other_state != 0 && begin(&warnings))
		np_say(file, "warning",
		       "no verdict for %zu result%s with too little in the usual host "
		       "state (mark ~): give a longer --time-budget, or repeat on a quiet "
		       "machine",
		       findings->rows_other_state, np_plural(findings->rows_other_state));
	warn_of_hosts(&warnings, header);
	if (findings->rows_unsteady != 0 && begin(&warnings))
		np_say(file, "warning",
		       "%zu result%s not in steady state (mark s): first and last third "
		       "of the samples differ; repeat on a quiet machine",
		       findings->rows_unsteady, np_plural(findings->rows_unsteady));
	if (warnings.omitted != 0)
		np_say(file, "", "and %u more: --json FILE keeps them", warnings.omitted);
}
