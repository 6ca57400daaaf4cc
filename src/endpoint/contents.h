/*
 * contents.h - patterns and poison in buffers, wherever these lie.
 *
 * The driver makes and compares bytes in its own memory and copies them to and from a
 * buffer piece by piece: the buffer may lie where only the transport reaches
 * (contract/memory.h).
 */
#pragma once

#include "endpoint/process.h"

/* Expected contents of a range of bytes: a message, or poison (pattern.h). */
struct np_contents {
	bool is_message;
	uint64_t seed, sequence; /* of the message */
};

/* Writes the contents to a buffer. Returns 0 or -errno. */
int np_contents_write(struct np_process *process, unsigned char *buffer, size_t length,
		      const struct np_contents *contents, struct np_error *error);

/* Position and value of the first byte that differs. */
struct np_wrong_byte {
	bool found;
	size_t at;
	unsigned char value;
};

/* Compares a buffer with the contents. Returns 0, or -errno if the buffer cannot be read.
 */
int np_contents_compare(struct np_process *process, const unsigned char *buffer,
			size_t length, const struct np_contents *contents,
			struct np_wrong_byte *wrong, struct np_error *error);
