/*
 * hosts.c - parser of lists of hosts and of their groups.
 */
#include "fleet/hosts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

static const char blanks[] = " \t\r";

void np_host_list_free(struct np_host_list *list)
{
	free(list->hosts);
	free(list->groups);
	*list = (struct np_host_list){ .hosts = NULL };
}

static const char *without_user(const char *name)
{
	const char *at = strrchr(name, '@');

	return at != NULL ? at + 1 : name;
}

size_t np_host_list_find(const struct np_host_list *list, const char *name)
{
	size_t at = 0;

	while (at < list->count && strcmp(list->hosts[at].name, name) != 0 &&
	       strcmp(without_user(list->hosts[at].name), name) != 0)
		at++;
	return at;
}

int np_host_list_add(struct np_host_list *list, const char *name, const char *address)
{
	struct np_host_entry entry = { .group = 0 };

	snprintf(entry.name, sizeof(entry.name), "%s", name);
	snprintf(entry.address, sizeof(entry.address), "%s", address);
	return np_list_add(&list->hosts, &list->count, &entry, sizeof(entry));
}

int np_host_list_join(struct np_host_list *list, size_t host, const char *group)
{
	size_t at = 0;

	while (at < list->group_count && strcmp(list->groups[at], group) != 0)
		at++;
	if (at == list->group_count) {
		char name[NP_HOST_NAME];

		snprintf(name, sizeof(name), "%s", group);
		if (np_list_add(&list->groups, &list->group_count, name, sizeof(name)) != 0)
			return -ENOMEM;
	}
	list->hosts[host].group = at;
	return 0;
}

/* ---- Files ------------------------------------------------------------------- */

/* Callback for the one or two words of a line.  Returns 0 or -errno. */
typedef int take_words(void *context, const char *first, const char *second,
		       struct np_error *error);

static int read_line(const char *name, char *line, take_words *take, void *context,
		     struct np_error *error)
{
	char *rest = NULL;

	line[strcspn(line, "#")] = '\0';
	const char *first = strtok_r(line, blanks, &rest);
	if (first == NULL)
		return 0;
	const char *second = strtok_r(NULL, blanks, &rest);
	if (strtok_r(NULL, blanks, &rest) != NULL || strlen(first) >= NP_HOST_NAME ||
	    (second != NULL && strlen(second) >= NP_HOST_NAME))
		return np_refuse(error,
				 "'%.100s', line of %.60s: expected HOST and at most one "
				 "further word, of less than %d characters",
				 name, first, NP_HOST_NAME);
	return take(context, first, second, error);
}

static int read_lines(const char *name, const char *text, take_words *take, void *context,
		      struct np_error *error)
{
	char *copy = strdup(text), *rest = NULL;
	int rc = 0;

	if (copy == NULL)
		return np_fail_errno(error, ENOMEM, "cannot read '%.100s'", name);
	for (char *line = strtok_r(copy, "\n", &rest); line != NULL && rc == 0;
	     line = strtok_r(NULL, "\n", &rest))
		rc = read_line(name, line, take, context, error);
	free(copy);
	return rc;
}

/* Most hosts: 8 million pairs, and 2048 of them at a time. */
enum { HOSTS_MOST = 4096 };

struct reading {
	const char *name;
	struct np_host_list *list;
	bool *grouped; /* true for each host with a group */
};

static int take_host(void *context, const char *host, const char *address,
		     struct np_error *error)
{
	const struct reading *reading = context;

	if (reading->list->count == HOSTS_MOST)
		return np_refuse(error,
				 "'%.100s' has more than %d hosts: measure parts of it, in "
				 "files of their own",
				 reading->name, HOSTS_MOST);
	if (np_host_list_find(reading->list, host) != reading->list->count)
		return np_refuse(error, "'%.100s': %.60s stands there twice", reading->name,
				 host);
	if (np_host_list_add(reading->list, host,
			     address != NULL ? address : without_user(host)) != 0)
		return np_fail_errno(error, ENOMEM, "no memory for the groups of '%.100s'",
				     reading->name);
	return 0;
}

int np_host_list_read(const char *name, const char *text, struct np_host_list *list,
		      struct np_error *error)
{
	struct reading reading = { .name = name, .list = list };
	const int rc = read_lines(name, text, take_host, &reading, error);

	if (rc == 0 && list->count < 2)
		return np_refuse(error, "'%.100s': a pair needs two hosts", name);
	return rc;
}

static int take_group(void *context, const char *name, const char *group,
		      struct np_error *error)
{
	const struct reading *reading = context;
	const size_t host = np_host_list_find(reading->list, name);

	if (host == reading->list->count)
		return np_refuse(error, "'%.100s': %.60s is none of the hosts",
				 reading->name, name);
	if (group == NULL)
		return np_refuse(error, "'%.100s': %.60s has no group", reading->name,
				 name);
	if (reading->grouped[host])
		return np_refuse(error, "'%.100s': %.60s stands there twice", reading->name,
				 name);
	reading->grouped[host] = true;
	if (np_host_list_join(reading->list, host, group) != 0)
		return np_fail_errno(error, ENOMEM, "cannot read '%.100s'", reading->name);
	return 0;
}

int np_host_list_groups(const char *name, const char *text, struct np_host_list *list,
			struct np_error *error)
{
	struct reading reading = { .name = name,
				   .list = list,
				   .grouped = calloc(list->count + 1, sizeof(bool)) };
	if (reading.grouped == NULL)
		return np_fail_errno(error, ENOMEM, "cannot read '%.100s'", name);
	int rc = read_lines(name, text, take_group, &reading, error);

	for (size_t i = 0; rc == 0 && i < list->count; i++) {
		if (!reading.grouped[i])
			rc = np_refuse(error, "'%.100s': %.60s has no group", name,
				       list->hosts[i].name);
	}
	free(reading.grouped);
	return rc;
}

int np_host_list_prefixes(struct np_host_list *list)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < list->count; i++) {
		char prefix[NP_HOST_NAME];
		const char *name = without_user(list->hosts[i].name);
		size_t length = strcspn(name, ".");

		while (length > 0 && isdigit((unsigned char)name[length - 1]))
			length--;
		snprintf(prefix, sizeof(prefix), "%.*s", (int)length, name);
		rc = np_host_list_join(list, i, prefix);
	}
	return rc;
}
