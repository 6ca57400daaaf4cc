/*
 * link_relay.h - descriptor passing from the server to a run's process (--serve).
 */
#pragma once

#include "boot/link.h"

/*
 * As np_link_accept(), for links that another process accepted and passed through
 * `relay`, a UNIX-domain socket.  Of wait, kinds and timeout_ms are used, and wake is a
 * socket of the peer, whose hang-up ends the wait (-EINTR).
 */
int np_link_relay_receive(int relay, const struct np_link_wait *wait, int *fd,
			  struct np_error *error);

/* Passes a link's descriptor through the other socket of such a pair; never blocks.
 * Returns 0 or -errno; the descriptor stays the caller's. */
int np_link_relay_send(int relay, enum np_link_kind kind, int fd);
