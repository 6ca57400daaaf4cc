/*
 * capacity_host.h - the caches, TLBs and registrations that a sweep is held against.
 */
#pragma once

#include "base/facts.h"
#include "questions/capacity.h"

/*
 * Caches, TLBs and pages, from the facts of a host and from --pages as the option has it
 * (NULL: its default).  All else is the caller's.
 */
void np_capacity_host_read(const struct np_facts *facts, const char *pages,
			   struct np_capacity_host *host);

/* How many buffers of an end a message touches; name is that of the operation. */
unsigned np_capacity_sides(enum np_operation operation, const char *name);

struct np_footprint np_footprint_of(const struct np_capacity_host *host, enum np_axis axis,
				    uint64_t buffers);

/* Which sizes of the machine could show on which axis, and where. */
void np_capacity_expect(struct np_capacity *capacity);
