/*
 * limit.h - reported limits (eager limit, MTU, page size) at which a curve may break.
 *
 * Modules and hosts report limits as facts (facts.h), under names of their own.  One table
 * maps words in a name to a kind of limit and its label, for the driver and for NPreport.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/facts.h"

struct np_limit {
	const struct np_fact *fact;
	const char *label; /* "eager limit" */
	size_t bytes;
	size_t times;  /* packets or pages in the message; else 1 */
	size_t header; /* bytes of header: limit minus longest message within it */
};

/*
 * Finds the limits between low and high that either process reports, each once, at most
 * `room`.  Limits of the transport (paths) come first.  Limits of hosts are used only
 * without these, and only if the transport reports all of its limits: page and cache sizes
 * match every power of two, and an unreported eager limit may lie there.  Returns their
 * number.
 */
size_t np_limits_find(const struct np_facts paths[2], const struct np_facts hosts[2],
		      size_t low, size_t high, struct np_limit *limits, size_t room);

/* "eager limit (btl_vader_eager_limit 4096 less 56 B of header)". */
void np_limit_text(const struct np_limit *limit, char *text, size_t size);
