/*
 * condition.h - what --why varies besides its modes: how the pool is registered,
 * mapped and cut, and how an end waits for messages.
 *
 * The base is what the options have.  A condition differs from it in one factor
 * alone, and its dropout, rotate over reuse, is measured in visits of its own, in
 * each pass at a random place among the others.  Between visits of conditions with
 * another memory the pool is mapped and registered anew, untimed.
 */
#ifndef NP_CONDITION_H
#define NP_CONDITION_H

#include <stdbool.h>

#include "plan/layout.h"

enum np_factor {
	NP_FACTOR_NONE, /* the base */
	NP_FACTOR_REGISTRATIONS,
	NP_FACTOR_PAGES,
	NP_FACTOR_ALIGNMENT,
	NP_FACTOR_WAIT,
	NP_FACTORS
};

enum { NP_LEVEL = 64, NP_REASON = 160 };

struct np_condition {
	bool asked;
	struct np_memory memory;
	char base[NP_LEVEL], other[NP_LEVEL]; /* "4k pages", "2m pages"; or empty */
	char reason[NP_REASON];		      /* why it is not asked; or empty */
};

/* What decides which conditions there can be. */
struct np_condition_setting {
	const struct np_options *options;
	const struct np_request *request;
	size_t length;	   /* of the messages, bytes */
	size_t pool_bytes; /* of the region of one end */
	bool registers;	   /* the module registers as many parts as it is told to */
	bool models;	   /* it has pages of any size, for they are modelled */
	bool transparent;  /* both hosts give transparent huge pages to who asks */
	size_t huge_bytes; /* in free pages of 2 MiB, for one end */
};

/* Fills in the base and each condition: asked, or with the reason why not. */
void np_conditions_plan(const struct np_condition_setting *setting,
			struct np_condition conditions[NP_FACTORS]);

/* How many of them are asked, the base not counted. */
size_t np_conditions_asked(const struct np_condition conditions[NP_FACTORS]);

/* As in result files: "none", "registrations", "pages", "alignment", "wait". */
const char *np_factor_name(enum np_factor factor);

#endif
