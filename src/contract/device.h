/*
 * device.h - optional table of a transport over a device: an adapter with ports.
 *
 * Each hook may be NULL, but event_fd() and event() come together.
 */
#pragma once

#include "base/error.h"
#include "base/facts.h"

struct np_endpoint;

struct np_device_hooks {
	/* Lists the devices and ports of this host that the options can name, for
	 * --list-devices: a fact each, named as an option takes it. */
	int (*list)(const void *options, struct np_facts *, struct np_error *);
	/* Returns the NUMA node of the device that the options name, for cores and
	 * memory near it; -1 if it has none or it is unknown. */
	int (*node)(const void *options);
	/* Returns a descriptor that becomes readable on an event of the device (a port
	 * goes down), or -1.  Called after connect(); the watcher thread polls it until
	 * close(). */
	int (*event_fd)(struct np_endpoint *);
	/* Reads one event.  Called from the watcher thread when the descriptor is
	 * readable.  Returns 0 if the run can go on, or -errno with the event's name in
	 * the given error: ep->error belongs to the main thread. */
	int (*event)(struct np_endpoint *, struct np_error *);
};
