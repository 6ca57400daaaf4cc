/*
 * serve.h - --serve: a server that outlives its runs.
 *
 * One process listens and forks a child for each run: a run leaves nothing behind in
 * the server, and one that crashes does not take the server down.
 */
#pragma once

#include "boot/link.h"

/*
 * Serves at boot->listener until a signal is readable at criteria->wake, a signalfd.
 * Drops privileges first: inherited descriptors, standard input, the right to gain
 * privileges.  After each run the listener is replaced by one at `address`, NULL for
 * every one.
 *
 * Returns 1 in the child of each run, with a rank 1 channel in boot; else -errno with a
 * text: in a child, why its run did not begin; in the listening process, the signal, or
 * why it cannot go on.
 */
int np_serve(const struct np_link_wait *criteria, const char *address, struct np_boot *boot,
	     struct np_error *error);
