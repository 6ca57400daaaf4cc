/*
 * text_pinned.c - prints steps, dropouts, bends and bimodal sizes of --refine.
 */
#include <math.h>
#include <string.h>

#include "report/text/text.h"

/* Most printed bends; the file has all. */
enum { SLOPES_MOST = 8 };

static void print_place(FILE *file, const struct np_confirmed *found)
{
	char low[40], high[40];

	np_text_length((double)found->low, low, sizeof(low));
	np_text_length((double)found->high, high, sizeof(high));
	if (found->kind == NP_CONFIRMED_STEP)
		fprintf(file, "from %s to %s", low, high);
	else
		fprintf(file, found->low == found->high ? "%s" : "%s to %s", low, high);
}

static void print_pinned(FILE *file, const struct np_run *run,
			 const struct np_confirmed *found)
{
	const bool is_step = found->kind == NP_CONFIRMED_STEP;
	char title[32];

	snprintf(title, sizeof(title), "  %s",
		 !is_step && found->effect < 1 ? "faster" : np_confirmed_word(found->kind));
	np_text_title(file, title);
	print_place(file, found);
	fprintf(file, ": %.3fx%s [%.3f, %.3f]; %s, to the byte", found->effect,
		is_step ? "" : " the time of its neighbours", found->low_effect,
		found->high_effect, found->sure ? "significant" : "not significant");
	np_text_limits(file, run, found->low, found->high);
	fputc('\n', file);
}

static void print_noted(FILE *file, const struct np_noted *noted)
{
	char low[40], high[40];

	np_text_length((double)noted->low, low, sizeof(low));
	np_text_length((double)noted->high, high, sizeof(high));
	np_text_title(file, noted->bimodal ? "  bimodal" : "  bend");
	if (noted->bimodal)
		fprintf(file, "%s: two modes %.3fx apart; not searched further\n", low,
			noted->effect);
	else
		fprintf(file, "between %s and %s, %.3fx: gradual, no step\n", low, high,
			noted->effect);
}

static bool is_of(const struct np_noted *noted, const struct np_series *series)
{
	return strcmp(noted->op, series->op) == 0 &&
	       strcmp(noted->mode, series->mode) == 0 &&
	       strcmp(noted->variant, series->variant) == 0;
}

static void print_all_noted(FILE *file, const struct np_run *run,
			    const struct np_series *series)
{
	size_t slopes = 0;

	for (size_t i = 0; i < run->noted_count; i++) {
		const struct np_noted *noted = &run->noted[i];

		if (!is_of(noted, series))
			continue;
		slopes += !noted->bimodal;
		if (noted->bimodal || slopes <= SLOPES_MOST)
			print_noted(file, noted);
	}
	if (slopes > SLOPES_MOST) {
		np_text_title(file, "  bend");
		fprintf(file, "and %zu more\n", slopes - SLOPES_MOST);
	}
}

void np_text_pinned(FILE *file, const struct np_run *run, const struct np_series *series)
{
	for (size_t i = 0; i < run->refined_count; i++) {
		const struct np_confirmed *found = &run->refined[i];
		/* --refine searches the first variant. */
		const char *variant = np_variant_name(run->results, 0);

		if (strcmp(run->results->operation_name, series->op) == 0 &&
		    strcmp(np_mode_name(found->mode), series->mode) == 0 &&
		    strcmp(variant != NULL ? variant : "", series->variant) == 0)
			print_pinned(file, run, found);
	}
	print_all_noted(file, run, series);
}
