/*
 * command_outcome.c - results of commands as facts in a reply.
 */
#include "endpoint/command_outcome.h"

#include <math.h>
#include <stdlib.h>

void np_outcome_pack(struct np_process *process, const struct np_command *command,
		     const struct np_outcome *outcome, struct np_facts *facts)
{
	const struct np_cold_probe *probe = &outcome->probes[1];

	switch (command->kind) {
	case NP_COMMAND_OPEN:
		if (process->module->describe != NULL)
			process->module->describe(process->endpoint, facts);
		break;
	case NP_COMMAND_MAP:
		np_facts_add(facts, "huge_share", "%.6f", outcome->huge_share);
		break;
	case NP_COMMAND_BLOCK:
		for (size_t i = 0; i < outcome->counts.count; i++)
			np_facts_add(facts, outcome->counts.list[i].name, "%llu",
				     (unsigned long long)outcome->counts.list[i].value);
		break;
	case NP_COMMAND_PROBE:
		np_facts_add(facts, "reuse_ns", "%.17g", probe->reuse_ns);
		np_facts_add(facts, "rotate_ns", "%.17g", probe->rotate_ns);
		np_facts_add(facts, "translation_ns", "%.17g", probe->translation_ns);
		np_facts_add(facts, "cache_ns", "%.17g", probe->cache_ns);
		np_facts_add(facts, "lines", "%llu", (unsigned long long)probe->lines);
		np_facts_add(facts, "verdict", "%d", (int)probe->verdict);
		break;
	default:
		break;
	}
}

static double number_of(const struct np_facts *facts, const char *name)
{
	const char *text = np_facts_find(facts, name);

	return text != NULL ? strtod(text, NULL) : 0;
}

static uint64_t whole_number_of(const struct np_facts *facts, const char *name)
{
	const char *text = np_facts_find(facts, name);

	return text != NULL ? strtoull(text, NULL, 10) : 0;
}

static enum np_coldness read_verdict(double number)
{
	return number >= NP_COLD && number <= NP_COLD_BOTH ? (enum np_coldness)(int)number :
							     NP_COLD_NOT;
}

static void add_peer_counts(struct np_counts *counts, const struct np_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		np_counts_add(counts, facts->list[i].name,
			      strtoull(facts->list[i].value, NULL, 10));
}

void np_outcome_unpack(const struct np_command *command, struct np_facts *facts,
		       struct np_outcome *outcome)
{
	switch (command->kind) {
	case NP_COMMAND_OPEN:
		np_facts_free(&outcome->facts);
		outcome->facts = *facts;
		*facts = (struct np_facts){ .list = NULL };
		break;
	case NP_COMMAND_MAP:
		outcome->huge_share =
			fmin(outcome->huge_share, number_of(facts, "huge_share"));
		break;
	case NP_COMMAND_BLOCK:
		add_peer_counts(&outcome->counts, facts);
		break;
	case NP_COMMAND_PROBE:
		outcome->probes[1] = (struct np_cold_probe){
			.reuse_ns = number_of(facts, "reuse_ns"),
			.rotate_ns = number_of(facts, "rotate_ns"),
			.translation_ns = number_of(facts, "translation_ns"),
			.cache_ns = number_of(facts, "cache_ns"),
			.lines = whole_number_of(facts, "lines"),
			.verdict = read_verdict(number_of(facts, "verdict")),
		};
		break;
	default:
		break;
	}
}
