/*
 * resolve.h - addresses of a host by name, within a time.
 */
#pragma once

#include <netdb.h>

#include "base/error.h"

/* As getaddrinfo(3) for a stream socket.  Returns 0 and a list for freeaddrinfo(), or
 * -errno: also after timeout_ms, when no name server has answered. */
int np_resolve(const char *host, const char *service, int timeout_ms,
	       struct addrinfo **list, struct np_error *error);
