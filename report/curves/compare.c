/*
 * compare.c - compares headers, two sides of runs, and layers.
 */
#include "report/curves/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "report/curves/judge.h"
#include "stats/stats.h"

/* ---- Headers ------------------------------------------------------------------------ */

/* Facts of a host that affect times. */
static const char *const host_facts[] = {
	"version",
	"cpu",
	"kernel",
	"cores",
	"numa_nodes",
	"core",
	"governor",
	"clock_source",
	"cache_last_level_bytes",
	"transparent_huge_pages",
};

/* Options that do not affect times: destination, duration, seed. */
static const char *const idle_options[] = {
	"host",	     "port",	"local",	"connect-timeout",
	"lower",     "upper",	"sizes",	"seed",
	"output",    "json",	"force",	"quiet",
	"quick",     "runs",	"time-budget",	"passes",
	"precision", "dry-run", "perturbation",
};

/* Facts of a path that name its endpoints. */
static const char *const idle_facts[] = { "local", "remote" };

static bool is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/* True for an option, or a fact of a path, that does not affect times. */
static bool is_idle(const char *name, bool option)
{
	return option ? is_among(name, idle_options,
				 sizeof(idle_options) / sizeof(idle_options[0])) :
			is_among(name, idle_facts,
				 sizeof(idle_facts) / sizeof(idle_facts[0]));
}

static void compare_texts(const char *what, const char *before, const char *after,
			  np_difference_hook *hook, void *context)
{
	if (before == after ||
	    (before != NULL && after != NULL && strcmp(before, after) == 0))
		return;
	hook(context, what, before, after);
}

/* Compares the facts of one header, then those that only the other has. */
static void compare_facts(const struct np_facts *before, const struct np_facts *after,
			  bool options, np_difference_hook *hook, void *context)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct np_fact *fact = &before->list[i];

		if (!is_idle(fact->name, options))
			compare_texts(fact->name, fact->text,
				      np_facts_find(after, fact->name), hook, context);
	}
	for (size_t i = 0; i < after->count; i++) {
		const struct np_fact *fact = &after->list[i];

		if (np_facts_find(before, fact->name) == NULL &&
		    !is_idle(fact->name, options))
			compare_texts(fact->name, NULL, fact->text, hook, context);
	}
}

static void compare_hosts(const struct np_facts *before, const struct np_facts *after,
			  np_difference_hook *hook, void *context)
{
	for (size_t i = 0; i < sizeof(host_facts) / sizeof(host_facts[0]); i++)
		compare_texts(host_facts[i], np_facts_find(before, host_facts[i]),
			      np_facts_find(after, host_facts[i]), hook, context);
}

void np_compare_machines(const struct np_run *before, const struct np_run *after,
			 np_difference_hook *hook, void *context)
{
	static const char *const hosts[] = { "rank 0 host", "rank 1 host" };

	if (before->header == NULL || after->header == NULL)
		return;
	for (size_t i = 0; i < 2; i++)
		compare_texts(hosts[i], np_facts_find(&before->hosts[i], "host"),
			      np_facts_find(&after->hosts[i], "host"), hook, context);
	for (size_t i = 0; i < 2; i++)
		compare_hosts(&before->hosts[i], &after->hosts[i], hook, context);
}

void np_compare_headers(const struct np_run *before, const struct np_run *after,
			np_difference_hook *hook, void *context)
{
	compare_texts("format", before->format, after->format, hook, context);
	if (before->header == NULL || after->header == NULL)
		return;
	compare_texts("program", np_run_text(before, "program"),
		      np_run_text(after, "program"), hook, context);
	compare_texts("operation", np_run_text(before, "op"), np_run_text(after, "op"),
		      hook, context);
	np_compare_machines(before, after, hook, context);
	for (size_t i = 0; i < 2; i++)
		compare_facts(&before->paths[i], &after->paths[i], false, hook, context);
	compare_facts(&before->options, &after->options, true, hook, context);
}

static void note_difference(void *context, const char *what, const char *before,
			    const char *after)
{
	bool *differs = context;

	(void)what;
	(void)before;
	(void)after;
	*differs = true;
}

/* True if both runs are of one program with the same options; options of duration and
 * destination are ignored.  Files without a header match if their formats are equal. */
static bool same_settings(const struct np_run *one, const struct np_run *other)
{
	bool differs = false;

	compare_texts("format", one->format, other->format, note_difference, &differs);
	compare_texts("program", np_run_text(one, "program"), np_run_text(other, "program"),
		      note_difference, &differs);
	compare_facts(&one->options, &other->options, true, note_difference, &differs);
	return !differs;
}

/* ---- Two sides ---------------------------------------------------------------------- */

static size_t runs_of(const struct np_run *run)
{
	unsigned last = 0;

	if (!run->runs_are_units)
		return 1;
	for (size_t i = 0; i < run->series_count; i++) {
		for (size_t k = 0; k < run->series[i].count; k++) {
			const struct np_row *point = &run->series[i].points[k];

			if (point->unit_count != 0 &&
			    point->unit_number[point->unit_count - 1] > last)
				last = point->unit_number[point->unit_count - 1];
		}
	}
	/* run->runs counts headers, and each run has one: a damaged line has the larger
	 * number. */
	return last < run->runs ? last + 1 : run->runs;
}

static size_t runs_of_side(const struct np_run *runs, size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += runs_of(&runs[i]);
	return total;
}

/* Writes seconds a message of each run of a file at one size to times[0], times[step], ...;
 * NAN for a run without this size. */
static void take_times(const struct np_run *run, const struct np_series *series,
		       size_t length, double *times, size_t step)
{
	const struct np_row *point = series != NULL ? np_series_find(series, length) : NULL;
	const size_t runs = runs_of(run);

	for (size_t i = 0; i < runs; i++)
		times[i * step] = (double)NAN;
	if (point == NULL || !(point->median_s > 0))
		return;
	if (!run->runs_are_units) {
		times[0] = point->median_s;
		return;
	}
	for (size_t i = 0; i < point->unit_count; i++) {
		if (point->unit_number[i] < runs && point->unit_s[i] > 0)
			times[point->unit_number[i] * step] = point->unit_s[i];
	}
}

/* Fills a column of the table of runs by sizes: times of all runs of both sides at one
 * size.  step: number of columns. */
static void take_column(const struct np_run *runs, size_t first_count, size_t count,
			const struct np_compared *at, double *times, size_t step)
{
	for (size_t i = 0; i < count; i++) {
		const struct np_series *like = i < first_count ? at->before : at->after;

		take_times(&runs[i], np_run_find(&runs[i], like), at->length, times, step);
		times += runs_of(&runs[i]) * step;
	}
}

static double median_of(const double *times, size_t count, size_t step)
{
	double *known = malloc((count + 1) * sizeof(*known));
	double median = (double)NAN;
	size_t used = 0;

	if (known == NULL)
		return median;
	for (size_t i = 0; i < count; i++) {
		if (!isnan(times[i * step]))
			known[used++] = times[i * step];
	}
	if (used != 0)
		median = np_median(known, used);
	free(known);
	return median;
}

static int take_size(struct np_compare_result *comparison, const struct np_series *before,
		     const struct np_series *after, size_t length)
{
	const struct np_compared one = { .before = before,
					 .after = after,
					 .length = length };

	return np_list_add(&comparison->list, &comparison->count, &one, sizeof(one));
}

/* Adds the sizes that two curves share, and counts the others. */
static int take_sizes(struct np_compare_result *comparison, const struct np_series *before,
		      const struct np_series *after)
{
	size_t shared = 0;

	for (size_t i = 0; i < before->count; i++) {
		const size_t length = before->points[i].length;

		if (np_series_find(after, length) == NULL)
			continue;
		if (take_size(comparison, before, after, length) != 0)
			return -ENOMEM;
		shared++;
	}
	comparison->sizes_only[0] += before->count - shared;
	comparison->sizes_only[1] += after->count - shared;
	return 0;
}

/* Pairs curves by name; without a common name, as in files of two tools, the first curves
 * of both sides. */
static int take_curves(struct np_compare_result *comparison)
{
	const struct np_run *before = &comparison->sides[0];
	const struct np_run *after = &comparison->sides[1];
	size_t matched = 0;
	int rc = 0;

	for (size_t i = 0; i < before->series_count && rc == 0; i++) {
		const struct np_series *other = np_run_find(after, &before->series[i]);

		if (other == NULL)
			continue;
		matched++;
		rc = take_sizes(comparison, &before->series[i], other);
	}
	if (rc == 0 && matched == 0 && before->series_count != 0 &&
	    after->series_count != 0) {
		comparison->by_position = true;
		matched = 1;
		rc = take_sizes(comparison, &before->series[0], &after->series[0]);
	}
	comparison->curves_only[0] = before->series_count - matched;
	comparison->curves_only[1] = after->series_count - matched;
	return rc;
}

/* Tests the null hypothesis that the second side takes `over` times as long, at all sizes.
 * Divides the times of the second side by `over`, in place. */
static int contrast(const struct np_compare_result *comparison, double *times, double over,
		    double margin, struct np_contrast *contrasts)
{
	const size_t *runs = comparison->runs, sizes = comparison->count;

	for (size_t i = runs[0] * sizes; i < (runs[0] + runs[1]) * sizes; i++)
		times[i] /= over;
	return np_contrast_all(times, sizes, runs[0], runs[1], NP_COMPARE_Q, margin, 1,
			       contrasts);
}

static int judge(const struct np_run *files, size_t first_count, size_t count, double share,
		 struct np_compare_result *comparison)
{
	const size_t *runs = comparison->runs, sizes = comparison->count;
	double *times = calloc((runs[0] + runs[1]) * sizes + 1, sizeof(*times));
	struct np_contrast *contrasts = calloc(2 * sizes + 1, sizeof(*contrasts));
	int rc = times == NULL || contrasts == NULL ? -ENOMEM : 0;

	for (size_t i = 0; rc == 0 && i < sizes; i++) {
		struct np_compared *at = &comparison->list[i];

		take_column(files, first_count, count, at, times + i, sizes);
		at->before_s = median_of(times + i, runs[0], sizes);
		at->after_s = median_of(times + i + runs[0] * sizes, runs[1], sizes);
	}
	if (rc == 0)
		rc = contrast(comparison, times, 1, NP_SAME_WITHIN, contrasts);
	/* Second test, of the threshold: null hypothesis of a ratio of 1 + share. */
	if (rc == 0)
		rc = contrast(comparison, times, 1 + share, 0, contrasts + sizes);
	for (size_t i = 0; rc == 0 && i < sizes; i++) {
		comparison->list[i].contrast = contrasts[i];
		comparison->list[i].beyond = contrasts[sizes + i].verdict == NP_SLOWER;
	}
	free(times);
	free(contrasts);
	return rc;
}

/* Refuses different operations; an unknown one matches all. */
static int check_operations(const struct np_compare_result *comparison,
			    struct np_error *error)
{
	for (size_t i = 0; i < comparison->count; i++) {
		const char *before = comparison->list[i].before->op;
		const char *after = comparison->list[i].after->op;

		if (*before != '\0' && *after != '\0' && strcmp(before, after) != 0)
			return np_refuse(
				error,
				"the operations differ: '%.100s' before, '%.100s' after",
				before, after);
	}
	return 0;
}

int np_compare(const struct np_run *runs, size_t first_count, size_t count, double share,
	       struct np_compare_result *comparison, struct np_error *error)
{
	*comparison = (struct np_compare_result){ .count = 0 };
	comparison->runs[0] = runs_of_side(runs, first_count);
	comparison->runs[1] = runs_of_side(runs + first_count, count - first_count);
	int rc = np_run_union(runs, first_count, &comparison->sides[0]);
	if (rc == 0)
		rc = np_run_union(runs + first_count, count - first_count,
				  &comparison->sides[1]);
	if (rc == 0)
		rc = take_curves(comparison);
	if (rc == 0 && comparison->count == 0)
		return np_fail(error, NP_ERROR_USAGE, ENODATA,
			       "the two sides have no size in common");
	if (rc == 0 && check_operations(comparison, error) != 0)
		return error->code;
	if (rc == 0)
		rc = judge(runs, first_count, count, share, comparison);
	return rc != 0 ? np_fail_errno(error, rc, "cannot compare") : 0;
}

void np_compare_free(struct np_compare_result *comparison)
{
	free(comparison->list);
	np_run_free(&comparison->sides[0]);
	np_run_free(&comparison->sides[1]);
	*comparison = (struct np_compare_result){ .count = 0 };
}

size_t np_compare_count(const struct np_compare_result *comparison, size_t begin,
			size_t end, enum np_verdict verdict)
{
	size_t count = 0;

	for (size_t i = begin; i < end; i++)
		count += comparison->list[i].contrast.verdict == verdict;
	return count;
}

size_t np_compare_beyond(const struct np_compare_result *comparison)
{
	size_t beyond = 0;

	for (size_t i = 0; i < comparison->count; i++)
		beyond += comparison->list[i].beyond;
	return beyond;
}

int np_compare_undecided(const struct np_compare_result *comparison, struct np_error *error)
{
	size_t few = 0;

	for (size_t i = 0; i < comparison->count; i++) {
		if (comparison->list[i].contrast.verdict != NP_UNCLEAR)
			return 0;
		few += comparison->list[i].contrast.units < NP_RUNS_LEAST;
	}
	if (few == 0)
		return np_fail(error, NP_ERROR_UNDECIDED, EDOM,
			       "--compare: all sizes are unclear; more runs on each side "
			       "may decide");
	return np_fail(
		error, NP_ERROR_UNDECIDED, EDOM,
		"--compare: no verdict, as sizes were not tested: that needs %d runs "
		"on each side (--runs %d, or several files)",
		NP_RUNS_LEAST, NP_RUNS_LEAST);
}

/* ---- Layers ------------------------------------------------------------------------- */

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

/* Groups files of the same settings into layers.  taken: a flag for each file, all
 * false. */
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
			if (taken[k] || !same_settings(&runs[i], &runs[k]))
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

/* Converts a ratio and its interval to a difference.  The ratio multiplies the median of
 * the faster side, whose own error is left out: it would only widen the interval. */
static void add_by_ratio(const struct np_compared *at, struct np_added *added)
{
	const struct np_contrast *known = &at->contrast;

	*added = (struct np_added){ .ratio = known->ratio,
				    .ratio_low = known->low,
				    .ratio_high = known->high };
	if (known->ratio >= 1) {
		added->seconds = at->before_s * (known->ratio - 1);
		added->low = at->before_s * (known->low - 1);
		added->high = at->before_s * (known->high - 1);
	} else {
		added->seconds = at->after_s * (1 - 1 / known->ratio);
		added->low = at->after_s * (1 - 1 / known->low);
		added->high = at->after_s * (1 - 1 / known->high);
	}
}

/* Computes the confidence interval of above - below, two independent estimates { value,
 * low, high }, by the method of variance estimates recovery (MOVER): G. Y. Zou and A.
 * Donner, "Construction of confidence limits about effect measures", Statistics in Medicine
 * 27, 2008. */
static void subtract(const double *above, const double *below, double *low, double *high)
{
	const double difference = above[0] - below[0];

	*low = difference - hypot(above[0] - above[1], below[2] - below[0]);
	*high = difference + hypot(above[2] - above[0], below[0] - below[1]);
}

/* Computes difference and ratio of layers of one run each, from their intervals over
 * passes. */
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

/* Returns the earliest date of the files of a layer, or the latest if `last`, as text that
 * sorts by time; NULL if a file has no date. */
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
	step->sequential =
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
