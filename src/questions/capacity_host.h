/*
 * capacity_host.h - the caches, TLBs and registrations that a sweep is held against.
 */
#pragma once

#include "base/facts.h"
#include "questions/capacity.h"

/* Sets caches, TLBs and page size, from the facts of a host and from --pages (NULL:
 * default). */
void np_capacity_host_read(const struct np_facts *facts, const char *pages,
			   struct np_capacity_host *host);

/* Buffers of a process that a message touches, 1 or 2; name: of the operation. */
unsigned np_capacity_sides(enum np_operation operation, const char *name);

struct np_footprint np_footprint_of(const struct np_capacity_host *host, enum np_axis axis,
				    uint64_t buffers);

/* Lists the sizes of the machine that could show a knee, with axis and number of buffers.
 */
void np_capacity_expect(struct np_capacity *capacity);
