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
int np_link_handshake(int fd, const struct np_handshake *handshake,
		      struct np_deadline deadline, struct np_error *error);

/* A link to open. */
struct np_link_order {
	const struct sockaddr *address;
	socklen_t length;
	/* Address of this host to connect from; of length 0: the kernel chooses. */
	const struct sockaddr *from;
	socklen_t from_length;
	struct np_handshake handshake;
	/* Called with the socket before it connects; may be NULL. */
	int (*prepare)(int fd, void *context, struct np_error *error);
	void *context;
	/* Control link of the run, whose hang-up ends the retries; -1: one try. */
	int control;
	struct np_deadline connected; /* of connect(2), if it is the earlier one */
	struct np_deadline deadline;
};

/* Returns true for an error that a retry may overcome: nothing listens yet, another run is
 * in progress, or the server dropped the connection among many others. */
bool np_link_may_retry(int code, const struct np_error *error);

/* Connects and performs the handshake, with retries where there is a control link.  Returns
 * 0 and *fd; or -errno, without a text where another address may succeed. */
int np_link_open(const struct np_link_order *order, int *fd, struct np_error *error);
