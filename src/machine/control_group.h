/*
 * control_group.h - the control groups whose limits hold for this process, of both
 * versions.
 */
#pragma once

/* A group: folder is where its files are, version 1 or 2. */
typedef void np_control_group(void *context, const char *folder, int version);

/*
 * Calls each() for the group of this process in the hierarchy of a controller ("memory",
 * "cpu"), which `groups` ("/proc/self/cgroup") names, and for each of its ancestors.
 * mount is where the hierarchies are ("/sys/fs/cgroup").
 */
void np_control_groups(const char *groups, const char *mount, const char *controller,
		       np_control_group *each, void *context);
