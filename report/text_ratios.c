/*
 * text_ratios.c - what rotation costs, size by size.
 */
#include "text_private.h"

#include <math.h>

/* Sizes that are all printed. */
enum { SHORT_LIST = 24 };

static void print_ratio(FILE *file, const struct np_ratio *ratio)
{
	char bytes[40];

	np_text_length((double)ratio->length, bytes, sizeof(bytes));
	fprintf(file, "  %12s  %6.3f", bytes, ratio->ratio);
	if (isnan(ratio->low))
		fputs("  no interval", file);
	else
		fprintf(file, "  [%.3f, %.3f]%s", ratio->low, ratio->high,
			ratio->low > 1	? "  slower" :
			ratio->high < 1 ? "  faster" :
					  "");
	fputc('\n', file);
}

/* As in a run's own findings: what chance makes of ratios that are truly 1. */
static void print_counts(FILE *file, const struct np_ratio_list *list)
{
	size_t judged = 0, above = 0, below = 0;

	for (size_t i = 0; i < list->count; i++) {
		judged += isnan(list->ratios[i].low) ? 0 : 1;
		above += list->ratios[i].low > 1;
		below += list->ratios[i].high < 1;
	}
	np_text_title(file, "  in all");
	if (judged == 0)
		fputs("no size has an interval: too few passes or launches to judge\n",
		      file);
	else
		fprintf(file,
			"slower at %zu of %zu sizes, faster at %zu, by intervals of 95 %% "
			"each; about %.1f of each by chance\n",
			above, judged, below, 0.025 * (double)judged);
}

/* The largest that is sure, by itself. */
static void print_worst(FILE *file, const struct np_ratio_list *list)
{
	const struct np_ratio *worst = NULL;
	char bytes[40];

	for (size_t i = 0; i < list->count; i++) {
		if (list->ratios[i].low > 1 &&
		    (worst == NULL || list->ratios[i].ratio > worst->ratio))
			worst = &list->ratios[i];
	}
	if (worst == NULL)
		return;
	np_text_length((double)worst->length, bytes, sizeof(bytes));
	np_text_title(file, "  most");
	fprintf(file, "%.3f [%.3f, %.3f] at %s\n", worst->ratio, worst->low, worst->high,
		bytes);
}

/* Of a long list, powers of two: the others lie between them, and an export has
 * them all. */
static bool is_printed(const struct np_ratio_list *list, size_t length)
{
	return list->count <= SHORT_LIST || (length & (length - 1)) == 0;
}

void np_text_ratios(FILE *file, const struct np_run *run)
{
	for (size_t i = 0; i < run->ratios_count; i++) {
		const struct np_ratio_list *list = &run->ratios[i];

		fputc('\n', file);
		np_text_safe(file, list->of);
		fputs(list->within[0] != '\0' ? ", " : "", file);
		np_text_safe(file, list->within);
		fprintf(file, ", times as long, %zu size%s\n", list->count,
			list->count == 1 ? "" : "s");
		print_counts(file, list);
		print_worst(file, list);
		for (size_t k = 0; k < list->count; k++) {
			if (is_printed(list, list->ratios[k].length))
				print_ratio(file, &list->ratios[k]);
		}
	}
}
