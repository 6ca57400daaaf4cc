/*
 * run.c - lookup in a run, and freeing it.
 */
#include "report/curves/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

void np_label_clean(char *label)
{
	for (; *label != '\0'; label++) {
		if (*label < 0x20 || *label >= 0x7f)
			*label = '?';
	}
}

void np_run_free(struct np_run *run)
{
	for (size_t i = 0; i < run->series_count; i++) {
		for (size_t k = 0; k < run->series[i].count; k++) {
			free(run->series[i].points[k].unit_s);
			free(run->series[i].points[k].unit_number);
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
	if (run->results != NULL)
		np_results_free(run->results);
	free(run->results);
	json_decref(run->header);
	json_decref(run->findings);
	np_facts_free(&run->options);
	for (size_t rank = 0; rank < 2; rank++) {
		np_facts_free(&run->hosts[rank]);
		np_facts_free(&run->paths[rank]);
	}
	np_facts_free(&run->notes);
	free(run->path);
	*run = (struct np_run){ .path = NULL };
}

void np_run_forget_visits(struct np_run *run)
{
	if (run->results != NULL && !np_results_ask_why(run->results))
		np_results_empty(run->results);
}

bool np_series_is_control(const struct np_series *series)
{
	return strcmp(series->mode, "control") == 0;
}

void np_series_label(const struct np_run *run, const struct np_series *series, char *text,
		     size_t size)
{
	bool several = false;

	for (size_t i = 1; i < run->series_count; i++)
		several = several || strcmp(run->series[i].op, run->series[0].op) != 0;
	const char *parts[] = { several ? series->op : "", series->mode, series->variant };
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

int np_run_union(const struct np_run *runs, size_t count, struct np_run *all)
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
	return false;
}

const char *np_run_text(const struct np_run *run, const char *name)
{
	return json_string_value(json_object_get(run->header, name));
}

bool np_run_is_empty(const struct np_run *run)
{
	return run->series_count == 0 && run->capacity.point_count == 0 &&
	       run->pairs == NULL;
}

void *np_list_grow(void *list, size_t count, size_t size)
{
	if (count != 0 && (count & (count - 1)) != 0)
		return list;
	return reallocarray(list, count != 0 ? 2 * count : 1, size);
}
