/*
 * resolve.h - addresses of a host by name, with a timeout.
 */
#pragma once

#include <netdb.h>

#include "base/deadline.h"
#include "base/error.h"

/* Resolves a name for a stream socket to addresses of a family (AF_UNSPEC: any), as
 * getaddrinfo(3).  Returns 0 and a list for
 * freeaddrinfo(), or -errno with a text: -ETIMEDOUT if no name server has answered by then.
 */
int np_resolve(const char *host, const char *service, int family,
	       struct np_deadline deadline, struct addrinfo **list, struct np_error *error);
