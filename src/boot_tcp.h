/*
 * boot_tcp.h - a boot channel between two commands, on one host or two: one
 * waits at a port, the other dials it.
 */
#ifndef NP_BOOT_TCP_H
#define NP_BOOT_TCP_H

#include <netdb.h>

#include "boot.h"
#include "link.h"

/*
 * Waits at boot->listener, which np_link_listen() made, for a transmitter of
 * the same identity, for ever if timeout_ms is below 0.  wake ends the wait when
 * it becomes readable (-EINTR).  Returns 0 with a rank 1 channel, or -errno with
 * a text.
 */
int np_boot_wait(struct np_boot *boot, const struct np_identity *identity, int wake,
		 int timeout_ms, const struct np_notes *notes, struct np_error *error);

/*
 * Dials host (a name, an IPv4 or an IPv6 address) at port.  While nobody
 * listens there it tries again until patience_ms are over: the other end may
 * be starting.  Returns 0 with a rank 0 channel, or -errno with a text.
 */
int np_boot_dial(struct np_boot *boot, const struct np_identity *identity, const char *host,
		 uint16_t port, int patience_ms, struct np_error *error);

/* As np_boot_dial(), for a channel that has its token already, at the first of the
 * addresses that answers.  Returns 0; or -errno, with a text only if a peer has
 * refused. */
int np_boot_dial_list(struct np_boot *boot, const struct np_identity *identity,
		      const struct addrinfo *list, int patience_ms, struct np_error *error);

/* Finds out, together with the peer, whether both ends are on one host, and
 * sets boot->same_host.  For a fresh channel, once the watcher watches it. */
int np_boot_compare_hosts(struct np_boot *boot, struct np_error *error);

#endif
