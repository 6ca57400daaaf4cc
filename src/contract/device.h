/*
 * device.h - the optional table of a transport over a device: an adapter with ports.
 *
 * Each hook but event() may be NULL by itself; event_fd() and event() come together.
 */
#pragma once

#include "base/error.h"
#include "base/facts.h"

struct np_endpoint;

struct np_device_hooks {
	/* Lists the devices and ports that the options can name on this host, for
	 * --list-devices: a fact each, by the name that an option takes. */
	int (*list)(const void *options, struct np_facts *, struct np_error *);
	/* Returns the NUMA node of the device that the options name, so that cores and
	 * memory are taken there; -1 if it has none or it is unknown. */
	int (*node)(const void *options);
	/* Returns a descriptor that becomes readable when the device reports an event
	 * beside messages (a port goes down), or -1.  Called after connect(); the
	 * watcher's thread waits on it until close(). */
	int (*event_fd)(struct np_endpoint *);
	/* Takes one event.  Called from the watcher's thread when that descriptor is
	 * readable.  Returns 0 if the run can go on, or -errno with the event's name in
	 * the error that it is given: ep->error is the main thread's. */
	int (*event)(struct np_endpoint *, struct np_error *);
};
