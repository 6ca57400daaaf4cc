/*
 * analysis.c - finds breaks and segments of a curve, and fits lines.
 */
#include "curve/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const struct np_estimate unknown = { (double)NAN, (double)NAN, (double)NAN };

int np_analysis_init(struct np_analysis *analysis, size_t room)
{
	*analysis = (struct np_analysis){ .apart = 1, .directions = 1 };
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
	struct np_line_fit *fit = &analysis->fits[at];
	const struct np_point *first = &analysis->points[fit->first];

	if (fit->t0.value < 0.2 * first->seconds) {
		fit->t0 = fit->n_half = unknown;
		analysis->extrapolated[at] = true;
	}
	if (fit->n_half.value < (double)first->bytes) {
		fit->n_half = unknown;
		analysis->extrapolated[at] = true;
	}
}

/* ---- Half of the peak -------------------------------------------------------------- */

/* Time of a point: the median, or a limit of its interval. */
enum time_used { MEDIAN, LOW, HIGH };

static double rate_at(const struct np_point *point, enum time_used used)
{
	const double seconds = used == LOW  ? point->low :
			       used == HIGH ? point->high :
					      point->seconds;

	return (double)point->bytes / seconds;
}

/* Smallest size above which all rates are at least `goal`, interpolated linearly in the
 * logarithms of size and rate.  0: every rate reaches it.  NAN: the last rate does not, or
 * a rate is unknown. */
static double find_reach(const struct np_point *points, size_t count, double goal,
			 enum time_used used)
{
	size_t at = count;

	while (at > 0 && rate_at(&points[at - 1], used) >= goal)
		at--;
	if (at == 0)
		return 0;
	if (at == count)
		return (double)NAN;
	const struct np_point *below = &points[at - 1], *above = &points[at];
	const double from = rate_at(below, used), to = rate_at(above, used);

	if (!(from > 0))
		return (double)above->bytes;
	return (double)below->bytes *
	       exp2(log2((double)above->bytes / (double)below->bytes) * log2(goal / from) /
		    log2(to / from));
}

/* Returns the first point with the highest rate; without points, the unset points[0]. */
static const struct np_point *find_peak(const struct np_analysis *analysis)
{
	const struct np_point *peak = analysis->points;

	for (size_t i = 1; i < analysis->count; i++) {
		if (rate_at(&analysis->points[i], MEDIAN) > rate_at(peak, MEDIAN))
			peak = &analysis->points[i];
	}
	return peak;
}

/* Sets half_peak.  Each limit of its interval uses the limits of the times that move it
 * farthest, so it covers more than 95 %. */
static void find_half_peak(struct np_analysis *analysis)
{
	const struct np_point *points = analysis->points, *peak = find_peak(analysis);
	struct np_estimate *half = &analysis->half_peak;

	*half = unknown;
	/* Sizes behind the peak may fall below half of it again. */
	const size_t rising = analysis->count != 0 ? (size_t)(peak - points) + 1 : 0;
	const double value =
		rising < 2 ? 0 :
			     find_reach(points, rising, rate_at(peak, MEDIAN) / 2, MEDIAN);

	if (!(value > 0))
		return;
	const double low = find_reach(points, rising, rate_at(peak, HIGH) / 2, LOW);
	const double high = find_reach(points, rising, rate_at(peak, LOW) / 2, HIGH);

	half->value = value;
	if (low <= value && high >= value) {
		half->low = low;
		half->high = high;
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
	find_half_peak(analysis);
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
		struct np_estimate *rate = &analysis->fits[i].r_inf;

		*rate = (struct np_estimate){ rate->value * analysis->directions,
					      rate->low * analysis->directions,
					      rate->high * analysis->directions };
	}
	return rc;
}

double np_analysis_reach(const struct np_analysis *analysis, const struct np_break *at)
{
	const struct np_point *points = analysis->points, *before = &points[at->first];
	size_t from = at->first, to = at->last;

	if (at->kind != NP_BREAK_BEND)
		return at->effect;
	while (from > 0 && 2 * points[from].bytes > before->bytes)
		from--;
	while (to + 1 < analysis->count && points[to].bytes < 2 * before->bytes)
		to++;
	const double bytes = (double)(before->bytes - points[from].bytes),
		     more = (double)(points[to].bytes - before->bytes),
		     cost = bytes > 0 ? (before->seconds - points[from].seconds) / bytes :
					0;

	return points[to].seconds / (before->seconds + fmax(cost, 0) * more);
}

const struct np_line_fit *np_analysis_line(const struct np_analysis *analysis)
{
	const size_t peak = (size_t)(find_peak(analysis) - analysis->points);
	const struct np_line_fit *line = NULL;

	for (size_t i = 0; i < analysis->shape.segment_count; i++) {
		const struct np_line_fit *fit = &analysis->fits[i];

		if (!isnan(fit->r_inf.value) && (line == NULL || fit->first <= peak))
			line = fit;
	}
	return line;
}

/* Start of the line of the shortest messages. */
static struct np_estimate start_of(const struct np_analysis *analysis)
{
	return analysis->shape.segment_count != 0 ? analysis->fits[0].t0 : unknown;
}

/* Seconds per byte of the line that has the peak. */
static struct np_estimate cost_of_byte(const struct np_analysis *analysis)
{
	const struct np_line_fit *line = np_analysis_line(analysis);

	if (line == NULL)
		return unknown;
	return (struct np_estimate){ 1 / line->r_inf.value, 1 / line->r_inf.high,
				     1 / line->r_inf.low };
}

struct np_loggp np_analysis_loggp(const struct np_analysis *pingpong,
				  const struct np_analysis *stream)
{
	const struct np_estimate there = cost_of_byte(pingpong),
				 flow = cost_of_byte(stream);

	return (struct np_loggp){
		.latency_and_overheads = start_of(pingpong),
		.gap = start_of(stream),
		.gap_per_byte =
			isnan(there.value) || flow.value < there.value ? flow : there,
	};
}
