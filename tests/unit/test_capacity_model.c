/*
 * test_capacity_model.c - misses where entries share sets by chance, and what is made of
 * them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "curves.h"
#include "questions/capacity.h"
#include "questions/capacity_model.h"
#include "questions/capacity_explain.h"

enum { WAYS = 8, SETS_MOST = 256 };

/* The share of uses that miss, of one arrangement: each entry is in a set by chance, and
 * those of a set that holds too many are used in turn, or `uses` times at random. */
static double drawn_misses(struct np_random *random, unsigned capacity, unsigned touched,
			   double uses)
{
	const unsigned sets = capacity / WAYS;
	unsigned sizes[SETS_MOST] = { 0 };
	double misses = 0;

	for (unsigned i = 0; i < touched; i++)
		sizes[np_random_below(random, sets)]++;
	for (unsigned i = 0; i < sets; i++) {
		if (sizes[i] > WAYS)
			misses += sizes[i] *
				  pow(1 - (double)WAYS / sizes[i], (uses - 1) / uses);
	}
	return misses / touched;
}

static void scatter_of_sets(void **state)
{
	enum { DRAWS = 20000 };
	static const struct {
		unsigned capacity, touched;
		double uses;
	} cases[] = { { 32, 24, 1 },   { 32, 48, 1 },	 { 680, 512, 1 },
		      { 680, 900, 1 }, { 680, 900, 64 }, { 296, 2000, 64 } };
	struct np_random random = { 3 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double sum = 0, squares = 0;

		for (unsigned draw = 0; draw < DRAWS; draw++) {
			const double share = drawn_misses(&random, cases[i].capacity,
							  cases[i].touched, cases[i].uses);

			sum += share;
			squares += share * share;
		}
		const double mean = sum / DRAWS;
		const double deviation = sqrt(squares / DRAWS - mean * mean);
		const double scatter = np_replacement_scatter(
			cases[i].capacity, cases[i].touched, cases[i].uses);

		assert_true(
			fabs(np_replacement_misses(NP_REPLACES_IN_SETS, cases[i].capacity,
						   cases[i].touched, cases[i].uses) -
			     mean) < 0.02 * mean);
		assert_true(fabs(scatter - deviation) < 0.1 * deviation + 1e-3);
	}
}

/* All miss, or none: no arrangement changes that. */
static void no_scatter(void **state)
{
	(void)state;
	assert_true(np_replacement_scatter(296, 4, 1) < 1e-6);
	assert_true(np_replacement_scatter(296, 9000, 1) < 1e-3);
}

/* A device's page translations in sets, each sweep with an arrangement of its own at each
 * point: the pages that miss early are no capacity of another kind. */
static struct np_capacity sweep_sets(const struct np_capacity_host *host, uint64_t seed)
{
	static const enum np_axis axes[] = { NP_AXIS_LINES, NP_AXIS_PAGES,
					     NP_AXIS_REGISTRATIONS };
	static struct np_capacity_sample samples[1200];
	struct np_random random = { seed };
	struct np_capacity capacity;
	size_t count = 0;

	for (size_t axis = 0; axis < 3; axis++) {
		for (uint64_t power = 1; power <= 1 << 14; power *= 2) {
			for (uint64_t buffers = power; buffers <= power / 2 * 3;
			     buffers += power / 2) {
				const double touched = np_capacity_unit_touched(
					host, NP_HOLDS_PAGES, axes[axis], buffers);
				const double share =
					drawn_misses(&random, 680, (unsigned)touched,
						     2 * (double)buffers / touched);

				for (unsigned pass = 0; pass < 6; pass++)
					samples[count++] = (struct np_capacity_sample){
						.axis = axes[axis],
						.buffers = buffers,
						.unit = pass,
						.ratio = (1 + 0.56 * share) *
							 exp(0.004 * normal(&random)),
						.seconds = 1e-6
					};
			}
		}
	}
	assert_int_equal(np_capacity_derive(host, samples, count, &capacity), 0);
	return capacity;
}

static void sets_are_one_capacity(void **state)
{
	enum { SWEEPS = 20 };
	const struct np_capacity_host host = { .length = 64,
					       .sides = 2,
					       .share_cache = true,
					       .line = 64,
					       .page = 4096,
					       .caches = { 32 << 10, 256 << 10, 2 << 20 } };
	unsigned named = 0, false_names = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SWEEPS; seed++) {
		struct np_capacity capacity = sweep_sets(&host, seed);

		for (size_t i = 0; i < capacity.knee_count; i++) {
			const struct np_knee *knee = &capacity.knees[i];

			if (knee->repeats || knee->cause == NP_KNEE_UNKNOWN)
				continue;
			named += knee->cause == NP_KNEE_TRANSLATION;
			false_names += knee->cause != NP_KNEE_TRANSLATION;
		}
		np_capacity_free(&capacity);
	}
	assert_int_equal(named, SWEEPS);
	assert_int_equal(false_names, 0);
}

/* Pages that fill a cache which picks its set by the address: its size is in question, and
 * not that of one which as many lines would fill. */
static void pages_or_sets(void **state)
{
	const struct np_chosen pages = { .unit = NP_HOLDS_PAGES,
					 .axis = NP_AXIS_PAGES,
					 .others = 1u << NP_HOLDS_SET_LINES };
	struct np_knee knees[] = { { .axis = NP_AXIS_PAGES,
				     .unit = NP_HOLDS_PAGES,
				     .buffers = 256,
				     .next = 384,
				     .low = 256,
				     .high = 384,
				     .effect = 1.03 },
				   { .axis = NP_AXIS_LINES,
				     .unit = NP_HOLDS_LINES,
				     .count_low = 1.5 * (1 << 20),
				     .count_high = 2 << 20 } };
	struct np_capacity capacity = {
		.host = { .length = 64, .sides = 2, .line = 64, .page = 4096 },
		.axes[NP_AXIS_LINES] = { .counts = 30, .most = 1 << 18 },
		.axes[NP_AXIS_PAGES] = { .counts = 30, .most = 1 << 18 },
		.knees = knees,
		.knee_count = 1,
		.expected_count = 2,
		.expected = { { .name = "first-level cache",
				.axis = NP_AXIS_LINES,
				.size = 32 << 10,
				.processes = 1,
				.from = 256,
				.to = 512 },
			      { .name = "last-level cache",
				.axis = NP_AXIS_LINES,
				.size = 2 << 20,
				.processes = 1,
				.from = 16384,
				.to = 32768 } },
	};

	(void)state;
	np_knee_name(&capacity, &pages, &knees[0]);
	assert_string_equal(knees[0].label, "last-level cache");
	/* It has a knee of its own. */
	capacity.knee_count = 2;
	np_knee_name(&capacity, &pages, &knees[0]);
	assert_int_equal(knees[0].cause, NP_KNEE_TRANSLATION);
	assert_string_equal(knees[0].label, "library or device");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scatter_of_sets),
		cmocka_unit_test(no_scatter),
		cmocka_unit_test(sets_are_one_capacity),
		cmocka_unit_test(pages_or_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
