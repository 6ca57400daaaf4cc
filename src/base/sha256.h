/*
 * sha256.h - HMAC-SHA256 as proof of the shared key.
 */
#pragma once

#include <stddef.h>

enum { NP_SHA256_LENGTH = 32 };

/* A piece of the input. */
struct np_bytes {
	const void *at;
	size_t length;
};

/* HMAC (RFC 2104) with SHA-256 of the concatenated pieces; key_length: at most 64 bytes;
 * digest: NP_SHA256_LENGTH bytes. */
void np_hmac_sha256(const unsigned char *key, size_t key_length,
		    const struct np_bytes *pieces, size_t count, unsigned char *digest);
