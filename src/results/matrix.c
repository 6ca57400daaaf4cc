/*
 * matrix.c - measurements of all pairs of hosts, and detection of slow pairs.
 */
#include "results/matrix.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

enum { LINKS_COMPARED = 3 };

static bool is_listed(const struct np_host_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->hosts[i].name, name) == 0)
			return true;
	}
	return false;
}

static int read_host(const char *name, char *line, struct np_host_list *list,
		     struct np_error *error)
{
	static const char blanks[] = " \t\r";
	char *rest = NULL;

	line[strcspn(line, "#")] = '\0';
	const char *host = strtok_r(line, blanks, &rest);
	if (host == NULL)
		return 0;
	const char *address = strtok_r(NULL, blanks, &rest);
	const char *at = strrchr(host, '@');

	if (address == NULL)
		address = at != NULL ? at + 1 : host;
	if (strtok_r(NULL, blanks, &rest) != NULL || strlen(host) >= NP_HOST_NAME ||
	    strlen(address) >= NP_HOST_NAME)
		return np_refuse(
			error, "'%.100s': a line is a host, and perhaps its address: %.60s",
			name, host);
	if (is_listed(list, host))
		return np_refuse(error, "'%.100s': %.60s stands there twice", name, host);
	if (list->count == NP_HOSTS_MAX)
		return np_refuse(error, "'%.100s': more than %d hosts", name, NP_HOSTS_MAX);
	struct np_host_entry *entry = &list->hosts[list->count++];
	snprintf(entry->name, sizeof(entry->name), "%s", host);
	snprintf(entry->address, sizeof(entry->address), "%s", address);
	return 0;
}

int np_host_list_read(const char *name, const char *text, struct np_host_list *list,
		      struct np_error *error)
{
	char *copy = strdup(text), *rest = NULL;
	int rc = 0;

	list->count = 0;
	if (copy == NULL)
		return np_fail_errno(error, ENOMEM, "cannot read '%.100s'", name);
	for (char *line = strtok_r(copy, "\n", &rest); line != NULL && rc == 0;
	     line = strtok_r(NULL, "\n", &rest))
		rc = read_host(name, line, list, error);
	free(copy);
	if (rc == 0 && list->count < 2)
		return np_refuse(error, "'%.100s': a pair needs two hosts", name);
	return rc;
}

int np_matrix_init(struct np_matrix *matrix, const struct np_host_list *hosts, bool one_way)
{
	const size_t count = hosts->count * (hosts->count - 1) / (one_way ? 1 : 2);

	*matrix = (struct np_matrix){ .hosts = hosts, .one_way = one_way };
	matrix->links = calloc(count, sizeof(*matrix->links));
	if (matrix->links == NULL)
		return -ENOMEM;
	for (size_t from = 0; from < hosts->count; from++) {
		for (size_t to = 0; to < hosts->count; to++) {
			if (from < to || (one_way && from != to))
				matrix->links[matrix->link_count++] =
					(struct np_host_pair){ .from = from, .to = to };
		}
	}
	return 0;
}

void np_matrix_free(struct np_matrix *matrix)
{
	for (size_t i = 0; i < matrix->link_count; i++)
		free(matrix->links[i].figures);
	free(matrix->links);
	*matrix = (struct np_matrix){ .links = NULL };
}

int np_host_pair_measured(struct np_host_pair *link, size_t figure_count)
{
	link->figures = calloc(figure_count + 1, sizeof(*link->figures));
	if (link->figures == NULL)
		return -ENOMEM;
	link->figure_count = figure_count;
	link->measured = true;
	return 0;
}

static struct np_host_pair_figure *figure_of(const struct np_host_pair *link, size_t bytes)
{
	for (size_t i = 0; link->measured && i < link->figure_count; i++) {
		if (link->figures[i].bytes == bytes)
			return &link->figures[i];
	}
	return NULL;
}

struct np_host_pair *np_matrix_pair(const struct np_matrix *matrix, size_t from, size_t to)
{
	for (size_t i = 0; i < matrix->link_count; i++) {
		struct np_host_pair *link = &matrix->links[i];

		if ((link->from == from && link->to == to) ||
		    (!matrix->one_way && link->from == to && link->to == from))
			return link;
	}
	return NULL;
}

const struct np_host_pair_figure *np_matrix_find(const struct np_matrix *matrix,
						 size_t from, size_t to, size_t bytes)
{
	const struct np_host_pair *link = np_matrix_pair(matrix, from, to);

	return link != NULL ? figure_of(link, bytes) : NULL;
}

bool np_matrix_sizes(const struct np_matrix *matrix, size_t *smallest, size_t *largest)
{
	bool found = false;

	for (size_t i = 0; i < matrix->link_count; i++) {
		const struct np_host_pair *link = &matrix->links[i];

		if (!link->measured || link->figure_count == 0)
			continue;
		const size_t first = link->figures[0].bytes;
		const size_t last = link->figures[link->figure_count - 1].bytes;

		*smallest = found && *smallest < first ? *smallest : first;
		*largest = found && *largest > last ? *largest : last;
		found = true;
	}
	return found;
}

/* Median time of a size over all pairs; NAN if too few have it. */
static double median_of(const struct np_matrix *matrix, size_t bytes)
{
	double *times = calloc(matrix->link_count, sizeof(*times));
	double median = (double)NAN;
	size_t count = 0;

	if (times == NULL)
		return (double)NAN;
	for (size_t i = 0; i < matrix->link_count; i++) {
		const struct np_host_pair_figure *figure =
			figure_of(&matrix->links[i], bytes);

		if (figure != NULL)
			times[count++] = figure->median_s;
	}
	if (count >= LINKS_COMPARED)
		median = np_median(times, count);
	free(times);
	return median;
}

/* Judges all pairs at one size. */
static void judge_size(struct np_matrix *matrix, size_t bytes)
{
	const double median = median_of(matrix, bytes);

	for (size_t i = 0; i < matrix->link_count; i++) {
		struct np_host_pair_figure *figure = figure_of(&matrix->links[i], bytes);

		if (figure == NULL)
			continue;
		const double least =
			isnan(figure->low_s) ? figure->median_s : figure->low_s;

		figure->times = figure->median_s / median;
		figure->slow = least > NP_SLOW_TIMES * median;
	}
}

/* Whether an earlier pair has the size. */
static bool is_judged(const struct np_matrix *matrix, size_t link, size_t bytes)
{
	for (size_t i = 0; i < link; i++) {
		if (figure_of(&matrix->links[i], bytes) != NULL)
			return true;
	}
	return false;
}

void np_matrix_judge(struct np_matrix *matrix)
{
	for (size_t i = 0; i < matrix->link_count; i++) {
		for (size_t k = 0; k < matrix->links[i].figure_count; k++) {
			const size_t bytes = matrix->links[i].figures[k].bytes;

			if (!is_judged(matrix, i, bytes))
				judge_size(matrix, bytes);
		}
	}
}
