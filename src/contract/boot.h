/*
 * boot.h - the control channel, as modules use it: what the two processes of a run tell
 * each other beside the measured path.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/error.h"

/* A control channel: boot/channel.h. */
struct np_boot;

/*
 * Gives `length` bytes to the peer and takes as many from it.  Both processes call it
 * from the same hook, in the same order, with the same length (at most 64 KiB).  Either
 * pointer may be NULL only if length is 0, which makes it a barrier.  Returns 0, or
 * -errno with the peer's own error if it failed instead of exchanging.
 */
int np_boot_exchange(struct np_boot *boot, const void *mine, void *theirs, size_t length,
		     struct np_error *error);

/* A barrier in two parts, for a process that has to call its library while it waits: both
 * tell, once, and ask until the peer has told. */
int np_boot_tell(struct np_boot *boot, struct np_error *error);
int np_boot_told(struct np_boot *boot, bool *told, struct np_error *error);

/*
 * Makes a TCP connection between the two processes, without Nagle's algorithm, for
 * modules that measure over sockets: through the port that the control channel came by
 * where there is one, so that one open port in a firewall is enough.  Both processes call
 * it.
 *
 * prepare, which may be NULL, is called with the socket before it connects (rank 0) or
 * before the peer is told to connect (rank 1, the listening socket, whose options an
 * accepted socket inherits), for options that must be set before the handshake.  Returns
 * 0 and *fd, which the caller closes; or -errno, and *fd is unchanged.
 */
int np_boot_link(struct np_boot *boot,
		 int (*prepare)(int fd, void *context, struct np_error *error),
		 void *context, int *fd, struct np_error *error);

/* Whether both processes run on one host: their kernels have the same boot id. */
bool np_boot_shares_host(const struct np_boot *boot);

/* The address by which this process is connected with the peer; false if it has none: both
 * have one parent. */
bool np_boot_local_address(const struct np_boot *boot, struct sockaddr_storage *address);
