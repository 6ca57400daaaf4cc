/*
 * hosts.c - parser of lists of hosts and of their groups.
 */
#include "fleet/hosts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
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
	struct np_host_entry *entry =
		np_list_extend(&list->hosts, &list->count, sizeof(*entry));

	if (entry == NULL)
		return -ENOMEM;
	*entry = (struct np_host_entry){ .group = 0 };
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	snprintf(entry->address, sizeof(entry->address), "%s", address);
	return 0;
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

/* Most bytes of a file; most hosts: 8 million pairs, and 2048 of them at a time. */
enum { FILE_MOST = 1 << 24, HOSTS_MOST = 4096 };

struct reading {
	const char *path;
	struct np_host_list *list;
	bool *grouped; /* true for each host with a group; NULL: hosts are read */
};

static int take_host(const struct reading *reading, const char *host, const char *address,
		     struct np_error *error)
{
	if (reading->list->count == HOSTS_MOST)
		return np_refuse(error,
				 "'%.100s' has more than %d hosts: measure parts of it, in "
				 "files of their own",
				 reading->path, HOSTS_MOST);
	if (np_host_list_find(reading->list, host) != reading->list->count)
		return np_refuse(error, "'%.100s': %.60s stands there twice", reading->path,
				 host);
	if (np_host_list_add(reading->list, host,
			     address != NULL ? address : without_user(host)) != 0)
		return np_fail_errno(error, ENOMEM, "cannot read '%.100s'", reading->path);
	return 0;
}

static int take_group(const struct reading *reading, const char *name, const char *group,
		      struct np_error *error)
{
	const size_t host = np_host_list_find(reading->list, name);
	const char *wrong = host == reading->list->count ? "is none of the hosts" :
			    group == NULL		 ? "has no group" :
			    reading->grouped[host]	 ? "stands there twice" :
							   NULL;

	if (wrong != NULL)
		return np_refuse(error, "'%.100s': %.60s %s", reading->path, name, wrong);
	reading->grouped[host] = true;
	if (np_host_list_join(reading->list, host, group) != 0)
		return np_fail_errno(error, ENOMEM, "cannot read '%.100s'", reading->path);
	return 0;
}

static int read_line(const struct reading *reading, char *line, struct np_error *error)
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
				 reading->path, first, NP_HOST_NAME);
	return reading->grouped == NULL ? take_host(reading, first, second, error) :
					  take_group(reading, first, second, error);
}

static int read_lines(const struct reading *reading, struct np_error *error)
{
	char *text = NULL, *rest = NULL;
	int rc = np_file_text(reading->path, FILE_MOST, &text, error);

	for (char *line = rc == 0 ? strtok_r(text, "\n", &rest) : NULL;
	     line != NULL && rc == 0; line = strtok_r(NULL, "\n", &rest))
		rc = read_line(reading, line, error);
	free(text);
	return rc;
}

int np_host_list_read(const char *path, struct np_host_list *list, struct np_error *error)
{
	const struct reading reading = { .path = path, .list = list };
	const int rc = read_lines(&reading, error);

	if (rc == 0 && list->count < 2)
		return np_refuse(error, "'%.100s': a pair needs two hosts", path);
	return rc;
}

/* Groups hosts by the first label of their names without its trailing digits. */
static int group_by_names(struct np_host_list *list)
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

int np_host_list_group(const char *path, struct np_host_list *list, struct np_error *error)
{
	const struct reading reading = { .path = path,
					 .list = list,
					 .grouped = calloc(list->count + 1, sizeof(bool)) };
	int rc = reading.grouped != NULL ? 0 : -ENOMEM;

	if (rc == 0)
		rc = path == NULL ? group_by_names(list) : read_lines(&reading, error);
	for (size_t i = 0; path != NULL && rc == 0 && i < list->count; i++) {
		if (!reading.grouped[i])
			rc = np_refuse(error, "'%.100s': %.60s has no group", path,
				       list->hosts[i].name);
	}
	free(reading.grouped);
	return rc == -ENOMEM ? np_fail_errno(error, ENOMEM, "no memory for the groups") :
			       rc;
}
