/*
 * boot.h - what the two ends tell each other beside the measured path.
 *
 * A control channel is two stream sockets between the ends: `control` carries commands,
 * replies and what modules exchange, in lock-step, used by the main thread alone;
 * `heartbeat` carries heartbeats and the final status of a process, used by the watcher
 * alone.  How the sockets come about differs (boot_tcp.c, boot_fork.c); what is said
 * over them does not.
 */
#ifndef NP_BOOT_H
#define NP_BOOT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"

enum { NP_TOKEN_LENGTH = 16 };

struct np_boot {
	int rank; /* 0 transmits, 1 receives */
	int control;
	int heartbeat;
	int listener; /* rank 1: where links arrive; -1 if there is none yet */
	/* rank 0: where the listener is; sa_family 0 if not known yet */
	struct sockaddr_storage peer;
	socklen_t peer_length;
	/* Drawn by the transmitter: links of this run know each other by it. */
	unsigned char token[NP_TOKEN_LENGTH];
	/* What every link of it has to prove; NULL: nothing. */
	const unsigned char *key;
	/* rank 1 under --serve: where links come through that were received
	 * elsewhere; -1: they come through the listener. */
	int relay;
	bool same_host;
};

/*
 * For modules.  Gives `length` bytes to the peer and takes as many from it.
 * Both ends call it from the same hook, in the same order, with the same
 * length (at most 64 KiB).  Either pointer may be NULL only if length is 0,
 * which makes it a barrier.  Returns 0, or -errno with the peer's own words in
 * error if it failed instead of exchanging.
 */
int np_boot_exchange(struct np_boot *boot, const void *mine, void *theirs, size_t length,
		     struct np_error *error);

/*
 * For modules that measure over sockets.  Makes a fresh TCP connection between
 * the two ends, through the port that the control channel came by where there is
 * one, so one open port in a firewall is enough.  Both ends call it.
 *
 * prepare, which may be NULL, is called with the socket before it connects
 * (rank 0) or before the peer is told to connect (rank 1, the listening
 * socket, whose options an accepted socket inherits): what has to be set
 * before the handshake is set there.  Returns 0 and *fd, which the caller
 * closes; or -errno.
 */
int np_boot_link(struct np_boot *boot,
		 int (*prepare)(int fd, void *context, struct np_error *error),
		 void *context, int *fd, struct np_error *error);

#endif
