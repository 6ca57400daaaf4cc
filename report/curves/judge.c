/*
 * judge.c - collects the values of each clause from files, and judges them.
 */
#include "report/curves/judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

/* Values of one clause, of all files. */
struct evidence {
	double *list;
	size_t count;
	enum np_unit_of_clause unit;
	bool fixed;		    /* sample size fixed in advance: no interim analyses */
	const struct np_run *first; /* first file with values */
	const char *lack;	    /* why the first file without values has none */
};

static const char *option_of(const struct np_run *run, const char *name)
{
	const char *value = np_facts_find(&run->options, name);

	return value != NULL ? value : "";
}

static bool is_on(const struct np_run *run, const char *name)
{
	return strcmp(option_of(run, name), "yes") == 0;
}

/* Returns the reason why an option excludes a file, as the programs refuse --expect with
 * it; or NULL. */
static const char *strange_option(const struct np_run *run)
{
	if (is_on(run, "integrity"))
		return "it was measured with -i";
	if (is_on(run, "per-message"))
		return "it was measured with --per-message";
	return strstr(option_of(run, "buffers"), "apart") != NULL ||
			       is_on(run, "modes-apart") ?
		       "its modes have runs of their own" :
		       NULL;
}

static bool is_of_stream(const struct np_run *run, const struct np_series *series)
{
	static const char *const streams[] = { "stream", "Send BW", "RDMA_Write BW",
					       "RDMA_Read BW" };

	if (run->header != NULL)
		return is_on(run, "stream");
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		if (strcmp(series->op, streams[i]) == 0)
			return true;
	}
	return false;
}

/* True if a curve is of this mode, and of the quantity of a clause: latency, bandwidth,
 * ... */
static bool is_of_clause(const struct np_run *run, const struct np_series *series,
			 const struct np_clause *clause, const char *mode)
{
	const bool stream = is_of_stream(run, series);

	if (np_op_directions(series->op) > 1 || np_op_is_collective(series->op) ||
	    stream != np_quantity_is_of_stream(clause->quantity))
		return false;
	if (run->header == NULL && !stream && !np_op_is_latency(series->op))
		return false;
	/* Other tools reuse their buffers, and name no mode. */
	return strcmp(series->mode, mode) == 0 ||
	       (run->header == NULL && series->mode[0] == '\0' &&
		strcmp(mode, "reuse") == 0);
}

/* Returns the point of the size of a clause in a mode, if exactly one curve has it; else
 * NULL, and the reason in *lack. */
static const struct np_row *find_point(const struct np_run *run,
				       const struct np_clause *clause, const char *mode,
				       const char **lack)
{
	const struct np_row *found = NULL;
	bool known = false;

	for (size_t i = 0; i < run->series_count; i++) {
		const struct np_series *series = &run->series[i];

		if (!is_of_clause(run, series, clause, mode))
			continue;
		const struct np_row *point = np_series_find(series, clause->length);

		known = true;
		if (found != NULL && point != NULL) {
			*lack = "several curves have this size";
			return NULL;
		}
		found = point != NULL ? point : found;
	}
	if (found == NULL)
		*lack = known ? "no such size" : "no curve of this kind";
	else if (found->unit_count == 0)
		*lack = "the file has a row of it and no measurement";
	return found != NULL && found->unit_count != 0 ? found : NULL;
}

/* Refuses files of different hosts, programs or formats, which measured different paths. */
static int check_path(const struct np_run *one, const struct np_run *other,
		      struct np_error *error)
{
	const char *programs[2] = { np_run_text(one, "program"),
				    np_run_text(other, "program") };
	const char *what = NULL;

	for (size_t rank = 0; rank < 2; rank++) {
		const char *host = np_facts_find(&one->hosts[rank], "host");
		const char *there = np_facts_find(&other->hosts[rank], "host");

		if ((host == NULL) != (there == NULL) ||
		    (host != NULL && strcmp(host, there) != 0))
			what = "hosts";
	}
	if (strcmp(one->format, other->format) != 0 ||
	    (programs[0] == NULL) != (programs[1] == NULL) ||
	    (programs[0] != NULL && strcmp(programs[0], programs[1]) != 0))
		what = "programs";
	return what == NULL ? 0 :
			      np_refuse(error,
					"--expect: '%.150s' and '%.150s' cannot be judged "
					"together: their %s differ",
					one->path, other->path, what);
}

/* Points of a clause in a file; base is the denominator of a ratio, or NULL. */
struct points {
	const struct np_row *over, *base;
};

static bool find_points(const struct np_run *run, const struct np_clause *clause,
			struct points *points, const char **lack)
{
	const bool ratio = clause->quantity == NP_QUANTITY_RATIO;

	*points = (struct points){ .over = NULL };
	*lack = run->header != NULL ? strange_option(run) : NULL;
	if (*lack == NULL)
		points->over = find_point(run, clause, ratio ? "rotate" : "reuse", lack);
	if (points->over != NULL && ratio)
		points->base = find_point(run, clause, "reuse", lack);
	return *lack == NULL;
}

static int copy_units(const struct np_row *point, struct np_units *units)
{
	const size_t count = point->unit_count;

	units->seconds = malloc(count * sizeof(*units->seconds));
	units->numbers = malloc(count * sizeof(*units->numbers));
	if (units->seconds == NULL || units->numbers == NULL)
		return -ENOMEM;
	memcpy(units->seconds, point->unit_s, count * sizeof(*units->seconds));
	memcpy(units->numbers, point->unit_number, count * sizeof(*units->numbers));
	units->count = count;
	return 0;
}

/* Collects the value of each unit (pass or run) from visits, by the code of the run; copies
 * the figures of another tool.  Returns 0 or -ENOMEM. */
static int collect_units(const struct np_run *run, const struct np_clause *clause,
			 const struct points *points, struct np_clause_units *units)
{
	/* find_points() has made sure that one curve has the size. */
	if (run->header != NULL)
		return np_clause_units_collect(run->results, clause, NP_EVERY_VARIANT,
					       units);
	*units = (struct np_clause_units){ .over = { .count = 0 } };
	const int rc = copy_units(points->over, &units->over);

	return rc == 0 && points->base != NULL ? copy_units(points->base, &units->base) :
						 rc;
}

/* Median of the units, or the ratio of both medians.  NAN without units. */
static double median_of(const struct np_clause_units *units, bool ratio)
{
	const double over = np_median(units->over.seconds, units->over.count);

	return ratio ? over / np_median(units->base.seconds, units->base.count) : over;
}

/* Returns the unit of a file's values: each of several files counts as a run. */
static enum np_unit_of_clause unit_of(const struct np_run *run, bool alone)
{
	if (run->header == NULL)
		return NP_OF_FIGURES;
	return alone && !run->runs_are_units ? NP_OF_PASSES : NP_OF_RUNS;
}

/* Appends the values of a file: one per unit, or the median of a file that counts as one
 * run. */
static int add_values(struct evidence *evidence, const struct np_run *run,
		      struct np_clause_units *units, bool ratio)
{
	double *list = reallocarray(evidence->list, evidence->count + units->over.count + 1,
				    sizeof(*list));

	if (list == NULL)
		return -ENOMEM;
	evidence->list = list;
	list += evidence->count;
	if (evidence->unit == NP_OF_RUNS && !run->runs_are_units &&
	    units->over.count != 0 && (!ratio || units->base.count != 0)) {
		list[0] = median_of(units, ratio);
		evidence->count++;
		return 0;
	}
	if (ratio)
		np_clause_units_divide(units);
	memcpy(list, units->over.seconds, units->over.count * sizeof(*list));
	evidence->count += units->over.count;
	return 0;
}

static int add_file(struct evidence *evidence, const struct np_run *run,
		    const struct np_clause *clause, const struct points *points, bool alone,
		    struct np_error *error)
{
	struct np_clause_units units;

	if (evidence->first != NULL && check_path(evidence->first, run, error) != 0)
		return error->code;
	evidence->unit = unit_of(run, alone);
	int rc = collect_units(run, clause, points, &units);
	if (rc == 0)
		rc = add_values(evidence, run, &units, points->base != NULL);
	np_clause_units_free(&units);
	if (rc != 0)
		return np_fail_errno(error, ENOMEM, "no memory to judge by");
	/* The number of passes, and of runs with --expect, depended on the data: such
	 * values need the sequential test. */
	if (evidence->unit == NP_OF_PASSES ||
	    (run->runs_are_units && option_of(run, "expect")[0] != '\0'))
		evidence->fixed = false;
	if (evidence->first == NULL)
		evidence->first = run;
	return 0;
}

static int gather(struct evidence *evidence, const struct np_run *runs, size_t count,
		  const struct np_clause *clause, struct np_error *error)
{
	struct points points;
	const char *lack;
	size_t files = 0;

	for (size_t i = 0; i < count; i++) {
		if (find_points(&runs[i], clause, &points, &lack))
			files++;
		else if (evidence->lack == NULL)
			evidence->lack = lack;
	}
	for (size_t i = 0; i < count; i++) {
		if (find_points(&runs[i], clause, &points, &lack) &&
		    add_file(evidence, &runs[i], clause, &points, files == 1, error) != 0)
			return error->code;
	}
	return 0;
}

int np_judge_runs(struct np_expectation *expectation, const struct np_run *runs,
		  size_t count, struct np_error *error)
{
	int rc = 0;

	for (size_t i = 0; i < expectation->clauses.count && rc == 0; i++) {
		struct evidence evidence = { .unit = NP_OF_RUNS, .fixed = true };

		rc = gather(&evidence, runs, count, &expectation->clauses.list[i], error);
		const struct np_clause_values values = { .list = evidence.list,
							 .count = rc == 0 ? evidence.count :
									    0,
							 .unit = evidence.unit,
							 .fixed = evidence.fixed };

		if (np_expectation_judge_values(expectation, i, &values) != 0 && rc == 0)
			rc = np_fail_errno(error, ENOMEM, "no memory to judge by");
		expectation->found[i].lack = evidence.lack;
		free(evidence.list);
	}
	return rc;
}

double np_judge_value(const struct np_run *run, const struct np_clause *clause)
{
	struct points points;
	const char *lack;

	if (run->header == NULL || !find_points(run, clause, &points, &lack))
		return (double)NAN;
	struct np_clause_units units;
	const int rc = collect_units(run, clause, &points, &units);
	const double value = rc == 0 ? median_of(&units, points.base != NULL) : (double)NAN;

	np_clause_units_free(&units);
	return value;
}
