/*
 * text_compare.c - prints comparisons: of two sides, and of layers (--ladder).
 */
#include "report/text/text.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "output/output.h"
#include "report/curves/compare.h"

/* ---- Two sides: verdicts, what differs, a table ------------------------------------- */

/* Most printed differences. */
enum { DIFFERENCES = 20 };

/* Context of print_difference(), a hook of np_compare_headers(): a name is printed once, as
 * both hosts, paths and options share names. */
struct differences {
	FILE *file;
	struct np_facts printed;
};

static void print_difference(void *context, const char *what, const char *before,
			     const char *after)
{
	struct differences *printing = context;

	if (np_facts_find(&printing->printed, what) != NULL)
		return;
	np_facts_add(&printing->printed, what, "yes");
	if (printing->printed.count > DIFFERENCES)
		return;
	np_text_title(printing->file, printing->printed.count == 1 ? "differs" : "");
	np_text_safe(printing->file, what);
	fputs(": ", printing->file);
	np_text_safe(printing->file, before != NULL ? before : "not in the file");
	fputs(" | ", printing->file);
	np_text_safe(printing->file, after != NULL ? after : "not in the file");
	fputc('\n', printing->file);
}

static void end_differences(struct differences *printing)
{
	if (printing->printed.count > DIFFERENCES) {
		np_text_title(printing->file, "");
		fprintf(printing->file, "and %zu more\n",
			printing->printed.count - DIFFERENCES);
	}
	if (printing->printed.count != 0) {
		np_text_title(printing->file, "warning");
		fputs("a difference in times may come from what differs above\n",
		      printing->file);
	}
	np_facts_free(&printing->printed);
}

/* Prints differences between the sides, and between files of a side. */
static void print_differences(FILE *file, const struct np_run *runs, size_t first_count,
			      size_t count)
{
	struct differences printing = { .file = file };

	for (size_t i = 1; i < count; i++) {
		const size_t like = i <= first_count ? 0 : first_count;

		np_compare_headers(&runs[like], &runs[i], print_difference, &printing);
	}
	end_differences(&printing);
}

static bool is_tested(const struct np_compared *at)
{
	return at->contrast.units >= NP_RUNS_LEAST;
}

static const char *verdict_of(const struct np_compared *at)
{
	return is_tested(at) ? np_verdict_word(at->contrast.verdict) : "not tested";
}

static void print_size(FILE *file, const struct np_compared *at)
{
	const struct np_contrast *contrast = &at->contrast;
	char bytes[40], before[40], after[40];

	np_text_length((double)at->length, bytes, sizeof(bytes));
	np_text_seconds(at->before_s, before, sizeof(before));
	np_text_seconds(at->after_s, after, sizeof(after));
	fprintf(file, "%12s %12s %12s %9.3f", bytes, before, after,
		contrast->ratio > 0 ? contrast->ratio : at->after_s / at->before_s);
	if (isnan(contrast->low))
		fprintf(file, "  %-16s", "no interval");
	else
		fprintf(file, "  [%6.3f, %6.3f]", contrast->low, contrast->high);
	fprintf(file, "  %s\n", verdict_of(at));
}

static void print_sizes(FILE *file, const struct np_run *run,
			const struct np_compare_result *comparison)
{
	const struct np_series *last = NULL;
	char label[3 * NP_LABEL];

	for (size_t i = 0; i < comparison->count; i++) {
		const struct np_compared *at = &comparison->list[i];

		if (at->before != last) {
			np_series_label(run, at->before, label, sizeof(label));
			fputc('\n', file);
			np_text_safe(file, label[0] != '\0' ? label : "messages");
			fprintf(file, "\n%12s %12s %12s %9s  %-16s  %s\n", "size", "before",
				"after", "ratio", "interval", "verdict");
			last = at->before;
		}
		print_size(file, at);
	}
}

/* Returns the size with the ratio farthest from 1 among those of a verdict; NULL: none. */
static const struct np_compared *find_most(const struct np_compare_result *comparison,
					   enum np_verdict verdict)
{
	const struct np_compared *most = NULL;

	for (size_t i = 0; i < comparison->count; i++) {
		const struct np_compared *at = &comparison->list[i];

		if (at->contrast.verdict == verdict &&
		    (most == NULL ||
		     fabs(log(at->contrast.ratio)) > fabs(log(most->contrast.ratio))))
			most = at;
	}
	return most;
}

static void print_most(FILE *file, const struct np_compare_result *comparison)
{
	const struct np_compared *most = find_most(comparison, NP_SLOWER);
	char bytes[40], label[3 * NP_LABEL];

	if (most == NULL)
		most = find_most(comparison, NP_FASTER);
	if (most == NULL)
		return;
	const struct np_contrast *contrast = &most->contrast;
	const bool faster = contrast->verdict == NP_FASTER;

	np_text_length((double)most->length, bytes, sizeof(bytes));
	np_series_label(&comparison->sides[0], most->before, label, sizeof(label));
	fprintf(file, "most at %s%s", bytes, label[0] != '\0' ? ", " : "");
	np_text_safe(file, label);
	fprintf(file, ": after is %.2fx %s [%.2f, %.2f]\n",
		faster ? 1 / contrast->ratio : contrast->ratio,
		np_verdict_word(contrast->verdict),
		faster ? 1 / contrast->high : contrast->low,
		faster ? 1 / contrast->low : contrast->high);
}

/* Number of sizes with too few runs for a test. */
static size_t count_untested(const struct np_compare_result *comparison)
{
	size_t untested = 0;

	for (size_t i = 0; i < comparison->count; i++)
		untested += !is_tested(&comparison->list[i]);
	return untested;
}

void np_text_verdicts(FILE *file, const struct np_compare_result *comparison)
{
	const size_t all = comparison->count, untested = count_untested(comparison);

	fprintf(file, "%zu size%s: ", all, np_plural(all));
	if (untested != all)
		fprintf(file,
			"%zu slower, %zu faster, %zu the same within %.0f %%, %zu unclear "
			"(all together at %.0f %%)",
			np_compare_count(comparison, 0, all, NP_SLOWER),
			np_compare_count(comparison, 0, all, NP_FASTER),
			np_compare_count(comparison, 0, all, NP_SAME), 100 * NP_SAME_WITHIN,
			np_compare_count(comparison, 0, all, NP_UNCLEAR) - untested,
			100 * NP_COMPARE_Q);
	if (untested != 0)
		fprintf(file,
			"%s%zu not tested: that needs %d runs on each side (--runs %d)",
			untested != all ? ", " : "", untested, NP_RUNS_LEAST,
			NP_RUNS_LEAST);
}

static void print_side(FILE *file, const char *title, const struct np_run *runs,
		       size_t count, size_t run_count)
{
	char quality[NP_QUALITY_TEXT];

	np_text_title(file, title);
	np_text_safe(file, runs[0].name);
	fputs(" (", file);
	np_text_safe(file, runs[0].path);
	if (count > 1)
		fprintf(file, " and %zu more", count - 1);
	fprintf(file, "), %zu run%s%s", run_count, np_plural(run_count),
		np_run_quality(&runs[0], quality, sizeof(quality)) ? "; quality " : "\n");
	if (np_run_quality(&runs[0], quality, sizeof(quality))) {
		np_text_safe(file, quality);
		fputc('\n', file);
	}
}

/* Prints a line each: verdicts, the largest difference, the threshold, the sides. */
void np_text_compare_answer(FILE *file, const struct np_run *runs, size_t first_count,
			    size_t count, const struct np_compare_result *comparison,
			    double share)
{
	np_text_verdicts(file, comparison);
	fputc('\n', file);
	print_most(file, comparison);
	if (count_untested(comparison) != comparison->count)
		fprintf(file, "slower by more than %.3g %%, tested against that: %zu\n",
			100 * share, np_compare_beyond(comparison));
	print_side(file, "before", runs, first_count, comparison->runs[0]);
	print_side(file, "after", runs + first_count, count - first_count,
		   comparison->runs[1]);
}

/* Warns of curves or sizes that one side only has. */
static void print_only(FILE *file, const size_t *only, const char *what)
{
	static const char *const sides[] = { "before", "after" };

	for (size_t i = 0; i < 2; i++) {
		if (only[i] == 0)
			continue;
		np_text_title(file, "warning");
		fprintf(file, "%zu %s%s only %s: not compared\n", only[i], what,
			np_plural(only[i]), sides[i]);
	}
}

/* Warns if the operation of one side is unknown. */
static void print_unknown(FILE *file, const struct np_compare_result *comparison)
{
	for (size_t i = 0; i < comparison->count; i++) {
		const char *before = comparison->list[i].before->op;
		const char *after = comparison->list[i].after->op;

		if ((*before == '\0') == (*after == '\0'))
			continue;
		np_text_title(file, "warning");
		fprintf(file, "operation unknown %s: compared with '",
			*before == '\0' ? "before" : "after");
		np_text_safe(file, *before == '\0' ? after : before);
		fputs("', which it may not be\n", file);
		return;
	}
}

void np_text_comparison(FILE *file, const struct np_run *runs, size_t first_count,
			size_t count, const struct np_compare_result *comparison,
			double share)
{
	np_text_compare_answer(file, runs, first_count, count, comparison, share);
	for (size_t i = 0; i < count; i++) {
		if (runs[i].header != NULL)
			continue;
		np_text_title(file, "warning");
		fprintf(file, "machine unknown %s: no header in ",
			i < first_count ? "before" : "after");
		np_text_safe(file, runs[i].path);
		fputc('\n', file);
	}
	print_differences(file, runs, first_count, count);
	if (comparison->by_position) {
		np_text_title(file, "curves");
		fputs("none has the same name on both sides: the first of each\n", file);
	}
	print_unknown(file, comparison);
	print_only(file, comparison->curves_only, "curve");
	print_only(file, comparison->sizes_only, "size");
	print_sizes(file, &comparison->sides[0], comparison);
}

/* ---- Layers: the answer, the layers, a table for each step -------------------------- */

/* Most sizes of a curve that is printed whole; of a longer one, powers of two are
 * printed. */
enum { SIZES_SHOWN = 24 };

/* Bytes of the text of a number, and of an interval. */
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

/* Prints "adds 0.31 us [0.28, 0.35] at 8 B" or, if `share`, the added time in percent.
 * Leaves out "adds" if the finding printed just before has the same verdict. */
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

/* Returns the index after the last size of the curve that begins at list[begin]. */
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

/* Prints differences between the headers of runs of a layer, and between the hosts of the
 * first run of each layer and those of the first layer. */
static void print_layer_differences(FILE *file, const struct np_ladder *ladder)
{
	struct differences printing = { .file = file };

	for (size_t i = 0; i < ladder->layer_count; i++) {
		const struct np_layer *layer = &ladder->layers[i];

		np_compare_machines(ladder->runs, layer->runs, print_difference, &printing);
		for (size_t k = 1; k < layer->files; k++)
			np_compare_headers(layer->runs, &layer->runs[k], print_difference,
					   &printing);
	}
	end_differences(&printing);
}

static void print_warnings(FILE *file, const struct np_ladder *ladder)
{
	bool of_one_run = false, sequential = false, few = false;

	for (size_t i = 0; i + 1 < ladder->layer_count; i++) {
		const struct np_step_up *step = &ladder->steps[i];
		const size_t *runs = step->comparison.runs;

		of_one_run |= step->of_one_run;
		sequential |= step->sequential;
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
	if (sequential) {
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
		ratio, ratios, verdict_of(compared));
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
	print_layer_differences(file, ladder);
	print_warnings(file, ladder);
	for (size_t i = 0; i + 1 < ladder->layer_count; i++)
		print_table(file, &ladder->steps[i]);
}
