/*
 * control_group.h - control groups (v1 and v2) whose limits apply to this process: memory
 * and CPU quota.
 */
#pragma once

#include <stddef.h>

/* Visitor of a group. folder: folder of its files; version: 1 or 2. */
typedef void np_control_group(void *context, const char *folder, int version);

/*
 * Calls each() for the group of this process in the hierarchy of a controller ("memory",
 * "cpu"), and for each ancestor of the group. groups: the file with the groups
 * ("/proc/self/cgroup"); mount: the folder of the hierarchies ("/sys/fs/cgroup").
 */
void np_control_groups(const char *groups, const char *mount, const char *controller,
		       np_control_group *each, void *context);

/*
 * Returns the bytes left below the lowest limit of the group of this process and its
 * ancestors; SIZE_MAX without a limit. groups and mount: as for np_control_groups().
 */
size_t np_memory_group_left(const char *groups, const char *mount);

/*
 * Returns the smallest CPU quota of the group of this process and its ancestors, in
 * processors, below 0 without a limit.  root: as in kernel_files.h.  group: set to the
 * folder of the group, below root.
 */
double np_cpu_quota(const char *root, char *group, size_t size);
