/*
 * text_compare.c - prints a comparison.
 */
#include <math.h>
#include <string.h>

#include "base/plural.h"
#include "report/curves/compare.h"
#include "report/text/text.h"

/* Most printed differences. */
enum { DIFFERENCES = 20 };

void np_text_difference(void *context, const char *what, const char *before,
			const char *after)
{
	struct np_text_differences *printing = context;

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

void np_text_differences_end(struct np_text_differences *printing)
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
	struct np_text_differences printing = { .file = file };

	for (size_t i = 1; i < count; i++) {
		const size_t like = i <= first_count ? 0 : first_count;

		np_compare_headers(&runs[like], &runs[i], np_text_difference, &printing);
	}
	np_text_differences_end(&printing);
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
	fprintf(file, "  %s\n", np_verdict_word(contrast->verdict));
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

/* Returns the size with the largest ratio among those of a verdict; NULL: none. */
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
	np_text_length((double)most->length, bytes, sizeof(bytes));
	np_series_label(&comparison->sides[0], most->before, label, sizeof(label));
	fprintf(file, "most at %s%s", bytes, label[0] != '\0' ? ", " : "");
	np_text_safe(file, label);
	fprintf(file, ": %.3fx %s [%.3f, %.3f]\n", most->contrast.ratio,
		np_verdict_word(most->contrast.verdict), most->contrast.low,
		most->contrast.high);
}

void np_text_verdicts(FILE *file, const struct np_compare_result *comparison)
{
	const size_t all = comparison->count;

	fprintf(file,
		"%zu size%s: %zu slower, %zu faster, %zu the same within %.0f %%, %zu "
		"unclear (all together at %.0f %%)",
		all, np_plural(all), np_compare_count(comparison, 0, all, NP_SLOWER),
		np_compare_count(comparison, 0, all, NP_FASTER),
		np_compare_count(comparison, 0, all, NP_SAME), 100 * NP_SAME_WITHIN,
		np_compare_count(comparison, 0, all, NP_UNCLEAR), 100 * NP_COMPARE_Q);
}

/* Prints a line each: verdicts, the largest difference, the threshold. */
void np_text_compare_answer(FILE *file, const struct np_compare_result *comparison,
			    double share)
{
	size_t few = 0;

	for (size_t i = 0; i < comparison->count; i++)
		few += comparison->list[i].contrast.units < NP_RUNS_LEAST;
	np_text_verdicts(file, comparison);
	fputc('\n', file);
	print_most(file, comparison);
	if (few != 0 && few < comparison->count)
		fprintf(file,
			"unclear: a verdict needs %d runs on each side: --runs %d, or "
			"several files\n",
			NP_RUNS_LEAST, NP_RUNS_LEAST);
	fprintf(file, "slower by more than %.3g %%, tested against that: %zu\n",
		100 * share, np_compare_beyond(comparison));
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

static void print_side(FILE *file, const char *title, const struct np_run *runs,
		       size_t count, size_t run_count)
{
	np_text_title(file, title);
	np_text_safe(file, runs[0].name);
	fputs(" (", file);
	np_text_safe(file, runs[0].path);
	if (count > 1)
		fprintf(file, " and %zu more", count - 1);
	fprintf(file, "), %zu run%s\n", run_count, np_plural(run_count));
}

void np_text_comparison(FILE *file, const struct np_run *runs, size_t first_count,
			size_t count, const struct np_compare_result *comparison,
			double share)
{
	np_text_compare_answer(file, comparison, share);
	fputc('\n', file);
	print_side(file, "before", runs, first_count, comparison->runs[0]);
	print_side(file, "after", runs + first_count, count - first_count,
		   comparison->runs[1]);
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
