/*
 * pattern.h - contents of messages and buffers under -i: patterns that reveal damage, and
 * poison.
 *
 * Every byte depends on the seed of the run, the sequence number of the message and the
 * position in it.  Guarantees for every seed:
 *   - each byte differs from the same byte of every message whose sequence
 *     number is not a multiple of four away, so a stale byte of the message
 *     before is found, even alone; so it is if the two directions of a
 *     ping-pong are numbered 2k and 2k + 1;
 *   - the first eight bytes differ from each other, so a message of two bytes
 *     or more that arrives shifted by one to seven bytes is found by its first
 *     byte, and one filled with a constant by its second;
 *   - no byte is NP_MARK, for receivers that poll the last one.
 * Any other error goes undetected with a probability of 2^-6 for each wrong byte, and
 * 2^-3 for one of the first eight, whose other bits are used.  The contents are the
 * same on hosts of either byte order.
 *
 * Poison fills a receive buffer and its surroundings before a message arrives.  Poison
 * equals no message of two bytes or more, and no constant.  Each byte depends on its
 * address within 4 KiB: any part of a filled range can be checked alone, also through
 * another mapping of the same pages, or a copy at the same address modulo NP_POISON_PERIOD.
 *
 * The driver makes and compares bytes in its own memory and copies them to and from a
 * buffer piece by piece: the buffer may lie where only the transport reaches
 * (contract/memory.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "endpoint/process.h"

/* Bytes after which poison repeats. */
enum { NP_POISON_PERIOD = 4096 };

/* Writes the part of a message that begins at its byte `from`, a multiple of 8; `bytes`
 * need not be aligned. */
void np_pattern_fill(unsigned char *bytes, size_t length, size_t from, uint64_t seed,
		     uint64_t sequence);

/* Returns true if `bytes` are those of np_pattern_fill(); else *first_wrong is the position
 * of the first wrong byte. */
bool np_pattern_check(const unsigned char *bytes, size_t length, size_t from, uint64_t seed,
		      uint64_t sequence, size_t *first_wrong);

/* Writes the poison that belongs to the addresses of `bytes`. */
void np_poison_fill(unsigned char *bytes, size_t length);

/* As np_pattern_check(), for poison at the address where it was written. */
bool np_poison_check(const unsigned char *bytes, size_t length, size_t *first_wrong);

/* Expected contents of a range of bytes: a message, or poison. */
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
