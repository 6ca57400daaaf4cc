/*
 * shared_cache.c - the smallest part of the machine that holds two cores (hwloc).
 */
#include "machine/shared_cache.h"

#include <hwloc.h>
#include <stdio.h>

enum { MOST_OF_CORE = 20, MOST_OF_CACHE = 100, MOST_OF_PACKAGE = 250, MOST_OF_HOST = 500 };

static hwloc_obj_t unit_of(const struct np_topology *topology, int core)
{
	return core < 0 ? NULL :
			  hwloc_get_pu_obj_by_os_index(topology->handle, (unsigned)core);
}

struct np_shared np_shared_of(const struct np_topology *topology, int core, int other)
{
	const hwloc_obj_t one = unit_of(topology, core), two = unit_of(topology, other);
	struct np_shared shared = { .most_ns = 0 };

	if (one == NULL || two == NULL || one == two)
		return shared;
	char how[40] = "are in two packages";
	hwloc_obj_t at = hwloc_get_common_ancestor_obj(topology->handle, one, two);

	shared.most_ns = MOST_OF_HOST;
	/* Smallest common ancestor that is a core, data cache or package. */
	for (; at != NULL && shared.most_ns == MOST_OF_HOST; at = at->parent) {
		if (at->type == HWLOC_OBJ_CORE) {
			shared.most_ns = MOST_OF_CORE;
			snprintf(how, sizeof(how), "are threads of one core");
		} else if (hwloc_obj_type_is_dcache(at->type)) {
			shared.most_ns = MOST_OF_CACHE;
			snprintf(how, sizeof(how), "share an L%u cache",
				 at->attr->cache.depth);
		} else if (at->type == HWLOC_OBJ_PACKAGE) {
			shared.most_ns = MOST_OF_PACKAGE;
			snprintf(how, sizeof(how), "are in one package");
		}
	}
	snprintf(shared.what, sizeof(shared.what), "cores %d and %d %s", core, other, how);
	return shared;
}
