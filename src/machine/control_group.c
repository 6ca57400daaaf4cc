/*
 * control_group.c - control groups of this process, from /proc/self/cgroup, the memory
 * left below their limits, and their CPU quota.
 *
 * A group's own limit may be "max" and its parent's not: the kernel charges every ancestor.
 * In a container the path of the group may be the host's, which does not exist below the
 * container's mount; the group itself is then the root of the mount, which is visited last.
 *
 * The lowest limit counts: the OOM killer acts in any group that is full, an ancestor
 * included.
 */
#include "machine/control_group.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/kernel_files.h"

enum { PATH_LENGTH = 1024 };

/* Visitor of a group. folder: folder of its files; version: 1 or 2. */
typedef void visit_group(void *context, const char *folder, int version);

/* Visits a group and its ancestors; overwrites `group`. */
static void go_up(const char *mount, const char *below, char *group, int version,
		  visit_group *each, void *context)
{
	for (;;) {
		char folder[3 * PATH_LENGTH];
		char *last = strrchr(group, '/');

		snprintf(folder, sizeof(folder), "%s%s%s%s", mount,
			 *below != '\0' ? "/" : "", below, group);
		each(context, folder, version);
		if (last == NULL)
			return;
		*last = '\0';
	}
}

/* Returns true if a comma-separated list of controllers contains `name`. */
static bool has_controller(const char *list, size_t length, const char *name)
{
	const size_t own = strlen(name);

	for (size_t at = 0; at + own <= length; at++) {
		if (strncmp(list + at, name, own) == 0 &&
		    (at == 0 || list[at - 1] == ',') &&
		    (at + own == length || list[at + own] == ','))
			return true;
	}
	return false;
}

/*
 * Calls each() for the group of this process in the hierarchy of a controller ("memory",
 * "cpu"), and for each ancestor of the group.
 */
static void control_groups(const char *groups, const char *mount, const char *controller,
			   visit_group *each, void *context)
{
	FILE *file = fopen(groups, "re");
	char line[PATH_LENGTH];

	if (file == NULL)
		return;
	/* cgroup v2: "0::/group"; v1: "4:cpu,memory:/group". */
	while (fgets(line, sizeof(line), file) != NULL) {
		char *list = strchr(line, ':');
		char *group = list != NULL ? strchr(list + 1, ':') : NULL;

		if (group == NULL)
			continue;
		group++;
		group[strcspn(group, "\n")] = '\0';
		const size_t length = (size_t)(group - 1 - (list + 1));
		if (length == 0)
			go_up(mount, "", group, 2, each, context);
		else if (has_controller(list + 1, length, controller))
			go_up(mount, controller, group, 1, each, context);
	}
	fclose(file);
}

enum { FILE_LENGTH = 4096 };

/* Reads a number of bytes; returns SIZE_MAX for "max" and for a missing file. */
static size_t read_bytes(const char *folder, const char *name)
{
	char path[FILE_LENGTH], text[32] = "";

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

	control_groups(groups, mount, "memory", take_least, &least);
	return least;
}

/* Control group with the smallest CPU quota. */
struct quota {
	double processors; /* below 0: no limit was found */
	char folder[256];
};

/* Reads the quota of a group, in processors.  Returns false without a limit. */
static bool read_quota(const char *folder, int version, double *processors)
{
	unsigned long long quota, period;
	char line[64], *end;

	if (version == 1)
		/* -1, for no limit, is refused as a number. */
		return np_kernel_number("", &quota, "%s/cpu.cfs_quota_us", folder) &&
		       np_kernel_number("", &period, "%s/cpu.cfs_period_us", folder) &&
		       period != 0 && (*processors = (double)quota / (double)period, true);
	/* "200000 100000", or "max 100000". */
	if (!np_kernel_line("", line, sizeof(line), "%s/cpu.max", folder) ||
	    line[0] < '0' || line[0] > '9')
		return false;
	quota = strtoull(line, &end, 10);
	period = strtoull(end, NULL, 10);
	if (period == 0)
		return false;
	*processors = (double)quota / (double)period;
	return true;
}

static void take_quota(void *context, const char *folder, int version)
{
	struct quota *least = context;
	double processors;

	if (!read_quota(folder, version, &processors) ||
	    (least->processors >= 0 && processors >= least->processors))
		return;
	least->processors = processors;
	snprintf(least->folder, sizeof(least->folder), "%.255s", folder);
}

double np_cpu_quota(const char *root, char *group, size_t size)
{
	struct quota least = { .processors = -1 };
	char groups[NP_KERNEL_PATH], mount[NP_KERNEL_PATH];

	snprintf(groups, sizeof(groups), "%s/proc/self/cgroup", root);
	snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup", root);
	control_groups(groups, mount, "cpu", take_quota, &least);
	snprintf(group, size, "%s",
		 least.processors < 0 ? "" : least.folder + strlen(root));
	return least.processors;
}
