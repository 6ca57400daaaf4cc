/*
 * compare.c - compares headers, and two sides of runs.
 */
#include "report/curves/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
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
	"precision", "dry-run", "perturbation", "plot",
	"html",
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
	hook(context, what, before != NULL && *before == '\0' ? "not given" : before,
	     after != NULL && *after == '\0' ? "not given" : after);
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

/* ---- Two sides ---------------------------------------------------------------------- */

/* Finds the curve with the labels of `like`, or adds it; NULL without memory. */
static struct np_series *have_series(struct np_run *all, const struct np_series *like)
{
	const struct np_series *found = np_run_find(all, like);

	if (found != NULL)
		return &all->series[found - all->series];
	struct np_series added = *like;

	added.points = NULL;
	added.count = 0;
	if (np_list_add(&all->series, &all->series_count, &added, sizeof(added)) != 0)
		return NULL;
	return &all->series[all->series_count - 1];
}

static int compare_figures(const void *a, const void *b)
{
	const struct np_row *left = a, *right = b;

	return (left->length > right->length) - (left->length < right->length);
}

static int unite(struct np_series *into, const struct np_series *from)
{
	const size_t before = into->count;

	if (from->count == 0)
		return 0;
	struct np_row *points =
		reallocarray(into->points, into->count + from->count, sizeof(*points));
	if (points == NULL)
		return -ENOMEM;
	into->points = points;
	for (size_t i = 0; i < from->count; i++) {
		const struct np_series known = { .points = points, .count = before };

		if (np_series_find(&known, from->points[i].length) == NULL)
			points[into->count++] =
				(struct np_row){ .length = from->points[i].length };
	}
	qsort(points, into->count, sizeof(*points), compare_figures);
	return 0;
}

/* Merges curves of several runs, without controls: each gets the sizes of all runs, and no
 * times.  Returns 0 or -ENOMEM; np_run_free() is called in both cases. */
static int merge_curves(const struct np_run *runs, size_t count, struct np_run *all)
{
	*all = (struct np_run){ .path = NULL };
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < runs[i].series_count; k++) {
			if (np_series_is_control(&runs[i].series[k]))
				continue;
			struct np_series *series = have_series(all, &runs[i].series[k]);

			if (series == NULL || unite(series, &runs[i].series[k]) != 0)
				return -ENOMEM;
		}
	}
	return 0;
}

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
		    double margin, struct np_contrast *contrasts,
		    struct np_contrast_ranges *ranges)
{
	const size_t *runs = comparison->runs, sizes = comparison->count;

	for (size_t i = runs[0] * sizes; i < (runs[0] + runs[1]) * sizes; i++)
		times[i] /= over;
	return np_contrast_all(times, sizes, runs[0], runs[1], NP_COMPARE_Q, margin, 1,
			       contrasts, ranges);
}

static int judge(const struct np_run *files, size_t first_count, size_t count, double share,
		 struct np_compare_result *comparison)
{
	const size_t *runs = comparison->runs, sizes = comparison->count;
	double *times = calloc((runs[0] + runs[1]) * sizes + 1, sizeof(*times));
	struct np_contrast *contrasts = calloc(2 * sizes + 1, sizeof(*contrasts));
	size_t *curves = calloc(sizes + 1, sizeof(*curves));
	struct np_range *list = calloc(2 * sizes + 1, sizeof(*list));
	struct np_contrast_ranges *ranges = &comparison->ranges,
				  beyond = { .curves = curves, .list = list + sizes };
	int rc = times == NULL || contrasts == NULL || curves == NULL || list == NULL ?
			 -ENOMEM :
			 0;

	*ranges = (struct np_contrast_ranges){ .curves = curves, .list = list };
	for (size_t i = 1; rc == 0 && i < sizes; i++)
		curves[i] = curves[i - 1] +
			    (comparison->list[i].before != comparison->list[i - 1].before);

	for (size_t i = 0; rc == 0 && i < sizes; i++) {
		struct np_compared *at = &comparison->list[i];

		take_column(files, first_count, count, at, times + i, sizes);
		at->before_s = median_of(times + i, runs[0], sizes);
		at->after_s = median_of(times + i + runs[0] * sizes, runs[1], sizes);
	}
	if (rc == 0)
		rc = contrast(comparison, times, 1, NP_SAME_WITHIN, contrasts, ranges);
	/* Second test, of the threshold: null hypothesis of a ratio of 1 + share. */
	if (rc == 0)
		rc = contrast(comparison, times, 1 + share, 0, contrasts + sizes, &beyond);
	for (size_t i = 0; rc == 0 && i < sizes; i++) {
		comparison->list[i].contrast = contrasts[i];
		comparison->list[i].beyond = contrasts[sizes + i].verdict == NP_SLOWER;
	}
	for (size_t i = 0; rc == 0 && i < beyond.count; i++)
		comparison->ranges_beyond += beyond.list[i].verdict == NP_SLOWER;
	free(times);
	free(contrasts);
	free(curves);
	ranges->curves = NULL;
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
	int rc = merge_curves(runs, first_count, &comparison->sides[0]);
	if (rc == 0)
		rc = merge_curves(runs + first_count, count - first_count,
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
	free(comparison->ranges.list);
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
	return beyond != 0 ? beyond : comparison->ranges_beyond;
}

int np_compare_undecided(const struct np_compare_result *comparison, struct np_error *error)
{
	size_t few = 0;

	for (size_t i = 0; i < comparison->ranges.count; i++) {
		if (comparison->ranges.list[i].verdict != NP_UNCLEAR)
			return 0;
	}
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
