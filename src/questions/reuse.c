/*
 * reuse.c - cells of a record that matter, and what their buffers cost.
 */
#include "questions/reuse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "results/pairs.h"
#include "results/rows.h"
#include "stats/stats.h"

void np_uses_free(struct np_uses *record)
{
	free(record->sites);
	free(record->cells);
	*record = (struct np_uses){ .sites = NULL };
}

/* ---- Cells and points --------------------------------------------------------------- */

/* Most buffers of a point, above the number in any pool. */
static const double most_buffers = 1e12;

static uint64_t count_buffers(const struct np_reuse_cell *cell)
{
	const double middle = sqrt(cell->distance[0] * cell->distance[1]);
	const double count = cell->length != 0 ? round(middle / (double)cell->length) : 1;

	if (cell->never)
		return 0;
	return count < 2	    ? 1 :
	       count < most_buffers ? (uint64_t)count :
				      (uint64_t)most_buffers;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct np_reuse_cell *left = a, *right = b;

	return (left->size[0] > right->size[0]) - (left->size[0] < right->size[0]);
}

void np_reuse_group(struct np_uses *record)
{
	struct np_reuse_cell *cells = record->cells;

	if (record->cell_count != 0)
		qsort(cells, record->cell_count, sizeof(*cells), compare_sizes);
	for (size_t begin = 0, end; begin < record->cell_count; begin = end) {
		double calls = 0, bytes = 0;

		for (end = begin;
		     end < record->cell_count && cells[end].size[0] == cells[begin].size[0];
		     end++) {
			calls += cells[end].calls;
			bytes += cells[end].bytes;
		}
		for (size_t i = begin; i < end; i++) {
			cells[i].length = calls > 0 ? (size_t)round(bytes / calls) : 0;
			cells[i].buffers = count_buffers(&cells[i]);
		}
	}
}

/* Cells of all sites with one point. */
struct group {
	const struct np_reuse_cell *cell;
	double ns, bytes, weight;
};

static bool same_point(const struct np_reuse_cell *a, const struct np_reuse_cell *b)
{
	return a->length == b->length && a->receive == b->receive &&
	       a->buffers == b->buffers;
}

static int compare_points(const void *a, const void *b)
{
	const struct np_reuse_cell *left = ((const struct group *)a)->cell;
	const struct np_reuse_cell *right = ((const struct group *)b)->cell;

	if (left->length != right->length)
		return left->length < right->length ? -1 : 1;
	if (left->receive != right->receive)
		return left->receive ? 1 : -1;
	return (left->buffers > right->buffers) - (left->buffers < right->buffers);
}

static int compare_weights(const void *a, const void *b)
{
	const struct group *left = a, *right = b;

	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	return compare_points(a, b);
}

/* Merges groups of one point, and returns their number. */
static size_t merge(const struct np_uses *record, struct group *groups)
{
	double ns = 1, bytes = 1;
	size_t count = 0;

	for (size_t i = 0; i < record->cell_count; i++) {
		groups[i] = (struct group){ .cell = &record->cells[i],
					    .ns = record->cells[i].ns,
					    .bytes = record->cells[i].bytes };
		ns += groups[i].ns;
		bytes += groups[i].bytes;
	}
	if (record->cell_count != 0)
		qsort(groups, record->cell_count, sizeof(*groups), compare_points);
	for (size_t i = 0; i < record->cell_count; i++) {
		if (count != 0 && same_point(groups[count - 1].cell, groups[i].cell)) {
			groups[count - 1].ns += groups[i].ns;
			groups[count - 1].bytes += groups[i].bytes;
		} else {
			groups[count++] = groups[i];
		}
	}
	for (size_t i = 0; i < count; i++) {
		groups[i].ns /= ns;
		groups[i].bytes /= bytes;
		groups[i].weight = fmax(groups[i].ns, groups[i].bytes);
	}
	return count;
}

static void write_point(FILE *text, bool *any, const struct np_reuse_cell *cell,
			uint64_t buffers)
{
	fprintf(text, "%s%c%zux%llu", *any ? "," : "", cell->receive ? 'r' : 's',
		cell->length, (unsigned long long)buffers);
	*any = true;
}

/* Most points of --replay. */
enum { POINTS_MOST = 60 };

/* Share of the time and of the bytes of a record that --replay measures. */
static const double covered = 0.95;

char *np_reuse_points(const struct np_uses *record)
{
	struct group *groups = calloc(record->cell_count + 1, sizeof(*groups));
	char *text = NULL;
	size_t size, points = 0;
	FILE *stream = open_memstream(&text, &size);
	double ns = 0, bytes = 0;
	bool any = false;

	if (groups == NULL || stream == NULL) {
		free(groups);
		if (stream != NULL)
			fclose(stream);
		free(text);
		return NULL;
	}
	const size_t count = merge(record, groups);
	const struct np_reuse_cell *heaviest = NULL;

	if (count != 0)
		qsort(groups, count, sizeof(*groups), compare_weights);
	for (size_t i = 0;
	     i < count && points < POINTS_MOST && (ns < covered || bytes < covered); i++) {
		ns += groups[i].ns;
		bytes += groups[i].bytes;
		if (groups[i].cell->length == 0)
			continue;
		heaviest = heaviest != NULL ? heaviest : groups[i].cell;
		if (groups[i].cell->buffers == 1)
			continue;
		write_point(stream, &any, groups[i].cell, groups[i].cell->buffers);
		points++;
	}
	/* A record of warm buffers alone: two buffers of the heaviest cell. */
	if (!any && heaviest != NULL)
		write_point(stream, &any, heaviest, 2);
	free(groups);
	fclose(stream);
	return text;
}

/* ---- Measured points ---------------------------------------------------------------- */

static bool is_at_point(const struct np_visit *one, const struct np_visit *other)
{
	return one->length == other->length && one->axis == other->axis &&
	       one->buffers == other->buffers;
}

/* Reduces the visits of a point; visits of reuse come first.  Returns 0 or -ENOMEM. */
static int make_point(const struct np_results *results, struct np_visit **visits,
		      size_t count, struct np_replay_point *point)
{
	double *ratios = malloc((2 * count + 1) * sizeof(*ratios));
	double *times = ratios != NULL ? ratios + count : NULL;
	struct np_interval interval = { (double)NAN, (double)NAN, 0 };
	size_t reused = 0;

	point->extra_s = malloc((count + 1) * sizeof(*point->extra_s));
	point->numbers = malloc((count + 1) * sizeof(*point->numbers));
	if (ratios == NULL || point->extra_s == NULL || point->numbers == NULL) {
		free(ratios);
		return -ENOMEM;
	}
	while (reused < count && visits[reused]->mode == NP_MODE_REUSE)
		reused++;
	const size_t pairs = np_visits_pair(results, visits, reused, visits + reused,
					    count - reused, ratios, visits);
	for (size_t i = 0; i < pairs; i++) {
		times[i] = visits[i]->median_s;
		point->extra_s[i] = (ratios[i] - 1) * times[i];
	}
	point->units =
		np_unit_medians(results, visits, point->extra_s, point->numbers, pairs);
	np_unit_medians(results, visits, ratios, NULL, pairs);
	np_unit_medians(results, visits, times, NULL, pairs);
	np_median_interval(ratios, point->units, NP_CONFIDENCE_PERCENT / 100.0, &interval);
	point->low = interval.low;
	point->high = interval.high;
	point->ratio = np_median(ratios, point->units);
	point->reuse_s = np_median(times, point->units);
	memcpy(ratios, point->extra_s, point->units * sizeof(*ratios));
	point->extra = np_median(ratios, point->units);
	free(ratios);
	return 0;
}

int np_replay_derive(const struct np_results *results, struct np_replay *replay)
{
	/* Ratios are of blocks of one visit, which the host state multiplies alike. */
	const struct np_selection sweep = { .purposes = NP_FOR_SWEEP,
					    .every_state = true,
					    .timed = true };
	size_t count, kept = 0;
	struct np_visit **visits = np_visits_select(results, &sweep, &count);
	int rc = visits == NULL ? -ENOMEM : 0;

	*replay = (struct np_replay){ .points = NULL };
	for (size_t i = 0; i < count && rc == 0; i++) {
		if (np_axis_is_replay(visits[i]->axis) && visits[i]->buffers != 0)
			visits[kept++] = visits[i];
	}
	if (rc == 0 && kept != 0)
		np_visits_sort(results, visits, kept);
	for (size_t begin = 0, end; begin < kept && rc == 0; begin = end) {
		struct np_replay_point point = { .axis = visits[begin]->axis,
						 .length = visits[begin]->length,
						 .buffers = visits[begin]->buffers > 1 ?
								    visits[begin]->buffers :
								    0 };

		for (end = begin; end < kept && is_at_point(visits[begin], visits[end]);)
			end++;
		rc = make_point(results, visits + begin, end - begin, &point);
		if (rc == 0 && point.units != 0)
			rc = np_list_add(&replay->points, &replay->count, &point,
					 sizeof(point));
		if (rc != 0 || point.units == 0) {
			free(point.extra_s);
			free(point.numbers);
		}
	}
	free(visits);
	return rc;
}

void np_replay_free(struct np_replay *replay)
{
	for (size_t i = 0; i < replay->count; i++) {
		free(replay->points[i].extra_s);
		free(replay->points[i].numbers);
	}
	free(replay->points);
	*replay = (struct np_replay){ .points = NULL };
}

/* ---- Prediction --------------------------------------------------------------------- */

/* Returns the measured point of a cell, or NULL. */
static const struct np_replay_point *find_point(const struct np_replay *replay,
						const struct np_reuse_cell *cell)
{
	const enum np_axis axis = cell->receive ? NP_AXIS_RECV : NP_AXIS_SEND;
	const struct np_replay_point *most = NULL;

	for (size_t i = 0; i < replay->count; i++) {
		const struct np_replay_point *point = &replay->points[i];

		if (point->axis != axis || point->length != cell->length)
			continue;
		if (point->buffers == cell->buffers)
			return point;
		if (point->buffers != 0)
			most = point;
	}
	/* The largest point of a plan has all buffers of the pool, which are cold. */
	return cell->buffers != 0 && most != NULL && most->buffers < cell->buffers ? most :
										     NULL;
}

/* Inserts a part into the NP_REUSE_TOP parts of highest cost, descending. */
static void add_part(struct np_reuse_part *parts, size_t *count, size_t at, double seconds)
{
	size_t place = *count;

	while (place > 0 && parts[place - 1].seconds < seconds)
		place--;
	if (place >= NP_REUSE_TOP)
		return;
	if (*count < NP_REUSE_TOP)
		++*count;
	for (size_t i = *count - 1; i > place; i--)
		parts[i] = parts[i - 1];
	parts[place] = (struct np_reuse_part){ .at = at, .seconds = seconds };
}

static bool is_cold(const struct np_reuse_cell *cell, const struct np_replay_point *point,
		    double capacity)
{
	if (cell->never || cell->buffers == 1)
		return cell->never;
	if (capacity > 0)
		return sqrt(cell->distance[0] * cell->distance[1]) > capacity;
	return point != NULL && point->low > 1;
}

/* Sums calls, bytes and times of all cells, their calls at each point, and their costs in
 * seconds at each site. */
static void sum_cells(const struct np_uses *record, const struct np_replay *replay,
		      double capacity, double *calls, double *sites,
		      struct np_reuse_cost *cost)
{
	double of_size = 0;

	for (size_t i = 0; i < record->cell_count; i++) {
		const struct np_reuse_cell *cell = &record->cells[i];
		const struct np_replay_point *point =
			cell->buffers == 1 ? NULL : find_point(replay, cell);
		const double seconds = point != NULL ? cell->calls * point->extra : 0;

		cost->calls += cell->calls;
		cost->bytes += cell->bytes;
		if (is_cold(cell, point, capacity)) {
			cost->cold_calls += cell->calls;
			cost->cold_bytes += cell->bytes;
		}
		cost->never_calls += cell->never ? cell->calls : 0;
		if (point != NULL)
			calls[point - replay->points] += cell->calls;
		if (point != NULL || cell->buffers == 1)
			cost->covered_ns += cell->ns;
		cost->never_s += cell->never ? seconds : 0;
		sites[cell->site] += seconds;
		of_size += seconds;
		if (i + 1 == record->cell_count ||
		    record->cells[i + 1].size[0] != cell->size[0]) {
			if (of_size > 0)
				add_part(cost->sizes, &cost->size_count, cell->length,
					 of_size);
			of_size = 0;
		}
	}
	for (size_t i = 0; i < record->site_count; i++) {
		if (sites[i] > 0)
			add_part(cost->sites, &cost->site_count, i, sites[i]);
	}
}

/* Share of the cost in the points of a unit below which the unit is incomplete, for lack of
 * time. */
static const double complete = 0.9;

/* Sets *extra to the additional time of a point in a unit.  Returns false, with the median,
 * if the unit lacks the point. */
static bool extra_in(const struct np_replay_point *point, unsigned unit, double *extra)
{
	*extra = point->extra;
	for (size_t i = 0; i < point->units; i++) {
		if (point->numbers[i] == unit) {
			*extra = point->extra_s[i];
			return true;
		}
	}
	return false;
}

/* Sums the cost of a unit.  Returns false for an incomplete one. */
static bool sum_unit(const struct np_replay *replay, const double *calls, unsigned unit,
		     double *seconds)
{
	double all = 0, present = 0, extra;

	*seconds = 0;
	for (size_t i = 0; i < replay->count; i++) {
		const double weight = calls[i] * fabs(replay->points[i].extra);

		if (extra_in(&replay->points[i], unit, &extra))
			present += weight;
		all += weight;
		*seconds += calls[i] * extra;
	}
	return present >= complete * all;
}

static int find_interval(const struct np_replay *replay, const double *calls,
			 struct np_reuse_cost *cost)
{
	struct np_interval interval = { (double)NAN, (double)NAN, 0 };
	size_t most = 0;

	for (size_t i = 1; i < replay->count; i++)
		most = replay->points[i].units > replay->points[most].units ? i : most;
	const size_t units = replay->count != 0 ? replay->points[most].units : 0;
	double *sums = malloc((units + 1) * sizeof(*sums));

	if (sums == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < units; i++)
		cost->units += sum_unit(replay, calls, replay->points[most].numbers[i],
					&sums[cost->units]);
	np_median_interval(sums, cost->units, NP_CONFIDENCE_PERCENT / 100.0, &interval);
	cost->low = interval.low;
	cost->high = interval.high;
	if (cost->units != 0)
		cost->seconds = np_median(sums, cost->units);
	free(sums);
	return 0;
}

/* Finds the largest number of buffers of the heaviest size that is not slower. */
static void find_pool(const struct np_replay *replay, struct np_reuse_cost *cost)
{
	for (size_t i = 0; i < replay->count && cost->size_count != 0; i++) {
		const struct np_replay_point *point = &replay->points[i];

		if (point->length == cost->sizes[0].at && !(point->low > 1) &&
		    point->buffers > cost->warm_buffers)
			cost->warm_buffers = point->buffers;
	}
	/* A point of the other side that is slower with fewer buffers bounds the number. */
	for (size_t i = 0; i < replay->count && cost->size_count != 0; i++) {
		const struct np_replay_point *point = &replay->points[i];

		if (point->length == cost->sizes[0].at && point->low > 1 &&
		    point->buffers != 0 && point->buffers <= cost->warm_buffers)
			cost->warm_buffers = point->buffers / 2;
	}
}

int np_reuse_predict(const struct np_uses *record, const struct np_replay *replay,
		     double capacity, struct np_reuse_cost *cost)
{
	double *calls = calloc(replay->count + 1, sizeof(*calls));
	double *sites = calloc(record->site_count + 1, sizeof(*sites));
	int rc = calls == NULL || sites == NULL ? -ENOMEM : 0;

	*cost = (struct np_reuse_cost){ .seconds = (double)NAN,
					.low = (double)NAN,
					.high = (double)NAN };
	if (rc == 0) {
		sum_cells(record, replay, capacity, calls, sites, cost);
		rc = find_interval(replay, calls, cost);
	}
	for (size_t i = 0; i < NP_REUSE_TOP; i++) {
		cost->sizes[i].share = cost->sizes[i].seconds / cost->seconds;
		cost->sites[i].share = cost->sites[i].seconds / cost->seconds;
	}
	find_pool(replay, cost);
	free(calls);
	free(sites);
	return rc;
}
