/*
 * serve.h - --serve: a server that outlives its runs.
 *
 * One process listens and forks a child for each run: a run leaves no state in the server,
 * and a crash does not end the server.
 */
#pragma once

#include "boot/link.h"

/*
 * Serves at boot->listener until a signal is readable at criteria->wake, a signalfd.  Drops
 * inherited descriptors, standard input and the right to gain privileges first.  After each
 * run a new listener at `address` (NULL: every one) replaces the old.
 *
 * Returns 1 in the child of each run, with a rank 1 channel in boot; else -errno with a
 * text: in a child, the reason why its run did not begin; in the listening process, the
 * signal, or the reason why it cannot continue.
 */
int np_serve(const struct np_link_wait *criteria, const char *address, struct np_boot *boot,
	     struct np_error *error);
