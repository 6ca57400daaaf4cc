/*
 * cold_check.c - probes whether rotated buffers are cold, at some sizes of the plan.
 */
#include "program/cold_check.h"

#include <string.h>

#include "endpoint/command.h"
#include "endpoint/process.h"
#include "machine/topology.h"

static void keep_check(struct np_run_header *header, size_t length,
		       const struct np_cold_probe probes[2])
{
	struct np_cold_check *check = &header->cold[header->cold_count++];

	check->length = length;
	memcpy(check->probes, probes, sizeof(check->probes));
}

/* Returns the first size of the plan that is large enough, or the last. */
static size_t size_near(const struct np_plan *plan, size_t wanted)
{
	size_t best = 0;

	while (best + 1 < plan->size_count && plan->sizes[best] < wanted)
		best++;
	return plan->sizes[best];
}

int np_check_cold(struct np_process *process, const struct np_plan *plan, FILE *json,
		  struct np_run_header *header, struct np_error *error)
{
	static const size_t wanted[NP_COLD_CHECKS] = { 64, 4096, SIZE_MAX };
	size_t last = SIZE_MAX;
	int rc = 0;

	/* Buffers that share a cache line would break the probe's pointer chain. */
	if (process->options->align < process->topology->line_size)
		header->cold_unchecked =
			"with --align below a cache line buffers share lines";
	else if (!np_process_memory(process)->loadable && process->module->model == NULL)
		header->cold_unchecked = "the CPU cannot load from the buffers";
	if (header->cold_unchecked != NULL)
		return 0;
	for (size_t i = 0; i < NP_COLD_CHECKS && rc == 0; i++) {
		const size_t length = size_near(plan, wanted[i]);
		const struct np_command probe = { .kind = NP_COMMAND_PROBE,
						  .length = length };
		struct np_outcome outcome = { .ns = NULL };

		if (length == last)
			continue;
		last = length;
		rc = np_command_both(process, &probe, &outcome, error);
		if (rc == 0)
			keep_check(header, length, outcome.probes);
		if (rc == 0 && json != NULL)
			rc = np_json_probe(json, length, outcome.probes, error);
	}
	return rc;
}
