/*
 * sha256.c - SHA-256 (FIPS 180-4) and HMAC (RFC 2104) with it.
 *
 * A run hashes a few hundred bytes, none of them in measured time, so no library is needed.
 */
#include "base/sha256.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK_LENGTH = 64, ROUNDS = 64, LENGTH_AT = 56 };

struct state {
	uint32_t hash[8];
	unsigned char block[BLOCK_LENGTH];
	size_t held; /* bytes of the block that are filled */
	uint64_t total;
};

/* Fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2
};

/* Fractional parts of the square roots of the first eight primes. */
static const uint32_t initial[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
				     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

static uint32_t rotate(uint32_t value, unsigned by)
{
	return value >> by | value << (32 - by);
}

/* Message schedule: the block as big-endian words, then 48 derived ones. */
static void schedule(const unsigned char *block, uint32_t *w)
{
	for (size_t t = 0; t < 16; t++)
		w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
		       (uint32_t)block[4 * t + 2] << 8 | (uint32_t)block[4 * t + 3];
	for (size_t t = 16; t < ROUNDS; t++) {
		const uint32_t a = w[t - 15], b = w[t - 2];
		const uint32_t small0 = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3;
		const uint32_t small1 = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10;

		w[t] = small1 + w[t - 7] + small0 + w[t - 16];
	}
}

static void compress(struct state *state)
{
	uint32_t w[ROUNDS], v[8];

	schedule(state->block, w);
	memcpy(v, state->hash, sizeof(v));
	for (size_t t = 0; t < ROUNDS; t++) {
		const uint32_t sum1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
		const uint32_t sum0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
		const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
		const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
		const uint32_t first = v[7] + sum1 + choice + constants[t] + w[t];

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += first;
		v[0] = first + sum0 + majority;
	}
	for (size_t i = 0; i < 8; i++)
		state->hash[i] += v[i];
}

static void add(struct state *state, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;

	state->total += length;
	while (length != 0) {
		const size_t room = BLOCK_LENGTH - state->held;
		const size_t part = length < room ? length : room;

		memcpy(state->block + state->held, at, part);
		state->held += part;
		at += part;
		length -= part;
		if (state->held == BLOCK_LENGTH) {
			compress(state);
			state->held = 0;
		}
	}
}

/* Padding: a one bit, zeros, and the length in bits, big-endian. */
static void finish(struct state *state, unsigned char *digest)
{
	static const unsigned char padding[BLOCK_LENGTH] = { 0x80 };
	const uint64_t bits = state->total * 8;
	unsigned char length[8];

	add(state, padding,
	    (state->held < LENGTH_AT ? LENGTH_AT : LENGTH_AT + BLOCK_LENGTH) - state->held);
	for (unsigned i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	add(state, length, sizeof(length));
	for (unsigned i = 0; i < NP_SHA256_LENGTH; i++)
		digest[i] = (unsigned char)(state->hash[i / 4] >> (24 - 8 * (i % 4)));
}

/* Digest (FIPS 180-4) of the key block of HMAC and of the pieces. */
static void digest_behind(const unsigned char *key_block, const struct np_bytes *pieces,
			  size_t count, unsigned char *digest)
{
	struct state state = { .held = 0 };

	memcpy(state.hash, initial, sizeof(initial));
	add(&state, key_block, BLOCK_LENGTH);
	for (size_t i = 0; i < count; i++)
		add(&state, pieces[i].at, pieces[i].length);
	finish(&state, digest);
}

void np_hmac_sha256(const unsigned char *key, size_t key_length,
		    const struct np_bytes *pieces, size_t count, unsigned char *digest)
{
	unsigned char inner[BLOCK_LENGTH] = { 0 }, outer[BLOCK_LENGTH];
	const struct np_bytes inner_digest = { digest, NP_SHA256_LENGTH };

	memcpy(inner, key, key_length < BLOCK_LENGTH ? key_length : BLOCK_LENGTH);
	for (size_t i = 0; i < BLOCK_LENGTH; i++) {
		outer[i] = inner[i] ^ 0x5c;
		inner[i] ^= 0x36;
	}
	digest_behind(inner, pieces, count, digest);
	digest_behind(outer, &inner_digest, 1, digest);
}
