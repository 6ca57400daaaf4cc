/*
 * memory_group.h - memory below the limits of control groups, of both versions.
 */
#pragma once

#include <stddef.h>

/*
 * Bytes until the first limit is reached: of the group of this process, which `groups`
 * ("/proc/self/cgroup") names, and of each of its ancestors.  mount is where the
 * hierarchies are ("/sys/fs/cgroup").  SIZE_MAX without a limit.
 */
size_t np_memory_group_left(const char *groups, const char *mount);
