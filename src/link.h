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

#include "boot.h"
#include "error.h"

enum np_link_kind { NP_LINK_CONTROL = 1, NP_LINK_WATCH, NP_LINK_DATA };

/* Who speaks: ends of different programs or versions refuse each other. */
struct np_identity {
	const char *program; /* "NPtcp" */
	const char *version; /* "0.1.0" */
};

/* What a waiting end has to say while it waits: a line without newline. */
struct np_notes {
	void (*note)(void *context, const char *text);
	void *context;
};

struct np_link_wait {
	const struct np_identity *identity;
	enum np_link_kind kind;
	unsigned char *token;	      /* NP_LINK_CONTROL stores it, the others compare */
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
 * Says hello on a connected socket and waits for the welcome.  Returns 0 or
 * -errno; a refusal's text is passed on with NP_ERROR_PEER.
 */
int np_link_greet(int fd, const struct np_identity *identity, enum np_link_kind kind,
		  const unsigned char *token, struct np_error *error);

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
