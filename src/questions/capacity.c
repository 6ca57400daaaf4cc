/* capacity.c - derives points and knees from samples. */
#include "questions/capacity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "questions/capacity_explain.h"
#include "questions/capacity_fresh.h"
#include "questions/capacity_host.h"
#include "results/rows.h"
#include "stats/stats.h"

/* Rows of the test's table.  Further units are averaged with their neighbours. */
enum { UNITS_MAX = 32 };

/* Least noise of a logarithm: smaller steps are not reported, however quiet the machine. */
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

/* scratch has room for two doubles per sample. */
static void make_point(const struct np_capacity_host *host,
		       const struct np_capacity_sample *samples, size_t count,
		       double *scratch, struct np_capacity_point *point)
{
	double *values = scratch + count;

	*point = (struct np_capacity_point){ .axis = samples->axis,
					     .buffers = samples->buffers,
					     .touched = np_footprint_of(host, samples->axis,
									samples->buffers) };
	point->units = np_capacity_units(samples, count, NP_CAPACITY_SECONDS, scratch,
					 values, NULL);
	point->seconds = summarize(values, point->units, &point->low_s, &point->high_s);
	np_capacity_units(samples, count, NP_CAPACITY_RATIO, scratch, values, NULL);
	point->ratio =
		summarize(values, point->units, &point->ratio_low, &point->ratio_high);
}

/* begins: index of the first sample of each point, then the end of the last point's. */
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

/* The ratios of an axis, as np_transitions_find() takes them. */
struct table {
	double *values; /* [unit * positions + position] */
	double where[NP_KNEE_POSITIONS_MAX];
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

/* Logarithms of ratios.  Units that share a row of the table are averaged. */
static void fill_table(const struct np_capacity_sample *samples, const size_t *begins,
		       const unsigned *units, size_t different, double *scratch,
		       unsigned *found_units, struct table *table)
{
	const size_t all = table->units * table->positions;

	for (size_t i = 0; i < all; i++)
		table->values[i] = (double)NAN;
	for (size_t position = 0; position < table->positions; position++) {
		const size_t begin = begins[position], count = begins[position + 1] - begin;
		const size_t found =
			np_capacity_units(samples + begin, count, NP_CAPACITY_RATIO,
					  scratch, scratch + count, found_units);
		size_t together[UNITS_MAX] = { 0 };

		table->where[position] = (double)samples[begin].buffers;
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
		      const struct table *table, double alpha, uint64_t seed)
{
	struct np_transitions found;
	int rc = np_transitions_find(table->values, table->where, table->units,
				     table->positions, alpha, least_noise, seed, &found);

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
			 double alpha, uint64_t seed)
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
		rc = find_knees(capacity, &capacity->points[first], &table, alpha, seed);
	free(table.values);
	free(scratch);
	free(units);
	return rc;
}

int np_capacity_derive(const struct np_capacity_host *host,
		       struct np_capacity_sample *samples, size_t count, uint64_t seed,
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
					   NP_CAPACITY_ALPHA / (double)axes, seed);
		first += counts;
	}
	if (rc == 0)
		rc = np_capacity_judge_fresh(samples, begins, capacity);
	free(begins);
	if (rc == 0) {
		np_capacity_expect(capacity);
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
