/*
 * curve_ratios.c - panels of ratios by size with intervals; filled shapes are significant.
 */
#include <math.h>
#include <string.h>

#include "report/pictures/pictures.h"
#include "report/text/text.h"

enum { LOW = 180 };

void np_ratio_dot(struct np_figure *figure, struct np_panel *panel, struct np_line *line,
		  const struct np_pair *ratio, bool apart)
{
	const bool judged = ratio->verdict != NP_VERDICTS;
	char bytes[40], interval[64] = "";

	np_text_length((double)ratio->length, bytes, sizeof(bytes));
	if (!isnan(ratio->low))
		snprintf(interval, sizeof(interval), " [%.3f, %.3f]", ratio->low,
			 ratio->high);
	np_line_dot(
		figure, panel, line,
		(struct np_dot){ .x = np_picture_size(ratio->length),
				 .y = ratio->ratio,
				 .low = ratio->low,
				 .high = ratio->high,
				 .apart = apart,
				 .open = judged && !np_verdict_is_sure(ratio->verdict),
				 .text = np_text_of(
					 "%s\n%s\n%.3f%s%s%s", line->label, bytes,
					 ratio->ratio, interval, judged ? "\n" : "",
					 judged ? np_verdict_word(ratio->verdict) : "") });
}

void np_ratio_axis(struct np_panel *panel)
{
	if (panel->rule_count == 0)
		np_panel_rule(panel, 1, "");
	panel->open_means = "filled: significantly slower or faster; open: not";
	if (panel->y.high > 8 * panel->y.low)
		panel->y.scale = NP_SCALE_LOG;
	np_axis_margin(&panel->y, 0.08, 0.08);
}

/* Returns the style of a run's first curve.  The ratios have the styles that follow, as
 * their curves do: rotate stands behind reuse. */
static size_t first_style(const struct np_named_curve *curves, size_t curve_count,
			  size_t run)
{
	for (size_t i = 0; i < curve_count; i++) {
		if (curves[i].run == run)
			return curves[i].style;
	}
	return 0;
}

/* Returns the width of the range that holds 1 and all ratios of a run. */
static double range_of(const struct np_run *run)
{
	double low = 1, high = 1;

	for (size_t i = 0; i < run->ratios_count; i++) {
		for (size_t k = 0; k < run->ratios[i].count; k++) {
			low = fmin(low, run->ratios[i].ratios[k].ratio);
			high = fmax(high, run->ratios[i].ratios[k].ratio);
		}
	}
	return high - low;
}

/* True if one axis for all runs would flatten the ratios of one. */
static bool are_far_apart(const struct np_run *runs, size_t count)
{
	double least = (double)INFINITY, most = 0;

	for (size_t i = 0; i < count; i++) {
		if (runs[i].ratios_count == 0)
			continue;
		least = fmin(least, fmax(range_of(&runs[i]), 0.01));
		most = fmax(most, range_of(&runs[i]));
	}
	return most >= 10 * least;
}

static bool any_steps(const struct np_named_curve *curves, size_t curve_count, size_t run,
		      size_t low, size_t high)
{
	for (size_t i = 0; i < curve_count; i++) {
		if (curves[i].run == run && np_curve_steps(curves[i].analysis, low, high))
			return true;
	}
	return false;
}

static void add_list(struct np_figure *figure, struct np_panel *panel, struct np_line *line,
		     const struct np_ratio_list *list, size_t run,
		     const struct np_named_curve *curves, size_t curve_count)
{
	for (size_t i = 0; line != NULL && i < list->count; i++) {
		const struct np_pair *ratio = &list->ratios[i];

		np_ratio_dot(figure, panel, line, ratio,
			     i != 0 && any_steps(curves, curve_count, run, ratio[-1].length,
						 ratio->length));
	}
}

/* Adds a panel; its title names the ratio if all runs have the same. */
static struct np_panel *add_panel(struct np_figure *figure, const struct np_run *runs,
				  size_t count)
{
	const char *of = NULL;
	char title[NP_LABEL + 32] = "time ratio";
	bool same = true;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < runs[i].ratios_count; k++) {
			same = same &&
			       (of == NULL || strcmp(of, runs[i].ratios[k].of) == 0);
			of = runs[i].ratios[k].of;
		}
	}
	if (same && of != NULL)
		snprintf(title, sizeof(title), "time ratio %s", of);
	return np_figure_panel(figure, LOW, NP_SCALE_LINEAR, title);
}

void np_curve_ratios(struct np_figure *figure, const struct np_run *runs,
		     const struct np_named_curve *curves, size_t curve_count, size_t count)
{
	const bool apart = are_far_apart(runs, count);
	struct np_panel *panel = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct np_run *run = &runs[i];
		const size_t style = first_style(curves, curve_count, i);

		if (run->ratios_count == 0)
			continue;
		if (panel != NULL && apart)
			np_ratio_axis(panel);
		if (panel == NULL || apart)
			panel = add_panel(figure, runs, count);
		for (size_t k = 0; panel != NULL && k < run->ratios_count; k++) {
			const struct np_ratio_list *list = &run->ratios[k];
			char inner[3 * NP_LABEL], label[256];

			snprintf(inner, sizeof(inner), "%s%s%s", list->of,
				 list->within[0] != '\0' ? ", " : "", list->within);
			np_picture_label(runs, count, i, inner, label, sizeof(label));
			add_list(figure, panel,
				 np_panel_line(figure, panel, style + 1 + k, label), list,
				 i, curves, curve_count);
		}
	}
	if (panel != NULL)
		np_ratio_axis(panel);
}
