/*
 * text_compare.c - prints comparisons: of two sides, and of more, side by side.
 */
#include "report/text/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
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

/* Ratio of the times; without a test, that of the medians. */
static double ratio_of(const struct np_compared *at)
{
	return at->contrast.ratio > 0 ? at->contrast.ratio : at->after_s / at->before_s;
}

static void print_size(FILE *file, const struct np_compared *at)
{
	const struct np_contrast *contrast = &at->contrast;
	char bytes[40], before[40], after[40];

	np_text_length((double)at->length, bytes, sizeof(bytes));
	np_text_seconds(at->before_s, before, sizeof(before));
	np_text_seconds(at->after_s, after, sizeof(after));
	fprintf(file, "%12s %12s %12s %9.3f", bytes, before, after, ratio_of(at));
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

/* Converts a ratio and its interval to seconds added: { value, low, high }, with the sign
 * of the ratio.  The ratio multiplies the median of the faster side, whose own error is
 * left out: it would only widen the interval. */
static void added_seconds(const struct np_compared *at, double *added)
{
	const double ratios[] = { ratio_of(at), at->contrast.low, at->contrast.high };

	for (size_t i = 0; i < 3; i++)
		added[i] = ratios[0] >= 1 ? at->before_s * (ratios[i] - 1) :
					    at->after_s * (1 - 1 / ratios[i]);
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
	double added[3];
	char time[40];

	added_seconds(most, added);
	np_text_seconds(fabs(added[0]), time, sizeof(time));
	np_text_length((double)most->length, bytes, sizeof(bytes));
	np_series_label(&comparison->sides[0], most->before, label, sizeof(label));
	fprintf(file, "most at %s%s", bytes, label[0] != '\0' ? ", " : "");
	np_text_safe(file, label);
	fprintf(file, ": after is %.2fx %s [%.2f, %.2f] (%c%s)\n",
		faster ? 1 / contrast->ratio : contrast->ratio,
		np_verdict_word(contrast->verdict),
		faster ? 1 / contrast->high : contrast->low,
		faster ? 1 / contrast->low : contrast->high, faster ? '-' : '+', time);
}

/* Number of sizes in list[begin, end) with too few runs for a test. */
static size_t count_untested(const struct np_compare_result *comparison, size_t begin,
			     size_t end)
{
	size_t untested = 0;

	for (size_t i = begin; i < end; i++)
		untested += !is_tested(&comparison->list[i]);
	return untested;
}

void np_text_verdicts(FILE *file, const struct np_compare_result *comparison)
{
	const size_t all = comparison->count, untested = count_untested(comparison, 0, all);

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

/* Prints the ranges in which one side is slower. */
static void print_ranges(FILE *file, const struct np_compare_result *comparison)
{
	char text[256], label[3 * NP_LABEL];
	bool first = true;

	for (size_t i = 0; i < comparison->ranges.count; i++) {
		const struct np_range *range = &comparison->ranges.list[i];
		const struct np_compared *begin = &comparison->list[range->first];
		const struct np_pair_range found = {
			.smallest = begin->length,
			.largest = comparison->list[range->last].length,
			.sizes = range->sizes,
			.ratio = range->ratio,
			.low = range->low,
			.high = range->high,
			.verdict = range->verdict
		};

		if (!np_verdict_is_sure(range->verdict))
			continue;
		np_series_label(&comparison->sides[0], begin->before, label, sizeof(label));
		np_text_title(file, first ? "ranges" : "");
		np_text_safe(file, label);
		np_text_range(&found, text, sizeof(text));
		fprintf(file, "%s%s\n", label[0] != '\0' ? ", " : "", text);
		first = false;
	}
}

/* Prints the worst grade of a side, and which files have it. */
static void print_worst(FILE *file, const struct np_run *runs, size_t count)
{
	char worst[NP_QUALITY_TEXT] = "", quality[NP_QUALITY_TEXT];
	size_t worst_at = 0, times = 0;

	for (size_t i = 0; i < count; i++) {
		if (!np_run_quality(&runs[i], quality, sizeof(quality)))
			continue;
		/* In ASCII POOR is before fair, and fair before good. */
		if (times == 0 || quality[0] < worst[0]) {
			memcpy(worst, quality, sizeof(worst));
			worst_at = i;
			times = 0;
		}
		times += quality[0] == worst[0];
	}
	if (times == 0)
		return;
	const size_t grade = strcspn(worst, ":");

	fprintf(file, "; quality %.*s", (int)grade, worst);
	if (count > 1) {
		fprintf(file, " at %zu of %zu files (", times, count);
		np_text_safe(file, runs[worst_at].path);
		fputc(')', file);
	}
	np_text_safe(file, worst + grade);
}

static void print_side(FILE *file, const char *title, const struct np_run *runs,
		       size_t count, size_t run_count)
{
	np_text_title(file, title);
	np_text_safe(file, runs[0].name);
	fputs(" (", file);
	np_text_safe(file, runs[0].path);
	if (count > 1)
		fprintf(file, " and %zu more", count - 1);
	fprintf(file, "), %zu run%s", run_count, np_plural(run_count));
	print_worst(file, runs, count);
	fputc('\n', file);
}

/* Prints a line each: verdicts, the largest difference, the threshold, the sides. */
void np_text_compare_answer(FILE *file, const struct np_run *runs, size_t first_count,
			    size_t count, const struct np_compare_result *comparison,
			    double share)
{
	np_text_verdicts(file, comparison);
	fputc('\n', file);
	print_most(file, comparison);
	print_ranges(file, comparison);
	if (count_untested(comparison, 0, comparison->count) != comparison->count)
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

/* ---- More than two sides: an answer for each step, the sides, one table ------------- */

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

/* Writes the name of a side: "A" to "Z", then "27" and so on. */
static const char *side_name(size_t side, char *text)
{
	if (side < 26)
		snprintf(text, NUMBER, "%c", (char)('A' + side));
	else
		snprintf(text, NUMBER, "%zu", side + 1);
	return text;
}

/* Prints "adds 0.31 us [0.28, 0.35] at 8 B" or, if `share`, the added time in percent.
 * Returns the word, which is left out if it is `before`, that of the finding printed just
 * before. */
static const char *print_finding(FILE *file, const struct np_compared *at, bool share,
				 const char *before)
{
	static const char *const words[NP_VERDICTS] = { [NP_UNCLEAR] = "unclear: ",
							[NP_SAME] = "the same: ",
							[NP_FASTER] = "takes less by ",
							[NP_SLOWER] = "adds " };
	const enum np_verdict verdict = at->contrast.verdict;
	const char *word = is_tested(at) ? words[verdict] : "not tested: ";
	const double sign = verdict == NP_FASTER ? -1 : 1;
	double values[3];
	char number[NUMBER], interval[INTERVAL], bytes[40];

	added_seconds(at, values);
	for (size_t i = 0; i < 3; i++)
		values[i] *= sign * 1e6;
	if (share) {
		values[0] = sign * 100 * (ratio_of(at) - 1);
		values[1] = sign * 100 * (at->contrast.low - 1);
		values[2] = sign * 100 * (at->contrast.high - 1);
	}
	np_text_number(values[0], 3, number, sizeof(number));
	put_interval(values[sign > 0 ? 1 : 2], values[sign > 0 ? 2 : 1], 3, interval);
	np_text_length((double)at->length, bytes, sizeof(bytes));
	fprintf(file, "%s%s %s %s at %s", strcmp(word, before) != 0 ? word : "", number,
		share ? "%" : "us", interval, bytes);
	return word;
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

/* Prints a line for each curve: the smallest size, the largest, and counts of verdicts. */
static void print_step(FILE *file, const struct np_compare_result *comparison, size_t step)
{
	char names[2][NUMBER], title[2 * NUMBER + 8];

	snprintf(title, sizeof(title), "%s over %s", side_name(step + 1, names[1]),
		 side_name(step, names[0]));
	for (size_t begin = 0, end; begin < comparison->count; begin = end) {
		end = end_of_curve(comparison, begin);
		np_text_title(file, title);
		print_curve(file, comparison, begin, ": ");
		const struct np_compared *first = &comparison->list[begin];
		const char *word = print_finding(file, first, false, "");

		if (end - begin > 1) {
			fputs(", ", file);
			print_finding(file, &comparison->list[end - 1], true, word);
		}
		if (count_untested(comparison, begin, end) == end - begin)
			fprintf(file, "; %zu not tested\n", end - begin);
		else
			fprintf(file, "; slower at %zu, faster at %zu of %zu size%s\n",
				np_compare_count(comparison, begin, end, NP_SLOWER),
				np_compare_count(comparison, begin, end, NP_FASTER),
				end - begin, np_plural(end - begin));
	}
}

/* Prints differences between headers of a side, and between sides: those of two programs
 * have other options and paths anyway, so only their hosts are compared. */
static void print_step_differences(FILE *file, const struct np_compared_sides *steps,
				   size_t count)
{
	struct differences printing = { .file = file };
	const struct np_run *first = steps[0].runs;
	const struct np_run *end = steps[count - 1].runs + steps[count - 1].count;
	const char *program = np_run_text(first, "program");

	for (const struct np_run *run = first + 1; run < end; run++) {
		const char *other = np_run_text(run, "program");

		if (program != NULL && other != NULL && strcmp(program, other) == 0)
			np_compare_headers(first, run, print_difference, &printing);
		else
			np_compare_machines(first, run, print_difference, &printing);
	}
	end_differences(&printing);
}

/* Returns the earliest date of the files of a side, or the latest if `last`, as text that
 * sorts by time; NULL if a file has no date. */
static const char *begun(const struct np_run *runs, size_t count, bool last)
{
	const char *found = NULL;

	for (size_t i = 0; i < count; i++) {
		const char *date = np_facts_find(&runs[i].hosts[0], "date");

		if (date == NULL)
			return NULL;
		if (found == NULL || (strcmp(date, found) > 0) == last)
			found = date;
	}
	return found;
}

/* Returns whether a side of several files began after all files of the other. */
static bool is_sequential(const struct np_compared_sides *step)
{
	const struct np_run *after = step->runs + step->first_count;
	const size_t counts[] = { step->first_count, step->count - step->first_count };
	const char *ends[] = { begun(step->runs, counts[0], true),
			       begun(after, counts[1], true) };
	const char *begins[] = { begun(step->runs, counts[0], false),
				 begun(after, counts[1], false) };

	return ends[0] != NULL && ends[1] != NULL && begins[0] != NULL &&
	       begins[1] != NULL && step->result->runs[0] + step->result->runs[1] > 2 &&
	       (strcmp(ends[0], begins[1]) < 0 || strcmp(ends[1], begins[0]) < 0);
}

static void print_warnings(FILE *file, const struct np_compared_sides *steps, size_t count)
{
	bool sequential = false;

	for (size_t i = 0; i < count; i++) {
		sequential |= is_sequential(&steps[i]);
		print_unknown(file, steps[i].result);
	}
	if (sequential) {
		np_text_title(file, "warning");
		fputs("runs of one side were made before those of another: what changed "
		      "meanwhile looks like its cost; take turns, as "
		      "examples/layers.sh does\n",
		      file);
	}
}

/* Returns the comparison of a step where its side 0 or 1 has this curve and size, or NULL.
 * cursor: where the search begins, as the sizes are in one order. */
static const struct np_compared *find_at(const struct np_compare_result *step, size_t side,
					 const struct np_series *like, size_t length,
					 size_t *cursor)
{
	const struct np_series *series = np_run_find(&step->sides[side], like);

	for (size_t i = 0; series != NULL && i < step->count; i++) {
		const size_t k = (*cursor + i) % step->count;
		const struct np_compared *at = &step->list[k];

		if (at->length == length &&
		    series == (side == 0 ? at->before : at->after)) {
			*cursor = k + 1;
			return at;
		}
	}
	return NULL;
}

static void print_row(FILE *file, const struct np_compared *at, size_t side)
{
	const struct np_contrast *contrast = &at->contrast;
	double added[3];
	char name[NUMBER], time[NUMBER], adds[NUMBER], ratio[NUMBER];
	char interval[INTERVAL], ratios[INTERVAL];

	added_seconds(at, added);
	np_text_number(at->after_s * 1e6, 4, time, sizeof(time));
	np_text_number(added[0] * 1e6, 3, adds, sizeof(adds));
	np_text_number(ratio_of(at), 4, ratio, sizeof(ratio));
	put_interval(added[1] * 1e6, added[2] * 1e6, 3, interval);
	put_interval(contrast->low, contrast->high, 4, ratios);
	fprintf(file, "%-2s %-7s %8s %8s %-17s %7s %-*s %s\n", side_name(side, name), "",
		time, adds, interval, ratio, is_tested(at) ? 16 : 13, ratios,
		verdict_of(at));
}

/* Prints a row for each side at one size that sides from `from` on have; "-" for others. */
static void print_block(FILE *file, const struct np_compared_sides *steps, size_t count,
			size_t from, const struct np_compared *at, size_t *cursors)
{
	char bytes[40], time[NUMBER], name[NUMBER];

	np_text_length((double)at->length, bytes, sizeof(bytes));
	np_text_number(at->before_s * 1e6, 4, time, sizeof(time));
	for (size_t side = 0; side <= from; side++)
		fprintf(file, "%-2s %-7s %8s\n", side_name(side, name),
			side == 0 ? bytes : "", side == from ? time : "-");
	print_row(file, at, from + 1);
	for (size_t k = from + 1; k < count && at != NULL; k++) {
		at = find_at(steps[k].result, 0, at->after, at->length, &cursors[k]);
		if (at != NULL)
			print_row(file, at, k + 1);
	}
}

/* Prints a block for each size that two neighbouring sides share, curve by curve.  cursors:
 * one for each step. */
static void print_table(FILE *file, const struct np_compared_sides *steps, size_t count,
			size_t *cursors)
{
	const struct np_series *curve = NULL;

	for (size_t k = 0; k < count; k++) {
		const struct np_compare_result *step = steps[k].result;

		for (size_t i = 0; i < step->count; i++) {
			const struct np_compared *at = &step->list[i];

			if (k != 0 && find_at(steps[k - 1].result, 1, at->before,
					      at->length, &cursors[k - 1]) != NULL)
				continue;
			if (at->before != curve) {
				fputc('\n', file);
				print_curve(file, step, i, "\n");
				fprintf(file, "%-2s %-7s %8s %8s %-17s %7s %-16s %s\n", "",
					"size", "time us", "adds us", "interval", "ratio",
					"interval", "verdict");
			}
			curve = at->before;
			print_block(file, steps, count, k, at, cursors);
		}
	}
}

int np_text_steps(FILE *file, const struct np_compared_sides *steps, size_t count)
{
	size_t *cursors = calloc(count, sizeof(*cursors));
	char name[NUMBER], over[2 * NUMBER + 8];

	if (cursors == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		print_step(file, steps[i].result, i);
	print_side(file, "A", steps[0].runs, steps[0].first_count,
		   steps[0].result->runs[0]);
	for (size_t i = 0; i < count; i++)
		print_side(file, side_name(i + 1, name),
			   steps[i].runs + steps[i].first_count,
			   steps[i].count - steps[i].first_count, steps[i].result->runs[1]);
	print_step_differences(file, steps, count);
	print_warnings(file, steps, count);
	print_table(file, steps, count, cursors);
	for (size_t i = 0; i < count; i++) {
		const struct np_compare_result *result = steps[i].result;
		const size_t sizes = result->sizes_only[0] + result->sizes_only[1];
		const size_t curves = result->curves_only[0] + result->curves_only[1];

		snprintf(over, sizeof(over), "%s over ", side_name(i + 1, name));
		fprintf(file, "%s%s%s: ", i == 0 ? "\n" : "", over, side_name(i, name));
		np_text_verdicts(file, result);
		if (sizes != 0)
			fprintf(file, "; %zu on one side only", sizes);
		if (curves != 0)
			fprintf(file, "; curves on one side only: %zu", curves);
		fputc('\n', file);
	}
	free(cursors);
	return 0;
}
