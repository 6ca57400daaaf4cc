/*
 * contents.h - patterns and poison in buffers, wherever these lie.
 *
 * Bytes are made and compared in memory of the driver and copied to and from a buffer
 * piece by piece: it may lie where only the transport reaches (contract/memory.h).
 */
#pragma once

#include "endpoint/process.h"

/* What a range of bytes holds, see pattern.h: a message, or poison. */
struct np_contents {
	bool is_message;
	uint64_t seed, sequence; /* of the message */
};

/* Writes them.  Returns 0, or -errno. */
int np_contents_write(struct np_process *process, unsigned char *buffer, size_t length,
		      const struct np_contents *contents, struct np_error *error);

/* The first byte that differs. */
struct np_wrong_byte {
	bool found;
	size_t at;
	unsigned char value;
};

/* Compares them.  Returns 0, or -errno if the buffer cannot be read. */
int np_contents_compare(struct np_process *process, const unsigned char *buffer,
			size_t length, const struct np_contents *contents,
			struct np_wrong_byte *wrong, struct np_error *error);
