/*
 * link.h - TCP links of a run: listening, connecting, accepting.
 *
 * All links arrive at one port: control and heartbeat links of the control channel, and
 * the links that modules measure over.  Each begins with a hello of fixed length.  A
 * connection that does not send it within seconds, or sends something else, is closed.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/deadline.h"
#include "base/error.h"
#include "base/facts.h"
#include "boot/access.h"
#include "boot/channel.h"

enum np_link_kind { NP_LINK_NONE, NP_LINK_CONTROL, NP_LINK_HEARTBEAT, NP_LINK_DATA };

static inline unsigned np_link_bit(enum np_link_kind kind)
{
	return 1u << kind;
}

/* Identity in the hello of data links: the run's token authenticates them, and the control
 * link has compared programs. */
extern const struct np_identity np_link_data_identity;

/* Callbacks for log lines of a server, without newlines. */
struct np_notes {
	void (*note)(void *context, const char *text);
	void (*announce)(
		void *context,
		const char *text); /* address and port of the server; may be NULL */
	void *context;
};

struct np_link_wait {
	const struct np_identity *identity;
	unsigned kinds;		  /* accepted: mask of np_link_bit() */
	unsigned char *token;	  /* a control link sets it, other links must equal it */
	const unsigned char *key; /* shared key, to be proved by HMAC; NULL: none */
	const struct np_allow *allow; /* NULL: every address */
	int wake;		      /* fd that ends the wait when readable; -1: none */
	struct np_deadline deadline;
	const struct np_notes *notes; /* may be NULL */
};

/*
 * Accepts connections until one completes the handshake; up to NP_PENDING_MAX
 * unauthenticated connections are served meanwhile.  Returns 0 and *fd, which the
 * caller closes, -EINTR when wake became readable, -ETIMEDOUT, or -errno with a text.
 */
int np_link_accept(int listener, const struct np_link_wait *wait, int *fd,
		   struct np_error *error);

/* Connects fd, without a retry.  Returns 0 or -errno. */
int np_link_connect(int fd, const struct sockaddr *address, socklen_t length,
		    struct np_deadline deadline);

/*
 * Opens a non-blocking listening socket.  host NULL: every address, IPv6 and IPv4 alike
 * where the system has both.  port 0: an ephemeral port.  Returns 0 and *listener, or
 * -errno with a text.
 */
int np_link_listen(const char *host, uint16_t port, int *listener, struct np_error *error);

/*
 * Opens a second listening socket at the address and port of `old`, to which no option of
 * the old one applies.  Connections arrive at both until the caller closes the old: between
 * a close and a bind any process may take the port.  Returns 0 or -errno with a text.
 */
int np_link_listen_beside(int old, int *listener, struct np_error *error);

/* "[::1]:5002" or "127.0.0.1:5002"; size of at least 64. */
void np_link_address_text(const struct sockaddr *address, char *text, size_t size);

/* The port of a bound socket, 0 if it has none. */
uint16_t np_link_port(int fd);

/*
 * Receives a link that another process accepted and passed through `relay`, a UNIX-domain
 * socket.  Uses kinds, deadline and wake of wait; wake is a socket of the peer, whose
 * hang-up ends the wait (-EINTR).  Returns as np_link_accept().
 */
int np_link_relay_receive(int relay, const struct np_link_wait *wait, int *fd,
			  struct np_error *error);

/* Passes a link's descriptor through the other socket of the relay; never blocks.  Returns
 * 0 or -errno; the caller still closes the descriptor. */
int np_link_relay_send(int relay, enum np_link_kind kind, int fd);
