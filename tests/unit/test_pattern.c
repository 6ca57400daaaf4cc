/*
 * test_pattern.c - every way a message can arrive wrong that the header
 * promises to find, at every length and alignment that matters.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "contract/memory.h"
#include "endpoint/pattern.h"
#include "contract/memory.h"
#include "base/random.h"

enum { ROOM = 256, SEED = 11 };

/* As long as make() is used, so that the sanitizer watches both ends. */
static unsigned char *make(size_t length)
{
	unsigned char *bytes = malloc(length > 0 ? length : 1);

	assert_non_null(bytes);
	return bytes;
}

static void check_right_is_right(void **state)
{
	size_t wrong = 77;

	(void)state;
	for (size_t length = 0; length < ROOM; length++) {
		for (size_t offset = 0; offset < 9; offset++) {
			unsigned char *bytes = make(offset + length);
			np_pattern_fill(bytes + offset, length, 0, SEED, length);
			assert_true(np_pattern_check(bytes + offset, length, 0, SEED,
						     length, &wrong));
			np_poison_fill(bytes + offset, length);
			assert_true(np_poison_check(bytes + offset, length, &wrong));
			free(bytes);
		}
	}
	assert_int_equal(wrong, 77);
}

/* Neither in a message nor in the pool: a receiver that polls a byte relies on it. */
static void check_mark(void **state)
{
	unsigned char bytes[ROOM];

	(void)state;
	for (uint64_t seed = 0; seed < 1024; seed++) {
		np_pattern_fill(bytes, ROOM, 0, seed, seed % 7);
		assert_null(memchr(bytes, NP_MARK, ROOM));
		np_host_memory_fill(bytes, ROOM - seed % 8, seed);
		assert_null(memchr(bytes, NP_MARK, ROOM - seed % 8));
	}
	/* Every other byte stays as it is. */
	for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
		const uint64_t word = byte * UINT64_C(0x0101010101010101);
		const uint64_t other = NP_MARK ^ 0x20;

		assert_int_equal(np_without_mark(word),
				 byte == NP_MARK ? other * UINT64_C(0x0101010101010101) :
						   word);
		assert_int_equal(np_without_mark(byte), byte == NP_MARK ? other : byte);
	}
}

/* The contents do not depend on how much of them is asked for: a message cut
 * short is a prefix, and its length must be checked by who knows it. */
static void check_prefix(void **state)
{
	unsigned char whole[ROOM];
	unsigned char part[ROOM];

	(void)state;
	np_pattern_fill(whole, ROOM, 0, SEED, 3);
	for (size_t length = 0; length < ROOM; length++) {
		np_pattern_fill(part, length, 0, SEED, 3);
		assert_memory_equal(part, whole, length);
	}
}

/* A message that is written and checked in parts is the same. */
static void check_parts(void **state)
{
	unsigned char whole[ROOM];
	unsigned char part[ROOM];
	size_t wrong;

	(void)state;
	np_pattern_fill(whole, ROOM, 0, SEED, 3);
	for (size_t from = 0; from < ROOM; from += 8) {
		np_pattern_fill(part, ROOM - from, from, SEED, 3);
		assert_memory_equal(part, whole + from, ROOM - from);
		assert_true(
			np_pattern_check(whole + from, ROOM - from, from, SEED, 3, &wrong));
	}
	assert_false(np_pattern_check(whole + 8, ROOM - 8, 16, SEED, 3, &wrong));
}

static void check_every_bit(void **state)
{
	unsigned char bytes[67];
	size_t wrong;

	(void)state;
	for (size_t length = 1; length <= sizeof(bytes); length += 11) {
		np_pattern_fill(bytes, length, 0, SEED, 9);
		for (size_t bit = 0; bit < 8 * length; bit++) {
			bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
			assert_false(np_pattern_check(bytes, length, 0, SEED, 9, &wrong));
			assert_int_equal(wrong, bit / 8);
			bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		}
	}
}

static void check_first_of_two(void **state)
{
	unsigned char bytes[100];
	size_t wrong;

	(void)state;
	np_pattern_fill(bytes, sizeof(bytes), 0, SEED, 9);
	bytes[98] ^= 1;
	bytes[50] ^= 1;
	assert_false(np_pattern_check(bytes, sizeof(bytes), 0, SEED, 9, &wrong));
	assert_int_equal(wrong, 50);
}

/* A stale byte is certain to be found, even one alone at the very end. */
static void check_previous_message(void **state)
{
	unsigned char now[ROOM];
	unsigned char before[ROOM];

	(void)state;
	for (uint64_t sequence = 3; sequence < 3000; sequence++) {
		np_pattern_fill(before, ROOM, 0, SEED, sequence - 1 - sequence % 3);
		np_pattern_fill(now, ROOM, 0, SEED, sequence);
		for (size_t i = 0; i < ROOM; i++)
			assert_int_not_equal(now[i], before[i]);
	}
}

/* An older message, as in a ring that is overtaken: from eight bytes on. */
static void check_older_message(void **state)
{
	unsigned char bytes[8];
	size_t wrong;

	(void)state;
	for (uint64_t age = 1; age < 20000; age++) {
		np_pattern_fill(bytes, sizeof(bytes), 0, SEED, 100000 - age);
		assert_false(
			np_pattern_check(bytes, sizeof(bytes), 0, SEED, 100000, &wrong));
	}
}

static void check_shifted(void **state)
{
	unsigned char bytes[2 * ROOM];
	size_t wrong;

	(void)state;
	for (uint64_t sequence = 0; sequence < 200; sequence++) {
		np_pattern_fill(bytes, sizeof(bytes), 0, SEED, sequence);
		for (size_t shift = 1; shift < 8; shift++) {
			assert_false(np_pattern_check(bytes + shift, 1, 0, SEED, sequence,
						      &wrong));
			assert_int_equal(wrong, 0);
		}
		for (size_t shift = 8; shift < ROOM; shift++)
			assert_false(np_pattern_check(bytes + shift, 8, 0, SEED, sequence,
						      &wrong));
	}
	/* The other way: room was left in front. */
	np_pattern_fill(bytes + 5, ROOM, 0, SEED, 4);
	memset(bytes, 0, 5);
	assert_false(np_pattern_check(bytes, ROOM, 0, SEED, 4, &wrong));
}

static void check_constant(void **state)
{
	unsigned char bytes[16];
	size_t wrong;

	(void)state;
	for (uint64_t sequence = 0; sequence < 200; sequence++) {
		for (int value = 0; value < 256; value++) {
			memset(bytes, value, sizeof(bytes));
			assert_false(np_pattern_check(bytes, 2, 0, SEED, sequence, &wrong));
			assert_in_range(wrong, 0, 1);
			assert_false(np_poison_check(bytes, 2, &wrong));
		}
	}
}

static void check_other_seed(void **state)
{
	unsigned char bytes[8];
	size_t wrong;

	(void)state;
	for (uint64_t seed = 0; seed < 10000; seed++) {
		np_pattern_fill(bytes, sizeof(bytes), 0, seed, 6);
		assert_int_equal(np_pattern_check(bytes, sizeof(bytes), 0, SEED, 6, &wrong),
				 seed == SEED);
	}
}

static void check_poison_is_no_message(void **state)
{
	unsigned char bytes[16];
	size_t wrong;

	(void)state;
	np_poison_fill(bytes, sizeof(bytes));
	for (uint64_t sequence = 0; sequence < 10000; sequence++)
		assert_false(np_pattern_check(bytes, 2, 0, SEED, sequence, &wrong));
	bytes[15] ^= 0x80;
	assert_false(np_poison_check(bytes, sizeof(bytes), &wrong));
	assert_int_equal(wrong, 15);
}

/* Guards are poisoned together with the buffer between them, and checked apart. */
static void check_poison_in_parts(void **state)
{
	unsigned char *bytes = make((size_t)3 * ROOM);
	size_t wrong;

	(void)state;
	for (size_t begin = 0; begin < 17; begin++) {
		np_poison_fill(bytes + begin, (size_t)2 * ROOM);
		for (size_t from = 0; from < ROOM; from += 3) {
			for (size_t length = 0; length < ROOM; length += 5)
				assert_true(np_poison_check(bytes + begin + from, length,
							    &wrong));
		}
	}
	bytes[ROOM] ^= 1;
	assert_true(np_poison_check(bytes + 16, ROOM - 16, &wrong));
	assert_true(np_poison_check(bytes + ROOM + 1, ROOM, &wrong));
	assert_false(np_poison_check(bytes + ROOM - 5, ROOM, &wrong));
	assert_int_equal(wrong, 5);
	free(bytes);
}

/* Bytes of a long message are spread evenly: no position is easy to guess. */
static void check_spread(void **state)
{
	enum { LENGTH = 1 << 20 };
	unsigned char *bytes = make(LENGTH);
	size_t seen[256] = { 0 };

	(void)state;
	np_pattern_fill(bytes, LENGTH, 0, SEED, 2);
	for (size_t i = 0; i < LENGTH; i++)
		seen[bytes[i]]++;
	for (size_t i = 0; i < 256; i++) {
		if (i % 4 == 2) /* 16384, standard deviation 127 */
			assert_in_range(seen[i], 15600, 17150);
		else
			assert_int_equal(seen[i], 0);
	}
	free(bytes);
}

/* Both ends must write the same, whatever their machines and compilers are:
 * byte by byte, from the definition. */
static void check_byte_order(void **state)
{
	struct np_random random = { SEED };
	unsigned char bytes[24];

	(void)state;
	random.state = np_random_next(&random) ^ 5;
	uint64_t base = np_random_next(&random);
	uint64_t mixed = np_random_next(&random);
	uint64_t start = mixed >> 2 & 7;
	uint64_t step = (mixed >> 10 & 7) | 1;
	np_pattern_fill(bytes, sizeof(bytes), 0, SEED, 5);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(bytes[i],
				 (mixed >> 8 * i & 0xe0) | (start + i * step) % 8 * 4 | 1);
	for (size_t i = 8; i < sizeof(bytes); i++) {
		uint64_t word = base + i / 8 * UINT64_C(0x9e3779b97f4a7c15);
		word = (word ^ word >> 32) * UINT64_C(0xd6e8feb86659fd93);
		word ^= word >> 32;
		assert_int_equal(bytes[i], (word >> i % 8 * 8 & 0xfc) | 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_right_is_right),
		cmocka_unit_test(check_mark),
		cmocka_unit_test(check_prefix),
		cmocka_unit_test(check_parts),
		cmocka_unit_test(check_every_bit),
		cmocka_unit_test(check_first_of_two),
		cmocka_unit_test(check_previous_message),
		cmocka_unit_test(check_older_message),
		cmocka_unit_test(check_shifted),
		cmocka_unit_test(check_constant),
		cmocka_unit_test(check_other_seed),
		cmocka_unit_test(check_poison_is_no_message),
		cmocka_unit_test(check_poison_in_parts),
		cmocka_unit_test(check_spread),
		cmocka_unit_test(check_byte_order),
	};

	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
