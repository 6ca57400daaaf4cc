/*
 * boot.h - control channel between the two processes of a run, as modules use it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/error.h"

/* Control channel: boot/channel.h. */
struct np_boot;

/*
 * Sends `length` bytes to the peer and receives as many.  Both processes call this from the
 * same hook, in the same order, with the same length.  `mine` and `theirs` may be the same
 * memory, and NULL only if length is 0, which makes a barrier.  Returns 0, or -errno with
 * the peer's own error if the peer failed instead.
 */
int np_boot_exchange(struct np_boot *boot, const void *mine, void *theirs, size_t length,
		     struct np_error *error);

/*
 * Makes a TCP connection between the two processes, without Nagle's algorithm, for
 * modules that measure over sockets. Both processes call this. The port is that of the
 * control channel, if there is one, so that a firewall needs one open port. prepare,
 * which may be NULL, sets options that have to precede the handshake: on the socket
 * before connect() at rank 0; at rank 1 on the listening socket, from which accepted
 * sockets inherit, before rank 0 connects. Returns 0 and *fd, which the caller closes;
 * or -errno, and leaves *fd as it is.
 */
int np_boot_link(struct np_boot *boot,
		 int (*prepare)(int fd, void *context, struct np_error *error),
		 void *context, int *fd, struct np_error *error);

/* Returns whether both processes run on one host: their kernels have the same boot id. */
bool np_boot_shares_host(const struct np_boot *boot);

/* Sets the local address of the connection to the peer, without a port; a mapped address of
 * IPv4 becomes one of IPv4.  Returns false if there is none: both processes have one
 * parent.
 */
bool np_boot_local_address(const struct np_boot *boot, struct sockaddr_storage *address);
