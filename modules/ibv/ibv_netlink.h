/*
 * ibv_netlink.h - hardware counters of a port as they are now, by rdma netlink.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counts.h"

struct np_ibv_netlink;

/* Returns NULL where the kernel has no statistics for the port. */
struct np_ibv_netlink *np_ibv_netlink_open(const char *device, unsigned port);
void np_ibv_netlink_close(struct np_ibv_netlink *netlink);

/* Reads at most `most` counters.  Returns their number, 0 if the kernel refused. */
size_t np_ibv_netlink_count(struct np_ibv_netlink *netlink, struct np_counter *counters,
			    size_t most);

/* Parses the attributes of a reply, `length` bytes, into at most `most` counters.  Returns
 * their number. */
size_t np_ibv_netlink_parse(const void *attributes, size_t length,
			    struct np_counter *counters, size_t most);
