/*
 * text_answer.c - prints the answer of a run: a few lines with a title each, first on the
 * page.
 */
#include <math.h>
#include <string.h>

#include "output/output.h"
#include "questions/causes.h"
#include "report/text/text.h"

/* Prints the time of the smallest size, or the highest rate, of each curve. */
static void print_curves(FILE *file, const struct np_run *run,
			 const struct np_analysis *analyses, bool rate)
{
	bool any = false;

	for (size_t i = 0; i < run->series_count; i++) {
		const struct np_series *series = &run->series[i];
		const struct np_row *peak = np_series_peak(series);
		char label[3 * NP_LABEL], number[40], bytes[40];

		if (np_series_is_control(series) || analyses[i].count == 0 ||
		    (rate && peak == NULL))
			continue;
		np_series_label(run, series, label, sizeof(label));
		if (rate)
			np_text_mbps(peak->mbps, number, sizeof(number));
		else
			np_text_seconds(analyses[i].points[0].seconds, number,
					sizeof(number));
		np_text_length((double)(rate ? peak->length : analyses[i].points[0].bytes),
			       bytes, sizeof(bytes));
		if (!any)
			np_text_title(file, rate			 ? "bandwidth" :
					    np_op_is_latency(series->op) ? "latency" :
									   "time");
		fputs(any ? "; " : "", file);
		np_text_safe(file, label);
		fprintf(file, "%s%s at %s", *label != '\0' ? " " : "", number, bytes);
		any = true;
	}
	fputs(any ? "\n" : "", file);
}

static void print_ratios(FILE *file, const struct np_ratio_list *list)
{
	const struct np_pair *worst = NULL;
	char counts[160], bytes[40], slower[80];

	for (size_t i = 0; i < list->count; i++) {
		const struct np_pair *ratio = &list->ratios[i];

		if (ratio->verdict == NP_SLOWER &&
		    (worst == NULL || ratio->ratio > worst->ratio))
			worst = ratio;
	}
	if (!np_text_ratio_counts(list, counts, sizeof(counts)))
		return;
	np_text_title(file, strcmp(list->of, "rotate/reuse") == 0 ? "cold" : "ratio");
	if (worst != NULL) {
		np_text_length((double)worst->length, bytes, sizeof(bytes));
		np_text_slower(worst->ratio, worst->low, worst->high, slower,
			       sizeof(slower));
		fprintf(file, "at most %s at %s; ", slower, bytes);
	}
	np_text_safe(file, list->of);
	fputs(list->within[0] != '\0' ? ", " : "", file);
	np_text_safe(file, list->within);
	fprintf(file, ": %s\n", counts);
}

/* Prints number and largest effect of the significant breaks of a kind. */
static void print_breaks(FILE *file, const struct np_run *run,
			 const struct np_analysis *analyses, enum np_break_kind kind)
{
	const struct np_break *most = NULL;
	size_t count = 0;
	char low[40], high[40];

	for (size_t i = 0; i < run->series_count; i++) {
		for (size_t k = 0; k < analyses[i].shape.break_count; k++) {
			const struct np_break *at = &analyses[i].shape.breaks[k];

			if (at->kind != kind || !at->sure || !(at->effect > 1) ||
			    np_series_is_control(&run->series[i]))
				continue;
			count++;
			if (most == NULL || at->effect > most->effect)
				most = at;
		}
	}
	if (most == NULL)
		return;
	np_text_length((double)most->bytes_low, low, sizeof(low));
	np_text_length((double)most->bytes_high, high, sizeof(high));
	np_text_title(file, kind == NP_BREAK_STEP ? "steps" : "dropouts");
	fprintf(file, "%zu; the largest: %s%s%s, %.2fx", count, low,
		most->bytes_low == most->bytes_high ? "" : " to ",
		most->bytes_low == most->bytes_high ? "" : high, most->effect);
	np_text_limits(file, run, most->bytes_low, most->bytes_high);
	fputc('\n', file);
}

static void print_knees(FILE *file, const struct np_capacity *capacity)
{
	for (size_t i = 0; i < capacity->knee_count; i++) {
		const struct np_knee *knee = &capacity->knees[i];

		if (knee->repeats)
			continue;
		np_text_title(file, "knee");
		fprintf(file, "%llu to %llu %s: %s; %.2fx beyond\n",
			(unsigned long long)knee->low, (unsigned long long)knee->high,
			np_axis_noun(knee->axis, knee->high), knee->label, knee->effect);
	}
}

static void print_cause(FILE *file, const struct np_run *run)
{
	struct np_causes causes;

	if (run->results == NULL || np_causes_derive(run->results, 0, &causes) != 0)
		return;
	np_text_title(file, "cause");
	fprintf(file, "%s\n", np_cause_text(causes.verdict));
}

static void print_pairs(FILE *file, const struct np_pair_matrix *pairs)
{
	char answer[NP_FLEET_ANSWER];

	np_text_fleet_answer(&pairs->run, answer, sizeof(answer));
	np_text_title(file, "pairs");
	fprintf(file, "%s\n", answer);
}

void np_text_answer(FILE *file, const struct np_run *run,
		    const struct np_analysis *analyses)
{
	np_text_program(file, run);
	print_cause(file, run);
	print_curves(file, run, analyses, false);
	print_curves(file, run, analyses, true);
	for (size_t i = 0; i < run->ratios_count; i++)
		print_ratios(file, &run->ratios[i]);
	print_breaks(file, run, analyses, NP_BREAK_STEP);
	print_breaks(file, run, analyses, NP_BREAK_DROPOUT);
	print_knees(file, &run->capacity);
	np_text_slowest_rank(file, run);
	if (run->pairs != NULL)
		print_pairs(file, run->pairs);
	np_text_incomplete(file, run);
}
