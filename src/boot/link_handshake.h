/*
 * link_handshake.h - the connecting side of the handshake.
 */
#pragma once

#include "boot/link.h"

/* Parameters of the connecting side. */
struct np_handshake {
	const struct np_identity *identity;
	enum np_link_kind kind;
	const unsigned char *token; /* of the run */
	const unsigned char *key;   /* shared key, proved by both sides; NULL: none */
};

/*
 * Performs the handshake on a connected socket.  Returns 0, -EBUSY if the server is busy
 * with another run, or another -errno; the text of a refusal goes to error with
 * NP_ERROR_PEER.
 */
int np_link_handshake(int fd, const struct np_handshake *handshake, struct np_error *error);
