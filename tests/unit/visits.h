/*
 * visits.h - visits as a run would have measured them, made up.
 *
 * Included after cmocka.h, by the tests of what is derived from visits.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "results/results.h"
#include "results/rows.h"

enum { MESSAGES = 10, BLOCKS = 4, SAMPLES = 9 };

static inline bool near(double value, double expected)
{
	return fabs(value - expected) <= 1e-9 * fabs(expected);
}

static inline struct np_measured *make_shaped(size_t length, enum np_mode mode,
					      unsigned pass, size_t blocks, size_t samples)
{
	struct np_measured *measured = np_measured_new(blocks, 0, samples);

	assert_non_null(measured);
	measured->visit = (struct np_visit){ .pass = pass,
					     .serial = pass,
					     .length = length,
					     .mode = mode,
					     .messages = MESSAGES };
	return measured;
}

/* A visit whose every message takes this time, as the operation counts it. */
static inline struct np_measured *make(const struct np_results *results, size_t length,
				       enum np_mode mode, unsigned pass,
				       uint64_t message_ns)
{
	struct np_measured *measured = make_shaped(length, mode, pass, BLOCKS, SAMPLES);
	const uint64_t trips = results->operation == NP_PINGPONG ? 2 : 1;

	for (size_t i = 0; i < BLOCKS * SAMPLES; i++)
		measured->samples_ns[i] = message_ns * MESSAGES * trips;
	return measured;
}

/* Adds it, reduced, and frees it. */
static inline struct np_visit *add_made(struct np_results *results,
					struct np_measured *measured)
{
	struct np_visit *visit = np_results_add(results, measured);

	assert_non_null(visit);
	np_measured_free(measured);
	return visit;
}

static inline struct np_visit *add(struct np_results *results, size_t length,
				   enum np_mode mode, unsigned pass, uint64_t message_ns)
{
	return add_made(results, make(results, length, mode, pass, message_ns));
}

static inline void derive(const struct np_results *results, struct np_table *table)
{
	assert_int_equal(np_table_derive(results, table), 0);
}

/* The only row of results. */
static inline struct np_row only_row(const struct np_results *results)
{
	struct np_table table;

	derive(results, &table);
	assert_int_equal(table.row_count, 1);
	const struct np_row row = table.rows[0];
	np_table_free(&table);
	return row;
}

static inline struct np_pair only_pair(const struct np_results *results)
{
	struct np_table table;

	derive(results, &table);
	assert_int_equal(table.pair_count, 1);
	const struct np_pair pair = table.pairs[0];
	np_table_free(&table);
	return pair;
}
