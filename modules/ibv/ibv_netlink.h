/*
 * ibv_netlink.h - hardware counters of a port as they are now, by rdma netlink.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/counts.h"

struct np_ibv_netlink;

/* NULL where the kernel has no such statistics for the port, or none at all. */
struct np_ibv_netlink *np_ibv_netlink_open(const char *device, unsigned port);
void np_ibv_netlink_close(struct np_ibv_netlink *netlink);

/* Fills at most `most` counters; returns how many, 0 if the kernel has refused. */
size_t np_ibv_netlink_count(struct np_ibv_netlink *netlink, struct np_counter *counters,
			    size_t most);

/* The same from the attributes of a reply. */
size_t np_ibv_netlink_parse(const void *attributes, size_t length,
			    struct np_counter *counters, size_t most);
