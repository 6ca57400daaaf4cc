/*
 * memory_group.h - memory left below the limits of control groups (v1 and v2).
 */
#pragma once

#include <stddef.h>

/*
 * Returns the bytes left below the lowest limit of the group of this process and its
 * ancestors; SIZE_MAX without a limit. groups and mount: as for np_control_groups().
 */
size_t np_memory_group_left(const char *groups, const char *mount);
