/*
 * limit.h - reported limits (eager limit, MTU, page size) at which a curve may break.
 *
 * Modules and hosts report limits as facts (facts.h), under names of their own.  One table
 * maps words in a name to a kind of limit and its label, for the driver and for NPreport.
 */
#ifndef NP_LIMIT_H
#define NP_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/facts.h"

struct np_limit {
	const char *name;  /* of the fact */
	const char *label; /* "eager limit" */
	size_t bytes;
	size_t times; /* multiples of it in the message; 1 except for packets and pages */
};

/*
 * Whether a fact is a limit that explains a break between sizes low and high.  If they
 * are one byte apart, the limit must be equal to one of them, or larger by at most a
 * header (64 bytes, or an eighth of it), or, for packets, pages and segments, a multiple
 * of it up to 64 must be.  If they are farther apart, the limit must lie between them or
 * within a tenth of them.
 */
bool np_limit_match(const struct np_fact *fact, size_t low, size_t high,
		    struct np_limit *limit);

#endif
