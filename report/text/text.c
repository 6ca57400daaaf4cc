/*
 * text.c - findings of a run.
 */
#include "report/text/text.h"

#include <math.h>
#include <string.h>

#include "base/plural.h"
#include "output/output.h"
#include "questions/causes.h"

void np_text_title(FILE *file, const char *title)
{
	fprintf(file, "%-11s ", title);
}

const char *np_text_or(const char *text)
{
	return text != NULL ? text : "not reported";
}

static void print_broken(FILE *file, const struct np_run *run)
{
	if (!run->broken)
		return;
	np_text_title(file, "incomplete");
	fprintf(file, "the file could be read up to line %zu only\n",
		run->lines != 0 ? run->lines - 1 : 0);
}

void np_text_incomplete(FILE *file, const struct np_run *run)
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
		np_text_safe(file, np_text_or(reason));
		fputc('\n', file);
	}
	print_broken(file, run);
}

static void print_drift(FILE *file, const struct np_run *run)
{
	const double drift = run->sentinel.drift;
	char text[160];

	if (run->sentinel.apart > 1) {
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

void np_text_slowest_rank(FILE *file, const struct np_run *run)
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

/* Prints a run of all pairs, by the code of the driver. */
static void print_pairs(FILE *file, const struct np_run *run)
{
	np_text_program(file, run);
	if (!run->pairs->ended) {
		np_text_title(file, "incomplete");
		fputs("the run was killed before it was complete\n", file);
	}
	print_broken(file, run);
	fputc('\n', file);
	np_text_fleet(file, &run->pairs->run);
}

void np_text_pairs(FILE *file, const struct np_fleet_run *run)
{
	np_text_fleet_findings(file, run);
}

/* Prints the results of --capacity and --why; false without either. */
static bool print_asked(FILE *file, const struct np_run *run)
{
	struct np_causes causes;
	const bool explains =
		run->results != NULL && np_causes_derive(run->results, 0, &causes) == 0;

	if (run->capacity.point_count != 0)
		np_text_capacity(file, &run->capacity, true);
	if (explains)
		np_text_causes(file, run->results);
	if (run->capacity.point_count == 0 && !explains)
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
	np_text_machine(file, run);
	print_drift(file, run);
	print_host_states(file, run);
	for (size_t i = 0; i < run->series_count; i++) {
		if (!np_series_is_control(&run->series[i]))
			np_text_curve(file, run, &run->series[i], &analyses[i]);
	}
	np_text_ratios(file, run);
}

static void print_run(FILE *file, const struct np_run *run,
		      const struct np_analysis *analyses, bool answers)
{
	print_name(file, run);
	if (run->pairs != NULL) {
		print_pairs(file, run);
		return;
	}
	if (!print_asked(file, run) && answers) {
		np_text_answer(file, run, analyses);
		fputc('\n', file);
	} else {
		np_text_program(file, run);
		np_text_incomplete(file, run);
		np_text_slowest_rank(file, run);
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
