/*
 * allow.h - address filter of --allow: the networks that may connect.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/error.h"

enum { NP_ALLOW_MAX = 64 };

/* IPv4 networks are stored IPv4-mapped (::ffff:0:0/96), as accept() on a dual-stack
 * socket reports the addresses. */
struct np_network {
	unsigned char address[16];
	unsigned bits;
};

struct np_allow {
	struct np_network networks[NP_ALLOW_MAX];
	size_t count; /* 0: every address may connect */
};

/* Parses a comma-separated list of networks or addresses,
 * "10.0.0.0/8,fd00::/8,192.0.2.7". text NULL: every address.  Returns 0, or -EINVAL
 * with NP_ERROR_USAGE. */
int np_allow_parse(const char *text, struct np_allow *allow, struct np_error *error);

/* Returns true if an address may connect; an address of another family may only if the list
 * is empty. */
bool np_allow_has(const struct np_allow *allow, const struct sockaddr_storage *address);
