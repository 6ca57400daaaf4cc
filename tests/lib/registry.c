/*
 * registry.c - configure's two lists as tables.
 */
#include "registry.h"

#include <string.h>

#include "config.h"

#define DECLARE(name) extern const struct np_module np_module_##name;
NP_BUILT_MODULES(DECLARE)

// clang-format off
#define BUILT(name) &np_module_##name,
const struct np_module *const np_registry_built[] = {
	NP_BUILT_MODULES(BUILT)
	NULL
};

#define ABSENT(name, reason) { name, reason },
const struct np_registry_absence np_registry_absent[] = {
	NP_ABSENT_MODULES(ABSENT)
	{ NULL, NULL }
};
// clang-format on

const struct np_module *np_registry_find(const char *name)
{
	for (size_t i = 0; np_registry_built[i] != NULL; i++) {
		if (strcmp(np_registry_built[i]->name, name) == 0)
			return np_registry_built[i];
	}
	return NULL;
}

const char *np_registry_reason(const char *name)
{
	for (size_t i = 0; np_registry_absent[i].name != NULL; i++) {
		if (strcmp(np_registry_absent[i].name, name) == 0)
			return np_registry_absent[i].reason;
	}
	return "there is no module of that name";
}
