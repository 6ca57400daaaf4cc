/*
 * boot_tcp.h - a boot channel between two commands, on one host or two: one
 * waits at a port, the other dials it.
 */
#ifndef NP_BOOT_TCP_H
#define NP_BOOT_TCP_H

#include <netdb.h>

#include "contract/boot.h"
#include "boot/link.h"

/*
 * Waits for a transmitter, as `how` says: for its identity, its key, its address,
 * its time.  `how` is for a control link, its token that of boot.  Links arrive
 * at boot->listener, which np_link_listen() made.  Returns 0 with a rank 1
 * channel, -EINTR when how->wake became readable, or -errno with a text.
 */
int np_boot_wait(struct np_boot *boot, const struct np_link_wait *how,
		 struct np_error *error);

/*
 * The second half of it: the control link stands, the watch link has to follow.
 */
int np_boot_complete(struct np_boot *boot, const struct np_link_wait *how,
		     struct np_error *error);

/* Whom to dial. */
struct np_dial {
	const struct np_identity *identity;
	const char *host; /* a name, an IPv4 or an IPv6 address */
	uint16_t port;
	int patience_ms;	  /* while nobody listens there, or another run goes on */
	const unsigned char *key; /* both ends prove that they know it; NULL: none */
};

/*
 * Dials.  While nobody listens there it tries again until its patience is over:
 * the other end may be starting, or be at work for somebody else.  Returns 0
 * with a rank 0 channel, or -errno with a text.
 */
int np_boot_dial(struct np_boot *boot, const struct np_dial *dial, struct np_error *error);

/* As np_boot_dial(), for a channel that has its token already, at the first of the
 * addresses that answers.  Returns 0; or -errno, with a text only if a peer has
 * refused. */
int np_boot_dial_list(struct np_boot *boot, const struct np_dial *dial,
		      const struct addrinfo *list, struct np_error *error);

/* Finds out, together with the peer, whether both ends are on one host, and
 * sets boot->same_host.  For a fresh channel, once the watcher watches it. */
int np_boot_compare_hosts(struct np_boot *boot, struct np_error *error);

#endif
