/*
 * link_hello.h - the 64 bytes that begin every link, for link*.c alone.
 */
#ifndef NP_LINK_HELLO_H
#define NP_LINK_HELLO_H

#include <stddef.h>

#include "link.h"

enum { NP_HELLO_LENGTH = 64 };

/* Raised when anything that crosses a link changes its meaning. */
enum { NP_PROTOCOL = 3 };

enum np_hello_verdict { NP_HELLO_FITS, NP_HELLO_REFUSED, NP_HELLO_STRANGER };

/* Writes a hello of NP_HELLO_LENGTH bytes. */
void np_hello_write(unsigned char *hello, const struct np_identity *identity,
		    enum np_link_kind kind, const unsigned char *token);

/* False as soon as the first `received` bytes cannot be a hello's. */
bool np_hello_begins(const unsigned char *hello, size_t received);

/* Judges a whole hello; a refusal's reason goes to reason.  Stores the token
 * of a fitting NP_LINK_CONTROL in wait->token. */
enum np_hello_verdict np_hello_check(const unsigned char *hello,
				     const struct np_link_wait *wait, char *reason,
				     size_t size);

#endif
