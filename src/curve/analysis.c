/*
 * analysis.c - finds breaks and segments of a curve, and fits lines.
 */
#include "curve/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int np_analysis_init(struct np_analysis *analysis, size_t room)
{
	*analysis = (struct np_analysis){ .apart = 1 };
	analysis->points = calloc(room + 1, sizeof(*analysis->points));
	return analysis->points != NULL ? 0 : -ENOMEM;
}

void np_analysis_free(struct np_analysis *analysis)
{
	free(analysis->points);
	free(analysis->fits);
	free(analysis->extrapolated);
	np_shape_free(&analysis->shape);
	*analysis = (struct np_analysis){ .count = 0 };
}

void np_analysis_add(struct np_analysis *analysis, size_t bytes, double seconds, double low,
		     double high)
{
	struct np_point *point = &analysis->points[analysis->count];

	if (!(seconds > 0) || !isfinite(seconds))
		return;
	*point = (struct np_point){
		.bytes = bytes, .seconds = seconds, .low = (double)NAN, .high = (double)NAN
	};
	if (low > 0 && low <= seconds && high >= seconds) {
		point->low = low;
		point->high = high;
	}
	analysis->once |= !np_point_has_interval(point);
	analysis->count++;
}

/* Clears t0 and n_1/2 (fit.h) of a segment if t0 is below a fifth of the time of its first
 * size, and n_1/2 if it is below that size: both are extrapolated too far. */
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
}

int np_analysis_derive(struct np_analysis *analysis)
{
	struct np_shape_options options = np_shape_defaults();
	const struct np_segment *segment;

	options.apart = analysis->apart;
	int rc = np_shape_find(analysis->points, analysis->count, &options,
			       &analysis->shape);

	if (rc != 0)
		return rc;
	analysis->fits = calloc(analysis->shape.segment_count + 1, sizeof(*analysis->fits));
	analysis->extrapolated =
		calloc(analysis->shape.segment_count + 1, sizeof(*analysis->extrapolated));
	if (analysis->fits == NULL || analysis->extrapolated == NULL)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < analysis->shape.segment_count; i++) {
		segment = &analysis->shape.segments[i];
		rc = np_fit_line(analysis->points, segment->first, segment->last,
				 &analysis->shape, &analysis->fits[i]);
		if (rc == 0)
			drop_extrapolated(analysis, i);
	}
	return rc;
}
