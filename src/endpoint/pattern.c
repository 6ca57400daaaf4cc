/*
 * pattern.c - contents of messages under -i: written and checked eight bytes at a time,
 * in buffers of any memory piece by piece.
 */
#include "endpoint/pattern.h"

#include <endian.h>
#include <stdalign.h>
#include <string.h>

#include "base/random.h"
#include "contract/memory.h"
#include "endpoint/process.h"

enum { WORD = sizeof(uint64_t) };

/* The two lowest bits of each byte, and the lowest one. */
static const uint64_t low_bits = UINT64_C(0x0303030303030303);
static const uint64_t each_byte = UINT64_C(0x0101010101010101);

struct message {
	uint64_t base;	/* determines all words but the first */
	uint64_t first; /* word 0 */
	uint64_t lows;	/* the low bits of every byte */
};

static uint64_t mix(uint64_t base, uint64_t index)
{
	uint64_t mixed = base + index * UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ (mixed >> 32)) * UINT64_C(0xd6e8feb86659fd93);
	return mixed ^ (mixed >> 32);
}

/*
 * A word of eight different bytes: each has another number in the three bits above the
 * two lowest.  The other bits are those of mixed.
 */
static uint64_t distinct_bytes(uint64_t mixed, uint64_t start, uint64_t step)
{
	uint64_t word = mixed & UINT64_C(0xe3e3e3e3e3e3e3e3);

	for (unsigned i = 0; i < WORD; i++)
		word |= ((start + i * (step | 1)) & 7) << (8 * i + 2);
	return word;
}

/* The low bits of every byte are those of the sequence number: consecutive messages
 * differ in every byte. */
static struct message message_make(uint64_t seed, uint64_t sequence)
{
	struct np_random random = { seed };
	uint64_t lows = (sequence & 3) * each_byte;

	random.state = np_random_next(&random) ^ sequence;
	uint64_t base = np_random_next(&random);
	uint64_t mixed = np_random_next(&random);
	return (struct message){
		.base = base,
		/* The replaced bits of the first two bytes select start and step. */
		.first =
			distinct_bytes((mixed & ~low_bits) | lows, mixed >> 2, mixed >> 10),
		.lows = lows,
	};
}

/* Words are little-endian: the same bytes on every host. */
static uint64_t message_word(const struct message *message, size_t index)
{
	const uint64_t word =
		index == 0 ? message->first :
			     (mix(message->base, index) & ~low_bits) | message->lows;

	/* np_without_mark() keeps the bits in which messages and the first bytes differ. */
	return htole64(np_without_mark(word));
}

void np_pattern_fill(unsigned char *bytes, size_t length, size_t from, uint64_t seed,
		     uint64_t sequence)
{
	const struct message message = message_make(seed, sequence);
	size_t at = 0;

	for (; length - at >= WORD; at += WORD) {
		uint64_t word = message_word(&message, (from + at) / WORD);
		memcpy(bytes + at, &word, WORD);
	}
	if (at < length) {
		uint64_t word = message_word(&message, (from + at) / WORD);
		memcpy(bytes + at, &word, length - at);
	}
}

bool np_pattern_check(const unsigned char *bytes, size_t length, size_t from, uint64_t seed,
		      uint64_t sequence, size_t *first_wrong)
{
	const struct message message = message_make(seed, sequence);
	unsigned char expected[WORD];
	uint64_t word;
	size_t at = 0;

	for (; length - at >= WORD; at += WORD) {
		word = message_word(&message, (from + at) / WORD);
		if (memcmp(bytes + at, &word, WORD) != 0)
			break;
	}
	/* Byte by byte: the tail, or the word that differs. */
	word = message_word(&message, (from + at) / WORD);
	memcpy(expected, &word, WORD);
	for (size_t i = 0; i < WORD && at + i < length; i++) {
		if (bytes[at + i] != expected[i]) {
			*first_wrong = at + i;
			return false;
		}
	}
	return true;
}

/* Returns the 8 bytes of poison at an aligned address. The low bits alternate, unlike those
 * of any message. */
static uint64_t poison_word(uintptr_t address)
{
	uint64_t mixed =
		mix(UINT64_C(0x5bd1e995a3b1c96d), address % NP_POISON_PERIOD / WORD);

	return htole64((mixed & ~each_byte) | UINT64_C(0x0100010001000100));
}

static unsigned char poison_byte(const unsigned char *address)
{
	uint64_t word = poison_word((uintptr_t)address / WORD * WORD);
	unsigned char bytes[WORD];

	memcpy(bytes, &word, WORD);
	return bytes[(uintptr_t)address % WORD];
}

/* Returns true if a whole aligned word begins at this position. */
static bool is_word(const unsigned char *bytes, size_t length, size_t at)
{
	return length - at >= WORD && (uintptr_t)(bytes + at) % WORD == 0;
}

void np_poison_fill(unsigned char *bytes, size_t length)
{
	size_t at = 0;

	while (at < length) {
		if (is_word(bytes, length, at)) {
			uint64_t word = poison_word((uintptr_t)(bytes + at));
			memcpy(bytes + at, &word, WORD);
			at += WORD;
		} else {
			bytes[at] = poison_byte(bytes + at);
			at++;
		}
	}
}

bool np_poison_check(const unsigned char *bytes, size_t length, size_t *first_wrong)
{
	size_t at = 0;

	while (at < length) {
		if (is_word(bytes, length, at)) {
			uint64_t word = poison_word((uintptr_t)(bytes + at));
			if (memcmp(bytes + at, &word, WORD) == 0) {
				at += WORD;
				continue;
			}
		}
		if (bytes[at] != poison_byte(bytes + at)) {
			*first_wrong = at;
			return false;
		}
		at++;
	}
	return true;
}

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

/* Copies between a buffer and memory of the driver.  Returns 0 or -errno. */
static int copy(struct np_process *process, void *to, const void *from, size_t length,
		struct np_error *error)
{
	const int rc =
		np_process_memory(process)->copy(process->endpoint, to, from, length);

	return rc == 0 ? 0 : np_process_failed(process, rc, "copy a buffer", error);
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
		rc = copy(process, buffer + from, bytes, part, error);
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
		const int rc = copy(process, bytes, buffer + from, part, error);
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
