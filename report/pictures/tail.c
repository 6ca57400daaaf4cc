/*
 * tail.c - makes the figure of --per-message: share of the messages that take longer than a
 * time, for each size.
 */
#include "report/pictures/pictures.h"

#include <math.h>

#include "base/units.h"
#include "report/text/text.h"

/* Most curves; the first are drawn. */
enum { CURVES_MOST = NP_STYLES };

static void add_curve(struct np_figure *figure, struct np_panel *panel, size_t style,
		      const char *label, const struct np_row *row)
{
	struct np_line *line = np_panel_line(figure, panel, style, label);
	char time[40];

	for (size_t i = 0; line != NULL && i < NP_TAIL; i++) {
		const unsigned beyond = np_tail_beyond[i];

		if (isnan(row->tail_s[i]) || beyond == 0)
			continue;
		np_text_seconds(row->tail_s[i], time, sizeof(time));
		np_line_dot(figure, panel, line,
			    (struct np_dot){
				    .x = row->tail_s[i] * 1e6,
				    .y = (double)beyond / NP_TAIL_WHOLE,
				    .low = (double)NAN,
				    .high = (double)NAN,
				    .text = np_text_of("%s\n%.6g %% take at most %s", label,
						       100 - beyond / 1000.0, time) });
	}
}

void np_tail_figure(struct np_figure *figure, const struct np_run *runs, size_t count)
{
	struct np_panel *panel = NULL;
	size_t style = 0;

	figure->x = (struct np_chart_axis){ .scale = NP_SCALE_LOG,
					    .low = 1,
					    .title = "time of a message, us" };
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < runs[i].series_count; k++) {
			const struct np_series *series = &runs[i].series[k];
			char inner[3 * NP_LABEL], sized[4 * NP_LABEL], bytes[40],
				label[256];

			for (size_t at = 0; at < series->count; at++) {
				if (series->points[at].tail_s == NULL ||
				    np_series_is_control(series) || style++ >= CURVES_MOST)
					continue;
				if (panel == NULL)
					panel = np_figure_panel(
						figure, 300, NP_SCALE_LOG,
						"share of messages that take longer");
				if (panel == NULL)
					return;
				np_series_label(&runs[i], series, inner, sizeof(inner));
				np_text_length((double)series->points[at].length, bytes,
					       sizeof(bytes));
				snprintf(sized, sizeof(sized), "%s, %s", inner, bytes);
				np_picture_label(runs, count, i, sized, label,
						 sizeof(label));
				add_curve(figure, panel, style - 1, label,
					  &series->points[at]);
			}
		}
	}
	if (panel == NULL)
		return;
	if (count == 1)
		snprintf(figure->title, sizeof(figure->title), "%s, single messages",
			 runs[0].name);
	if (style > CURVES_MOST)
		np_figure_note(figure, "%zu more size%s: in the tables",
			       style - CURVES_MOST, np_plural(style - CURVES_MOST));
	snprintf(figure->bars_mean, sizeof(figure->bars_mean),
		 "single messages of all passes; each point has ten messages beyond it");
	np_axis_margin(&figure->x, 0.02, 0.02);
	np_axis_margin(&panel->y, 0.05, 0.05);
}
