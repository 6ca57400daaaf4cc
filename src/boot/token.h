/*
 * token.h - the secret of 128 bits that two ends may share: drawn, kept in a
 * file, said as 32 hexadecimal digits.
 */
#ifndef NP_TOKEN_H
#define NP_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { NP_KEY_LENGTH = 16, NP_KEY_DIGITS = 2 * NP_KEY_LENGTH };

/* Draws a key of NP_KEY_LENGTH bytes.  Returns 0 or -errno. */
int np_token_draw(unsigned char *key, struct np_error *error);

/* Reads NP_KEY_DIGITS hexadecimal digits, nothing after them.  False for
 * anything else. */
bool np_token_parse(const char *text, unsigned char *key);

/* Writes them; text has room for NP_KEY_DIGITS + 1 bytes. */
void np_token_print(const unsigned char *key, char *text);

/*
 * Reads the key from a file that others cannot read, of one line.  `make`:
 * where there is no such file it is made, with a fresh key, for its owner
 * alone.  Returns 0 or -errno: NP_ERROR_USAGE for a file that is no secret, or
 * no token.
 */
int np_token_read(const char *path, bool make, unsigned char *key, struct np_error *error);

/* Compares in a time that does not tell how many bytes are alike. */
bool np_token_same(const unsigned char *a, const unsigned char *b, size_t length);

#endif
