/*
 * output_cold.c - cold check of rotating buffers: one line, or the measurements (-v).
 */
#include <math.h>

#include "output/output.h"
#include "output/say.h"

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

	np_text_size_unit(check->length, bytes, sizeof(bytes));
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

/* Lists the sizes at which a process has one of two verdicts: "4K, 8M". */
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
		np_text_size_unit(check->length, bytes, sizeof(bytes));
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

bool np_text_is_cold(const struct np_run_header *header)
{
	char failed[128];

	return !sizes_with(header, NP_COLD_NOT, NP_COLD_FEW_LINES, failed, sizeof(failed));
}
