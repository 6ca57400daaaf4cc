/*
 * truth_shape.c - steps and dropouts of the summary, from the rows of a result file by the
 * code of a run.
 */
#include "truth_shape.h"

#include <stdlib.h>
#include <string.h>

#include "curve/analysis.h"
#include "questions/refined.h"
#include "truth_tally.h"

/* Returns whether a break that the summary of a run names has its cause in the profile.
 * Between sizes any step or dip is it that lies there, of any depth. */
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

/* Breaks of a curve as --refine words them. */
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

/* Steps and dropouts of the curve of one mode, as the summary names them. */
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
void truth_judge_shape(const struct truth *truth, const json_t *lines)
{
	struct tally right = { .hits = 0 }, wrong = right;

	judge_curve(truth, lines, "reuse", &right);
	judge_curve(truth, lines, "rotate", &right);
	count_in(&wrong, right.hits != right.of);
	print_tally("shape_right", &right);
	print_tally("runs_of_a_wrong_shape", &wrong);
}
