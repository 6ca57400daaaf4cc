/*
 * comparison.c - makes the figure of --compare.
 */
#include "report/pictures/pictures.h"

#include <math.h>

#include "report/curves/compare.h"
#include "report/text/text.h"

enum { RATIOS, TIMES, PANELS };

/* Writes "WHAT, LABEL", or only one if the other is empty. */
static void name_curve(const struct np_compare_result *result,
		       const struct np_series *series, const char *what, char *label,
		       size_t size)
{
	char inner[3 * NP_LABEL];

	np_series_label(&result->sides[0], series, inner, sizeof(inner));
	snprintf(label, size, "%s%s%.200s", what,
		 *what != '\0' && *inner != '\0' ? ", " : "", inner);
}

static void add_time(struct np_figure *figure, struct np_line *line, size_t length,
		     double seconds)
{
	char bytes[40], time[40];

	if (!(seconds > 0))
		return;
	np_text_length((double)length, bytes, sizeof(bytes));
	np_text_seconds(seconds, time, sizeof(time));
	np_line_dot(figure, &figure->panels[TIMES], line,
		    (struct np_dot){
			    .x = np_picture_size(length),
			    .y = seconds * 1e6,
			    .low = (double)NAN,
			    .high = (double)NAN,
			    .text = np_text_of("%s\n%s\n%s", line->label, bytes, time) });
}

/* Adds entries [begin, end), the sizes of one curve; style counts curves. */
static void add_curve(struct np_figure *figure, const struct np_compare_result *result,
		      size_t begin, size_t end, size_t style)
{
	const struct np_series *series = result->list[begin].before;
	char label[256];

	name_curve(result, series, "after/before", label, sizeof(label));
	struct np_line *line =
		np_panel_line(figure, &figure->panels[RATIOS], 2 * style + 1, label);
	for (size_t i = begin; line != NULL && i < end; i++) {
		const struct np_compared *at = &result->list[i];
		const struct np_pair ratio = {
			.length = at->length,
			.ratio = at->contrast.ratio > 0 ? at->contrast.ratio :
							  at->after_s / at->before_s,
			.low = at->contrast.low,
			.high = at->contrast.high,
			.verdict = at->contrast.verdict,
		};

		np_ratio_dot(figure, &figure->panels[RATIOS], line, &ratio, false);
	}
	for (size_t side = 0; side < 2; side++) {
		name_curve(result, series, side == 0 ? "before" : "after", label,
			   sizeof(label));
		line = np_panel_line(figure, &figure->panels[TIMES], 2 * style + side,
				     label);
		for (size_t i = begin; line != NULL && i < end; i++)
			add_time(figure, line, result->list[i].length,
				 side == 0 ? result->list[i].before_s :
					     result->list[i].after_s);
	}
}

/* Context of note_difference(): the figure, and the names of differences already noted. */
struct noting {
	struct np_figure *figure;
	struct np_facts noted;
};

static void note_difference(void *context, const char *what, const char *before,
			    const char *after)
{
	struct noting *noting = context;

	if (np_facts_find(&noting->noted, what) != NULL)
		return;
	np_facts_add(&noting->noted, what, "yes");
	np_figure_note(noting->figure, "differs: %.40s: %.48s | %.48s", what,
		       before != NULL ? before : "not in the file",
		       after != NULL ? after : "not in the file");
}

static void note_differences(struct np_figure *figure,
			     const struct np_compared_sides *sides)
{
	struct noting noting = { .figure = figure };

	for (size_t i = 1; i < sides->count; i++)
		np_compare_headers(
			&sides->runs[i <= sides->first_count ? 0 : sides->first_count],
			&sides->runs[i], note_difference, &noting);
	np_facts_free(&noting.noted);
}

void np_comparison_figure(struct np_figure *figure, const struct np_compared_sides *sides)
{
	const struct np_compare_result *result = sides->result;
	size_t style = 0;
	char label[64];

	figure->x = (struct np_chart_axis){ .scale = NP_SCALE_POWERS,
					    .low = 1,
					    .title = "message size, bytes" };
	np_figure_panel(figure, 260, NP_SCALE_RATIO, "time ratio after/before");
	np_figure_panel(figure, 220, NP_SCALE_LOG, "time of a message, us");
	if (figure->panel_count != PANELS)
		return;
	for (size_t begin = 0, end; begin < result->count; begin = end, style++) {
		for (end = begin; end < result->count &&
				  result->list[end].before == result->list[begin].before;)
			end++;
		add_curve(figure, result, begin, end, style);
	}
	np_panel_rule(&figure->panels[RATIOS], 1, "");
	snprintf(label, sizeof(label), "threshold, %.3g %% slower", 100 * sides->share);
	np_panel_rule(&figure->panels[RATIOS], 1 + sides->share, label);
	np_ratio_axis(&figure->panels[RATIOS]);
	np_axis_margin(&figure->panels[TIMES].y, 0.05, 0.05);
	np_axis_margin(&figure->x, 0.02, 0.02);
	snprintf(figure->bars_mean, sizeof(figure->bars_mean),
		 "bars: interval of the ratio of medians over runs, 99 %% for all sizes "
		 "together");
	note_differences(figure, sides);
}
