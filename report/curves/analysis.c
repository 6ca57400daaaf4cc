/*
 * analysis.c - from a series to breaks, segments and lines.
 */
#include "report/curves/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points with a time; an interval that does not contain the time is dropped. */
static void take_points(const struct np_series *series, struct np_analysis *analysis)
{
	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *from = &series->points[i];
		struct np_point *to = &analysis->points[analysis->count];

		if (!(from->median_s > 0) || !isfinite(from->median_s))
			continue;
		*to = (struct np_point){ .bytes = from->length,
					 .seconds = from->median_s,
					 .low = (double)NAN,
					 .high = (double)NAN };
		if (from->ci_low_s > 0 && from->ci_low_s <= from->median_s &&
		    from->ci_high_s >= from->median_s) {
			to->low = from->ci_low_s;
			to->high = from->ci_high_s;
		}
		analysis->count++;
	}
}

/* Extrapolation far from all points is rejected: t0 below a fifth of the first time, or
 * n_1/2 below the first size. */
static void drop_extrapolated(struct np_analysis *analysis, size_t at)
{
	const struct np_estimate none = { (double)NAN, (double)NAN, (double)NAN };
	const struct np_point *first =
		&analysis->points[analysis->shape.segments[at].first];
	struct np_line_fit *fit = &analysis->fits[at];

	if (fit->t0.value < 0.2 * first->seconds) {
		fit->t0 = fit->n_half = none;
		analysis->extrapolated[at] = true;
	}
	if (fit->n_half.value < (double)first->bytes) {
		fit->n_half = none;
		analysis->extrapolated[at] = true;
	}
	if (np_op_is_collective(analysis->series->op))
		fit->r_inf = fit->n_half = none;
}

static int analyse(const struct np_series *series, struct np_analysis *analysis,
		   struct np_error *error)
{
	const struct np_shape_options options = np_shape_defaults();
	int rc = 0;

	*analysis = (struct np_analysis){ .series = series };
	analysis->points = calloc(series->count + 1, sizeof(*analysis->points));
	if (analysis->points == NULL)
		return np_fail_errno(error, ENOMEM, "cannot analyse a curve");
	take_points(series, analysis);
	rc = np_shape_find(analysis->points, analysis->count, &options, &analysis->shape);
	if (rc == 0) {
		analysis->fits =
			calloc(analysis->shape.segment_count + 1, sizeof(*analysis->fits));
		analysis->extrapolated = calloc(analysis->shape.segment_count + 1,
						sizeof(*analysis->extrapolated));
		rc = analysis->fits == NULL || analysis->extrapolated == NULL ? -ENOMEM : 0;
	}
	for (size_t i = 0; i < analysis->count; i++)
		analysis->once |= !np_point_has_interval(&analysis->points[i]);
	for (size_t i = 0; rc == 0 && i < analysis->shape.segment_count; i++) {
		rc = np_fit_line(analysis->points, analysis->shape.segments[i].first,
				 analysis->shape.segments[i].last, &analysis->shape,
				 &analysis->fits[i]);
		if (rc == 0)
			drop_extrapolated(analysis, i);
	}
	return rc != 0 ? np_fail_errno(error, rc, "cannot analyse a curve") : 0;
}

static void free_analysis(struct np_analysis *analysis)
{
	free(analysis->points);
	free(analysis->fits);
	free(analysis->extrapolated);
	np_shape_free(&analysis->shape);
	*analysis = (struct np_analysis){ .series = NULL };
}

struct np_analysis *np_analyse_run(const struct np_run *run, struct np_error *error)
{
	struct np_analysis *analyses = calloc(run->series_count + 1, sizeof(*analyses));

	if (analyses == NULL) {
		np_fail_errno(error, ENOMEM, "cannot analyse a curve");
		return NULL;
	}
	for (size_t i = 0; i < run->series_count; i++) {
		if (analyse(&run->series[i], &analyses[i], error) != 0) {
			np_analyses_free(analyses, i + 1);
			return NULL;
		}
	}
	return analyses;
}

void np_analyses_free(struct np_analysis *analyses, size_t count)
{
	for (size_t i = 0; analyses != NULL && i < count; i++)
		free_analysis(&analyses[i]);
	free(analyses);
}
