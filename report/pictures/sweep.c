/*
 * sweep.c - makes the figure of capacity sweeps: a curve for each axis, the intervals of
 * the knees, and the sizes that the machine reports.
 */
#include "report/pictures/pictures.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/text/text.h"

enum { TIMES, RATIOS, PANELS };

static char *describe(const char *label, const struct np_capacity_point *point)
{
	char bytes[40], time[40], interval[64] = "";

	np_text_length((double)point->touched.bytes, bytes, sizeof(bytes));
	np_text_seconds(point->seconds, time, sizeof(time));
	if (point->ratio_low > 0)
		snprintf(interval, sizeof(interval), " [%.3f, %.3f]", point->ratio_low,
			 point->ratio_high);
	return np_text_of("%s\n%llu %s\n%s, %llu page%s per process\n%s\n%.3fx%s", label,
			  (unsigned long long)point->buffers,
			  np_axis_noun(point->axis, point->buffers), bytes,
			  (unsigned long long)point->touched.pages,
			  np_plural(point->touched.pages), time, point->ratio, interval);
}

static void add_curve(struct np_figure *figure, size_t at, size_t style, const char *label,
		      const struct np_capacity_point *points, size_t count)
{
	struct np_panel *panel = &figure->panels[at];
	struct np_line *line = np_panel_line(figure, panel, style, label);

	for (size_t i = 0; line != NULL && i < count; i++) {
		const struct np_capacity_point *point = &points[i];
		const bool times = at == TIMES;
		const double low = times ? point->low_s * 1e6 : point->ratio_low;

		np_line_dot(figure, panel, line,
			    (struct np_dot){
				    .x = (double)point->buffers,
				    .y = times ? point->seconds * 1e6 : point->ratio,
				    .low = low > 0 ? low : (double)NAN,
				    .high = times ? point->high_s * 1e6 : point->ratio_high,
				    .text = describe(label, point) });
	}
}

static void add_curves(struct np_figure *figure, const struct np_run *runs, size_t count,
		       size_t at)
{
	const struct np_capacity *capacity = &runs[at].capacity;

	for (size_t first = 0, end; first < capacity->point_count; first = end) {
		const enum np_axis axis = capacity->points[first].axis;
		const size_t style = figure->panels[TIMES].count;
		char inner[64], label[256];

		for (end = first;
		     end < capacity->point_count && capacity->points[end].axis == axis;)
			end++;
		snprintf(inner, sizeof(inner), "%s", np_axis_name(axis));
		for (char *at_line = strchr(inner, '_'); at_line != NULL;
		     at_line = strchr(inner, '_'))
			*at_line = ' ';
		np_picture_label(runs, count, at, inner, label, sizeof(label));
		for (size_t i = 0; i < PANELS; i++)
			add_curve(figure, i, style, label, &capacity->points[first],
				  end - first);
	}
}

static void expected_text(const struct np_expected *expected, char *text, size_t size)
{
	if (expected->is_translation)
		snprintf(text, size, "%zu pages", expected->size);
	else
		np_text_length((double)expected->size, text, size);
}

/* Writes ", 512 KiB", the size of the machine that a knee agrees with; nothing if there are
 * several or none. */
static void size_of_knee(const struct np_capacity *capacity, const struct np_knee *knee,
			 char *text, size_t size)
{
	char of[32];

	*text = '\0';
	for (size_t i = 0; i < capacity->expected_count; i++) {
		if (knee->agrees != 1u << i)
			continue;
		expected_text(&capacity->expected[i], of, sizeof(of));
		snprintf(text, size, ", %s", of);
	}
}

/* Marks knees in colours that no curve has: each belongs to one axis, and their intervals
 * may overlap. */
static void mark_knees(struct np_figure *figure, const struct np_capacity *capacity)
{
	char text[40];

	for (size_t i = 0; i < capacity->knee_count; i++) {
		const struct np_knee *knee = &capacity->knees[i];
		struct np_mark *mark = knee->repeats ? NULL : np_figure_mark(figure);

		if (mark == NULL)
			continue;
		mark->kind = NP_MARK_KNEE;
		mark->low = (double)knee->low;
		mark->high = (double)knee->high;
		mark->style =
			(figure->panels[TIMES].count + figure->mark_count - 1) % NP_STYLES;
		mark->weight = (double)INFINITY;
		size_of_knee(capacity, knee, text, sizeof(text));
		snprintf(mark->label, sizeof(mark->label), "%.80s%s: %.2fx", knee->label,
			 text, knee->effect);
	}
}

/* True if the mark of a knee shows this size of the machine: one capacity, one mark. */
static bool is_at_knee(const struct np_capacity *capacity, size_t expected)
{
	for (size_t i = 0; i < capacity->knee_count; i++) {
		if (!capacity->knees[i].repeats &&
		    (capacity->knees[i].agrees >> expected & 1) != 0)
			return true;
	}
	return false;
}

/* Marks the sizes that the machine reports and no knee agrees with, within the axis. */
static void mark_expected(struct np_figure *figure, const struct np_capacity *capacity)
{
	for (size_t i = 0; i < capacity->expected_count; i++) {
		const struct np_expected *expected = &capacity->expected[i];
		const double at = (double)expected->from;
		char text[40];

		if (at < figure->x.low || at > figure->x.high || is_at_knee(capacity, i))
			continue;
		struct np_mark *mark = np_figure_mark(figure);
		if (mark == NULL)
			return;
		mark->kind = NP_MARK_EXPECTED;
		mark->low = mark->high = at;
		expected_text(expected, text, sizeof(text));
		snprintf(mark->label, sizeof(mark->label), "%s, %s", expected->name, text);
		for (size_t k = 0; k + 1 < figure->mark_count; k++) {
			if (strcmp(figure->marks[k].label, mark->label) == 0) {
				figure->mark_count--;
				break;
			}
		}
	}
}

/* Writes the title of the axis, with the message size if all runs have the same. */
static void name_axis(struct np_figure *figure, const struct np_run *runs, size_t count)
{
	size_t length = 0;
	bool same = true;
	char text[40];

	for (size_t i = 0; i < count; i++) {
		if (runs[i].capacity.point_count == 0)
			continue;
		same = same && (length == 0 || runs[i].capacity.host.length == length);
		length = runs[i].capacity.host.length;
	}
	np_text_length((double)length, text, sizeof(text));
	snprintf(figure->bars_mean, sizeof(figure->bars_mean),
		 "bars: 95 %% interval of the median; band: interval of a capacity");
	snprintf(figure->x.title, sizeof(figure->x.title), "buffers%s%s in turn",
		 same ? " of " : "", same ? text : "");
}

void np_sweep_figure(struct np_figure *figure, const struct np_run *runs, size_t count)
{
	size_t points = 0;

	for (size_t i = 0; i < count; i++)
		points += runs[i].capacity.point_count;
	if (points == 0)
		return;
	figure->x = (struct np_chart_axis){ .scale = NP_SCALE_POWERS, .low = 1 };
	name_axis(figure, runs, count);
	np_figure_panel(figure, 280, NP_SCALE_LOG, "time of a message, us");
	np_figure_panel(figure, 220, NP_SCALE_RATIO, "time ratio cold/warm");
	if (figure->panel_count != PANELS)
		return;
	for (size_t i = 0; i < count; i++)
		add_curves(figure, runs, count, i);
	for (size_t i = 0; i < count; i++)
		mark_knees(figure, &runs[i].capacity);
	for (size_t i = 0; i < count; i++)
		mark_expected(figure, &runs[i].capacity);
	np_marks_sort(figure);
	np_axis_margin(&figure->panels[TIMES].y, 0.05, 0.05);
	np_ratio_axis(&figure->panels[RATIOS]);
	np_axis_margin(&figure->x, 0.02, 0.02);
}
