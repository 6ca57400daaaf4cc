/*
 * control_group.h - control groups (v1 and v2) whose limits apply to this process: memory
 * and CPU quota.
 */
#pragma once

#include <stddef.h>

/*
 * Returns the bytes left below the lowest limit of the group of this process and its
 * ancestors; SIZE_MAX without a limit. groups: the
 * file with the groups ("/proc/self/cgroup"); mount: the folder of the hierarchies
 * ("/sys/fs/cgroup").
 */
size_t np_memory_group_left(const char *groups, const char *mount);

/*
 * Returns the smallest CPU quota of the group of this process and its ancestors, in
 * processors, below 0 without a limit.  root: as in kernel_files.h.  group: set to the
 * folder of the group, below root.
 */
double np_cpu_quota(const char *root, char *group, size_t size);
