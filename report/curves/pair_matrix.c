/*
 * pair_matrix.c - parses the lines of --all-pairs.
 */
#include "report/curves/pair_matrix.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/curves/fields.h"

/* Maximum number of sizes of a pair. */
enum { SIZES_MOST = 4096 };

void np_pair_matrix_free(struct np_pair_matrix *all)
{
	if (all != NULL)
		np_matrix_free(&all->matrix);
	free(all);
}

/* Index of a host; the length of the list if it is not in it. */
static size_t host_of(const struct np_host_list *hosts, const char *name)
{
	size_t at = 0;

	while (at < hosts->count && strcmp(hosts->hosts[at].name, name) != 0)
		at++;
	return at;
}

static int take_host(struct np_host_list *hosts, const json_t *value,
		     struct np_error *error)
{
	const char *text = json_string_value(value);
	char name[NP_HOST_NAME];

	if (text == NULL || *text == '\0' || strlen(text) >= sizeof(name))
		return np_malformed(error, "a host without a name");
	snprintf(name, sizeof(name), "%s", text);
	np_label_clean(name);
	if (host_of(hosts, name) != hosts->count)
		return np_malformed(error, "a host stands there twice");
	memcpy(hosts->hosts[hosts->count++].name, name, sizeof(name));
	return 0;
}

int np_pair_matrix_begin(const json_t *hosts, struct np_pair_matrix **all,
			 struct np_error *error)
{
	const json_t *names = json_object_get(hosts, "hosts");
	const json_t *one_way = json_object_get(hosts, "one_way");
	int rc = 0;

	*all = calloc(1, sizeof(**all));
	if (*all == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	if (json_array_size(names) < 2 || json_array_size(names) > NP_HOSTS_MAX ||
	    !json_is_boolean(one_way) || !np_field_label(hosts, "op", (*all)->op))
		return np_malformed(error, "a field of the hosts is missing or wrong");
	np_label_clean((*all)->op);
	for (size_t i = 0; i < json_array_size(names) && rc == 0; i++)
		rc = take_host(&(*all)->hosts, json_array_get(names, i), error);
	if (rc == 0 &&
	    np_matrix_init(&(*all)->matrix, &(*all)->hosts, json_is_true(one_way)) != 0)
		rc = np_fail_errno(error, ENOMEM, "no memory for results");
	return rc;
}

/* The pair of a line; in either direction unless one_way. */
static struct np_host_pair *link_of(const struct np_pair_matrix *all, const json_t *object,
				    struct np_error *error)
{
	char names[2][NP_LABEL] = { "", "" };
	struct np_host_pair *link = NULL;

	if (np_field_label(object, "from", names[0]) &&
	    np_field_label(object, "to", names[1])) {
		np_label_clean(names[0]);
		np_label_clean(names[1]);
		link = np_matrix_pair(&all->matrix, host_of(&all->hosts, names[0]),
				      host_of(&all->hosts, names[1]));
	}
	if (link == NULL)
		np_malformed(error, "a link between hosts that are not of this run");
	return link;
}

/* Inserts a figure: sizes ascend. */
static int add_figure(struct np_host_pair *link, const struct np_host_pair_figure *figure,
		      struct np_error *error)
{
	size_t at = link->figure_count;

	while (at > 0 && link->figures[at - 1].bytes > figure->bytes)
		at--;
	if (at > 0 && link->figures[at - 1].bytes == figure->bytes)
		return np_malformed(error, "a size of a link stands there twice");
	if (link->figure_count == SIZES_MOST)
		return np_malformed(error, "more sizes than a run can have");
	struct np_host_pair_figure *list =
		reallocarray(link->figures, link->figure_count + 1, sizeof(*list));
	if (list == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	link->figures = list;
	memmove(list + at + 1, list + at, (link->figure_count - at) * sizeof(*list));
	list[at] = *figure;
	link->figure_count++;
	link->measured = true;
	return 0;
}

static int take_link(struct np_pair_matrix *all, const json_t *object,
		     struct np_error *error)
{
	struct np_host_pair_figure figure = { .median_s =
						      np_field_number(object, "median_s"),
					      .low_s = np_field_number(object, "ci_low_s"),
					      .high_s =
						      np_field_number(object, "ci_high_s"),
					      .mbps = np_field_number(object, "mbps") };
	struct np_host_pair *link = link_of(all, object, error);

	if (link == NULL)
		return error->code;
	if (!np_field_length(object, "bytes", &figure.bytes) ||
	    !np_time_is_valid(figure.median_s) || isnan(figure.mbps))
		return np_malformed(error, "a field of the link is missing or wrong");
	if (!(figure.low_s <= figure.median_s && figure.high_s >= figure.median_s))
		figure.low_s = figure.high_s = (double)NAN;
	return add_figure(link, &figure, error);
}

static int take_reason(struct np_pair_matrix *all, const json_t *object,
		       struct np_error *error)
{
	const char *reason = json_string_value(json_object_get(object, "reason"));
	struct np_host_pair *link = link_of(all, object, error);

	if (link == NULL)
		return error->code;
	if (reason == NULL)
		return np_malformed(error, "a pair that was not measured, and no reason");
	snprintf(link->reason, sizeof(link->reason), "%s", reason);
	np_label_clean(link->reason);
	return 0;
}

int np_pair_matrix_take(struct np_pair_matrix *all, const char *kind, const json_t *object,
			struct np_error *error)
{
	if (strcmp(kind, "link") == 0)
		return take_link(all, object, error);
	if (strcmp(kind, "unmeasured") == 0)
		return take_reason(all, object, error);
	if (strcmp(kind, "header") == 0)
		return np_malformed(error,
				    "a header behind hosts: a file of its own, please");
	/* Its values are derived from the pairs; the line itself marks the end of the run.
	 */
	all->ended |= strcmp(kind, "matrix") == 0;
	return 0;
}

size_t np_pair_matrix_measured(const struct np_pair_matrix *all)
{
	size_t measured = 0;

	for (size_t i = 0; i < all->matrix.link_count; i++)
		measured += all->matrix.links[i].measured;
	return measured;
}
