/*
 * output_slowest.c - the slowest rank of a pattern: for the result file and the terminal.
 */
#include <jansson.h>

#include "output/json_line.h"
#include "output/output.h"
#include "output/say.h"

int np_json_slowest(FILE *file, const struct np_job_slowest *slowest,
		    struct np_error *error)
{
	if (slowest->passes == 0)
		return 0;
	return np_json_write_line(
		file,
		json_pack("{ss si ss si si si si so}", "kind", "slowest", "rank",
			  (int)slowest->rank, "host", slowest->host, "core", slowest->core,
			  "times", (int)slowest->times, "passes", (int)slowest->passes,
			  "ranks", (int)slowest->ranks, "p",
			  np_json_number(np_slowest_chance(slowest))),
		error);
}

void np_text_slowest(FILE *file, const struct np_job_slowest *slowest)
{
	const double error_rate = 0.01, chance = np_slowest_chance(slowest);
	char text[32];

	if (slowest->passes == 0 || chance > error_rate)
		return;
	np_text_percent(chance, text, sizeof(text));
	np_say(file, "slowest rank",
	       "%u, host %s core %d: in %u of %u passes, of %u ranks; by chance: %s",
	       slowest->rank, slowest->host, slowest->core, slowest->times, slowest->passes,
	       slowest->ranks, text);
}
