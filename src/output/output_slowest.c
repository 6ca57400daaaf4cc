/*
 * output_slowest.c - the slowest rank of a pattern: for the result file and the terminal.
 */
#include <jansson.h>

#include "output/json_line.h"
#include "output/output.h"

int np_json_slowest(FILE *file, const struct np_results *results, struct np_error *error)
{
	const bool runs = results->runs > 1;
	const struct np_job_slowest slowest = np_slowest_find(&results->slowest, runs);

	if (slowest.passes == 0)
		return 0;
	return np_json_write_line(
		file,
		json_pack("{ss si ss si si si si so}", "kind", "slowest", "rank",
			  (int)slowest.rank, "host", slowest.host, "core", slowest.core,
			  "times", (int)slowest.times, runs ? "runs" : "passes",
			  (int)slowest.passes, "ranks", (int)slowest.ranks, "p",
			  np_json_number(np_slowest_chance(&slowest))),
		error);
}

void np_text_slowest(const struct np_results *results, char *text, size_t size)
{
	const bool runs = results->runs > 1 || results->slowest.count > 1;
	const struct np_job_slowest slowest = np_slowest_find(&results->slowest, runs);
	const double error_rate = 0.01;
	char chance[32];

	*text = '\0';
	if (slowest.passes == 0 || np_slowest_chance(&slowest) > error_rate)
		return;
	np_text_percent(np_slowest_chance(&slowest), chance, sizeof(chance));
	snprintf(text, size,
		 "%u, host %s core %d: in %u of %u %s, of %u ranks; by chance: %s",
		 slowest.rank, slowest.host, slowest.core, slowest.times, slowest.passes,
		 runs ? "runs" : "passes", slowest.ranks, chance);
}
