/*
 * text.c - prints a run: numbers with units, the machine, the answer, and all findings.
 */
#include "report/text/text.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "output/output.h"
#include "questions/causes.h"

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

/* Writes the number of sizes of each verdict in words, or the reason why there are none.
 * Returns false if the file has no verdicts. */
static bool text_ratio_counts(const struct np_ratio_list *list, char *text, size_t size)
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

	text_ratio_counts(list, text, sizeof(text));
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

/* Prints ratios by size. */
static void text_ratios(FILE *file, const struct np_run *run)
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

/* ---- Numbers with units ------------------------------------------------------------- */

struct unit {
	double scale;
	const char *name;
};

/* Prints with the largest unit that is not above the number. */
static void print_in(double value, const struct unit *units, size_t count, char *text,
		     size_t size)
{
	size_t at = 0;

	while (at + 1 < count && fabs(value) < units[at].scale)
		at++;
	snprintf(text, size, "%.4g %s", value / units[at].scale, units[at].name);
}

void np_text_seconds(double seconds, char *text, size_t size)
{
	static const struct unit units[] = {
		{ 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" }
	};

	print_in(seconds, units, 4, text, size);
}

void np_text_mbps(double mbps, char *text, size_t size)
{
	static const struct unit units[] = {
		{ 1e6, "Tbit/s" }, { 1e3, "Gbit/s" }, { 1, "Mbit/s" }, { 1e-3, "kbit/s" }
	};

	print_in(mbps, units, 4, text, size);
}

void np_text_length(double bytes, char *text, size_t size)
{
	/* Measured sizes are exact, estimates are rounded. */
	if (bytes >= 0 && bytes < 1e15 && bytes == floor(bytes))
		np_text_bytes((size_t)bytes, text, size);
	else
		np_text_about(bytes, text, size);
}

void np_text_safe(FILE *file, const char *text)
{
	for (; *text != '\0'; text++) {
		const unsigned char byte = (unsigned char)*text;

		fputc(byte < 0x20 || byte == 0x7f ? '?' : byte, file);
	}
}

/* ---- Program, options and machine --------------------------------------------------- */

void np_text_title(FILE *file, const char *title)
{
	fprintf(file, "%-11s ", title);
}

/* Returns the text, or "not reported" for NULL. */
static const char *or_not_reported(const char *text)
{
	return text != NULL ? text : "not reported";
}

static const char *const ranks[] = { "rank 0", "rank 1" };

static void print_fact(FILE *file, const struct np_facts *facts, const char *name,
		       const char *before, bool *any)
{
	const char *text = np_facts_find(facts, name);

	if (text == NULL || strcmp(text, "not reported") == 0)
		return;
	fputs(*any ? ", " : "", file);
	fputs(before, file);
	np_text_safe(file, text);
	*any = true;
}

static void print_host(FILE *file, const struct np_run *run, size_t rank)
{
	const struct np_facts *facts = &run->hosts[rank];
	bool any = false;

	np_text_title(file, ranks[rank]);
	print_fact(file, facts, "host", "", &any);
	print_fact(file, facts, "cpu", "", &any);
	print_fact(file, facts, "cores", "cores ", &any);
	print_fact(file, facts, "core", "bound to core ", &any);
	print_fact(file, facts, "governor", "governor ", &any);
	print_fact(file, facts, "kernel", "", &any);
	print_fact(file, facts, "transparent_huge_pages", "huge pages ", &any);
	print_fact(file, facts, "clock_source", "clock ", &any);
	fputs(any ? "\n" : "not reported\n", file);
}

static void print_path(FILE *file, const struct np_facts *facts)
{
	if (facts->count == 0)
		return;
	np_text_title(file, "path");
	for (size_t i = 0; i < facts->count; i++) {
		const struct np_fact *fact = &facts->list[i];

		fputs(i == 0 ? "" : ", ", file);
		np_text_safe(file, fact->name);
		fputc(' ', file);
		np_text_safe(file, fact->text);
	}
	fputc('\n', file);
}

static void print_warnings(FILE *file, const struct np_facts *facts, size_t rank)
{
	for (size_t i = 0; i < facts->count; i++) {
		if (strncmp(facts->list[i].name, "warning_", 8) != 0)
			continue;
		np_text_title(file, "warning");
		fprintf(file, "%s: ", ranks[rank]);
		np_text_safe(file, facts->list[i].text);
		fputc('\n', file);
	}
}

static void print_quality(FILE *file, const struct np_run *run)
{
	char quality[NP_QUALITY_TEXT];

	if (!np_run_quality(run, quality, sizeof(quality)))
		return;
	np_text_title(file, "quality");
	np_text_safe(file, quality);
	fputc('\n', file);
}

static void print_program(FILE *file, const struct np_run *run)
{
	const char *version = np_run_text(run, "version");
	const char *op = np_run_text(run, "op");
	const char *date = np_facts_find(&run->hosts[0], "date");

	np_text_title(file, "written by");
	np_text_safe(file, run->header != NULL ?
				   or_not_reported(np_run_text(run, "program")) :
				   run->format);
	if (version != NULL) {
		fputc(' ', file);
		np_text_safe(file, version);
	}
	if (op != NULL) {
		fputs(", ", file);
		np_text_safe(file, op);
	}
	if (date != NULL) {
		fputs(", ", file);
		np_text_safe(file, date);
	}
	if (run->runs > 1)
		fprintf(file, ", %zu runs", run->runs);
	fputc('\n', file);
}

static void print_machine(FILE *file, const struct np_run *run)
{
	if (run->header != NULL) {
		print_host(file, run, 0);
		print_host(file, run, 1);
		print_path(file, &run->paths[0]);
	} else {
		np_text_title(file, "machine");
		fputs("not in the file\n", file);
	}
	for (size_t i = 0; i < run->notes.count; i++) {
		np_text_title(file, run->notes.list[i].name);
		np_text_safe(file, run->notes.list[i].text);
		fputc('\n', file);
	}
	for (size_t i = 0; i < run->warnings.count; i++) {
		np_text_title(file, "warning");
		np_text_safe(file, run->warnings.list[i].text);
		fputc('\n', file);
	}
	if (run->header != NULL) {
		for (size_t rank = 0; rank < 2; rank++) {
			print_warnings(file, &run->hosts[rank], rank);
			print_warnings(file, &run->paths[rank], rank);
		}
	}
}

/* ---- The answer: a few lines with a title each, first on the page ------------------- */

static void print_broken(FILE *file, const struct np_run *run)
{
	if (!run->broken)
		return;
	np_text_title(file, "incomplete");
	if (run->header == NULL)
		fprintf(file, "line %zu could not be read\n", run->lines);
	else
		fprintf(file, "the file could be read up to line %zu only\n",
			run->lines != 0 ? run->lines - 1 : 0);
}

/* Prints why a run is incomplete, if it is. */
static void print_incomplete(FILE *file, const struct np_run *run)
{
	const json_t *complete = json_object_get(run->findings, "complete");
	const char *reason = json_string_value(json_object_get(run->findings, "reason"));

	if (run->header != NULL && run->findings == NULL) {
		np_text_title(file, "incomplete");
		fputs(run->visits != 0 ?
			      "the run was killed: all figures are derived from its "
			      "visits\n" :
			      "the run was killed before it wrote its findings\n",
		      file);
	} else if (json_is_false(complete)) {
		np_text_title(file, "incomplete");
		fputs("incomplete run: ", file);
		np_text_safe(file, or_not_reported(reason));
		fputc('\n', file);
	}
	print_broken(file, run);
}

/* Prints the slowest rank of a communication pattern, if it is significant. */
static void print_slowest(FILE *file, const struct np_run *run)
{
	char text[NP_SLOWEST_TEXT] = "";

	if (run->results != NULL)
		np_text_slowest(run->results, text, sizeof(text));
	if (*text == '\0')
		return;
	np_text_title(file, "slowest");
	np_text_safe(file, text);
	fputc('\n', file);
}

/* --watch: prints the least rate, and the minutes that are slower than the others. */
static void print_minutes(FILE *file, const struct np_run *run)
{
	const json_t *least = json_object_get(run->findings, "least_mbps"),
		     *slow = json_object_get(run->findings, "slow_minutes"), *one;
	char text[40];
	size_t i;

	if (!json_is_number(least))
		return;
	np_text_mbps(json_number_value(least), text, sizeof(text));
	np_text_title(file, "least rate");
	fprintf(file, "%s in minute %" JSON_INTEGER_FORMAT "\n", text,
		json_integer_value(json_object_get(run->findings, "least_minute")));
	np_text_title(file, "slow");
	if (json_array_size(slow) == 0)
		fputs("no minute, at FDR 1 %\n", file);
	json_array_foreach (slow, i, one) {
		const char *mode = json_string_value(json_object_get(one, "mode")),
			   *variant = json_string_value(json_object_get(one, "variant"));

		if (i != 0)
			np_text_title(file, "");
		np_text_length(json_number_value(json_object_get(one, "bytes")), text,
			       sizeof(text));
		fprintf(file, "minute %" JSON_INTEGER_FORMAT ", %s",
			json_integer_value(json_object_get(one, "minute")), text);
		if (mode != NULL && strcmp(mode, "reuse") != 0) {
			fputs(", ", file);
			np_text_safe(file, mode);
		}
		if (variant != NULL) {
			fputs(", ", file);
			np_text_safe(file, variant);
		}
		fprintf(file, ": %.1f %% slower\n",
			100 * (json_number_value(json_object_get(one, "ratio")) - 1));
	}
}

/* Prints the time of the smallest size of each curve or, if `rate`, its highest
 * bandwidth. */
static void print_figures(FILE *file, const struct np_run *run,
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
	char counts[160], bytes[40], slower[80], label[3 * NP_LABEL];

	for (size_t i = 0; i < list->count; i++) {
		const struct np_pair *ratio = &list->ratios[i];

		if (ratio->verdict == NP_SLOWER &&
		    (worst == NULL || ratio->ratio > worst->ratio))
			worst = ratio;
	}
	if (!text_ratio_counts(list, counts, sizeof(counts)))
		return;
	np_text_title(file, strcmp(list->of, "rotate/reuse") == 0 ? "cold" : "ratio");
	if (worst != NULL) {
		np_text_length((double)worst->length, bytes, sizeof(bytes));
		np_text_slower(worst->ratio, worst->low, worst->high, slower,
			       sizeof(slower));
		fprintf(file, "at most %s at %s; ", slower, bytes);
	}
	np_ratio_label(list, label, sizeof(label));
	np_text_safe(file, label);
	fprintf(file, ": %s\n", counts);
}

/* Prints number and largest effect, slower or faster, of significant steps or dropouts; of
 * bends if one is the largest change of all. */
static void print_largest(FILE *file, const struct np_run *run,
			  const struct np_analysis *analyses, enum np_break_kind kind)
{
	static const char *const titles[] = { [NP_BREAK_STEP] = "steps",
					      [NP_BREAK_BEND] = "bends",
					      [NP_BREAK_DROPOUT] = "dropouts" };
	const struct np_break *most = NULL;
	double reach = 0, all = 0;
	size_t count = 0;
	char low[40], high[40], bend[64];

	for (size_t i = 0; i < run->series_count; i++) {
		for (size_t k = 0; k < analyses[i].shape.break_count; k++) {
			const struct np_break *at = &analyses[i].shape.breaks[k];
			const double own = fabs(log(np_analysis_reach(&analyses[i], at)));

			if (!at->sure || np_series_is_control(&run->series[i]))
				continue;
			all = fmax(all, own);
			count += at->kind == kind;
			if (at->kind == kind && (most == NULL || own > reach)) {
				most = at;
				reach = own;
			}
		}
	}
	if (most == NULL || (kind == NP_BREAK_BEND && reach < all))
		return;
	np_text_length((double)most->bytes_low, low, sizeof(low));
	np_text_length((double)most->bytes_high, high, sizeof(high));
	np_text_bend(most, bend, sizeof(bend));
	np_text_title(file, titles[kind]);
	fprintf(file, "%zu; the largest: %s%s%s, ", count, low,
		most->bytes_low == most->bytes_high ? "" : " to ",
		most->bytes_low == most->bytes_high ? "" : high);
	if (kind == NP_BREAK_BEND)
		fputs(bend, file);
	else
		fprintf(file, "%.2fx", most->effect);
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

/* Prints the cause of --why.  Returns false for any other run. */
static bool print_cause(FILE *file, const struct np_run *run)
{
	struct np_causes causes;

	if (run->results == NULL || np_causes_derive(run->results, 0, &causes) != 0)
		return false;
	np_text_title(file, "cause");
	fprintf(file, "%s\n", np_cause_text(causes.verdict));
	return true;
}

static void print_pairs_answer(FILE *file, const struct np_pair_matrix *pairs)
{
	char answer[NP_FLEET_ANSWER];

	np_text_fleet_answer(&pairs->run, answer, sizeof(answer));
	np_text_title(file, "pairs");
	fprintf(file, "%s\n", answer);
}

static void print_answer(FILE *file, const struct np_run *run,
			 const struct np_analysis *analyses)
{
	print_program(file, run);
	/* The modes of --why are parts of its answer. */
	if (!print_cause(file, run)) {
		print_figures(file, run, analyses, false);
		print_figures(file, run, analyses, true);
	}
	for (size_t i = 0; i < run->ratios_count; i++)
		print_ratios(file, &run->ratios[i]);
	print_largest(file, run, analyses, NP_BREAK_STEP);
	print_largest(file, run, analyses, NP_BREAK_DROPOUT);
	print_largest(file, run, analyses, NP_BREAK_BEND);
	print_knees(file, &run->capacity);
	print_slowest(file, run);
	print_minutes(file, run);
	if (run->pairs != NULL)
		print_pairs_answer(file, run->pairs);
	print_incomplete(file, run);
}

void np_text_answer(FILE *file, const struct np_run *run,
		    const struct np_analysis *analyses)
{
	print_quality(file, run);
	print_answer(file, run, analyses);
}

/* ---- All findings ------------------------------------------------------------------- */

static void print_drift(FILE *file, const struct np_run *run)
{
	const double drift = run->sentinel.drift;
	char text[160];

	if (run->sentinel.state_ratio > 1) {
		np_text_sentinel(&run->sentinel, text, sizeof(text));
		np_text_title(file, "states");
		fprintf(file, "%s; %s up to that is significant\n", text,
			run->searched_to != 0 ? "only what --refine has confirmed" :
						"no step or dropout");
	} else if (drift > 0) {
		np_text_title(file, "drift");
		fprintf(file, "the same size took %.3fx its first time at the end%s\n",
			drift,
			fabs(log(drift)) > 0.1 ?
				": figures of one run do not compare well" :
				"");
	}
}

static void print_host_states(FILE *file, const struct np_run *run)
{
	const size_t other = run->states.other;
	char text[320];

	if (other > 0) {
		np_text_title(file, "states");
		fprintf(file,
			"%zu measurement%s made in another host state: used only where "
			"there is no other\n",
			other, np_plural(other));
	}
	if (run->results != NULL && run->states.seen != NP_STATE_EXPECTED) {
		np_text_title(file, "warning");
		np_text_state(&run->states, &run->results->latency_bounds, text,
			      sizeof(text));
		np_text_safe(file, text);
		fputc('\n', file);
	}
}

/* Prints a run of NPfleet as the program of the run does, by the same code. */
static void print_pairs(FILE *file, const struct np_run *run)
{
	print_program(file, run);
	if (!run->pairs->ended) {
		np_text_title(file, "incomplete");
		fputs("the run was killed before it was complete\n", file);
	}
	print_broken(file, run);
	fputc('\n', file);
	np_text_fleet(file, &run->pairs->run);
}

/* Prints the results of --capacity and --why.  Returns false for a run of neither. */
static bool print_asked(FILE *file, const struct np_run *run)
{
	struct np_causes causes;
	const bool explains =
		run->results != NULL && np_causes_derive(run->results, 0, &causes) == 0;

	if (run->capacity.point_count != 0)
		np_text_capacity(file, &run->capacity, true);
	if (run->replay.count != 0)
		np_text_replay(file, &run->replay, NULL);
	if (explains)
		np_text_causes(file, run->results);
	if (run->capacity.point_count == 0 && run->replay.count == 0 && !explains)
		return false;
	fputc('\n', file);
	return true;
}

static void print_name(FILE *file, const struct np_run *run)
{
	fputs("== ", file);
	np_text_safe(file, run->name);
	fputs(" (", file);
	np_text_safe(file, run->path != NULL ? run->path : "");
	fputs(")\n", file);
}

static void print_details(FILE *file, const struct np_run *run,
			  const struct np_analysis *analyses)
{
	print_machine(file, run);
	print_drift(file, run);
	print_host_states(file, run);
	for (size_t i = 0; i < run->series_count; i++) {
		if (!np_series_is_control(&run->series[i]))
			np_text_curve(file, run, &run->series[i], &analyses[i]);
	}
	text_ratios(file, run);
}

static void print_run(FILE *file, const struct np_run *run,
		      const struct np_analysis *analyses, bool answers)
{
	print_name(file, run);
	print_quality(file, run);
	if (run->pairs != NULL) {
		print_pairs(file, run);
		return;
	}
	if (!print_asked(file, run) && answers) {
		print_answer(file, run, analyses);
		fputc('\n', file);
	} else {
		print_program(file, run);
		print_incomplete(file, run);
		print_slowest(file, run);
		print_minutes(file, run);
	}
	print_details(file, run, analyses);
}

void np_text_run(FILE *file, const struct np_run *run, const struct np_analysis *analyses)
{
	print_run(file, run, analyses, true);
}

void np_text_findings(FILE *file, const struct np_run *run,
		      const struct np_analysis *analyses)
{
	print_run(file, run, analyses, false);
}
