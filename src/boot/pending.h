/*
 * pending.h - unauthenticated connections: the listening side of the handshake, without
 * blocking.
 */
#pragma once

#include <poll.h>
#include <stdint.h>

#include "boot/link.h"
#include "boot/link_handshake.h"

/* Most pending connections, fewer where few descriptors may be open.  At the limit a new
 * connection evicts one of the host that has most of them: the one that has sent least, so
 * that idle ones do not block the port. */
enum { NP_PENDING_MAX = 64 };

/* Size of the array for np_pending_pollfds(): each connection and the listening socket. */
enum { NP_PENDING_FDS = NP_PENDING_MAX + 1 };

/* Length of a complete NP_FRAME_PROOF. */
enum { NP_PROOF_FRAME = 8 + NP_PROOF_LENGTH };

/* An accepted connection whose handshake is not complete. */
struct np_pending_connection {
	int fd;
	uint64_t deadline_ns;
	size_t received;
	unsigned char hello[NP_HELLO_LENGTH];
	/* With a shared key: the nonce sent, and the NP_FRAME_PROOF received. */
	bool challenged;
	unsigned char nonce[NP_NONCE_LENGTH];
	unsigned char proof[NP_PROOF_FRAME];
	size_t proved; /* bytes of proof received */
	struct sockaddr_storage address;
};

struct np_pending {
	struct np_pending_connection connections[NP_PENDING_MAX];
	size_t count;
};

/* Fills fds for poll(), at most NP_PENDING_FDS entries, and returns their number.
 * listener may be -1. */
size_t np_pending_pollfds(const struct np_pending *pending, int listener,
			  struct pollfd *fds);

/*
 * Handles the events of poll() on np_pending_pollfds(), also after a timeout: reads from
 * connections, accepts a new one, closes those that failed or expired.  Returns 1 and
 * *accepted, a connection with a complete handshake, whose socket the caller closes; 0 if
 * there is none yet; or -errno with a text if no descriptor is left.
 */
int np_pending_handle(struct np_pending *pending, int listener, const struct pollfd *fds,
		      const struct np_link_wait *wait,
		      struct np_pending_connection *accepted, struct np_error *error);

/* Accepts all connections in the backlog, as far as there is room; call it before closing
 * the listening socket. */
void np_pending_accept(struct np_pending *pending, int listener,
		       const struct np_link_wait *wait);

/* Adds a connected socket, and takes ownership of it. */
void np_pending_add(struct np_pending *pending,
		    const struct np_pending_connection *connection);

/* Closes all pending connections. */
void np_pending_close(struct np_pending *pending);
