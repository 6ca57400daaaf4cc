/*
 * registry.h - the modules of this build, for programs that hold all of them.
 *
 * A NetPong program has one module and does without this; the test suite runs
 * over every one, and a module that wraps another looks it up.  Which modules
 * there are is configure's knowledge, so that a new one is in the list without
 * a line of its own here.
 */
#pragma once

#include "contract/np_module.h"

/* Every module of this build; NULL at the end. */
extern const struct np_module *const np_registry_built[];

struct np_registry_absence {
	const char *name;
	const char *reason; /* one line */
};

/* Every module that was left out; a zero entry at the end. */
extern const struct np_registry_absence np_registry_absent[];

/* The module of that name in this build, or NULL. */
const struct np_module *np_registry_find(const char *name);

/* Why np_registry_find() found nothing. */
const char *np_registry_reason(const char *name);
