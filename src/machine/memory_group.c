/*
 * memory_group.c - memory below the limits of control groups, of both versions.
 *
 * A group's own limit may be "max" and its parent's not: the kernel charges every
 * ancestor, and kills in the one that is full.  In a container the path of the group
 * may be the host's, which does not exist below the container's mount; the group itself
 * is then the root of the mount, which is the last that is looked at.
 */
#include "machine/memory_group.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LENGTH = 1024 };

/* A hierarchy: where it is mounted, and its files. */
struct hierarchy {
	const char *folder, *limit, *used;
};

static const struct hierarchy second = { "", "memory.max", "memory.current" };
static const struct hierarchy first = { "/memory", "memory.limit_in_bytes",
					"memory.usage_in_bytes" };

/* Reads a number; SIZE_MAX for "max", and where there is none. */
static size_t read_bytes(const char *mount, const struct hierarchy *hierarchy,
			 const char *group, const char *name)
{
	char path[2 * PATH_LENGTH], text[32] = "";

	snprintf(path, sizeof(path), "%s%s%s/%s", mount, hierarchy->folder, group, name);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return SIZE_MAX;
	const bool found = fgets(text, sizeof(text), file) != NULL;
	fclose(file);
	return found && *text >= '0' && *text <= '9' ? (size_t)strtoull(text, NULL, 10) :
						       SIZE_MAX;
}

/* The least that is left in a group and its ancestors; cuts `group` up. */
static size_t left_above(const char *mount, const struct hierarchy *hierarchy, char *group)
{
	size_t least = SIZE_MAX;

	for (;;) {
		const size_t limit = read_bytes(mount, hierarchy, group, hierarchy->limit);
		const size_t used = read_bytes(mount, hierarchy, group, hierarchy->used);
		char *last = strrchr(group, '/');

		if (limit != SIZE_MAX && used != SIZE_MAX) {
			const size_t left = limit > used ? limit - used : 0;

			least = left < least ? left : least;
		}
		if (last == NULL)
			return least;
		*last = '\0';
	}
}

/* Whether a comma-separated list of controllers has "memory". */
static bool has_memory(const char *list, size_t length)
{
	static const char name[] = "memory";
	const size_t own = sizeof(name) - 1;

	for (size_t at = 0; at + own <= length; at++) {
		if (strncmp(list + at, name, own) == 0 &&
		    (at == 0 || list[at - 1] == ',') &&
		    (at + own == length || list[at + own] == ','))
			return true;
	}
	return false;
}

size_t np_memory_group_left(const char *groups, const char *mount)
{
	FILE *file = fopen(groups, "re");
	char line[PATH_LENGTH];
	size_t least = SIZE_MAX;

	if (file == NULL)
		return SIZE_MAX;
	/* "0::/group" of the second version, "4:cpu,memory:/group" of the first. */
	while (fgets(line, sizeof(line), file) != NULL) {
		char *list = strchr(line, ':');
		char *group = list != NULL ? strchr(list + 1, ':') : NULL;

		if (group == NULL)
			continue;
		group++;
		group[strcspn(group, "\n")] = '\0';
		const size_t length = (size_t)(group - 1 - (list + 1));
		const struct hierarchy *hierarchy = length == 0			 ? &second :
						    has_memory(list + 1, length) ? &first :
										   NULL;

		if (hierarchy == NULL)
			continue;
		const size_t left = left_above(mount, hierarchy, group);
		least = left < least ? left : least;
	}
	fclose(file);
	return least;
}
