/*
 * figure.c - parts of a figure, and their memory.
 */
#include "report/pictures/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/list.h"

/* Appends a part to a list of the figure, and returns it; NULL without memory. */
static void *extend(struct np_figure *figure, void *list, size_t *count, size_t size)
{
	void *part = np_list_extend(list, count, size);

	figure->failed |= part == NULL;
	return part;
}

struct np_panel *np_figure_panel(struct np_figure *figure, double height,
				 enum np_scale scale, const char *title)
{
	struct np_panel *panel =
		extend(figure, &figure->panels, &figure->panel_count, sizeof(*panel));

	if (panel == NULL)
		return NULL;
	*panel = (struct np_panel){ .height = height,
				    .y = { .scale = scale, .low = 1, .high = 0 } };
	snprintf(panel->y.title, sizeof(panel->y.title), "%s", title);
	return panel;
}

struct np_line *np_panel_line(struct np_figure *figure, struct np_panel *panel,
			      size_t style, const char *label)
{
	struct np_line *line = extend(figure, &panel->lines, &panel->count, sizeof(*line));

	if (line == NULL)
		return NULL;
	*line = (struct np_line){ .style = style };
	snprintf(line->label, sizeof(line->label), "%s", label);
	return line;
}

struct np_mark *np_figure_mark(struct np_figure *figure)
{
	struct np_mark *mark =
		extend(figure, &figure->marks, &figure->mark_count, sizeof(*mark));

	if (mark == NULL)
		return NULL;
	*mark = (struct np_mark){ .style = NP_STYLES };
	return mark;
}

struct np_bar *np_figure_bar(struct np_figure *figure)
{
	struct np_bar *bar =
		extend(figure, &figure->bars, &figure->bar_count, sizeof(*bar));

	if (bar == NULL)
		return NULL;
	*bar = (struct np_bar){ .heading = false };
	return bar;
}

void np_line_dot(struct np_figure *figure, struct np_panel *panel, struct np_line *line,
		 struct np_dot dot)
{
	struct np_dot *added = dot.text != NULL ? extend(figure, &line->dots, &line->count,
							 sizeof(*added)) :
						  NULL;

	if (added == NULL) {
		figure->failed = true;
		free(dot.text);
		return;
	}
	if (isnan(dot.low) || isnan(dot.high))
		dot.low = dot.high = dot.y;
	*added = dot;
	np_axis_include(&figure->x, dot.x);
	np_axis_include(&panel->y, dot.y);
	np_axis_include(&panel->y, dot.low);
	np_axis_include(&panel->y, dot.high);
}

void np_panel_rule(struct np_panel *panel, double at, const char *label)
{
	struct np_rule *rule = &panel->rules[panel->rule_count++];

	rule->at = at;
	snprintf(rule->label, sizeof(rule->label), "%s", label);
	np_axis_include(&panel->y, at);
}

void np_figure_note(struct np_figure *figure, const char *format, ...)
{
	va_list arguments;

	if (figure->note_count++ >= NP_NOTES)
		return;
	va_start(arguments, format);
	vsnprintf(figure->notes[figure->note_count - 1], sizeof(figure->notes[0]), format,
		  arguments);
	va_end(arguments);
}

char *np_text_of(const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return text;
}

void np_figure_free(struct np_figure *figure)
{
	for (size_t i = 0; i < figure->panel_count; i++) {
		struct np_panel *panel = &figure->panels[i];

		for (size_t k = 0; k < panel->count; k++) {
			for (size_t d = 0; d < panel->lines[k].count; d++)
				free(panel->lines[k].dots[d].text);
			free(panel->lines[k].dots);
		}
		free(panel->lines);
	}
	free(figure->panels);
	free(figure->marks);
	free(figure->bars);
	*figure = (struct np_figure){ .failed = false };
}
