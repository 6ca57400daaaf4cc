/*
 * picture.c - makes the model of a picture from runs.
 */
#include "report/pictures/picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *np_style_colour(size_t style)
{
	static const char *const colours[NP_STYLES] = { "#0072B2", "#D55E00", "#009E73",
							"#CC79A7", "#000000", "#E69F00",
							"#56B4E9" };

	return colours[style % NP_STYLES];
}

size_t np_style_dash(size_t style)
{
	return (style + style / NP_STYLES) % NP_STYLES;
}

size_t np_style_marker(size_t style)
{
	return (style + 2 * (style / NP_STYLES) + style / NP_STYLES / NP_STYLES) %
	       NP_STYLES;
}

double np_picture_size(size_t length)
{
	return length != 0 ? (double)length : 0.5;
}

void np_name_power(unsigned power, char *text, size_t size)
{
	static const char *const prefixes[] = { "", "K", "M", "G", "T", "P" };

	snprintf(text, size, "%u%s", 1u << power % 10, prefixes[power / 10 % 6]);
}

bool np_curve_ends(const struct np_analysis *analysis, size_t at)
{
	for (size_t i = 0; i < analysis->shape.break_count; i++) {
		const struct np_break *where = &analysis->shape.breaks[i];

		if (where->kind == NP_BREAK_STEP && where->sure && where->last == at)
			return true;
	}
	return false;
}

bool np_curve_drops(const struct np_analysis *analysis, size_t at)
{
	for (size_t i = 0; i < analysis->shape.break_count; i++) {
		const struct np_break *where = &analysis->shape.breaks[i];

		if (where->kind == NP_BREAK_DROPOUT && where->sure && where->effect > 1 &&
		    where->first <= at && where->last >= at)
			return true;
	}
	return false;
}

void np_point_range(const struct np_point *point, double *low, double *high)
{
	const bool known = np_point_has_interval(point) && point->low > 0;

	*low = known ? point->low : point->seconds;
	*high = known ? point->high : point->seconds;
}

double np_series_rate(const struct np_series *series, size_t length, double seconds)
{
	if (np_op_is_collective(series->op))
		return (double)NAN;
	return np_op_directions(series->op) * 8 * (double)length / seconds / 1e6;
}

/* The name of a run, with its file if another run has the same name. */
static void name_of(const struct np_run *runs, size_t count, size_t at, char *name,
		    size_t size)
{
	const char *slash = strrchr(runs[at].path, '/');
	bool same = false;

	for (size_t i = 0; i < count; i++)
		same = same || (i != at && strcmp(runs[i].name, runs[at].name) == 0);
	snprintf(name, size, "%s%s%s", runs[at].name, same ? ": " : "",
		 !same	       ? "" :
		 slash != NULL ? slash + 1 :
				 runs[at].path);
}

void np_picture_label(const struct np_run *runs, size_t count, size_t at, const char *inner,
		      char *label, size_t size)
{
	char name[400];

	name_of(runs, count, at, name, sizeof(name));
	if (count == 1 && *inner != '\0')
		snprintf(label, size, "%s", inner);
	else if (*inner != '\0')
		snprintf(label, size, "%.190s, %.60s", name, inner);
	else
		snprintf(label, size, "%.250s", name);
}

static void widen(double *low, double *high, double from, double to)
{
	if (from > 0 && (*low <= 0 || from < *low))
		*low = from;
	if (to > *high)
		*high = to;
}

static void take_ranges(struct np_picture *picture, const struct np_series *series,
			const struct np_analysis *analysis)
{
	for (size_t i = 0; i < analysis->count; i++) {
		const struct np_point *point = &analysis->points[i];
		const double size = np_picture_size(point->bytes);
		double low, high;

		np_point_range(point, &low, &high);
		widen(&picture->size_low, &picture->size_high, size, size);
		widen(&picture->time_low, &picture->time_high, low * 1e6, high * 1e6);
		widen(&picture->rate_low, &picture->rate_high,
		      np_series_rate(series, point->bytes, high),
		      np_series_rate(series, point->bytes, low));
	}
}

static int take_mark(struct np_mark **marks, size_t *count, double low, double high)
{
	/* A mark that two modes share is drawn once: a dashed line drawn twice has no gaps.
	 */
	for (size_t i = 0; i < *count; i++) {
		if (!((*marks)[i].low < low) && !((*marks)[i].low > low) &&
		    !((*marks)[i].high < high) && !((*marks)[i].high > high))
			return 0;
	}
	struct np_mark *list = reallocarray(*marks, *count + 1, sizeof(*list));

	if (list == NULL)
		return -ENOMEM;
	*marks = list;
	list[(*count)++] = (struct np_mark){ .low = low, .high = high };
	return 0;
}

/* Marks of --refine. */
static int take_pinned(struct np_picture *picture, const struct np_run *run)
{
	int rc = 0;

	for (size_t i = 0; i < run->refined_count && rc == 0 && !picture->overlay; i++) {
		const struct np_found *found = &run->refined[i];
		const double low = np_picture_size(found->low),
			     high = np_picture_size(found->high);

		if (!found->sure)
			continue;
		if (found->kind == NP_FOUND_STEP)
			rc = take_mark(&picture->steps, &picture->step_count, high, high);
		else if (found->effect > 1)
			rc = take_mark(&picture->dropouts, &picture->dropout_count,
				       low / 1.06, high * 1.06);
	}
	return rc;
}

/* Whether --refine has found the step of this break. */
static bool is_pinned(const struct np_run *run, const struct np_break *at)
{
	for (size_t i = 0; i < run->refined_count; i++) {
		const struct np_found *found = &run->refined[i];

		if (found->sure && found->kind == NP_FOUND_STEP &&
		    found->high > at->bytes_low && found->high <= at->bytes_high)
			return true;
	}
	return false;
}

static int take_breaks(struct np_picture *picture, const struct np_run *run,
		       const struct np_analysis *analysis)
{
	int rc = 0;

	for (size_t i = 0; i < analysis->shape.break_count && rc == 0; i++) {
		const struct np_break *at = &analysis->shape.breaks[i];
		const double low = np_picture_size(at->bytes_low);
		const double high = np_picture_size(at->bytes_high);

		const bool dropout = at->kind == NP_BREAK_DROPOUT;

		if (!at->sure || (dropout && at->effect < 1))
			continue;
		picture->circled |= picture->overlay && dropout;
		if (picture->overlay)
			continue;
		if (dropout)
			rc = take_mark(&picture->dropouts, &picture->dropout_count,
				       low / 1.06, high * 1.06);
		else if (at->kind == NP_BREAK_STEP && !is_pinned(run, at))
			rc = take_mark(&picture->steps, &picture->step_count,
				       sqrt(low * high), sqrt(low * high));
	}
	return rc;
}

static int take_run(struct np_picture *picture, const struct np_run *runs,
		    const struct np_analysis *analyses, size_t count, size_t at)
{
	const struct np_run *run = &runs[at];
	const size_t first = picture->count;
	char inner[3 * NP_LABEL];
	int rc = 0;

	for (size_t i = 0; i < run->series_count && rc == 0; i++) {
		struct np_curve *curve = &picture->curves[picture->count];

		if (analyses[i].count == 0 || np_series_is_control(&run->series[i]))
			continue;
		np_series_label(run, &run->series[i], inner, sizeof(inner));
		np_picture_label(runs, count, at, inner, curve->label,
				 sizeof(curve->label));
		curve->series = &run->series[i];
		curve->analysis = &analyses[i];
		picture->count++;
		picture->once |= analyses[i].once;
		take_ranges(picture, &run->series[i], &analyses[i]);
		rc = take_breaks(picture, run, &analyses[i]);
	}
	if (rc == 0)
		rc = take_pinned(picture, run);
	for (size_t i = 0; i < run->ratios_count; i++) {
		struct np_ratio_curve *ratio = &picture->ratios[picture->ratio_count++];

		snprintf(inner, sizeof(inner), "%s%s%s", run->ratios[i].of,
			 run->ratios[i].within[0] != '\0' ? ", " : "",
			 run->ratios[i].within);
		np_picture_label(runs, count, at, inner, ratio->label,
				 sizeof(ratio->label));
		ratio->list = &run->ratios[i];
		ratio->style = first + i;
		for (size_t k = 0; k < ratio->list->count; k++)
			picture->sure |= np_verdict_is_sure(ratio->list->ratios[k].verdict);
	}
	return rc;
}

/* Sets title and subtitle; the machine is named if all files have the same. */
static void take_titles(struct np_picture *picture,
			const struct np_picture_options *options, const struct np_run *runs,
			size_t count)
{
	const char *op = np_run_text(&runs[0], "op");
	const char *cpu = np_facts_find(&runs[0].hosts[0], "cpu");
	const char *kernel = np_facts_find(&runs[0].hosts[0], "kernel");
	const char *date = np_facts_find(&runs[0].hosts[0], "date");
	bool same = cpu != NULL && kernel != NULL;

	for (size_t i = 1; i < count && same; i++) {
		const char *other = np_facts_find(&runs[i].hosts[0], "cpu");

		same = other != NULL && strcmp(cpu, other) == 0;
	}
	if (options->title != NULL)
		snprintf(picture->title, sizeof(picture->title), "%s", options->title);
	else if (count == 1)
		snprintf(picture->title, sizeof(picture->title), "%s%s%s", runs[0].name,
			 op != NULL ? ", " : "", op != NULL ? op : "");
	else
		snprintf(picture->title, sizeof(picture->title), "%zu runs", count);
	if (same)
		snprintf(picture->subtitle, sizeof(picture->subtitle),
			 "%.120s, %.120s%s%.40s", cpu, kernel,
			 count == 1 && date != NULL ? ", " : "",
			 count == 1 && date != NULL ? date : "");
	else if (count == 1)
		snprintf(picture->subtitle, sizeof(picture->subtitle), "%s",
			 picture->heat_count != 0 ? picture->heats[0].summary :
						    runs[0].format);
}

/* Range of the axis of ratios: includes 1, all intervals and space for the legend. */
static void take_ratio_range(struct np_picture *picture)
{
	double low = 1, high = 1;

	for (size_t i = 0; i < picture->ratio_count; i++) {
		const struct np_ratio_list *list = picture->ratios[i].list;

		for (size_t k = 0; k < list->count; k++) {
			const struct np_pair *ratio = &list->ratios[k];

			/* fmin() and fmax() ignore NAN. */
			low = fmin(fmin(low, ratio->ratio), ratio->low);
			high = fmax(fmax(high, ratio->ratio), ratio->high);
		}
	}
	picture->ratio_log = high > 8 * low;
	if (picture->ratio_log) {
		picture->ratio_low = low / 1.2;
		picture->ratio_high = high * pow(high / low, 0.2);
	} else {
		picture->ratio_low = fmax(0, low - 0.05 * (high - low) - 0.01);
		picture->ratio_high = high + 0.2 * (high - low) + 0.01;
	}
}

/* Title of the axis, with the name of the ratio if all have the same. */
static void name_ratios(struct np_picture *picture)
{
	bool same = picture->ratio_count != 0;

	for (size_t i = 1; i < picture->ratio_count; i++)
		same = same && strcmp(picture->ratios[i].list->of,
				      picture->ratios[0].list->of) == 0;
	snprintf(picture->ratio_title, sizeof(picture->ratio_title), "time ratio%s%s",
		 same ? " " : "", same ? picture->ratios[0].list->of : "");
}

/* Makes the heat maps. */
static int take_pairs(struct np_picture *picture, const struct np_run *runs, size_t count)
{
	int rc = 0;

	picture->heats = calloc(count + 1, sizeof(*picture->heats));
	if (picture->heats == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count && rc == 0; i++) {
		if (runs[i].pairs != NULL)
			rc = np_heat_picture_make(&picture->heats[picture->heat_count++],
						  &runs[i]);
	}
	return rc;
}

int np_picture_make(struct np_picture *picture, const struct np_picture_options *options,
		    const struct np_run *runs, struct np_analysis *const *analyses,
		    size_t count, struct np_error *error)
{
	size_t series = 0, ratios = 0;
	int rc = 0;

	*picture = (struct np_picture){ .upper_bound = options->upper_bound,
					.signature = options->signature,
					.overlay = count > 1 };
	for (size_t i = 0; i < count; i++) {
		series += runs[i].series_count;
		ratios += runs[i].ratios_count;
	}
	picture->curves = calloc(series + 1, sizeof(*picture->curves));
	picture->ratios = calloc(ratios + 1, sizeof(*picture->ratios));
	if (picture->curves == NULL || picture->ratios == NULL)
		rc = -ENOMEM;
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = take_run(picture, runs, analyses[i], count, i);
	if (rc == 0)
		rc = np_sweep_picture_make(&picture->sweep, runs, count);
	if (rc == 0)
		rc = take_pairs(picture, runs, count);
	if (rc != 0)
		return np_fail_errno(error, rc, "cannot make a picture");
	if (picture->count == 0 && picture->sweep.count == 0 && picture->heat_count == 0)
		return np_fail(error, NP_ERROR_FAILED, ENODATA, "there is nothing to draw");
	picture->rates = picture->rate_low > 0;
	if (options->signature && !picture->rates)
		return np_fail(error, NP_ERROR_FAILED, ENODATA,
			       "there is no rate to draw over time");
	take_titles(picture, options, runs, count);
	take_ratio_range(picture);
	name_ratios(picture);
	widen(&picture->rate_low, &picture->rate_high, picture->upper_bound,
	      picture->upper_bound);
	picture->rate_unit = picture->rate_high >= 2000 ? 1000 : 1;
	picture->rate_name = picture->rate_high >= 2000 ? "Gbit/s" : "Mbit/s";
	return 0;
}

void np_picture_free(struct np_picture *picture)
{
	free(picture->curves);
	free(picture->ratios);
	free(picture->dropouts);
	free(picture->steps);
	np_sweep_picture_free(&picture->sweep);
	for (size_t i = 0; i < picture->heat_count; i++)
		np_heat_picture_free(&picture->heats[i]);
	free(picture->heats);
	*picture = (struct np_picture){ .count = 0 };
}
