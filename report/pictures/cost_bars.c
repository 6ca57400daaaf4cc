/*
 * cost_bars.c - makes the figure of --why.
 */
#include "report/pictures/pictures.h"

#include <math.h>

#include "questions/causes.h"
#include "report/text/text.h"

/* Significance level of one effect alone, as in the text of --why. */
static const double significant_at = 0.005;

bool np_run_explains(const struct np_run *run)
{
	struct np_causes causes;

	return run->results != NULL && np_causes_derive(run->results, 0, &causes) == 0;
}

/* Adds the bar of an effect, in microseconds a message; share: print its percentage of the
 * whole cost of rotation. */
static void add_bar(struct np_figure *figure, const struct np_causes *causes,
		    const char *label, const struct np_effect *effect, bool share)
{
	const double us = causes->reuse_s * 1e6;
	struct np_bar *bar = np_figure_bar(figure);
	char part[32] = "";

	if (bar == NULL)
		return;
	snprintf(bar->label, sizeof(bar->label), "%s", label);
	bar->at = effect->share * us;
	bar->low = effect->low * us;
	bar->high = effect->high * us;
	bar->open = !(effect->p <= significant_at);
	if (share && causes->whole.share > 0)
		snprintf(part, sizeof(part), ", %.0f %%",
			 round(100 * effect->share / causes->whole.share) + 0.0);
	snprintf(bar->value, sizeof(bar->value), "%+.3f us%s%s", bar->at, part,
		 bar->open ? ", n.s." : "");
}

static void add_heading(struct np_figure *figure, const char *text)
{
	struct np_bar *bar = np_figure_bar(figure);

	if (bar == NULL)
		return;
	bar->heading = true;
	snprintf(bar->label, sizeof(bar->label), "%s", text);
}

static void add_effects(struct np_figure *figure, const struct np_causes *causes)
{
	struct np_named_effect list[NP_EFFECTS];

	np_causes_effects(causes, list);
	for (size_t i = 0; i < NP_EFFECTS; i++) {
		if (isnan(list[i].effect->share))
			continue;
		if (list[i].effect == &causes->send)
			add_heading(figure, "by side (they need not add up)");
		add_bar(figure, causes, list[i].text, list[i].effect, list[i].part);
	}
}

/* Adds the cost of rotation in each varied condition, such as another page size. */
static void add_factors(struct np_figure *figure, const struct np_run *run,
			const struct np_causes *causes)
{
	bool any = false;

	for (size_t i = 0; i < NP_FACTORS; i++) {
		const struct np_condition *condition = &run->results->conditions[i];

		if (causes->varied[i].units == 0)
			continue;
		if (!any)
			add_heading(figure, "total cost with one thing changed");
		any = true;
		add_bar(figure, causes, condition->other, &causes->varied[i].cost, true);
	}
}

void np_cost_figure(struct np_figure *figure, const struct np_run *run, size_t variant)
{
	struct np_causes causes;
	char bytes[40];

	if (run->results == NULL || np_causes_derive(run->results, variant, &causes) != 0)
		return;
	const char *name = np_variant_name(run->results, variant);

	np_text_length((double)causes.length, bytes, sizeof(bytes));
	snprintf(figure->title, sizeof(figure->title),
		 "%s%s%s: %.3g us with one warm buffer, %.3g us with cold buffers (%.2fx)",
		 bytes, name != NULL ? ", " : "", name != NULL ? name : "",
		 causes.reuse_s * 1e6, causes.rotate_s * 1e6,
		 causes.rotate_s / causes.reuse_s);
	snprintf(figure->subtitle, sizeof(figure->subtitle), "cause: %s",
		 np_cause_text(causes.verdict));
	snprintf(
		figure->bars_mean, sizeof(figure->bars_mean),
		"lines on bars: 95 %% interval over passes or runs; n.s.: not significant");
	add_effects(figure, &causes);
	add_factors(figure, run, &causes);
}
