/*
 * contents.c - writing and comparing the bytes of buffers, piece by piece.
 */
#include "endpoint/contents.h"

#include <stdalign.h>

#include "endpoint/pattern.h"
#include "endpoint/process_memory.h"

enum { PIECE = 16 << 10 };

/* A copy of a piece of a buffer, in memory of the driver, at the buffer's address
 * modulo NP_POISON_PERIOD, so that the poison is the same. */
struct piece {
	alignas(NP_POISON_PERIOD) unsigned char room[PIECE + NP_POISON_PERIOD];
};

static unsigned char *bytes_of(struct piece *piece, const unsigned char *buffer)
{
	return piece->room + (uintptr_t)buffer % NP_POISON_PERIOD;
}

static size_t length_of(size_t left)
{
	return left < PIECE ? left : PIECE;
}

int np_contents_write(struct np_process *process, unsigned char *buffer, size_t length,
		      const struct np_contents *contents, struct np_error *error)
{
	struct piece piece;
	int rc = 0;

	for (size_t from = 0; from < length && rc == 0; from += PIECE) {
		unsigned char *bytes = bytes_of(&piece, buffer + from);
		const size_t part = length_of(length - from);

		if (contents->is_message)
			np_pattern_fill(bytes, part, from, contents->seed,
					contents->sequence);
		else
			np_poison_fill(bytes, part);
		rc = np_process_copy(process, buffer + from, bytes, part, error);
	}
	return rc;
}

int np_contents_compare(struct np_process *process, const unsigned char *buffer,
			size_t length, const struct np_contents *contents,
			struct np_wrong_byte *wrong, struct np_error *error)
{
	struct piece piece;

	wrong->found = false;
	for (size_t from = 0; from < length && !wrong->found; from += PIECE) {
		unsigned char *bytes = bytes_of(&piece, buffer + from);
		const size_t part = length_of(length - from);
		const int rc = np_process_copy(process, bytes, buffer + from, part, error);
		size_t at;

		if (rc != 0)
			return rc;
		if (contents->is_message)
			wrong->found = !np_pattern_check(bytes, part, from, contents->seed,
							 contents->sequence, &at);
		else
			wrong->found = !np_poison_check(bytes, part, &at);
		if (wrong->found) {
			wrong->at = from + at;
			wrong->value = bytes[at];
		}
	}
	return 0;
}
