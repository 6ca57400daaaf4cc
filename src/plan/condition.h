/*
 * condition.h - conditions of --why: registrations, pages, alignment, completion mode.
 *
 * The base has the settings of the options.  A condition differs from the base in one
 * factor: its pool is newly mapped like that of the base, its visits have the same modes,
 * and its registrations are parts of one layout.  The cost of cold buffers, rotate over
 * reuse, is measured in visits of each condition, in each pass at a random place among the
 * others.  Between visits of conditions with different memory the pool is mapped and
 * registered again, untimed.
 */
#pragma once

#include <stdbool.h>

#include "plan/layout.h"

enum { NP_LEVEL = 96, NP_REASON = 160 };

struct np_condition {
	bool asked;
	struct np_memory memory;
	char base[NP_LEVEL], other[NP_LEVEL]; /* both settings, "4k pages"; or empty */
	char reason[NP_REASON];		      /* why it is not measured; or empty */
};

/* Input of np_conditions_plan(): facts that decide which conditions are possible. */
struct np_condition_setting {
	const struct np_options *options;
	const struct np_request *request;
	size_t length;	   /* message length, bytes */
	size_t pool_bytes; /* bytes of the pool of one process */
	bool models;	   /* memory is modelled: it has any page size */
	bool transparent;  /* both hosts have transparent huge pages by madvise */
	size_t huge_bytes; /* free pages of 2 MiB for one process */
};

/* Sets the base and each condition: measured, or with the reason why not. */
void np_conditions_plan(const struct np_condition_setting *setting,
			struct np_condition conditions[NP_FACTORS]);

/* Returns the number of conditions that are measured, without the base. */
size_t np_conditions_asked(const struct np_condition conditions[NP_FACTORS]);
