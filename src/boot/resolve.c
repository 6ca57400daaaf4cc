/*
 * resolve.c - addresses of a host by name, with a deadline.
 *
 * getaddrinfo() queries each name server several times, for half a minute and more, and
 * cannot be interrupted.
 */
#include "boot/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/await.h"

struct lookup {
	char *host, *service;
	struct addrinfo *list;
	int family;
	int failure; /* of getaddrinfo() */
};

static void free_lookup(void *context)
{
	struct lookup *lookup = context;

	if (lookup->list != NULL)
		freeaddrinfo(lookup->list);
	free(lookup->host);
	free(lookup->service);
	free(lookup);
}

static void look_up(void *context)
{
	struct lookup *lookup = context;
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
					.ai_family = lookup->family };

	lookup->failure = getaddrinfo(lookup->host, lookup->service, &hints, &lookup->list);
}

static struct lookup *make_lookup(const char *host, const char *service)
{
	struct lookup *lookup = calloc(1, sizeof(*lookup));

	if (lookup == NULL)
		return NULL;
	lookup->host = strdup(host);
	lookup->service = strdup(service);
	if (lookup->host != NULL && lookup->service != NULL)
		return lookup;
	free_lookup(lookup);
	return NULL;
}

/* Returns the hint for a word that contains more than a host, or for a name that was not
 * found. */
static const char *hint_of(const char *host, int failure)
{
	if (strchr(host, '@') != NULL)
		return "; a user stands before the host of --remote only";
	if (*host == '[')
		return "; give an address of IPv6 without brackets, and its port by --port";
	if (strchr(host, ':') != NULL)
		return "; give the port by --port";
	return failure == EAI_NONAME || failure == EAI_AGAIN ?
		       "; -h takes an address, too" :
		       "";
}

/* Moves the list out of a completed lookup. */
static int take_list(struct lookup *lookup, struct addrinfo **list, struct np_error *error)
{
	if (lookup->failure != 0)
		return np_fail(error, NP_ERROR_PEER, EHOSTUNREACH,
			       "unknown host '%.200s': %s%s", lookup->host,
			       gai_strerror(lookup->failure),
			       hint_of(lookup->host, lookup->failure));
	*list = lookup->list;
	lookup->list = NULL;
	return 0;
}

int np_resolve(const char *host, const char *service, int family,
	       struct np_deadline deadline, struct addrinfo **list, struct np_error *error)
{
	struct lookup *lookup = make_lookup(host, service);

	if (lookup == NULL)
		return np_fail_errno(error, ENOMEM, "cannot look up '%.200s'", host);
	lookup->family = family;
	const struct np_awaited awaited = { .call = look_up,
					    .release = free_lookup,
					    .context = lookup };
	int rc = np_await(&awaited, deadline, error);
	if (rc == -ETIMEDOUT)
		return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
			       "unknown host '%.200s': no name server has answered within "
			       "%u s",
			       host, deadline.seconds);
	if (rc != 0)
		return rc;
	rc = take_list(lookup, list, error);
	free_lookup(lookup);
	return rc;
}
