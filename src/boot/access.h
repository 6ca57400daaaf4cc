/*
 * access.h - access to a server: the networks of --allow, and the shared key of
 * --token-file, 128 bits as 32 hexadecimal digits.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/error.h"

enum { NP_ALLOW_MAX = 64 };

/* IPv4 networks are stored IPv4-mapped (::ffff:0:0/96), as accept() on a dual-stack
 * socket reports the addresses. */
struct np_network {
	unsigned char address[16];
	unsigned bits;
};

struct np_allow {
	struct np_network networks[NP_ALLOW_MAX];
	size_t count; /* 0: every address may connect */
};

/* Parses a comma-separated list of networks or addresses,
 * "10.0.0.0/8,fd00::/8,192.0.2.7". text NULL: every address.  Returns 0, or -EINVAL
 * with NP_ERROR_USAGE. */
int np_allow_parse(const char *text, struct np_allow *allow, struct np_error *error);

/* Returns true if an address may connect; an address of another family may only if the list
 * is empty. */
bool np_allow_has(const struct np_allow *allow, const struct sockaddr_storage *address);

enum { NP_KEY_LENGTH = 16, NP_KEY_DIGITS = 2 * NP_KEY_LENGTH };

/* Draws a random key of NP_KEY_LENGTH bytes.  Returns 0 or -errno. */
int np_token_draw(unsigned char *key, struct np_error *error);

/* Parses exactly NP_KEY_DIGITS hexadecimal digits.  Returns false for anything else. */
bool np_token_parse(const char *text, unsigned char *key);

/* Formats a key; text holds NP_KEY_DIGITS + 1 bytes. */
void np_token_print(const unsigned char *key, char *text);

/*
 * Reads the key from a file of one line that others cannot read. make: a missing file
 * is created, mode 0600, with a fresh key.  Returns 0 or -errno: NP_ERROR_USAGE for a
 * file that is world-accessible or holds no key.
 */
int np_token_read(const char *path, bool make, unsigned char *key, struct np_error *error);

/* Compares two strings of bytes in constant time. */
bool np_token_same(const unsigned char *a, const unsigned char *b, size_t length);
