/*
 * link_handshake.h - handshake: the 64 bytes that begin every link, the HMAC proof, and the
 * connecting side.
 */
#pragma once

#include <stddef.h>

#include "boot/link.h"

enum { NP_HELLO_LENGTH = 64 };

/* Protocol version: raised when the format or meaning of any message changes. */
enum { NP_PROTOCOL = 5 };

enum np_hello_verdict {
	NP_HELLO_ACCEPTED,
	NP_HELLO_REFUSED,
	NP_HELLO_BUSY,
	NP_HELLO_UNAUTHENTICATED
};

/* Each connection has a random nonce: a proof cannot be replayed. */
enum { NP_NONCE_LENGTH = 16, NP_PROOF_LENGTH = 32 };

/* Writes a hello of NP_HELLO_LENGTH bytes. */
void np_hello_write(unsigned char *hello, const struct np_identity *identity,
		    enum np_link_kind kind, const unsigned char *token);

/* Returns true if the first `received` bytes may begin a hello. */
bool np_hello_begins(const unsigned char *hello, size_t received);

/* Checks a complete hello; writes the reason of a refusal to reason (size bytes). */
enum np_hello_verdict np_hello_check(const unsigned char *hello,
				     const struct np_link_wait *wait, char *reason,
				     size_t size);

/* Returns the link kind (NP_LINK_NONE if unknown) or the run's token of a hello. */
enum np_link_kind np_hello_kind(const unsigned char *hello);
const unsigned char *np_hello_token(const unsigned char *hello);

/*
 * Computes the HMAC-SHA256 proof of the shared key over rank, nonce and hello. rank: the
 * side that proves, 0 for the connecting one. proof: NP_PROOF_LENGTH bytes.
 */
void np_hello_prove(const unsigned char *key, int rank, const unsigned char *nonce,
		    const unsigned char *hello, unsigned char *proof);

/* Values that the connecting side presents in the handshake. */
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
