/*
 * allow.h - the addresses that may connect: a list of networks.
 */
#ifndef NP_ALLOW_H
#define NP_ALLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/error.h"

enum { NP_ALLOW_MAX = 64 };

/* A network.  IPv4 is held as what IPv6 calls it, ::ffff:0:0/96, because that
 * is how it arrives at a socket for both. */
struct np_network {
	unsigned char address[16];
	unsigned bits;
};

struct np_allow {
	struct np_network networks[NP_ALLOW_MAX];
	size_t count; /* 0: every address may connect */
};

/* Reads "10.0.0.0/8,fd00::/8,192.0.2.7": networks or addresses with commas
 * between them.  text NULL: every address.  Returns 0, or -EINVAL with
 * NP_ERROR_USAGE. */
int np_allow_parse(const char *text, struct np_allow *allow, struct np_error *error);

/* Whether an address is in the list; one that is neither IPv4 nor IPv6 is only
 * in the empty list. */
bool np_allow_has(const struct np_allow *allow, const struct sockaddr_storage *address);

#endif
