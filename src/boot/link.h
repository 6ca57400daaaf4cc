/*
 * link.h - TCP connections that know which run they belong to.
 *
 * Everything arrives at one port: the control and watch links of the boot
 * channel and the links that modules measure over.  Each begins with a hello
 * of fixed length; who does not say it within seconds, or says something else,
 * is dropped and the wait goes on.
 */
#ifndef NP_LINK_H
#define NP_LINK_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "boot/allow.h"
#include "contract/boot.h"
#include "base/error.h"

enum np_link_kind { NP_LINK_NONE, NP_LINK_CONTROL, NP_LINK_WATCH, NP_LINK_DATA };

static inline unsigned np_link_bit(enum np_link_kind kind)
{
	return 1u << kind;
}

/* Who speaks: ends of different programs or versions refuse each other. */
struct np_identity {
	const char *program; /* "NPtcp" */
	const char *version; /* "0.1.0" */
};

/* Data links are known by their token; who speaks was settled before. */
extern const struct np_identity np_link_data_identity;

/* What a waiting end has to say while it waits: a line without newline. */
struct np_notes {
	void (*note)(void *context, const char *text);
	void (*announce)(void *context, const char *text); /* where it waits; may be NULL */
	void *context;
};

struct np_link_wait {
	const struct np_identity *identity;
	unsigned kinds;		      /* np_link_bit() of those that are wanted */
	unsigned char *token;	      /* NP_LINK_CONTROL stores it, the others compare */
	const unsigned char *key;     /* that has to be proved; NULL: none */
	const struct np_allow *allow; /* NULL: everybody */
	int wake;		      /* fd that ends the wait when readable; -1: none */
	int timeout_ms;		      /* below 0: for ever */
	const struct np_notes *notes; /* may be NULL */
};

/*
 * Accepts links until one fits; several strangers may dawdle meanwhile.
 * Returns 0 and *fd, -EINTR when wake became readable, -ETIMEDOUT, or -errno
 * with a text.
 */
int np_link_accept(int listener, const struct np_link_wait *wait, int *fd,
		   struct np_error *error);

/*
 * As np_link_accept(), but the links were received by another process and come
 * through `door`, a UNIX-domain socket: wait's kinds and timeout count, and its
 * wake is a socket whose peer must not leave meanwhile (-EINTR).
 */
int np_link_take(int door, const struct np_link_wait *wait, int *fd,
		 struct np_error *error);

/* Hands a link through the other side of such a door; never waits.  Returns 0 or
 * -errno; the descriptor stays the caller's. */
int np_link_hand(int door, enum np_link_kind kind, int fd);

/* What who knocks has to say. */
struct np_greeting {
	const struct np_identity *identity;
	enum np_link_kind kind;
	const unsigned char *token; /* of the run */
	const unsigned char *key;   /* both sides prove that they know it; NULL: none */
};

/*
 * Says hello on a connected socket and waits for the welcome.  Returns 0 or
 * -errno; a refusal's text is passed on with NP_ERROR_PEER.  -EBUSY: another
 * run is in progress there.
 */
int np_link_greet(int fd, const struct np_greeting *greeting, struct np_error *error);

/* Connects fd before the timeout, retrying nothing.  Returns 0 or -errno. */
int np_link_connect(int fd, const struct sockaddr *address, socklen_t length,
		    int timeout_ms);

/*
 * Opens a listening socket.  host NULL: every address, IPv6 and IPv4 alike
 * where the system has both.  port 0 lets the system choose.  Returns 0 and
 * *listener, or -errno.
 */
int np_link_listen(const char *host, uint16_t port, int *listener, struct np_error *error);

/* "[::1]:5002" or "127.0.0.1:5002"; size of at least 64. */
void np_link_address_text(const struct sockaddr *address, char *text, size_t size);

/* The port of a bound socket, 0 if it has none. */
uint16_t np_link_port(int fd);

#endif
