/*
 * text_ratios.c - prints ratios by size.
 */
#include "report/text/text.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "output/output.h"

/* Detection limits below 0.1 % are printed as 0.1 %. */
static const double finest = 0.001;

/* Most sizes of a list that is printed whole; of a longer one, powers of two are
 * printed. */
enum { SHORT_LIST = 24 };

static void print_interval(FILE *file, double low, double high)
{
	if (isnan(low))
		fprintf(file, "  %-14s", "no interval");
	else
		fprintf(file, "  [%.3f, %.3f]", low, high);
}

static void print_ratio(FILE *file, const struct np_pair *ratio)
{
	char bytes[40];

	np_text_length((double)ratio->length, bytes, sizeof(bytes));
	fprintf(file, "  %12s  %6.3f", bytes, ratio->ratio);
	print_interval(file, ratio->low, ratio->high);
	if (!isnan(ratio->control_ratio)) {
		fprintf(file, "  control %.3f", ratio->control_ratio);
		print_interval(file, ratio->control_low, ratio->control_high);
	}
	if (ratio->verdict != NP_VERDICTS)
		fprintf(file, "  %s", np_verdict_word(ratio->verdict));
	fputc('\n', file);
}

bool np_text_ratio_counts(const struct np_ratio_list *list, char *text, size_t size)
{
	size_t sizes[NP_VERDICTS + 1] = { 0 }, few = 0;

	for (size_t i = 0; i < list->count; i++) {
		sizes[list->ratios[i].verdict]++;
		few += isnan(list->ratios[i].low) ? 1 : 0;
	}
	if (sizes[NP_VERDICTS] == list->count)
		snprintf(text, size, "this file has no verdicts");
	else
		np_text_verdict_counts(sizes, list->count, few, text, size);
	return sizes[NP_VERDICTS] != list->count;
}

static void print_counts(FILE *file, const struct np_ratio_list *list)
{
	char text[160];

	np_text_ratio_counts(list, text, sizeof(text));
	np_text_title(file, "  in all");
	fprintf(file, "%s\n", text);
}

static void print_ranges(FILE *file, const struct np_ratio_list *list)
{
	char text[256];

	for (size_t i = 0; i < list->range_count; i++) {
		np_text_title(file, i == 0 ? "  ranges" : "");
		np_text_range(&list->ranges[i], text, sizeof(text));
		fprintf(file, "%s\n", text);
	}
}

/* Returns the index after a range of adjacent sizes from `first` on that are all slower, or
 * `first`; *worst: index of the largest ratio. */
static size_t end_of_slower(const struct np_ratio_list *list, size_t first, size_t *worst)
{
	size_t end = first;

	*worst = first;
	while (end < list->count && list->ratios[end].verdict == NP_SLOWER) {
		if (list->ratios[end].ratio > list->ratios[*worst].ratio)
			*worst = end;
		end++;
	}
	return end;
}

/* Prints the event counts (page faults, cache misses, ...) that differ at a size. */
static void print_changes(FILE *file, const struct np_pair *ratio)
{
	char at[40], text[512];

	if (ratio->change_count == 0)
		return;
	np_text_length((double)ratio->length, at, sizeof(at));
	np_text_title(file, "  counted");
	np_text_changes(ratio->changes, ratio->change_count, text, sizeof(text));
	fprintf(file, "at %s: %s\n", at, text);
}

/* Prints the event counts that differ at the size with the smallest significant ratio. */
static void print_fastest(FILE *file, const struct np_ratio_list *list)
{
	const struct np_pair *fastest = NULL;

	for (size_t i = 0; i < list->count; i++) {
		const struct np_pair *ratio = &list->ratios[i];

		if (ratio->verdict == NP_FASTER &&
		    (fastest == NULL || ratio->ratio < fastest->ratio))
			fastest = ratio;
	}
	if (fastest != NULL)
		print_changes(file, fastest);
}

static void print_slower(FILE *file, const struct np_ratio_list *list)
{
	char low[40], high[40], at[40];
	size_t worst;

	for (size_t first = 0, end; first < list->count; first = end) {
		end = end_of_slower(list, first, &worst);
		if (end == first) {
			end++;
			continue;
		}
		const struct np_pair *most = &list->ratios[worst];

		np_text_length((double)list->ratios[first].length, low, sizeof(low));
		np_text_length((double)list->ratios[end - 1].length, high, sizeof(high));
		np_text_length((double)most->length, at, sizeof(at));
		np_text_title(file, "  slower");
		if (end - first == 1)
			fprintf(file, "%s: %.3f [%.3f, %.3f]\n", at, most->ratio, most->low,
				most->high);
		else
			fprintf(file, "%s to %s: most at %s, %.3f [%.3f, %.3f]\n", low,
				high, at, most->ratio, most->low, most->high);
		print_changes(file, most);
	}
}

/* Prints the range of detection limits of the sizes that are neither slower nor faster. */
static void print_resolution(FILE *file, const struct np_ratio_list *list)
{
	double least = (double)NAN, most = (double)NAN;
	char from[32], to[32];

	for (size_t i = 0; i < list->count; i++) {
		const struct np_pair *ratio = &list->ratios[i];

		if (ratio->verdict != NP_UNCLEAR && ratio->verdict != NP_SAME)
			continue;
		least = fmin(least, ratio->resolution);
		most = fmax(most, ratio->resolution);
	}
	if (isnan(least))
		return;
	np_text_title(file, "  else");
	np_text_detection(fmax(least, finest), from, sizeof(from));
	np_text_detection(fmax(most, finest), to, sizeof(to));
	fprintf(file, "detection limit %s", from);
	if (strcmp(from, to) != 0)
		fprintf(file, " to %s, by size", to);
	fputc('\n', file);
}

/* True for a size to be printed: powers of two of a long list; an export has all sizes. */
static bool is_printed(const struct np_ratio_list *list, size_t length)
{
	return list->count <= SHORT_LIST || (length & (length - 1)) == 0;
}

void np_text_ratios(FILE *file, const struct np_run *run)
{
	char label[3 * NP_LABEL];

	for (size_t i = 0; i < run->ratios_count; i++) {
		const struct np_ratio_list *list = &run->ratios[i];

		fputc('\n', file);
		np_ratio_label(list, label, sizeof(label));
		np_text_safe(file, label);
		fprintf(file, ", ratio of times, %zu size%s\n", list->count,
			np_plural(list->count));
		print_counts(file, list);
		print_ranges(file, list);
		print_slower(file, list);
		print_fastest(file, list);
		print_resolution(file, list);
		for (size_t k = 0; k < list->count; k++) {
			if (is_printed(list, list->ratios[k].length))
				print_ratio(file, &list->ratios[k]);
		}
	}
}
