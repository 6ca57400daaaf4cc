/*
 * memory_group.c - memory left below the limits of control groups.  The kernel kills in any
 * group that is full, an ancestor included.
 */
#include "machine/memory_group.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/control_group.h"

enum { PATH_LENGTH = 4096 };

/* Reads a number of bytes; returns SIZE_MAX for "max" and for a missing file. */
static size_t read_bytes(const char *folder, const char *name)
{
	char path[PATH_LENGTH], text[32] = "";

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return SIZE_MAX;
	const bool found = fgets(text, sizeof(text), file) != NULL;
	fclose(file);
	return found && *text >= '0' && *text <= '9' ? (size_t)strtoull(text, NULL, 10) :
						       SIZE_MAX;
}

static void take_least(void *context, const char *folder, int version)
{
	size_t *const least = context;
	const size_t limit =
		read_bytes(folder, version == 2 ? "memory.max" : "memory.limit_in_bytes");
	const size_t used = read_bytes(folder, version == 2 ? "memory.current" :
							      "memory.usage_in_bytes");

	if (limit != SIZE_MAX && used != SIZE_MAX) {
		const size_t left = limit > used ? limit - used : 0;

		*least = left < *least ? left : *least;
	}
}

size_t np_memory_group_left(const char *groups, const char *mount)
{
	size_t least = SIZE_MAX;

	np_control_groups(groups, mount, "memory", take_least, &least);
	return least;
}
