/*
 * limit.h - which of the facts of a run is a limit that lies where a curve breaks.
 *
 * Modules and hosts report what they know as facts (facts.h), each by a name of its
 * own.  One table says which words in a name make it a limit on the size of a message,
 * and what a reader calls it; the driver and NPreport both ask it.
 */
#ifndef NP_LIMIT_H
#define NP_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

struct np_limit {
	const char *name;  /* of the fact, as it was given */
	const char *label; /* "eager limit" */
	size_t bytes;
	size_t times; /* how many of them the message holds; 1 but of packets and pages */
};

/*
 * Whether a fact is a limit that explains a break between sizes low and high.  Where
 * they are one byte apart: it lies at one of them, or above them by no more than a
 * header takes (64 bytes, or an eighth of it), or, of packets, pages and segments, up
 * to 64 of them end at one.  Where they are farther apart: it lies between them or
 * within a tenth of them.
 */
bool np_limit_match(const char *name, const char *value, size_t low, size_t high,
		    struct np_limit *limit);

#endif
