/*
 * output_warnings.c - cold check of rotating buffers; warnings, each with a remedy: those
 * of the host before the run, at most three others at the end of the text.
 */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "output/output.h"
#include "output/terminal.h"

static const char *verdict_text(enum np_coldness verdict)
{
	switch (verdict) {
	case NP_COLD:
		return "cold";
	case NP_COLD_FEW_LINES:
		return "NOT COLD: the pool is less than four times the last-level cache";
	case NP_COLD_BOTH:
		return "one message fills the caches: reuse is cold, too";
	default:
		return "NOT COLD";
	}
}

static void say_details(FILE *file, const struct np_cold_check *check)
{
	char bytes[32];

	np_text_bytes(check->length, bytes, sizeof(bytes));
	for (int rank = 0; rank < 2; rank++) {
		const struct np_cold_probe *probe = &check->probes[rank];

		np_say(file, "",
		       "%s, rank %d: %.1f ns per load rotating (caches %.1f, page walks "
		       "%.1f; %llu lines), %.1f ns reusing: %s",
		       bytes, rank, probe->rotate_ns, probe->cache_ns,
		       probe->translation_ns, (unsigned long long)probe->lines,
		       probe->reuse_ns, verdict_text(probe->verdict));
	}
}

/* Lists the sizes whose cold check has one of two verdicts in a process: "4K, 8M".  Returns
 * false without such a size. */
static bool sizes_with(const struct np_run_header *header, enum np_coldness one,
		       enum np_coldness other, char *text, size_t size)
{
	int used = 0;

	*text = '\0';
	for (size_t i = 0; i < header->cold_count && used < (int)size; i++) {
		const struct np_cold_check *check = &header->cold[i];
		char bytes[32];
		bool found = false;

		for (int rank = 0; rank < 2; rank++)
			found |= check->probes[rank].verdict == one ||
				 check->probes[rank].verdict == other;
		if (!found)
			continue;
		np_text_bytes(check->length, bytes, sizeof(bytes));
		used += snprintf(text + used, size - (size_t)used, "%s%s",
				 used != 0 ? ", " : "", bytes);
	}
	return used != 0;
}

static void say_passed(FILE *file, const struct np_run_header *header)
{
	double rotate[2] = { HUGE_VAL, 0 }, reuse[2] = { HUGE_VAL, 0 };

	for (size_t i = 0; i < header->cold_count; i++) {
		for (int rank = 0; rank < 2; rank++) {
			const struct np_cold_probe *probe = &header->cold[i].probes[rank];

			if (probe->verdict != NP_COLD)
				continue;
			rotate[0] = fmin(rotate[0], probe->rotate_ns);
			rotate[1] = fmax(rotate[1], probe->rotate_ns);
			reuse[0] = fmin(reuse[0], probe->reuse_ns);
			reuse[1] = fmax(reuse[1], probe->reuse_ns);
		}
	}
	if (isfinite(rotate[0]))
		np_say(file, "cold check",
		       "passed: %.0f to %.0f ns per load rotating, %.1f to %.1f ns "
		       "reusing",
		       rotate[0], rotate[1], reuse[0], reuse[1]);
}

void np_text_cold(FILE *file, const struct np_run_header *header, bool verbose)
{
	char failed[128], both[128];

	if (header->cold_unchecked != NULL)
		np_say(file, "cold check", "not done: %s", header->cold_unchecked);
	if (header->cold_count == 0)
		return;
	if (sizes_with(header, NP_COLD_NOT, NP_COLD_FEW_LINES, failed, sizeof(failed)))
		np_say(file, "cold check",
		       "NOT COLD at %s: rotating buffers were partly in the cache", failed);
	else
		say_passed(file, header);
	if (sizes_with(header, NP_COLD_BOTH, NP_COLD_BOTH, both, sizeof(both)))
		np_say(file, "",
		       "%s: the message is larger than the cache, reuse misses it too",
		       both);
	for (size_t i = 0; i < header->cold_count && verbose; i++)
		say_details(file, &header->cold[i]);
}

bool np_text_warm(const struct np_run_header *header, char *text, size_t size)
{
	return sizes_with(header, NP_COLD_NOT, NP_COLD_FEW_LINES, text, size);
}

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
	warnings->printed++;
	return true;
}

/* Returns whether a warning is printed elsewhere: before the run, for a host that spoils
 * every figure; beside the quality, for the path. */
static bool is_first(const char *name)
{
	static const char *const first[] = { "warning_cores", "warning_quota",
					     "warning_path" };

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++) {
		if (strcmp(name, first[i]) == 0)
			return true;
	}
	return false;
}

const char *np_text_spoilt(FILE *file, const struct np_run_header *header)
{
	const char *spoilt = NULL;

	for (int rank = 0; rank < 2; rank++) {
		const struct np_facts *facts = &header->hosts[rank];
		const char *host = np_facts_find(facts, "host");

		for (size_t i = 0; i < facts->count; i++) {
			if (!is_first(facts->list[i].name))
				continue;
			spoilt = spoilt != NULL ? spoilt : facts->list[i].text;
			if (file != NULL)
				np_say(file, "warning", "%s: %s",
				       host != NULL ? host : "host", facts->list[i].text);
		}
	}
	return spoilt;
}

static void warn_by_facts(struct warnings *warnings, const struct np_facts *facts,
			  const char *host)
{
	for (size_t i = 0; i < facts->count; i++) {
		if (strncmp(facts->list[i].name, "warning_", 8) == 0 &&
		    !is_first(facts->list[i].name) && begin(warnings))
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
	np_text_bytes(sentinel->length, bytes, sizeof(bytes));
	if (sentinel->state_ratio > 1 && sentinel->visits == 0)
		snprintf(text, size, "the host was in two states, %.3gx apart",
			 sentinel->state_ratio);
	else if (sentinel->state_ratio > 1)
		snprintf(text, size,
			 "%s took %.3gx as long in %zu of %zu passes: the host was in two "
			 "states",
			 bytes, sentinel->state_ratio, sentinel->slower, sentinel->visits);
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

/* Warns that no core-to-core latency was measured, to compare with that of --reference. */
static void warn_of_reference(struct warnings *warnings, const struct np_results *results,
			      const struct np_findings *findings)
{
	const struct np_host_states *states = &findings->states;
	const struct np_latency_bounds *bounds = &results->latency_bounds;

	/* least_ns above 0 means --reference, which alone sets it. */
	if (bounds->least_ns > 0 && states->usual_ns <= 0 && begin(warnings))
		np_say(warnings->file, "warning",
		       "--reference had no effect: no core-to-core latency was measured, "
		       "as it needs two bound cores of one host");
}

void np_text_warnings(FILE *file, const struct np_results *results,
		      const struct np_run_header *header,
		      const struct np_findings *findings)
{
	struct warnings warnings = { .file = file };

	warn_of_reference(&warnings, results, findings);
	warn_of_hosts(&warnings, header);
	if (warnings.omitted != 0)
		np_say(file, "", "and %u more: --json FILE keeps them", warnings.omitted);
}
