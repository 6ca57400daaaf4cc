/*
 * analyses.c - fits breaks, segments and lines to each series of a run.
 */
#include "report/curves/analyses.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Remove bandwidths: size over time is not a bandwidth in a collective. */
static void drop_rates(struct np_analysis *analysis)
{
	const struct np_estimate none = { (double)NAN, (double)NAN, (double)NAN };

	for (size_t i = 0; i < analysis->shape.segment_count; i++)
		analysis->fits[i].r_inf = analysis->fits[i].n_half = none;
}

static int analyse(const struct np_series *series, double apart,
		   struct np_analysis *analysis, struct np_error *error)
{
	int rc = np_analysis_init(analysis, series->count);

	analysis->apart = fmax(apart, 1);
	for (size_t i = 0; rc == 0 && i < series->count; i++) {
		const struct np_row *row = &series->points[i];

		/* Skip other host states: a step there would be one of the state. */
		if ((row->flags & NP_ROW_OTHER_STATE) == 0)
			np_analysis_add(analysis, row->length, row->median_s, row->ci_low_s,
					row->ci_high_s);
	}
	if (rc == 0)
		rc = np_analysis_derive(analysis);
	if (rc != 0)
		return np_fail_errno(error, rc, "cannot analyse a curve");
	if (np_op_is_collective(series->op))
		drop_rates(analysis);
	return 0;
}

/* Mark breaks as denied where --refine has searched: the first variant, and its first mode
 * in all gaps. */
static void deny_breaks(const struct np_run *run, struct np_analysis *analyses)
{
	const char *variant = np_variant_name(run->results, 0);
	const char *mode = NULL;

	for (size_t i = 0; i < run->series_count; i++) {
		const struct np_series *series = &run->series[i];

		if (np_series_is_control(series) ||
		    strcmp(series->variant, variant != NULL ? variant : "") != 0)
			continue;
		if (mode == NULL)
			mode = series->mode;
		if (strcmp(series->mode, mode) == 0)
			np_refine_deny(run->refined, run->refined_count, run->searched_to,
				       &analyses[i].shape);
	}
}

struct np_analysis *np_analyse_run(const struct np_run *run, struct np_error *error)
{
	struct np_analysis *analyses = calloc(run->series_count + 1, sizeof(*analyses));

	if (analyses == NULL) {
		np_fail_errno(error, ENOMEM, "cannot analyse a curve");
		return NULL;
	}
	for (size_t i = 0; i < run->series_count; i++) {
		if (analyse(&run->series[i], run->sentinel.apart, &analyses[i], error) !=
		    0) {
			np_analyses_free(analyses, i + 1);
			return NULL;
		}
	}
	if (run->searched_to != 0)
		deny_breaks(run, analyses);
	return analyses;
}

void np_analyses_free(struct np_analysis *analyses, size_t count)
{
	for (size_t i = 0; analyses != NULL && i < count; i++)
		np_analysis_free(&analyses[i]);
	free(analyses);
}
