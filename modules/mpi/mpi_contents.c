/*
 * mpi_contents.c - contents of the messages of patterns, and their verification.
 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_pattern.h"

enum { PERIOD = 1021 };

static double number_at(size_t place, int rank)
{
	return (double)(rank + 1) * (double)(1 + place % PERIOD);
}

void np_mpi_pattern_fill(unsigned char *at, size_t length, size_t origin, int rank)
{
	/* Doubles begin at multiples of 8 of the offset, not of the address. */
	size_t place = origin / sizeof(double), within = origin % sizeof(double);

	while (length != 0) {
		const double number = number_at(place++, rank);
		size_t part = sizeof(number) - within;

		part = part < length ? part : length;
		memcpy(at, (const unsigned char *)&number + within, part);
		at += part;
		length -= part;
		within = 0;
	}
}

void np_mpi_pattern_fill_region(struct np_mpi_ranks *ranks, unsigned char *base,
				size_t length)
{
	ranks->base = base;
	ranks->received_from = SIZE_MAX;
	np_mpi_pattern_fill(base, length, 0, ranks->rank + ranks->contents);
}

void np_mpi_pattern_renew(struct np_mpi *mpi)
{
	const struct np_transfer *transfer = mpi->endpoint.transfer;
	struct np_mpi_ranks *ranks = &mpi->ranks;
	size_t sent_to = 0, received_from = SIZE_MAX;

	for (size_t i = 0; i < mpi->endpoint.ring_end; i++) {
		const struct np_slot *slot = &transfer->slots[i];
		const size_t sent = (size_t)(slot->send - ranks->base) +
				    transfer->length * ranks->parts;
		const size_t received = (size_t)(slot->recv - ranks->base);

		sent_to = sent > sent_to ? sent : sent_to;
		received_from = received < received_from ? received : received_from;
	}
	if (ranks->received_from < sent_to) {
		np_mpi_pattern_fill(ranks->base + ranks->received_from,
				    sent_to - ranks->received_from, ranks->received_from,
				    ranks->rank + ranks->contents);
		ranks->received_from = sent_to;
	}
	if (received_from < ranks->received_from)
		ranks->received_from = received_from;
}

void np_mpi_pattern_restore(struct np_mpi *mpi, size_t length)
{
	enum { LOOKS = 64 };
	struct np_mpi_ranks *ranks = &mpi->ranks;
	bool whole = true;

	for (size_t i = 0; i < LOOKS && whole; i++) {
		const size_t place = length / LOOKS * i / 64 * 64;
		unsigned char wanted[sizeof(double)];

		if (place >= ranks->received_from)
			break;
		np_mpi_pattern_fill(wanted, sizeof(wanted), place, ranks->rank);
		whole = memcmp(ranks->base + place, wanted, sizeof(wanted)) == 0;
	}
	if (!whole)
		np_mpi_pattern_fill_region(ranks, ranks->base, length);
}

long np_mpi_wrong_bytes(const unsigned char *at, size_t length, size_t origin, int rank)
{
	unsigned char expected[8 * PERIOD];

	for (size_t done = 0; done < length;) {
		const size_t left = length - done;
		const size_t part = left < sizeof(expected) ? left : sizeof(expected);

		np_mpi_pattern_fill(expected, part, origin + done, rank);
		for (size_t i = 0; i < part; i++) {
			if (at[done + i] != expected[i])
				return (long)(done + i);
		}
		done += part;
	}
	return -1;
}

/* Sums of doubles, which are exact. */
static long wrong_doubles(const unsigned char *at, size_t count, size_t origin, int size)
{
	/* Sums are defined only for whole doubles. */
	if (origin % sizeof(double) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const double expected = (double)size * (double)(size + 1) / 2 *
					number_at(origin / sizeof(double) + i, 0);
		double sum;

		memcpy(&sum, at + i * sizeof(sum), sizeof(sum));
		if (sum < expected || sum > expected)
			return (long)(i * sizeof(sum));
	}
	return -1;
}

/* Elements verified at a time, in bytes: a multiple of the size of any element. */
enum { LOOKED_AT = 4096 };

struct sum {
	double value, magnitude; /* of the absolute values */
};

/* Adds the bytes that `rank` sends from `origin` on, as chars or floats, to the sums. */
static void add_sent(const struct np_mpi_element *element, size_t bytes, size_t origin,
		     int rank, struct sum sums[LOOKED_AT])
{
	unsigned char sent[LOOKED_AT];

	np_mpi_pattern_fill(sent, bytes, origin, rank);
	for (size_t i = 0; i < bytes / element->size; i++) {
		float number = (signed char)sent[i];

		if (element->size == sizeof(number))
			memcpy(&number, sent + i * sizeof(number), sizeof(number));
		sums[i].value += (double)number;
		sums[i].magnitude += fabs((double)number);
	}
}

/* Open MPI's vector instructions clamp a sum of chars that overflows, others wrap.  Sums of
 * two ranks may be either; of more ranks any, since the result depends on the order. */
static bool is_wrong_char(unsigned char received, const struct sum *sum, int size)
{
	const int value = (int)sum->value;
	const int clamped = value > SCHAR_MAX ? SCHAR_MAX :
			    value < SCHAR_MIN ? SCHAR_MIN :
						value;

	if (sum->magnitude > SCHAR_MAX && size > 2)
		return false;
	return received != (unsigned char)value && received != (unsigned char)clamped;
}

/* A sum of floats may be off by the rounding of `size` additions. */
static bool is_wrong(const struct np_mpi_element *element, const unsigned char *at,
		     const struct sum *sum, int size)
{
	float number;

	if (element->size == sizeof(char))
		return is_wrong_char(*at, sum, size);
	memcpy(&number, at, sizeof(number));
	return !(fabs((double)number - sum->value) <=
		 size * (double)FLT_EPSILON * sum->magnitude);
}

/* Sums of chars or floats: elements are the bytes of the same doubles. */
static long wrong_elements(const struct np_mpi *mpi, const struct np_mpi_element *element,
			   const unsigned char *at, size_t bytes, size_t origin)
{
	const int size = mpi->ranks.size;
	struct sum sums[LOOKED_AT];

	for (size_t done = 0; done < bytes;) {
		const size_t left = bytes - done;
		const size_t part = left < LOOKED_AT ? left : LOOKED_AT;

		memset(sums, 0, sizeof(sums));
		for (int rank = 0; rank < size; rank++)
			add_sent(element, part, origin + done, rank, sums);
		for (size_t i = 0; i < part / element->size; i++) {
			if (is_wrong(element, at + done + i * element->size, &sums[i],
				     size))
				return (long)(done + i * element->size);
		}
		done += part;
	}
	return -1;
}

long np_mpi_wrong_sums(const struct np_mpi *mpi, const unsigned char *at, size_t count,
		       size_t origin)
{
	const struct np_mpi_element element = np_mpi_element_of(np_mpi_options_of(mpi));

	if (element.size == sizeof(double))
		return wrong_doubles(at, count, origin, mpi->ranks.size);
	/* A float that begins elsewhere may be no number. */
	if (origin % element.size != 0)
		return -1;
	return wrong_elements(mpi, &element, at, count * element.size, origin);
}

long np_mpi_wrong_parts(const struct np_mpi *mpi, const unsigned char *at, size_t origin)
{
	const size_t length = mpi->endpoint.transfer->length;

	for (int from = 0; from < mpi->ranks.size; from++) {
		const size_t before = length * (size_t)from;
		const long wrong = np_mpi_wrong_bytes(at + before, length, origin, from);

		if (wrong >= 0)
			return wrong + (long)before;
	}
	return -1;
}

/* Verifies the last message of a slot; returns the offset of the first wrong byte, or
 * -1. */
static long inspect(const struct np_mpi *mpi, size_t slot)
{
	const struct np_mpi_ranks *ranks = &mpi->ranks;
	const struct np_slot *at = &mpi->endpoint.transfer->slots[slot];
	const size_t origin = ranks->fresh ? 0 : (size_t)(at->send - ranks->base);

	if (np_mpi_pattern_of(&mpi->mode)->find_wrong == NULL)
		return -1;
	return np_mpi_pattern_of(&mpi->mode)->find_wrong(mpi, at->recv, origin);
}

long np_mpi_verify(struct np_mpi *mpi)
{
	struct np_mpi_ranks *ranks = &mpi->ranks;
	const uint64_t messages = ranks->takes_part ? ranks->messages : 0;
	const bool done = ranks->inspected || messages == 0;

	ranks->inspected = true;
	return done ? -1 : inspect(mpi, (size_t)((messages - 1) % mpi->endpoint.ring_end));
}
