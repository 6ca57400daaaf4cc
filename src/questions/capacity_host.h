/*
 * capacity_host.h - the caches, TLBs and registrations that a sweep is held against.
 */
#ifndef NP_CAPACITY_HOST_H
#define NP_CAPACITY_HOST_H

#include "questions/capacity.h"

/*
 * The host from what a header says, as text: `find` gives the fact of a name, or NULL.
 * length, sides, share_cache and pool are the caller's.
 */
typedef const char *np_capacity_fact(void *context, const char *name);
void np_capacity_host_read(np_capacity_fact *find, void *context,
			   struct np_capacity_host *host);

/* How many buffers of an end a message touches; name is that of the operation. */
unsigned np_capacity_sides(enum np_operation operation, const char *name);

struct np_footprint np_footprint_of(const struct np_capacity_host *host, enum np_axis axis,
				    uint64_t buffers);

/* Which sizes of the machine could show on which axis, and where. */
void np_capacity_expect(struct np_capacity *capacity);

#endif
