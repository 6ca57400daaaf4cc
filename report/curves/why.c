/*
 * why.c - keeping what --why has measured.
 */
#include "report/curves/why.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/measured.h"

/* A batch of this many messages tells the half of a nanosecond. */
enum { FINER = 1024 };

/* More passes than a run of weeks makes; a file that has more has been made up. */
enum { VISITS_MOST = 1 << 14 };

int np_why_begin(struct np_run *run, const struct np_results *results)
{
	run->why = malloc(sizeof(*run->why));
	if (run->why == NULL)
		return -ENOMEM;
	np_results_init(run->why);
	run->why->operation = results->operation;
	run->why->variant_count = results->variant_count > 1 ? results->variant_count : 0;
	memcpy(run->why->variants, results->variants, sizeof(results->variants));
	return 0;
}

int np_why_take(struct np_run *run, const struct np_results *results,
		const struct np_visit *visit)
{
	if (run->why == NULL || visit->sentinel || run->why->count == VISITS_MOST)
		return 0;
	const double trips = results->operation == NP_PINGPONG ? 2 : 1;
	const double seconds = visit->median_s;
	struct np_measured *kept = np_measured_new(1, 0, 1);

	if (kept == NULL)
		return -ENOMEM;
	kept->visit = (struct np_visit){ .run_index = visit->run_index,
					 .pass = visit->pass,
					 .serial = visit->serial,
					 .length = visit->length,
					 .mode = visit->mode,
					 .variant = visit->variant,
					 .factor = visit->factor,
					 .messages = FINER };
	kept->samples_ns[0] = (uint64_t)(seconds * trips * FINER * 1e9 + 0.5);
	memcpy(run->why->conditions, results->conditions, sizeof(results->conditions));
	if (visit->run_index >= run->why->runs)
		run->why->runs = visit->run_index + 1;
	const struct np_visit *added = np_results_add(run->why, kept);
	np_measured_free(kept);
	return added != NULL ? 0 : -ENOMEM;
}

void np_why_supersede(struct np_run *run, unsigned run_index, uint64_t serial)
{
	if (run->why != NULL)
		np_results_supersede(run->why, run_index, serial);
}

void np_why_free(struct np_run *run)
{
	if (run->why != NULL)
		np_results_free(run->why);
	free(run->why);
	run->why = NULL;
}
