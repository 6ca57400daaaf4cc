/*
 * run.c - lookup in a run, freeing it, and analysing its curves.
 */
#include "report/curves/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const unsigned np_tail_beyond[NP_TAIL] = { 100000, 99000, 95000, 90000, 80000, 70000,
					   60000,  55000, 50000, 45000, 40000, 30000,
					   20000,  10000, 5000,	 2000,	1000,  500,
					   200,	   100,	  50,	 10,	1,     0 };

void np_run_free(struct np_run *run)
{
	for (size_t i = 0; i < run->series_count; i++) {
		for (size_t k = 0; k < run->series[i].count; k++) {
			free(run->series[i].points[k].unit_s);
			free(run->series[i].points[k].unit_number);
			free(run->series[i].points[k].tail_s);
		}
		free(run->series[i].points);
	}
	for (size_t i = 0; i < run->ratios_count; i++) {
		for (size_t k = 0; k < run->ratios[i].count; k++)
			free(run->ratios[i].ratios[k].changes);
		free(run->ratios[i].ratios);
		free(run->ratios[i].ranges);
	}
	free(run->series);
	free(run->ratios);
	np_capacity_free(&run->capacity);
	free(run->refined);
	free(run->noted);
	np_pair_matrix_free(run->pairs);
	if (run->uses != NULL)
		np_uses_free(run->uses);
	free(run->uses);
	np_replay_free(&run->replay);
	if (run->results != NULL)
		np_results_free(run->results);
	free(run->results);
	json_decref(run->header);
	json_decref(run->findings);
	json_decref(run->quality);
	np_facts_free(&run->options);
	for (size_t rank = 0; rank < 2; rank++) {
		np_facts_free(&run->hosts[rank]);
		np_facts_free(&run->paths[rank]);
	}
	np_facts_free(&run->notes);
	np_facts_free(&run->warnings);
	free(run->path);
	*run = (struct np_run){ .path = NULL };
}

void np_run_forget_visits(struct np_run *run)
{
	if (run->results != NULL && !np_results_have_causes(run->results))
		np_results_empty(run->results);
}

bool np_series_is_control(const struct np_series *series)
{
	return strcmp(series->mode, "control") == 0;
}

/* Words of NPreport for a mode of buffers; its name in files if it has no others. */
static const char *mode_words(const char *mode)
{
	return strcmp(mode, "reuse") == 0  ? "one warm buffer" :
	       strcmp(mode, "rotate") == 0 ? "cold buffers" :
	       strcmp(mode, "fresh") == 0  ? "fresh buffers" :
					     mode;
}

void np_ratio_label(const struct np_ratio_list *list, char *text, size_t size)
{
	const char *words = strcmp(list->of, "rotate/reuse") == 0 ? "cold/warm" :
			    strcmp(list->of, "fresh/reuse") == 0  ? "fresh/warm" :
			    strcmp(list->of, "fresh/rotate") == 0 ? "fresh/cold" :
								    list->of;

	snprintf(text, size, "%s%s%s", words, list->within[0] != '\0' ? ", " : "",
		 mode_words(list->within));
}

void np_series_label(const struct np_run *run, const struct np_series *series, char *text,
		     size_t size)
{
	bool several = false;

	for (size_t i = 1; i < run->series_count; i++)
		several = several || strcmp(run->series[i].op, run->series[0].op) != 0;
	const char *parts[] = { several ? series->op : "", mode_words(series->mode),
				series->variant };
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < 3; i++) {
		if (parts[i][0] != '\0' && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s",
						 used != 0 ? ", " : "", parts[i]);
	}
	if (used == 0)
		snprintf(text, size, "%s", series->op);
}

static int compare_lengths(const void *key, const void *element)
{
	const size_t *length = key;
	const struct np_row *point = element;

	return (*length > point->length) - (*length < point->length);
}

const struct np_row *np_series_find(const struct np_series *series, size_t length)
{
	if (series->count == 0)
		return NULL;
	return bsearch(&length, series->points, series->count, sizeof(*series->points),
		       compare_lengths);
}

const struct np_series *np_run_find(const struct np_run *run, const struct np_series *like)
{
	for (size_t i = 0; i < run->series_count; i++) {
		const struct np_series *series = &run->series[i];

		if (strcmp(series->op, like->op) == 0 &&
		    strcmp(series->mode, like->mode) == 0 &&
		    strcmp(series->variant, like->variant) == 0)
			return series;
	}
	return NULL;
}

double np_op_directions(const char *op)
{
	return strcasestr(op, "bidirectional") != NULL ? 2 : 1;
}

bool np_op_is_latency(const char *op)
{
	return strcmp(op, "pingpong") == 0 || strcmp(op, "Send Latency") == 0 ||
	       strcmp(op, "RDMA_Write Latency") == 0;
}

bool np_op_is_collective(const char *op)
{
	static const char *const words[] = { "reduce",	"bcast",     "broadcast",
					     "gather",	"scatter",   "alltoall",
					     "barrier", "collective" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasestr(op, words[i]) != NULL)
			return true;
	}
	/* Processes of Intel's benchmarks move two and four messages in the time. */
	return strcmp(op, "Sendrecv") == 0 || strcmp(op, "Exchange") == 0;
}

bool np_run_quality(const struct np_run *run, char *text, size_t size)
{
	const char *grade = json_string_value(json_object_get(run->quality, "grade")),
		   *reason = json_string_value(json_object_get(run->quality, "reason"));

	if (run->header != NULL && run->pairs == NULL && run->findings == NULL)
		snprintf(text, size, "POOR: the run was killed");
	else if (run->broken)
		snprintf(text, size, "POOR: the file could be read in part only");
	else if (grade != NULL && reason != NULL)
		snprintf(text, size, "%s%s%s", grade, *reason != '\0' ? ": " : "", reason);
	else if (json_is_false(json_object_get(run->findings, "complete")))
		snprintf(text, size, "POOR: incomplete run");
	else
		return false;
	return true;
}

const char *np_run_text(const struct np_run *run, const char *name)
{
	return json_string_value(json_object_get(run->header, name));
}

bool np_run_is_empty(const struct np_run *run)
{
	return run->series_count == 0 && run->capacity.point_count == 0 &&
	       run->pairs == NULL && run->uses == NULL && run->replay.count == 0;
}

/* ---- Analyses ----------------------------------------------------------------------- */

/* Removes bandwidths: size over time is not a bandwidth in a collective. */
static void drop_rates(struct np_analysis *analysis)
{
	const struct np_estimate none = { (double)NAN, (double)NAN, (double)NAN };

	for (size_t i = 0; i < analysis->shape.segment_count; i++)
		analysis->fits[i].r_inf = analysis->fits[i].n_half = none;
	analysis->half_peak = none;
}

static int analyse(const struct np_series *series, double apart,
		   struct np_analysis *analysis, struct np_error *error)
{
	int rc = np_analysis_init(analysis, series->count);

	analysis->apart = fmax(apart, 1);
	for (size_t i = 0; rc == 0 && i < series->count; i++) {
		const struct np_row *row = &series->points[i];

		analysis->directions = np_row_directions(row);
		/* Skip points in another host state, which would look like a step of the
		 * curve. */
		if ((row->flags & NP_ROW_OTHER_STATE) == 0)
			np_analysis_add(analysis, row->length, row->median_s, row->ci_low_s,
					row->ci_high_s);
	}
	if (rc == 0)
		rc = np_analysis_derive(analysis);
	if (rc != 0)
		return np_fail_errno(error, rc, "cannot analyse a curve");
	if (np_op_is_collective(series->op))
		drop_rates(analysis);
	return 0;
}

/* Marks breaks as denied that --refine did not confirm: it searches all gaps of the first
 * mode of the first variant. */
static void deny_breaks(const struct np_run *run, struct np_analysis *analyses)
{
	const char *variant = np_variant_name(run->results, 0);
	const char *mode = NULL;

	for (size_t i = 0; i < run->series_count; i++) {
		const struct np_series *series = &run->series[i];

		if (np_series_is_control(series) ||
		    strcmp(series->variant, variant != NULL ? variant : "") != 0)
			continue;
		if (mode == NULL)
			mode = series->mode;
		if (strcmp(series->mode, mode) == 0)
			np_refine_deny(run->refined, run->refined_count, run->searched_to,
				       &analyses[i].shape);
	}
}

/* Marks breaks as not significant, as the run does, if some size has a single measurement.
 * Tables of other tools have no more measurements, and keep their breaks. */
static void withhold_breaks(struct np_analysis *analysis)
{
	for (size_t i = 0; analysis->once && i < analysis->shape.break_count; i++)
		analysis->shape.breaks[i].sure = false;
}

struct np_analysis *np_analyse_run(const struct np_run *run, struct np_error *error)
{
	struct np_analysis *analyses = calloc(run->series_count + 1, sizeof(*analyses));

	if (analyses == NULL) {
		np_fail_errno(error, ENOMEM, "cannot analyse a curve");
		return NULL;
	}
	for (size_t i = 0; i < run->series_count; i++) {
		if (analyse(&run->series[i], run->sentinel.state_ratio, &analyses[i],
			    error) != 0) {
			np_analyses_free(analyses, i + 1);
			return NULL;
		}
		if (run->header != NULL)
			withhold_breaks(&analyses[i]);
	}
	if (run->searched_to != 0)
		deny_breaks(run, analyses);
	return analyses;
}

void np_analyses_free(struct np_analysis *analyses, size_t count)
{
	for (size_t i = 0; analyses != NULL && i < count; i++)
		np_analysis_free(&analyses[i]);
	free(analyses);
}
