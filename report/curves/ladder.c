/*
 * ladder.c - groups files into layers, and converts ratios of layers to differences.
 */
#include "report/curves/ladder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/curves/compare_headers.h"
#include "report/curves/judge.h"

/* Names a layer "tcp", and a second layer of that module "tcp 2". */
static void name_layer(struct np_ladder *ladder, struct np_layer *layer)
{
	const char *module = np_run_text(layer->runs, "module");
	const char *name = module != NULL ? module : layer->runs->format;
	const int room = NP_LABEL - 24;
	size_t alike = 1;

	for (const struct np_layer *other = ladder->layers; other < layer; other++) {
		const char *its = np_run_text(other->runs, "module");

		alike += strcmp(its != NULL ? its : other->runs->format, name) == 0;
	}
	if (alike == 1)
		snprintf(layer->name, sizeof(layer->name), "%.*s", room, name);
	else
		snprintf(layer->name, sizeof(layer->name), "%.*s %zu", room, name, alike);
	np_label_clean(layer->name);
}

/* Groups the files by layer; taken: a false flag for each file. */
static void take_layers(const struct np_run *runs, size_t count, bool *taken,
			struct np_ladder *ladder)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		if (taken[i])
			continue;
		struct np_layer *layer = &ladder->layers[ladder->layer_count++];

		layer->runs = &ladder->runs[used];
		for (size_t k = i; k < count; k++) {
			if (taken[k] || !np_same_settings(&runs[i], &runs[k]))
				continue;
			taken[k] = true;
			ladder->runs[used++] = runs[k];
			layer->files++;
		}
		name_layer(ladder, layer);
	}
}

/* Refuses incomplete files and different operations; an unknown operation matches all. */
static int check_files(const struct np_run *runs, size_t count, struct np_error *error)
{
	const struct np_run *cut_off = np_judge_cut_off(runs, count);
	const struct np_run *known = NULL;

	if (cut_off != NULL)
		return np_refuse(error, "--ladder: '%.200s' is not of a complete run",
				 cut_off->path);
	for (size_t i = 0; i < count; i++) {
		const char *op = runs[i].series_count != 0 ? runs[i].series[0].op : NULL;

		if (op == NULL)
			return np_refuse(error,
					 "--ladder: '%.200s' has no curve over sizes",
					 runs[i].path);
		if (known != NULL && *op != '\0' && strcmp(op, known->series[0].op) != 0)
			return np_refuse(error,
					 "--ladder: the operations differ: '%.60s' in "
					 "'%.100s', '%.60s' in '%.100s'",
					 known->series[0].op, known->path, op,
					 runs[i].path);
		if (known == NULL && *op != '\0')
			known = &runs[i];
	}
	return 0;
}

/* Converts a ratio and its interval to a difference.  The ratio multiplies the time of the
 * faster side, whose own error can only widen the interval. */
static void add_by_ratio(const struct np_compared *at, struct np_added *added)
{
	const struct np_contrast *contrast = &at->contrast;

	*added = (struct np_added){ .ratio = contrast->ratio,
				    .ratio_low = contrast->low,
				    .ratio_high = contrast->high };
	if (contrast->ratio >= 1) {
		added->seconds = at->before_s * (contrast->ratio - 1);
		added->low = at->before_s * (contrast->low - 1);
		added->high = at->before_s * (contrast->high - 1);
	} else {
		added->seconds = at->after_s * (1 - 1 / contrast->ratio);
		added->low = at->after_s * (1 - 1 / contrast->low);
		added->high = at->after_s * (1 - 1 / contrast->high);
	}
}

/* Computes the interval of a difference from two independent { value, low, high }: G. Y.
 * Zou and A. Donner, "Construction of confidence limits about effect measures", Statistics
 * in Medicine 27, 2008. */
static void subtract(const double *above, const double *below, double *low, double *high)
{
	const double difference = above[0] - below[0];

	*low = difference - hypot(above[0] - above[1], below[2] - below[0]);
	*high = difference + hypot(above[2] - above[0], below[0] - below[1]);
}

/* Computes difference and ratio from intervals over passes: one run a layer. */
static void add_by_passes(const struct np_row *below, const struct np_row *above,
			  struct np_added *added)
{
	const double lower[] = { below->median_s, below->ci_low_s, below->ci_high_s };
	const double upper[] = { above->median_s, above->ci_low_s, above->ci_high_s };
	double lower_log[3], upper_log[3];

	for (size_t i = 0; i < 3; i++) {
		lower_log[i] = log(lower[i]);
		upper_log[i] = log(upper[i]);
	}
	added->seconds = upper[0] - lower[0];
	added->ratio = upper[0] / lower[0];
	subtract(upper, lower, &added->low, &added->high);
	subtract(upper_log, lower_log, &added->ratio_low, &added->ratio_high);
	added->ratio_low = exp(added->ratio_low);
	added->ratio_high = exp(added->ratio_high);
}

static const struct np_row *row_of(const struct np_layer *layer,
				   const struct np_series *like, size_t length)
{
	return np_series_find(np_run_find(layer->runs, like), length);
}

/* Returns the date of the first or last file of a layer, as text that sorts; NULL if a file
 * has none. */
static const char *begun(const struct np_layer *layer, bool last)
{
	const char *found = NULL;

	for (size_t i = 0; i < layer->files; i++) {
		const char *date = np_facts_find(&layer->runs[i].hosts[0], "date");

		if (date == NULL)
			return NULL;
		if (found == NULL || (strcmp(date, found) > 0) == last)
			found = date;
	}
	return found;
}

static bool is_before(const struct np_layer *one, const struct np_layer *other)
{
	const char *end = begun(one, true), *begin = begun(other, false);

	return end != NULL && begin != NULL && strcmp(end, begin) < 0;
}

static int take_step(struct np_step_up *step, struct np_error *error)
{
	const struct np_layer *below = step->below, *above = step->above;
	struct np_compare_result *comparison = &step->comparison;
	const int rc = np_compare(below->runs, below->files, below->files + above->files, 0,
				  comparison, error);

	if (rc != 0)
		return rc;
	step->added = calloc(comparison->count, sizeof(*step->added));
	if (step->added == NULL)
		return np_fail_errno(error, ENOMEM, "cannot compare layers");
	step->of_one_run = comparison->runs[0] == 1 && comparison->runs[1] == 1;
	step->apart =
		!step->of_one_run && (is_before(below, above) || is_before(above, below));
	for (size_t i = 0; i < comparison->count; i++) {
		const struct np_compared *at = &comparison->list[i];

		if (step->of_one_run)
			add_by_passes(row_of(below, at->before, at->length),
				      row_of(above, at->after, at->length),
				      &step->added[i]);
		else
			add_by_ratio(at, &step->added[i]);
	}
	return 0;
}

int np_ladder_make(const struct np_run *runs, size_t count, struct np_ladder *ladder,
		   struct np_error *error)
{
	bool *taken = calloc(count, sizeof(*taken));

	*ladder = (struct np_ladder){ .runs = calloc(count, sizeof(*runs)),
				      .layers = calloc(count, sizeof(struct np_layer)),
				      .steps = calloc(count, sizeof(struct np_step_up)) };
	if (taken == NULL || ladder->runs == NULL || ladder->layers == NULL ||
	    ladder->steps == NULL) {
		free(taken);
		return np_fail_errno(error, ENOMEM, "cannot compare layers");
	}
	int rc = check_files(runs, count, error);
	if (rc == 0)
		take_layers(runs, count, taken, ladder);
	free(taken);
	if (rc == 0 && ladder->layer_count < 2)
		return np_refuse(error, "--ladder needs two layers: all files are of one "
					"program with the same settings");
	for (size_t i = 0; rc == 0 && i + 1 < ladder->layer_count; i++) {
		struct np_step_up *step = &ladder->steps[i];

		step->below = &ladder->layers[i];
		step->above = &ladder->layers[i + 1];
		rc = take_step(step, error);
	}
	return rc;
}

void np_ladder_free(struct np_ladder *ladder)
{
	for (size_t i = 0; i + 1 < ladder->layer_count; i++) {
		np_compare_free(&ladder->steps[i].comparison);
		free(ladder->steps[i].added);
	}
	free(ladder->steps);
	free(ladder->layers);
	free(ladder->runs);
	*ladder = (struct np_ladder){ .layer_count = 0 };
}
