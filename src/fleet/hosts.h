/*
 * hosts.h - the hosts of NPfleet, or the ranks of a job, and the groups they are in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { NP_HOST_NAME = 128 };

/* Name for ssh, and address to measure. */
struct np_host_entry {
	char name[NP_HOST_NAME], address[NP_HOST_NAME];
	size_t group; /* below group_count */
};

struct np_host_list {
	struct np_host_entry *hosts;
	size_t count;
	char (*groups)[NP_HOST_NAME]; /* their names */
	size_t group_count;
	bool ranks; /* entries are ranks of a job */
};

void np_host_list_free(struct np_host_list *list);

/*
 * Reads a file of hosts: a line each, "[user@]HOST" and optionally the address to measure;
 * "#" begins a comment.  Returns 0, or -EINVAL with NP_ERROR_USAGE: fewer than two hosts,
 * or a duplicate.
 */
int np_host_list_read(const char *path, struct np_host_list *list, struct np_error *error);

/* Adds a host, whose names are cut at NP_HOST_NAME.  Returns 0 or -ENOMEM. */
int np_host_list_add(struct np_host_list *list, const char *name, const char *address);

/* Finds a host, with or without "user@".  Returns its index, or the length of the list. */
size_t np_host_list_find(const struct np_host_list *list, const char *name);

/* Puts a host into a group, and adds the group if it is new.  Returns 0 or -ENOMEM. */
int np_host_list_join(struct np_host_list *list, size_t host, const char *group);

/* Reads a file of groups: a line "HOST GROUP" for each host of the list; path NULL: groups
 * hosts by the first label of their names without its trailing digits.  Returns 0, or
 * -EINVAL with NP_ERROR_USAGE: an unknown, repeated or missing host. */
int np_host_list_group(const char *path, struct np_host_list *list, struct np_error *error);
