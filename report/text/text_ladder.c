/*
 * text_ladder.c - prints a ladder: the answer, the layers, a table for each step.
 */
#include <math.h>
#include <string.h>

#include "base/plural.h"
#include "output/output.h"
#include "report/curves/compare.h"
#include "report/text/text.h"

/* Longest curve that is shown with all sizes; a longer one with the powers of two. */
enum { SIZES_SHOWN = 24 };

/* Buffers for a number, and for an interval, bytes. */
enum { NUMBER = 32, INTERVAL = 80 };

/* "[0.28, 0.35]" */
static void put_interval(double low, double high, int digits, char *text)
{
	char ends[2][NUMBER];

	if (isnan(low) || isnan(high)) {
		snprintf(text, INTERVAL, "no interval");
		return;
	}
	np_text_number(low, digits, ends[0], NUMBER);
	np_text_number(high, digits, ends[1], NUMBER);
	snprintf(text, INTERVAL, "[%s, %s]", ends[0], ends[1]);
}

/* Prints "adds 0.31 us [0.28, 0.35] at 8 B", or the share in percent; the word of the
 * verdict `before` is not repeated. */
static void print_finding(FILE *file, const struct np_step_up *step, size_t at, bool share,
			  enum np_verdict before)
{
	static const char *const words[NP_VERDICTS] = { [NP_UNCLEAR] = "unclear: ",
							[NP_SAME] = "the same: ",
							[NP_FASTER] = "takes less by ",
							[NP_SLOWER] = "adds " };
	const enum np_verdict verdict = step->comparison.list[at].contrast.verdict;
	const struct np_added *added = &step->added[at];
	const double sign = verdict == NP_FASTER ? -1 : 1;
	double values[] = { added->seconds * 1e6, added->low * 1e6, added->high * 1e6 };
	char number[NUMBER], interval[INTERVAL], bytes[40];

	if (share) {
		values[0] = 100 * (added->ratio - 1);
		values[1] = 100 * (added->ratio_low - 1);
		values[2] = 100 * (added->ratio_high - 1);
	}
	np_text_number(sign * values[0], 3, number, sizeof(number));
	put_interval(sign * values[sign > 0 ? 1 : 2], sign * values[sign > 0 ? 2 : 1], 3,
		     interval);
	np_text_length((double)step->comparison.list[at].length, bytes, sizeof(bytes));
	fprintf(file, "%s%s %s %s at %s", verdict != before ? words[verdict] : "", number,
		share ? "%" : "us", interval, bytes);
}

/* Returns the end of the entries of the curve that begins at one. */
static size_t end_of_curve(const struct np_compare_result *comparison, size_t begin)
{
	size_t end = begin + 1;

	while (end < comparison->count &&
	       comparison->list[end].before == comparison->list[begin].before)
		end++;
	return end;
}

/* Prints the label of a curve, if there are several. */
static void print_curve(FILE *file, const struct np_compare_result *comparison,
			size_t begin, const char *behind)
{
	char label[3 * NP_LABEL];

	if (end_of_curve(comparison, 0) == comparison->count)
		return;
	np_series_label(&comparison->sides[0], comparison->list[begin].before, label,
			sizeof(label));
	np_text_safe(file, label);
	fputs(behind, file);
}

/* "; slower at 3, faster at 0 of 6 sizes" */
static void print_counts(FILE *file, const struct np_compare_result *comparison,
			 size_t begin, size_t end)
{
	fprintf(file, "; slower at %zu, faster at %zu of %zu size%s",
		np_compare_count(comparison, begin, end, NP_SLOWER),
		np_compare_count(comparison, begin, end, NP_FASTER), end - begin,
		np_plural(end - begin));
}

static void print_answer(FILE *file, const struct np_step_up *step)
{
	const struct np_compare_result *comparison = &step->comparison;

	for (size_t begin = 0, end; begin < comparison->count; begin = end) {
		end = end_of_curve(comparison, begin);
		np_text_title(file, step->above->name);
		fprintf(file, "over %s: ", step->below->name);
		print_curve(file, comparison, begin, ": ");
		print_finding(file, step, begin, false, NP_VERDICTS);
		if (end - begin > 1) {
			fputs(", ", file);
			print_finding(file, step, end - 1, true,
				      comparison->list[begin].contrast.verdict);
			print_counts(file, comparison, begin, end);
		}
		fputc('\n', file);
	}
}

static void print_layer(FILE *file, const struct np_layer *layer, size_t runs)
{
	np_text_title(file, "layer");
	fprintf(file, "%s: %zu run%s, ", layer->name, runs, np_plural(runs));
	np_text_safe(file, layer->runs[0].path);
	if (layer->files > 1)
		fprintf(file, " and %zu more", layer->files - 1);
	fputc('\n', file);
}

/* Prints differences between runs of a layer, and between the hosts of all. */
static void print_differences(FILE *file, const struct np_ladder *ladder)
{
	struct np_text_differences printing = { .file = file };

	for (size_t i = 0; i < ladder->layer_count; i++) {
		const struct np_layer *layer = &ladder->layers[i];

		np_compare_machines(ladder->runs, layer->runs, np_text_difference,
				    &printing);
		for (size_t k = 1; k < layer->files; k++)
			np_compare_headers(layer->runs, &layer->runs[k], np_text_difference,
					   &printing);
	}
	np_text_differences_end(&printing);
}

static void print_warnings(FILE *file, const struct np_ladder *ladder)
{
	bool of_one_run = false, apart = false, few = false;

	for (size_t i = 0; i + 1 < ladder->layer_count; i++) {
		const struct np_step_up *step = &ladder->steps[i];
		const size_t *runs = step->comparison.runs;

		of_one_run |= step->of_one_run;
		apart |= step->apart;
		few |= runs[0] < NP_RUNS_LEAST || runs[1] < NP_RUNS_LEAST;
	}
	if (of_one_run) {
		np_text_title(file, "warning");
		fputs("one run a layer: intervals are of this run only (95 %, each size by "
		      "itself), and the next run may differ by more\n",
		      file);
	}
	if (few) {
		np_text_title(file, "warning");
		fprintf(file, "no verdict: it needs %d runs of each layer\n",
			NP_RUNS_LEAST);
	}
	if (apart) {
		np_text_title(file, "warning");
		fputs("runs of one layer were made before those of another: what changed "
		      "meanwhile looks like a cost of the layer; take turns, as "
		      "examples/ladder.sh does\n",
		      file);
	}
}

static void print_row(FILE *file, const struct np_step_up *step, size_t at)
{
	const struct np_compared *compared = &step->comparison.list[at];
	const struct np_added *added = &step->added[at];
	char bytes[40], below[NUMBER], adds[NUMBER], ratio[NUMBER];
	char interval[INTERVAL], ratios[INTERVAL];

	np_text_length((double)compared->length, bytes, sizeof(bytes));
	np_text_number(compared->before_s * 1e6, 4, below, sizeof(below));
	np_text_number(added->seconds * 1e6, 3, adds, sizeof(adds));
	np_text_number(added->ratio, 4, ratio, sizeof(ratio));
	put_interval(added->low * 1e6, added->high * 1e6, 3, interval);
	put_interval(added->ratio_low, added->ratio_high, 4, ratios);
	fprintf(file, "%-8s %9s %8s %-17s %7s %-16s %s\n", bytes, below, adds, interval,
		ratio, ratios, np_verdict_word(compared->contrast.verdict));
}

static void print_table(FILE *file, const struct np_step_up *step)
{
	const struct np_compare_result *comparison = &step->comparison;
	size_t hidden = 0;
	char below[NUMBER];

	fprintf(file, "\n%s over %s\n", step->above->name, step->below->name);
	snprintf(below, sizeof(below), "%.6s us", step->below->name);
	for (size_t begin = 0, end; begin < comparison->count; begin = end) {
		end = end_of_curve(comparison, begin);
		print_curve(file, comparison, begin, "\n");
		fprintf(file, "%-8s %9s %8s %-17s %7s %-16s %s\n", "size", below, "adds us",
			"interval", "ratio", "interval", "verdict");
		for (size_t i = begin; i < end; i++) {
			const size_t length = comparison->list[i].length;

			if (end - begin <= SIZES_SHOWN || (length & (length - 1)) == 0)
				print_row(file, step, i);
			else
				hidden++;
		}
	}
	np_text_verdicts(file, comparison);
	if (hidden != 0)
		fprintf(file, "; %zu are not shown: no powers of two", hidden);
	if (comparison->sizes_only[0] + comparison->sizes_only[1] != 0)
		fprintf(file, "; %zu of one layer only",
			comparison->sizes_only[0] + comparison->sizes_only[1]);
	fputc('\n', file);
}

void np_text_ladder(FILE *file, const struct np_ladder *ladder)
{
	for (size_t i = 0; i + 1 < ladder->layer_count; i++)
		print_answer(file, &ladder->steps[i]);
	for (size_t i = 0; i < ladder->layer_count; i++)
		print_layer(
			file, &ladder->layers[i],
			ladder->steps[i != 0 ? i - 1 : 0].comparison.runs[i != 0 ? 1 : 0]);
	print_differences(file, ladder);
	print_warnings(file, ladder);
	for (size_t i = 0; i + 1 < ladder->layer_count; i++)
		print_table(file, &ladder->steps[i]);
}
