/*
 * sha256.h - the keyed hash by which two ends show each other that they know
 * the same token without saying it.
 */
#ifndef NP_SHA256_H
#define NP_SHA256_H

#include <stddef.h>

enum { NP_SHA256_LENGTH = 32 };

/* A piece of what is hashed. */
struct np_bytes {
	const void *at;
	size_t length;
};

/* SHA-256 (FIPS 180-4) of the pieces, one after the other; digest has room for
 * NP_SHA256_LENGTH bytes. */
void np_sha256(const struct np_bytes *pieces, size_t count, unsigned char *digest);

/* HMAC (RFC 2104) with SHA-256 of the pieces; key_length is at most 64 bytes. */
void np_hmac_sha256(const unsigned char *key, size_t key_length,
		    const struct np_bytes *pieces, size_t count, unsigned char *digest);

#endif
