/*
 * link_relay.h - descriptor passing from the server to a run's process (--serve).
 */
#pragma once

#include "boot/link.h"

/*
 * Receives a link that another process accepted and passed through `relay`, a UNIX-domain
 * socket.  Uses kinds, timeout_ms and wake of wait; wake is a socket of the peer, whose
 * hang-up ends the wait (-EINTR).  Returns as np_link_accept().
 */
int np_link_relay_receive(int relay, const struct np_link_wait *wait, int *fd,
			  struct np_error *error);

/* Passes a link's descriptor through the other socket of the relay; never blocks.  Returns
 * 0 or -errno; the caller still closes the descriptor. */
int np_link_relay_send(int relay, enum np_link_kind kind, int fd);
