/*
 * command_outcome.c - results of commands as facts in a reply.
 */
#include "endpoint/command_outcome.h"

#include <errno.h>
#include <math.h>

#include "boot/peer_number.h"
#include "boot/reply.h"

void np_outcome_pack(struct np_process *process, const struct np_command *command,
		     const struct np_outcome *outcome, struct np_facts *facts)
{
	const struct np_cold_probe *probe = &outcome->probes[1];

	switch (command->kind) {
	case NP_COMMAND_OPEN:
		np_process_describe(process, facts);
		break;
	case NP_COMMAND_MAP:
		np_facts_add(facts, "huge_share", "%.6f", outcome->huge_share);
		break;
	case NP_COMMAND_BLOCK:
		for (size_t i = 0; i < outcome->counts.count; i++)
			np_facts_add_number(facts, outcome->counts.list[i].name,
					    outcome->counts.list[i].value, NP_UNIT_COUNT,
					    NULL);
		break;
	case NP_COMMAND_PROBE:
		np_facts_add(facts, "reuse_ns", "%.17g", probe->reuse_ns);
		np_facts_add(facts, "rotate_ns", "%.17g", probe->rotate_ns);
		np_facts_add(facts, "translation_ns", "%.17g", probe->translation_ns);
		np_facts_add(facts, "cache_ns", "%.17g", probe->cache_ns);
		np_facts_add_number(facts, "lines", probe->lines, NP_UNIT_COUNT, NULL);
		np_facts_add_number(facts, "verdict", probe->verdict, NP_UNIT_COUNT, NULL);
		break;
	default:
		break;
	}
}

/* Bounds of what a peer can have measured: a year in nanoseconds, and the lines of an
 * address space. */
static const double longest_ns = 3.2e16;
static const uint64_t most_lines = (uint64_t)1 << 58;

static int read_probe(const struct np_facts *facts, struct np_cold_probe *probe,
		      struct np_error *error)
{
	uint64_t verdict;
	int rc = np_peer_number(facts, "reuse_ns", longest_ns, &probe->reuse_ns, error);

	if (rc == 0)
		rc = np_peer_number(facts, "rotate_ns", longest_ns, &probe->rotate_ns,
				    error);
	if (rc == 0)
		rc = np_peer_number(facts, "translation_ns", longest_ns,
				    &probe->translation_ns, error);
	if (rc == 0)
		rc = np_peer_number(facts, "cache_ns", longest_ns, &probe->cache_ns, error);
	if (rc == 0)
		rc = np_peer_count(facts, "lines", most_lines, &probe->lines, error);
	if (rc == 0)
		rc = np_peer_count(facts, "verdict", NP_COLD_BOTH, &verdict, error);
	if (rc == 0)
		probe->verdict = (enum np_coldness)verdict;
	return rc;
}

static int add_peer_counts(struct np_counts *counts, const struct np_facts *facts,
			   struct np_error *error)
{
	for (size_t i = 0; i < facts->count; i++) {
		const char *name = facts->list[i].name;
		uint64_t value;

		if (!np_counts_is_name(name))
			return np_boot_lost(-EPROTO, error);
		/* Any 64 bits: a count may be a difference below zero. */
		const int rc = np_peer_count(facts, name, UINT64_MAX, &value, error);
		if (rc != 0)
			return rc;
		np_counts_add(counts, name, value);
	}
	return 0;
}

int np_outcome_unpack(const struct np_command *command, struct np_facts *facts,
		      struct np_outcome *outcome, struct np_error *error)
{
	double share;
	int rc = 0;

	switch (command->kind) {
	case NP_COMMAND_OPEN:
		np_facts_free(&outcome->facts);
		outcome->facts = *facts;
		*facts = (struct np_facts){ .list = NULL };
		break;
	case NP_COMMAND_MAP:
		rc = np_peer_number(facts, "huge_share", 1, &share, error);
		if (rc == 0)
			outcome->huge_share = fmin(outcome->huge_share, share);
		break;
	case NP_COMMAND_BLOCK:
		rc = add_peer_counts(&outcome->counts, facts, error);
		break;
	case NP_COMMAND_PROBE:
		rc = read_probe(facts, &outcome->probes[1], error);
		break;
	default:
		break;
	}
	return rc;
}
