/*
 * link_hello.h - the 64 bytes that begin every link, for link*.c alone.
 */
#ifndef NP_LINK_HELLO_H
#define NP_LINK_HELLO_H

#include <stddef.h>

#include "boot/link.h"

enum { NP_HELLO_LENGTH = 64 };

/* Raised when anything that crosses a link changes its meaning. */
enum { NP_PROTOCOL = 4 };

enum np_hello_verdict {
	NP_HELLO_FITS,
	NP_HELLO_REFUSED,
	NP_HELLO_BUSY,
	NP_HELLO_UNAUTHENTICATED
};

/* What the waiting end draws for each guest, so that no proof is good twice. */
enum { NP_NONCE_LENGTH = 16, NP_PROOF_LENGTH = 32 };

/* Writes a hello of NP_HELLO_LENGTH bytes. */
void np_hello_write(unsigned char *hello, const struct np_identity *identity,
		    enum np_link_kind kind, const unsigned char *token);

/* False as soon as the first `received` bytes cannot be a hello's. */
bool np_hello_begins(const unsigned char *hello, size_t received);

/* Judges a whole hello; the reason why not goes to reason. */
enum np_hello_verdict np_hello_check(const unsigned char *hello,
				     const struct np_link_wait *wait, char *reason,
				     size_t size);

/* The kind of link, and the run that a hello names. */
enum np_link_kind np_hello_kind(const unsigned char *hello);
const unsigned char *np_hello_token(const unsigned char *hello);

/*
 * What shows, to who knows the key too, that this side knows it: a hash of key,
 * nonce and hello, of which hello and nonce are the two ends' own.  rank: whose
 * proof it is, the one that knocks has 0.  proof has room for NP_PROOF_LENGTH
 * bytes.
 */
void np_hello_prove(const unsigned char *key, int rank, const unsigned char *nonce,
		    const unsigned char *hello, unsigned char *proof);

#endif
