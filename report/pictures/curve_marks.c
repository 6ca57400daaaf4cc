/*
 * curve_marks.c - names of curves, and the marks of their steps and dropouts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "report/pictures/pictures.h"
#include "report/text/text.h"

/* Most marks of a figure; those of the largest effect are kept. */
enum { MARKS_MOST = 8 };

/* True if a size has a time; sizes in another host state are drawn, but not analysed. */
static bool has_times(const struct np_series *series)
{
	for (size_t i = 0; i < series->count; i++) {
		if (series->points[i].median_s > 0)
			return true;
	}
	return false;
}

struct np_named_curve *np_curves_name(const struct np_run *runs,
				      struct np_analysis *const *analyses, size_t count,
				      size_t *curve_count)
{
	size_t most = 0;
	char inner[3 * NP_LABEL];

	for (size_t i = 0; i < count; i++)
		most += runs[i].series_count;
	struct np_named_curve *curves = calloc(most + 1, sizeof(*curves));

	for (size_t i = 0; curves != NULL && i < count; i++) {
		for (size_t k = 0; k < runs[i].series_count; k++) {
			const struct np_series *series = &runs[i].series[k];
			struct np_named_curve *curve = &curves[*curve_count];

			if (!has_times(series) || np_series_is_control(series) ||
			    (series->count == 1 && np_run_explains(&runs[i])))
				continue;
			*curve = (struct np_named_curve){ .style = *curve_count,
							  .run = i,
							  .series = series,
							  .analysis = &analyses[i][k] };
			np_series_label(&runs[i], series, inner, sizeof(inner));
			np_picture_label(runs, count, i, inner, curve->label,
					 sizeof(curve->label));
			++*curve_count;
		}
	}
	return curves;
}

/* Adds a mark; several at one place become one in the colour of text. */
static void add_mark(struct np_figure *figure, enum np_mark_kind kind, size_t style,
		     const size_t bytes[2], double effect, bool once)
{
	const bool step = kind == NP_MARK_STEP;
	/* Widen dropouts, so that one size can be seen. */
	const double widen = step ? 1 : 1.06;
	const double low = np_picture_size(bytes[0]) / widen,
		     high = np_picture_size(bytes[1]) * widen;
	const double middle = sqrt(low * high);
	char from[40], to[40];

	for (size_t i = 0; i < figure->mark_count; i++) {
		struct np_mark *mark = &figure->marks[i];

		if (mark->kind != kind ||
		    fabs(log(sqrt(mark->low * mark->high) / middle)) > 1e-6)
			continue;
		mark->style = mark->style == style ? style : NP_STYLES;
		if (fabs(log(effect)) <= mark->weight)
			return;
		figure->marks[i] = figure->marks[--figure->mark_count];
		style = NP_STYLES;
		break;
	}
	struct np_mark *mark = np_figure_mark(figure);
	if (mark == NULL)
		return;
	mark->kind = kind;
	mark->low = step ? middle : low;
	mark->high = step ? middle : high;
	mark->style = style;
	mark->weight = fabs(log(effect));
	np_text_length((double)bytes[0], from, sizeof(from));
	np_text_length((double)bytes[1], to, sizeof(to));
	snprintf(mark->label, sizeof(mark->label), "%s %s%s%s: %.2fx%s",
		 step ? "step" : "dropout", from, bytes[0] == bytes[1] ? "" : " to ",
		 bytes[0] == bytes[1] ? "" : to, effect, once ? ", single run" : "");
}

/* True if --refine has found the step of this break. */
static bool is_pinned(const struct np_run *run, const struct np_break *at)
{
	for (size_t i = 0; i < run->refined_count; i++) {
		const struct np_confirmed *found = &run->refined[i];

		if (found->sure && found->kind == NP_CONFIRMED_STEP &&
		    found->high > at->bytes_low && found->high <= at->bytes_high)
			return true;
	}
	return false;
}

static void mark_breaks(struct np_figure *figure, const struct np_run *run,
			const struct np_named_curve *curve)
{
	const struct np_shape *shape = &curve->analysis->shape;

	for (size_t i = 0; i < shape->break_count; i++) {
		const struct np_break *at = &shape->breaks[i];
		const size_t bytes[2] = { at->bytes_low, at->bytes_high };

		if (!at->sure)
			continue;
		if (at->kind == NP_BREAK_STEP && !is_pinned(run, at))
			add_mark(figure, NP_MARK_STEP, curve->style, bytes, at->effect,
				 curve->analysis->once);
		else if (at->kind == NP_BREAK_DROPOUT && at->effect > 1)
			add_mark(figure, NP_MARK_DROPOUT, curve->style, bytes, at->effect,
				 curve->analysis->once);
	}
}

/* Marks steps and dropouts of --refine, to the byte. */
static void mark_pinned(struct np_figure *figure, const struct np_run *run,
			const struct np_named_curve *curve)
{
	for (size_t i = 0; i < run->refined_count; i++) {
		const struct np_confirmed *found = &run->refined[i];
		const size_t bytes[2] = { found->low, found->high };

		if (!found->sure ||
		    strcmp(np_mode_name(found->mode), curve->series->mode) != 0)
			continue;
		if (found->kind == NP_CONFIRMED_STEP)
			add_mark(figure, NP_MARK_STEP, curve->style, bytes, found->effect,
				 false);
		else if (found->effect > 1)
			add_mark(figure, NP_MARK_DROPOUT, curve->style, bytes,
				 found->effect, false);
	}
}

static int by_weight(const void *one, const void *other)
{
	const struct np_mark *a = one, *b = other;

	return (a->weight < b->weight) - (a->weight > b->weight);
}

static int by_place(const void *one, const void *other)
{
	const struct np_mark *a = one, *b = other;

	return (a->low > b->low) - (a->low < b->low);
}

void np_marks_sort(struct np_figure *figure)
{
	if (figure->mark_count > MARKS_MOST) {
		const size_t more = figure->mark_count - MARKS_MOST;

		qsort(figure->marks, figure->mark_count, sizeof(*figure->marks), by_weight);
		np_figure_note(figure, "%zu smaller step%s or dropout%s not marked here",
			       more, np_plural(more), np_plural(more));
		figure->mark_count = MARKS_MOST;
	}
	if (figure->mark_count != 0)
		qsort(figure->marks, figure->mark_count, sizeof(*figure->marks), by_place);
}

void np_curve_marks(struct np_figure *figure, const struct np_run *runs,
		    const struct np_named_curve *curves, size_t curve_count)
{
	for (size_t i = 0; i < curve_count; i++) {
		const struct np_run *run = &runs[curves[i].run];

		mark_breaks(figure, run, &curves[i]);
		mark_pinned(figure, run, &curves[i]);
	}
	np_marks_sort(figure);
}
