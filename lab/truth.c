/*
 * truth.c - score of a run of NPsim: its findings against the planted effects.
 *
 *   lab/truth TRUTH RESULTS [MANY]
 *
 * TRUTH is the output of lab/draw --truth, RESULTS the file of --json, and MANY the file of
 * a run of the same profile with many more passes, whose times and ratios the intervals
 * should contain.  Prints lines of a name, a number of hits and a number of cases, which
 * truth.sh adds up over runs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curve/analysis.h"
#include "questions/refined.h"
#include "truth.h"

/* ---- Files ----------------------------------------------------------------------------
 */
static FILE *open_or_end(const char *path)
{
	FILE *file = fopen(path, "r");

	if (file != NULL)
		return file;
	perror(path);
	exit(EXIT_FAILURE);
}

static void end_with(const char *path, const char *why)
{
	fprintf(stderr, "truth: %s: %s\n", path, why);
	exit(EXIT_FAILURE);
}

static void set_value(struct planted *planted, const char *name, const char *value)
{
	struct {
		const char *name;
		char *text;
	} words[] = { { "cause", planted->cause },
		      { "axis", planted->axis },
		      { "cache", planted->cache } };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(name, words[i].name) == 0)
			snprintf(words[i].text, TRUTH_WORD, "%s", value);
	}
	if (strcmp(name, "bytes") == 0)
		planted->bytes = strtoull(value, NULL, 10);
	else if (strcmp(name, "last") == 0)
		planted->last = strtoull(value, NULL, 10);
	else if (strcmp(name, "effect") == 0)
		planted->effect = strtod(value, NULL);
	else if (strcmp(name, "count") == 0)
		planted->count = strtod(value, NULL);
	else if (strcmp(name, "miss_ns") == 0)
		planted->miss_ns = strtod(value, NULL);
	else if (strcmp(name, "ns") == 0)
		planted->ns = strtod(value, NULL);
}

/* Reads what lab/draw --truth prints; ends the program where it cannot be read. */
static void read_truth(const char *path, struct truth *truth)
{
	FILE *file = open_or_end(path);
	char *line = NULL, *rest;
	size_t room = 0;

	truth->count = 0;
	while (getline(&line, &room, file) > 0) {
		char *word = strtok_r(line, " \n", &rest);

		if (word == NULL)
			continue;
		if (truth->count == TRUTH_MOST)
			end_with(path, "more is planted than there is room for");
		struct planted *planted = &truth->list[truth->count++];

		*planted = (struct planted){ .bytes = 0 };
		snprintf(planted->kind, sizeof(planted->kind), "%s", word);
		while ((word = strtok_r(NULL, " \n", &rest)) != NULL) {
			char *equals = strchr(word, '=');

			if (equals == NULL)
				end_with(path, "a word that is no name=value");
			*equals = '\0';
			set_value(planted, word, equals + 1);
		}
		if (planted->last == 0)
			planted->last = planted->bytes;
	}
	free(line);
	fclose(file);
	if (truth->count == 0)
		end_with(path, "nothing is in it");
}

/* Reads the lines of a complete run but its visits, as an array, which the caller frees;
 * ends the program where it cannot be read. */
static json_t *read_results(const char *path)
{
	FILE *file = open_or_end(path);
	static const char visit[] = "{\"kind\":\"visit\"";
	json_t *lines = json_array();
	bool complete = false;
	char *text = NULL;
	size_t room = 0;

	while (getline(&text, &room, file) > 0) {
		json_error_t error;

		/* Visits are not used, and take longest to parse.
		 */
		if (strncmp(text, visit, sizeof(visit) - 1) == 0)
			continue;
		json_t *line = json_loads(text, 0, &error);

		if (line == NULL)
			end_with(path, error.text);
		if (truth_is(line, "kind", "findings"))
			complete = json_is_true(json_object_get(line, "complete"));
		if (!truth_is(line, "kind", "visit"))
			json_array_append(lines, line);
		json_decref(line);
	}
	free(text);
	fclose(file);
	if (!complete)
		end_with(path, "not a complete run");
	return lines;
}

double truth_number(const json_t *line, const char *name)
{
	const json_t *value = json_object_get(line, name);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *truth_text(const json_t *line, const char *name)
{
	const char *text = json_string_value(json_object_get(line, name));

	return text != NULL ? text : "";
}

bool truth_is(const json_t *line, const char *name, const char *text)
{
	return strcmp(truth_text(line, name), text) == 0;
}

/* ---- Claims and breaks ----------------------------------------------------------------
 */
/* Least effect that an analysis has to find; less is no miss, and no false alarm either. */
static const double least_effect = 1.05;

/* Returns whether findings have a range of sizes with a verdict. */
static bool has_range(const json_t *findings)
{
	const json_t *cost, *range;
	size_t index, at;

	json_array_foreach (json_object_get(findings, "costs"), index, cost) {
		json_array_foreach (json_object_get(cost, "ranges"), at, range) {
			if (truth_is(range, "verdict", "slower") ||
			    truth_is(range, "verdict", "faster"))
				return true;
		}
	}
	return false;
}

/* Returns whether a line claims that something is there. */
static bool is_claim(const json_t *line)
{
	if (truth_is(line, "kind", "pair"))
		return truth_is(line, "verdict", "slower") ||
		       truth_is(line, "verdict", "faster");
	if (truth_is(line, "kind", "causes"))
		return !truth_is(line, "verdict", "nothing") &&
		       !truth_is(line, "verdict", "undecided");
	if (truth_is(line, "kind", "break"))
		return json_is_true(json_object_get(line, "significant")) ||
		       truth_is(line, "what", "bimodal");
	return truth_is(line, "kind", "knee") ||
	       (truth_is(line, "kind", "findings") && has_range(line));
}

/* Counts claims by kind, and runs with a claim: false alarms where nothing is planted. */
static void judge_alarms(json_t *lines)
{
	static const char *const kinds[] = { "pair", "causes", "break", "knee",
					     "findings" };
	struct tally any = { .hits = 0 };
	json_t *line;
	size_t index;
	bool claims = false;

	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++) {
		struct tally tally = { .hits = 0 };
		char name[TRUTH_WORD];

		json_array_foreach (lines, index, line) {
			if (!truth_is(line, "kind", kinds[kind]))
				continue;
			count_in(&tally, is_claim(line));
			claims |= is_claim(line);
		}
		snprintf(name, sizeof(name), "claims_of_%s", kinds[kind]);
		print_tally(name, &tally);
	}
	count_in(&any, claims);
	print_tally("runs_that_claim", &any);
}

/* Number of sizes of the run up to this one: of the gap between two sizes. */
static size_t gap_of(const json_t *sizes, size_t bytes)
{
	size_t gap = 0;

	while (gap < json_array_size(sizes) &&
	       (size_t)json_integer_value(json_array_get(sizes, gap)) <= bytes)
		gap++;
	return gap;
}

struct break_line {
	bool step;
	size_t low, high;
};

static bool read_break(const json_t *line, struct break_line *at)
{
	if (!truth_is(line, "kind", "break") || !is_claim(line))
		return false;
	at->step = truth_is(line, "what", "step");
	at->low = (size_t)truth_number(line, "bytes_low");
	at->high = (size_t)truth_number(line, "bytes_high");
	return at->step || truth_is(line, "what", "dropout");
}

/* Returns whether a break is the planted one: exact to the byte, or in the same gap between
 * two sizes. */
static bool break_is(const struct break_line *at, const struct planted *planted, bool exact,
		     const json_t *sizes)
{
	if (strcmp(planted->kind, "dip") == 0)
		return !at->step && at->low >= planted->bytes && at->high <= planted->last;
	if (strcmp(planted->kind, "step") != 0 || !at->step)
		return false;
	if (at->high >= planted->bytes && at->high <= planted->last &&
	    at->low + 1 == at->high)
		return true;
	return !exact && gap_of(sizes, at->low) == gap_of(sizes, planted->bytes - 1);
}

/* Returns whether the schedule resolves a planted break: a dip contains one of its sizes;
 * between the two sizes around a step, and at them, nothing else is planted. */
static bool is_decidable(const struct truth *truth, const struct planted *planted,
			 const json_t *sizes)
{
	const bool dip = strcmp(planted->kind, "dip") == 0;
	const size_t gap = gap_of(sizes, planted->bytes - 1);

	if (dip)
		return gap_of(sizes, planted->last) > gap;
	for (size_t i = 0; i < truth->count; i++) {
		const struct planted *other = &truth->list[i];
		const bool step = strcmp(other->kind, "step") == 0;

		if (other == planted || (!step && strcmp(other->kind, "dip") != 0))
			continue;
		if (gap_of(sizes, other->bytes - 1) <= gap + !step &&
		    gap_of(sizes, other->last) + step > gap)
			return false;
	}
	return true;
}

static bool is_found(json_t *lines, const struct planted *planted, bool exact,
		     const json_t *sizes)
{
	struct break_line at;
	json_t *line;
	size_t index;

	json_array_foreach (lines, index, line) {
		if (read_break(line, &at) && break_is(&at, planted, exact, sizes))
			return true;
	}
	return false;
}

static bool is_planted(const struct truth *truth, const struct break_line *at,
		       const json_t *sizes)
{
	for (size_t i = 0; i < truth->count; i++) {
		if (break_is(at, &truth->list[i], false, sizes))
			return true;
	}
	return false;
}

static void judge_breaks(const struct truth *truth, json_t *lines)
{
	const json_t *sizes = json_object_get(json_array_get(lines, 0), "sizes");
	struct tally steps = { .hits = 0 }, exact = steps, dips = steps,
		     right_steps = steps, right_dips = steps, undecidable = steps;
	struct break_line at;
	json_t *line;
	size_t index;
	bool searched = false;

	for (size_t i = 0; i < truth->count; i++) {
		const struct planted *planted = &truth->list[i];
		const bool found = is_found(lines, planted, false, sizes);

		const bool wanted = strcmp(planted->kind, "dip") == 0 ||
				    strcmp(planted->cause, "planted") == 0;

		if (planted->effect < least_effect || !wanted)
			continue;
		const bool decidable = is_decidable(truth, planted, sizes);

		count_in(&undecidable, !decidable);
		if (!decidable)
			continue;
		if (strcmp(planted->kind, "step") == 0 &&
		    strcmp(planted->cause, "planted") == 0) {
			count_in(&steps, found);
			if (found)
				count_in(&exact, is_found(lines, planted, true, sizes));
		} else if (strcmp(planted->kind, "dip") == 0) {
			count_in(&dips, found);
		}
	}
	json_array_foreach (lines, index, line) {
		/* A run without --refine misses no break. */
		searched |= truth_is(line, "kind", "refinement");
		if (read_break(line, &at))
			count_in(at.step ? &right_steps : &right_dips,
				 is_planted(truth, &at, sizes));
	}
	if (!searched)
		return;
	print_tally("steps_found", &steps);
	print_tally("steps_exact", &exact);
	print_tally("steps_right", &right_steps);
	print_tally("dips_found", &dips);
	print_tally("breaks_undecidable", &undecidable);
	print_tally("dips_right", &right_dips);
}

/* ---- Shape of the summary --------------------------------------------------------------
 */
/* Returns whether a break of the summary is planted: any step or dip between its sizes, of
 * any depth. */
static bool has_cause(const struct truth *truth, const struct np_break *at)
{
	for (size_t i = 0; i < truth->count; i++) {
		const struct planted *planted = &truth->list[i];
		const bool step = strcmp(planted->kind, "step") == 0;

		if ((step || strcmp(planted->kind, "dip") == 0) &&
		    planted->bytes - step <= at->bytes_high &&
		    planted->last >= at->bytes_low)
			return true;
	}
	return false;
}

/* Clears the significance of breaks that --refine has not found, as the summary does. */
static void deny_breaks(const json_t *lines, struct np_shape *shape)
{
	struct np_confirmed *found = calloc(json_array_size(lines) + 1, sizeof(*found));
	const json_t *line;
	size_t index, count = 0, searched_to = 0;

	if (found == NULL)
		exit(EXIT_FAILURE);
	json_array_foreach (lines, index, line) {
		if (truth_is(line, "kind", "refinement"))
			searched_to = (size_t)truth_number(line, "searched_to_bytes");
		if (truth_is(line, "kind", "break") &&
		    (truth_is(line, "what", "step") || truth_is(line, "what", "dropout")))
			found[count++] = (struct np_confirmed){
				.low = (size_t)truth_number(line, "bytes_low"),
				.high = (size_t)truth_number(line, "bytes_high")
			};
	}
	np_refine_deny(found, count, searched_to, shape);
	free(found);
}

/* Counts steps and dropouts that the summary names for the curve of one mode. */
static void judge_curve(const struct truth *truth, const json_t *lines, const char *mode,
			struct tally *right)
{
	struct np_analysis analysis;
	const json_t *line;
	size_t index;

	if (np_analysis_init(&analysis, json_array_size(lines)) != 0)
		exit(EXIT_FAILURE);
	json_array_foreach (lines, index, line) {
		if (truth_is(line, "kind", "row") && truth_is(line, "mode", mode) &&
		    json_object_get(line, "axis") == NULL &&
		    strstr(truth_text(line, "flags"), "host_state") == NULL)
			np_analysis_add(&analysis, (size_t)truth_number(line, "bytes"),
					truth_number(line, "median_s"),
					truth_number(line, "ci_low_s"),
					truth_number(line, "ci_high_s"));
		if (truth_is(line, "kind", "findings"))
			analysis.apart = truth_number(line, "states_apart");
	}
	if (np_analysis_derive(&analysis) != 0)
		exit(EXIT_FAILURE);
	if (strcmp(mode, "reuse") == 0)
		deny_breaks(lines, &analysis.shape);
	for (size_t i = 0; i < analysis.shape.break_count && !analysis.once; i++) {
		const struct np_break *at = &analysis.shape.breaks[i];

		if (at->sure && at->kind != NP_BREAK_BEND)
			count_in(right, has_cause(truth, at));
	}
	np_analysis_free(&analysis);
}

/* Counts of the summary: how many of its breaks are right, and whether all of a run are. */
static void judge_shape(const struct truth *truth, const json_t *lines)
{
	struct tally right = { .hits = 0 }, wrong = right;

	judge_curve(truth, lines, "reuse", &right);
	judge_curve(truth, lines, "rotate", &right);
	count_in(&wrong, right.hits != right.of);
	print_tally("shape_right", &right);
	print_tally("runs_of_a_wrong_shape", &wrong);
}

/* ---- Causes and intervals --------------------------------------------------------------
 */
static void judge_causes(const struct truth *truth, json_t *lines)
{
	struct tally right = { .hits = 0 };
	bool cpu = false, adapter = false;
	json_t *line;
	size_t index;

	for (size_t i = 0; i < truth->count; i++) {
		const struct planted *planted = &truth->list[i];

		if (strcmp(planted->kind, "capacity") != 0)
			continue;
		cpu |= strcmp(planted->cache, "adapter") != 0;
		adapter |= strcmp(planted->cache, "adapter") == 0;
	}
	json_array_foreach (lines, index, line) {
		if (truth_is(line, "kind", "causes"))
			count_in(&right, truth_is(line, "verdict",
						  cpu && adapter ? "both" :
						  cpu		 ? "cpu" :
						  adapter	 ? "translation" :
								   "nothing"));
	}
	print_tally("causes_right", &right);
}

/* Line of the other run with the same kind, mode, axis and size; NULL: none. */
static const json_t *same_line(json_t *lines, const json_t *wanted)
{
	static const char *const words[] = { "kind", "mode", "of", "axis" };
	json_t *line;
	size_t index;

	json_array_foreach (lines, index, line) {
		bool same = json_equal(json_object_get(line, "bytes"),
				       json_object_get(wanted, "bytes"));

		for (size_t i = 0; same && i < sizeof(words) / sizeof(*words); i++)
			same = truth_is(line, words[i], truth_text(wanted, words[i]));
		if (same)
			return line;
	}
	return NULL;
}

static bool holds(const json_t *line, const char *low, const char *high, double value)
{
	return truth_number(line, low) <= value && value <= truth_number(line, high);
}

static void judge_intervals(json_t *lines, json_t *many)
{
	struct tally rows = { .hits = 0 }, ratios = rows, nulls = rows;
	json_t *line;
	size_t index;

	json_array_foreach (lines, index, line) {
		const bool row = truth_is(line, "kind", "row");
		const json_t *truth = NULL;

		if (!row && !truth_is(line, "kind", "pair"))
			continue;
		truth = same_line(many, line);
		if (truth == NULL ||
		    isnan(truth_number(line, row ? "ci_low_s" : "alone_low")))
			continue;
		if (row) {
			count_in(&rows, holds(line, "ci_low_s", "ci_high_s",
					      truth_number(truth, "median_s")));
			continue;
		}
		count_in(&ratios, holds(line, "alone_low", "alone_high",
					truth_number(truth, "ratio")));
		if (!isnan(truth_number(line, "control_low")))
			count_in(&nulls, holds(line, "control_low", "control_high", 1));
	}
	print_tally("intervals_of_times", &rows);
	print_tally("intervals_of_ratios", &ratios);
	print_tally("intervals_of_nulls", &nulls);
}

int main(int argc, char **argv)
{
	struct truth truth;

	if (argc != 3 && argc != 4) {
		fputs("usage: truth TRUTH RESULTS [MANY]\n", stderr);
		return EXIT_FAILURE;
	}
	read_truth(argv[1], &truth);
	json_t *lines = read_results(argv[2]);

	judge_alarms(lines);
	judge_breaks(&truth, lines);
	judge_shape(&truth, lines);
	truth_judge_capacities(&truth, lines, least_effect);
	judge_causes(&truth, lines);
	if (argc == 4) {
		json_t *many = read_results(argv[3]);

		judge_intervals(lines, many);
		json_decref(many);
	}
	json_decref(lines);
	return 0;
}
