/*
 * capacity.c - derives points and knees of a capacity sweep from visits.
 */
#include "questions/capacity.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "questions/capacity_explain.h"
#include "questions/capacity_model.h"
#include "results/pairs.h"
#include "results/rows.h"
#include "stats/mode_test.h"
#include "stats/stats.h"

/* Selects one figure of a sample. */
enum value { SECONDS, RATIO, FRESH };

static double value_of(const struct np_capacity_sample *sample, enum value value)
{
	switch (value) {
	case SECONDS:
		return sample->seconds;
	case RATIO:
		return sample->ratio;
	case FRESH:
		return sample->fresh;
	}
	return 0;
}

/* Reduces the samples of one number of buffers, sorted by unit, to the median of each unit
 * that has the value.  inside: scratch for `count` values; units: numbers of these units,
 * or NULL.  Returns the number of medians. */
static size_t unit_medians(const struct np_capacity_sample *samples, size_t count,
			   enum value value, double *inside, double *values,
			   unsigned *units)
{
	size_t found = 0;

	for (size_t begin = 0, end; begin < count; begin = end) {
		size_t known = 0;

		for (end = begin; end < count && samples[end].unit == samples[begin].unit;
		     end++) {
			inside[known] = value_of(&samples[end], value);
			known += inside[known] > 0;
		}
		if (known == 0)
			continue;
		if (units != NULL)
			units[found] = samples[begin].unit;
		values[found++] = np_median(inside, known);
	}
	return found;
}

/* Tests of fresh against rotate at the points of one axis, with their ratios by unit. */
struct axis {
	struct np_capacity_point *points;
	size_t count;
	double *inside, *ratios;
	struct np_size_test *tests;
	struct np_mode_test *proofs;
};

static void gather(const struct np_capacity_sample *samples, const size_t *begins,
		   struct axis *axis)
{
	for (size_t i = 0; i < axis->count; i++) {
		const size_t begin = begins[i], count = begins[i + 1] - begin;
		double *ratios = axis->ratios + (begin - begins[0]);

		axis->tests[i] = (struct np_size_test){ .ratios = ratios };
		axis->tests[i].count = unit_medians(samples + begin, count, FRESH,
						    axis->inside, ratios, NULL);
	}
}

static void store_verdicts(const struct axis *axis)
{
	for (size_t i = 0; i < axis->count; i++) {
		struct np_capacity_point *point = &axis->points[i];
		const struct np_size_test *test = &axis->tests[i];

		point->fresh = np_median(test->ratios, test->count);
		point->fresh_low = axis->proofs[i].low;
		point->fresh_high = axis->proofs[i].high;
		point->fresh_verdict =
			test->count != 0 ? axis->proofs[i].verdict : NP_VERDICTS;
	}
}

static int judge(const struct np_capacity_sample *samples, const size_t *begins, double q,
		 struct axis *axis)
{
	const size_t all = begins[axis->count] - begins[0];
	int rc = -ENOMEM;

	axis->inside = calloc(2 * all + 1, sizeof(*axis->inside));
	axis->tests = calloc(axis->count + 1, sizeof(*axis->tests));
	axis->proofs = calloc(axis->count + 1, sizeof(*axis->proofs));
	if (axis->inside != NULL && axis->tests != NULL && axis->proofs != NULL) {
		axis->ratios = axis->inside + all;
		gather(samples, begins, axis);
		rc = np_test_modes(axis->tests, axis->count, q, NP_SAME_WITHIN,
				   axis->proofs, NULL);
	}
	if (rc == 0)
		store_verdicts(axis);
	free(axis->inside);
	free(axis->tests);
	free(axis->proofs);
	return rc;
}

/* Sets ratio and verdict of fresh over rotate at each point.  All points of an axis are one
 * family of tests; the `axes` swept axes divide the false discovery rate.  begins[i] ..
 * begins[i + 1] are the samples of point i, sorted by unit.  Returns 0 or -ENOMEM. */
static int judge_fresh(const struct np_capacity_sample *samples, const size_t *begins,
		       size_t axes, struct np_capacity *capacity)
{
	int rc = 0;

	for (size_t first = 0; first < capacity->point_count && rc == 0;) {
		struct axis axis = {
			.points = &capacity->points[first],
			.count = capacity->axes[capacity->points[first].axis].counts
		};

		rc = judge(samples, begins + first, NP_MODE_TEST_Q / (double)axes, &axis);
		first += axis.count;
	}
	return rc;
}

/* Most rows of the table of np_transitions_find(), one per unit.  Where there are more
 * units, neighbours share a row, as their mean. */
enum { UNITS_MAX = 32 };

/* Significance level of knees, divided among the axes of a run: fewer than 1 of 100 runs
 * report a false knee. */
#define ALPHA 0.008

/* Seed of the permutation tests: the same visits give the same knees in every program. */
enum { SEED = 1 };

/* Lower bound of the standard error of a log ratio, which bounds the steps that are
 * reported on a quiet machine. */
static const double least_noise = 1e-3;

static int compare_samples(const void *a, const void *b)
{
	const struct np_capacity_sample *left = a, *right = b;

	if (left->axis != right->axis)
		return left->axis < right->axis ? -1 : 1;
	if (left->buffers != right->buffers)
		return left->buffers < right->buffers ? -1 : 1;
	return (left->unit > right->unit) - (left->unit < right->unit);
}

static double summarize(const double *values, size_t count, double *low, double *high)
{
	struct np_interval interval = { (double)NAN, (double)NAN, 0 };

	np_median_interval(values, count, NP_CONFIDENCE_PERCENT / 100.0, &interval);
	*low = interval.low;
	*high = interval.high;
	return np_median(values, count);
}

/* Reduces the samples of one number of buffers to a point.  scratch: two doubles per
 * sample. */
static void make_point(const struct np_capacity_host *host,
		       const struct np_capacity_sample *samples, size_t count,
		       double *scratch, struct np_capacity_point *point)
{
	double *values = scratch + count;

	*point = (struct np_capacity_point){ .axis = samples->axis,
					     .buffers = samples->buffers,
					     .touched = np_footprint_of(host, samples->axis,
									samples->buffers) };
	point->units = unit_medians(samples, count, SECONDS, scratch, values, NULL);
	point->seconds = summarize(values, point->units, &point->low_s, &point->high_s);
	unit_medians(samples, count, RATIO, scratch, values, NULL);
	point->ratio =
		summarize(values, point->units, &point->ratio_low, &point->ratio_high);
}

/* Sets begins[i] to the first sample of point i; one more element ends the last point. */
static int make_points(struct np_capacity *capacity,
		       const struct np_capacity_sample *samples, size_t count,
		       size_t *begins)
{
	double *scratch = malloc(2 * count * sizeof(*scratch));

	if (scratch == NULL)
		return -ENOMEM;
	for (size_t begin = 0, end; begin < count; begin = end) {
		const struct np_capacity_sample *first = &samples[begin];
		struct np_capacity_axis *axis = &capacity->axes[first->axis];

		for (end = begin; end < count && samples[end].axis == first->axis &&
				  samples[end].buffers == first->buffers;)
			end++;
		make_point(&capacity->host, first, end - begin, scratch,
			   &capacity->points[capacity->point_count]);
		begins[capacity->point_count++] = begin;
		begins[capacity->point_count] = end;
		axis->counts++;
		axis->most = first->buffers;
	}
	free(scratch);
	return 0;
}

/* Log ratios of an axis, the input of np_transitions_find(). */
struct table {
	double *values; /* [unit * positions + position] */
	size_t units, positions;
};

static int compare_units(const void *a, const void *b)
{
	const unsigned *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Lists the distinct units of samples, ascending, and returns their number. */
static size_t different_units(const struct np_capacity_sample *samples, size_t count,
			      unsigned *units)
{
	size_t different = 0;

	for (size_t i = 0; i < count; i++)
		units[i] = samples[i].unit;
	qsort(units, count, sizeof(*units), compare_units);
	for (size_t i = 0; i < count; i++) {
		if (different == 0 || units[i] != units[different - 1])
			units[different++] = units[i];
	}
	return different;
}

/* Sets log ratios, NAN where a unit lacks a number of buffers.  Units that share a row are
 * averaged. */
static void fill_table(const struct np_capacity_sample *samples, const size_t *begins,
		       const unsigned *units, size_t different, double *scratch,
		       unsigned *found_units, struct table *table)
{
	const size_t all = table->units * table->positions;

	for (size_t i = 0; i < all; i++)
		table->values[i] = (double)NAN;
	for (size_t position = 0; position < table->positions; position++) {
		const size_t begin = begins[position], count = begins[position + 1] - begin;
		const size_t found = unit_medians(samples + begin, count, RATIO, scratch,
						  scratch + count, found_units);
		size_t together[UNITS_MAX] = { 0 };

		for (size_t i = 0; i < found; i++) {
			const unsigned *at = bsearch(&found_units[i], units, different,
						     sizeof(*units), compare_units);
			const size_t unit = (size_t)(at - units) * table->units / different;
			double *value = &table->values[unit * table->positions + position];
			const double logarithm = log(scratch[count + i]);
			const double mean = together[unit] == 0 ? logarithm : *value;

			together[unit]++;
			*value = mean + (logarithm - mean) / (double)together[unit];
		}
	}
}

static struct np_knee make_knee(const struct np_capacity *capacity,
				const struct np_capacity_point *points,
				const struct np_transition *at)
{
	const struct np_capacity_point *place = &points[at->place];

	return (struct np_knee){
		.axis = place->axis,
		.buffers = place->buffers,
		.next = points[at->place + 1].buffers,
		.low = points[at->low].buffers,
		.high = points[at->high].buffers,
		.touched = place->touched,
		.touched_low = points[at->low].touched,
		.touched_high = points[at->high].touched,
		.effect = exp(at->behind - at->before),
		.p = at->p,
		.gradual = at->next > at->last + 1,
		.open = at->next > at->last + 1 &&
			at->end + 1 - at->next < NP_KNEE_PLATEAU &&
			at->end + 1 == capacity->axes[place->axis].counts,
	};
}

static int find_knees(struct np_capacity *capacity, const struct np_capacity_point *points,
		      const struct table *table, double alpha)
{
	struct np_transitions found;
	int rc = np_transitions_find(table->values, table->units, table->positions, alpha,
				     least_noise, SEED, &found);

	capacity->axes[points->axis].resolution = exp(found.resolution);
	capacity->axes[points->axis].noise = found.noise;
	struct np_knee *knees = rc == 0 ?
					reallocarray(capacity->knees,
						     capacity->knee_count + found.count + 1,
						     sizeof(*knees)) :
					NULL;
	if (rc == 0 && knees == NULL)
		rc = -ENOMEM;
	if (knees != NULL)
		capacity->knees = knees;
	for (size_t i = 0; i < found.count && rc == 0; i++)
		knees[capacity->knee_count++] = make_knee(capacity, points, &found.list[i]);
	np_transitions_free(&found);
	return rc;
}

/* Finds the knees of the axis whose points begin at `first`. */
static int find_knees_of(struct np_capacity *capacity, size_t first,
			 const struct np_capacity_sample *samples, const size_t *begins,
			 double alpha)
{
	const size_t positions = capacity->axes[capacity->points[first].axis].counts;
	const size_t count = begins[first + positions] - begins[first];
	unsigned *units = malloc(2 * count * sizeof(*units));
	double *scratch = malloc(2 * count * sizeof(*scratch));
	struct table table = { .positions = positions };
	int rc = units == NULL || scratch == NULL ? -ENOMEM : 0;

	if (rc == 0) {
		const size_t different =
			different_units(samples + begins[first], count, units);

		table.units = different < UNITS_MAX ? different : UNITS_MAX;
		table.values = malloc(table.units * positions * sizeof(*table.values));
		rc = table.values == NULL ? -ENOMEM : 0;
		if (rc == 0)
			fill_table(samples, begins + first, units, different, scratch,
				   units + count, &table);
	}
	if (rc == 0)
		rc = find_knees(capacity, &capacity->points[first], &table, alpha);
	free(table.values);
	free(scratch);
	free(units);
	return rc;
}

/* Adds the size of a cache (bytes) or TLB (entries).  unit: occupied in each process by the
 * buffers of one message; processes: number that share it. */
static void expect(struct np_capacity *capacity, const char *name, enum np_axis axis,
		   bool is_translation, size_t size, uint64_t unit, unsigned processes)
{
	/* Files are untrusted: avoid overflow and division by 0. */
	if (size == 0 || capacity->axes[axis].counts == 0 ||
	    unit > UINT64_MAX / processes || unit < capacity->host.sides)
		return;
	struct np_expected *expected = &capacity->expected[capacity->expected_count++];

	*expected = (struct np_expected){ .axis = axis,
					  .is_translation = is_translation,
					  .size = size,
					  .processes = processes,
					  .from = size / (unit * processes),
					  .to = size / (unit / capacity->host.sides) };
	snprintf(expected->name, sizeof(expected->name), "%s", name);
}

/* Lists the sizes of the machine that could show a knee, with axis and number of buffers.
 */
static void expect_all(struct np_capacity *capacity)
{
	const struct np_capacity_host *host = &capacity->host;
	const bool small = host->page <= NP_SMALL_PAGE;
	const enum np_axis apart = small ? NP_AXIS_PAGES : NP_AXIS_LARGE_PAGES;
	/* Buffers of whole pages have their own pages on any axis. */
	const enum np_axis axis =
		capacity->axes[apart].counts == 0 && host->length >= host->page ?
			NP_AXIS_LINES :
			apart;
	const struct np_footprint one = np_footprint_of(host, axis, 1);
	const size_t *caches = host->caches;

	expect(capacity, "first-level cache", NP_AXIS_LINES, false, caches[0], one.bytes,
	       1);
	if (caches[1] != caches[2])
		expect(capacity, "second-level cache", NP_AXIS_LINES, false, caches[1],
		       one.bytes, 1);
	expect(capacity, "last-level cache", NP_AXIS_LINES, false, caches[2], one.bytes,
	       host->share_cache ? 2 : 1);
	expect(capacity, "first-level TLB", axis, true,
	       small ? host->tlb.level1_4k : host->tlb.level1_2m, one.pages, 1);
	expect(capacity, "second-level TLB", axis, true,
	       small ? host->tlb.level2_4k : host->tlb.level2_2m, one.pages, 1);
}

int np_capacity_derive(const struct np_capacity_host *host,
		       struct np_capacity_sample *samples, size_t count,
		       struct np_capacity *capacity)
{
	size_t axes = 0, first = 0;

	*capacity = (struct np_capacity){ .host = *host };
	if (count == 0)
		return 0;
	qsort(samples, count, sizeof(*samples), compare_samples);
	size_t *begins = calloc(count + 1, sizeof(*begins));
	capacity->points = calloc(count, sizeof(*capacity->points));
	int rc = begins == NULL || capacity->points == NULL ?
			 -ENOMEM :
			 make_points(capacity, samples, count, begins);

	for (size_t i = 0; i < NP_AXES; i++)
		axes += capacity->axes[i].counts != 0;
	while (rc == 0 && first < capacity->point_count) {
		const size_t counts = capacity->axes[capacity->points[first].axis].counts;

		capacity->axes[capacity->points[first].axis].resolution = (double)NAN;
		if (counts <= NP_KNEE_POSITIONS_MAX)
			rc = find_knees_of(capacity, first, samples, begins,
					   ALPHA / (double)axes);
		first += counts;
	}
	if (rc == 0)
		rc = judge_fresh(samples, begins, axes, capacity);
	free(begins);
	if (rc == 0) {
		expect_all(capacity);
		rc = np_capacity_explain(capacity);
	}
	return rc;
}

void np_capacity_free(struct np_capacity *capacity)
{
	free(capacity->points);
	free(capacity->knees);
	*capacity = (struct np_capacity){ .points = NULL };
}

static int compare_visits(const void *a, const void *b)
{
	const struct np_visit *left = *(struct np_visit *const *)a;
	const struct np_visit *right = *(struct np_visit *const *)b;

	if (left->run_index != right->run_index)
		return left->run_index < right->run_index ? -1 : 1;
	if (left->serial != right->serial)
		return left->serial < right->serial ? -1 : 1;
	return (left->mode > right->mode) - (left->mode < right->mode);
}

/* Lists the sweep's visits of the first variant, with reuse, rotate and fresh of one serial
 * side by side.  The caller frees the list.  Returns NULL without memory. */
static struct np_visit **collect(const struct np_results *results, size_t *count)
{
	const struct np_selection sweep = { .purposes = NP_FOR_SWEEP,
					    .modes = 1u << NP_MODE_REUSE |
						     1u << NP_MODE_ROTATE |
						     1u << NP_MODE_FRESH };
	struct np_visit **visits = np_visits_select(results, &sweep, count);
	size_t kept = 0;

	/* Result files may lack the number of buffers. */
	for (size_t i = 0; i < *count; i++) {
		if (visits[i]->buffers != 0 && !np_axis_is_replay(visits[i]->axis))
			visits[kept++] = visits[i];
	}
	*count = kept;
	if (kept != 0)
		qsort(visits, kept, sizeof(struct np_visit *), compare_visits);
	return visits;
}

static bool belong_together(const struct np_visit *one, const struct np_visit *other,
			    enum np_mode mode, enum np_mode other_mode)
{
	return one->run_index == other->run_index && one->serial == other->serial &&
	       one->mode == mode && other->mode == other_mode;
}

/* Lists the samples that the visits of a sweep give; the caller frees the list.  Returns 0
 * or -ENOMEM. */
static int list_samples(const struct np_results *results,
			struct np_capacity_sample **samples, size_t *count)
{
	size_t found;
	struct np_visit **visits = collect(results, &found);

	*count = 0;
	*samples = malloc((found + 1) * sizeof(**samples));
	if (visits == NULL || *samples == NULL) {
		free(visits);
		return -ENOMEM;
	}
	for (size_t i = 0; i + 1 < found; i++) {
		const struct np_visit *reuse = visits[i], *rotate = visits[i + 1];
		const bool fresh =
			i + 2 < found && belong_together(rotate, visits[i + 2],
							 NP_MODE_ROTATE, NP_MODE_FRESH);
		const double ratio =
			belong_together(reuse, rotate, NP_MODE_REUSE, NP_MODE_ROTATE) ?
				np_visit_ratio(reuse, rotate) :
				(double)NAN;

		if (ratio > 0 && isfinite(ratio))
			(*samples)[(*count)++] = (struct np_capacity_sample){
				.axis = rotate->axis,
				.buffers = rotate->buffers,
				.unit = np_unit_of(results, rotate),
				.ratio = ratio,
				.seconds = rotate->median_s,
				.fresh = fresh ? np_visit_ratio(rotate, visits[i + 2]) : 0
			};
	}
	free(visits);
	return 0;
}

/* Returns how many buffers of a process, send and receive, a message touches: 1 or 2. */
static unsigned count_sides(const struct np_results *results)
{
	if (results->operation == NP_PINGPONG || results->operation == NP_BIDIRECTIONAL)
		return 2;
	return results->operation == NP_ONE_SIDED &&
			       strcmp(results->operation_name, "memcpy") == 0 ?
		       2 :
		       1;
}

int np_capacity_of_visits(const struct np_results *results, struct np_capacity_host *host,
			  struct np_capacity *capacity)
{
	struct np_capacity_sample *samples;
	size_t count;

	*capacity = (struct np_capacity){ .points = NULL };
	host->sides = count_sides(results);
	for (size_t i = 0; i < results->count; i++) {
		if (results->visits[i]->axis != NP_AXIS_NONE)
			host->length = results->visits[i]->length;
	}
	int rc = list_samples(results, &samples, &count);
	if (rc == 0)
		rc = np_capacity_derive(host, samples, count, capacity);
	free(samples);
	return rc;
}
