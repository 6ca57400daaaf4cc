/*
 * sha256.h - SHA-256, and HMAC-SHA256 as proof of the shared key.
 */
#pragma once

#include <stddef.h>

enum { NP_SHA256_LENGTH = 32 };

/* A piece of the input. */
struct np_bytes {
	const void *at;
	size_t length;
};

/* SHA-256 (FIPS 180-4) of the concatenated pieces; digest: NP_SHA256_LENGTH bytes. */
void np_sha256(const struct np_bytes *pieces, size_t count, unsigned char *digest);

/* HMAC (RFC 2104) with SHA-256 of the pieces; key_length is at most 64 bytes. */
void np_hmac_sha256(const unsigned char *key, size_t key_length,
		    const struct np_bytes *pieces, size_t count, unsigned char *digest);
