/*
 * test_causes.c - causes are taken apart as they were put together.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "questions/causes.h"
#include "tests/unit/noisy_units.h"
#include "visits.h"

enum { BASE_NS = 100000, PASSES = 7 };

/* What rotation costs in a model, in shares of the base. */
struct planted {
	double cache, translation, together, send, recv, noise;
};

/* Noise that a pass has in common, which must not count, and the samples' own,
 * deterministic: a pass and a mode each have a place on a fixed wheel. */
static double wobble(unsigned pass, unsigned mode, double noise)
{
	const double common = 0.2 * sin(2.1 * pass);
	const double own = noise * sin(1.7 * (pass + 1) * (mode + 2) + mode);

	return (1 + common) * (1 + own);
}

static void plant(struct np_results *results, const struct planted *planted,
		  unsigned passes, size_t variant)
{
	const double shares[NP_MODES] = {
		[NP_MODE_EVICTED] = planted->cache,
		[NP_MODE_TOUCHED] = planted->translation,
		[NP_MODE_ROTATE] =
			planted->cache + planted->translation + planted->together,
		[NP_MODE_SEND] = planted->send,
		[NP_MODE_RECV] = planted->recv,
	};

	for (unsigned pass = 0; pass < passes; pass++) {
		for (enum np_mode mode = 0; mode < NP_MODES; mode++) {
			const double ns = BASE_NS * (1 + shares[mode]) *
					  wobble(pass, mode, planted->noise);

			if (mode == NP_MODE_CONTROL || mode == NP_MODE_FRESH)
				continue;
			add(results, 64, mode, pass, (uint64_t)ns)->variant = variant;
		}
	}
}

static struct np_causes found_in(const struct planted *planted, unsigned passes)
{
	struct np_results results;
	struct np_causes causes;

	np_results_init(&results);
	plant(&results, planted, passes, 0);
	assert_int_equal(np_causes_derive(&results, 0, &causes), 0);
	np_results_free(&results);
	return causes;
}

static void assert_close(double value, double expected, double within)
{
	if (!(fabs(value - expected) <= within))
		fail_msg("%g is not within %g of %g", value, within, expected);
}

static void check_verdicts(void **state)
{
	static const struct {
		struct planted planted;
		enum np_cause verdict;
	} cases[] = {
		{ { .cache = 0.5, .noise = 0.01 }, NP_CAUSE_CPU },
		{ { .translation = 0.5, .noise = 0.01 }, NP_CAUSE_TRANSLATION },
		{ { .cache = 0.3, .translation = 0.4, .noise = 0.01 }, NP_CAUSE_BOTH },
		{ { .cache = 0.06, .noise = 0.005 }, NP_CAUSE_CPU },
		{ { .together = 0.5, .noise = 0.01 }, NP_CAUSE_CPU },
		{ { .noise = 0.01 }, NP_CAUSE_NOTHING },
		{ { .cache = -0.3, .noise = 0.01 }, NP_CAUSE_NOTHING },
		/* A part that is sure, but a twentieth of the whole. */
		{ { .cache = 0.95, .translation = 0.05, .noise = 0.001 }, NP_CAUSE_CPU },
		{ { .cache = 0.5 }, NP_CAUSE_CPU },
		{ { .cache = 0 }, NP_CAUSE_NOTHING },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct np_causes causes = found_in(&cases[i].planted, PASSES);

		if (causes.verdict != cases[i].verdict)
			fail_msg("case %zu: %s", i, np_cause_text(causes.verdict));
	}
}

static void check_effects(void **state)
{
	const struct planted planted = { .cache = 0.30,
					 .translation = 0.50,
					 .together = 0.10,
					 .send = 0.2,
					 .recv = 0.7,
					 .noise = 0.002 };
	const struct np_causes causes = found_in(&planted, PASSES);

	(void)state;
	assert_int_equal(causes.length, 64);
	assert_int_equal(causes.units, PASSES);
	assert_close(causes.whole.share, 0.90, 0.01);
	assert_close(causes.cpu.share, 0.40, 0.01);
	assert_close(causes.lines.share, 0.30, 0.01);
	assert_close(causes.rest.share, 0.10, 0.02);
	assert_close(causes.translation.share, 0.50, 0.01);
	assert_close(causes.send.share, 0.2, 0.01);
	assert_close(causes.recv.share, 0.7, 0.01);
	assert_close(causes.cpu.share + causes.translation.share, causes.whole.share, 1e-9);
	/* What is taken apart is what is printed beside it, and its interval is no wider
	 * than those of its parts together. */
	assert_close(causes.whole.share * causes.reuse_s, causes.rotate_s - causes.reuse_s,
		     1e-12);
	assert_true(causes.whole.high <= causes.cpu.high + causes.translation.high + 1e-12);
	assert_true(causes.whole.low >= causes.cpu.low + causes.translation.low - 1e-12);
	assert_close(causes.lines.share + causes.rest.share, causes.cpu.share, 1e-9);
	assert_true(causes.cpu.low < 0.40 && causes.cpu.high > 0.40);
	assert_true(causes.cpu.high - causes.cpu.low < 0.02);
	assert_true(causes.send.named && causes.recv.named);
}

/* Reuse and rotate once more, in a condition: how much slower all is there, and what
 * rotation costs there, of the base. */
struct varied {
	enum np_factor factor;
	double slower, cost;
};

static void vary(struct np_results *results, const struct varied *varied, unsigned passes,
		 double noise)
{
	for (unsigned pass = 0; pass < passes; pass++) {
		for (enum np_mode mode = NP_MODE_REUSE; mode <= NP_MODE_ROTATE; mode++) {
			const double cost = mode == NP_MODE_ROTATE ? varied->cost : 0;
			/* Memory of its own, which does something to all alike. */
			const double common =
				1 + 0.02 * sin(pass + 7.0 * (double)varied->factor);
			const double ns = BASE_NS * (varied->slower + cost) * common *
					  wobble(pass, mode + 9 * varied->factor, noise);

			add(results, 64, mode, pass, (uint64_t)ns)->factor = varied->factor;
		}
	}
}

static struct np_causes vary_all(const struct planted *planted, const struct varied *varied,
				 size_t count, unsigned passes)
{
	struct np_results results;
	struct np_causes causes;

	np_results_init(&results);
	plant(&results, planted, PASSES, 0);
	for (size_t i = 0; i < count; i++)
		vary(&results, &varied[i], passes, planted->noise);
	assert_int_equal(np_causes_derive(&results, 0, &causes), 0);
	np_results_free(&results);
	return causes;
}

static void check_factors(void **state)
{
	const struct planted planted = { .translation = 0.5, .noise = 0.002 };
	const struct varied varied[] = { { NP_FACTOR_REGISTRATIONS, 1, 0.8 },
					 { NP_FACTOR_PAGES, 1, 0.02 },
					 { NP_FACTOR_ALIGNMENT, 1, 0.5 },
					 { NP_FACTOR_WAIT, 3, 0.3 } };
	static const enum np_removal verdicts[NP_FACTORS] = {
		[NP_FACTOR_REGISTRATIONS] = NP_REMOVAL_ADDS,
		[NP_FACTOR_PAGES] = NP_REMOVAL_REMOVES,
		[NP_FACTOR_ALIGNMENT] = NP_REMOVAL_NONE,
		[NP_FACTOR_WAIT] = NP_REMOVAL_REDUCES,
	};
	const struct np_causes causes = vary_all(&planted, varied, 4, PASSES);

	(void)state;
	/* What is beside the base does not change what is said of it. */
	assert_int_equal(causes.verdict, NP_CAUSE_TRANSLATION);
	assert_close(causes.whole.share, 0.5, 0.01);
	assert_int_equal(causes.compared, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct np_varied *it = &causes.varied[varied[i].factor];

		assert_int_equal(it->units, PASSES);
		assert_close(it->cost.share, varied[i].cost, 0.02);
		assert_close(it->change.share, varied[i].cost - 0.5, 0.02);
		assert_true(it->adjusted_p >= it->change.p);
		if (it->verdict != verdicts[varied[i].factor])
			fail_msg("factor %zu: verdict %d", i, (int)it->verdict);
	}
	assert_close(causes.varied[NP_FACTOR_WAIT].reuse_s, 3e-4, 3e-5);
}

/* Conditions that change nothing, in passes that differ by more than their modes do: the
 * error of what a condition does to all alike is part of the change's. */
static void check_no_factors(void **state)
{
	enum { RUNS = 400 };
	struct np_random random = { 7 };
	unsigned seen = 0;

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		struct np_causes causes;
		struct np_results results;

		np_results_init(&results);
		for (unsigned pass = 0; pass < PASSES; pass++) {
			double common = 0;

			for (unsigned at = 0; at < 2 * NP_MODES; at++) {
				const enum np_mode mode = at % NP_MODES;

				if (mode == 0)
					common = 0.02 * noise_normal(&random);
				const double cost = mode == NP_MODE_REUSE ? 1 : 1.5;
				const double ns =
					BASE_NS * cost *
					exp(common + 0.001 * noise_normal(&random));
				const bool base = at < NP_MODES;

				if (mode == NP_MODE_CONTROL || mode == NP_MODE_FRESH ||
				    (!base && mode > NP_MODE_ROTATE))
					continue;
				add(&results, 64, mode, pass, (uint64_t)ns)->factor =
					base ? NP_FACTOR_NONE : NP_FACTOR_PAGES;
			}
		}
		assert_int_equal(np_causes_derive(&results, 0, &causes), 0);
		np_results_free(&results);
		const struct np_effect *change = &causes.varied[NP_FACTOR_PAGES].change;
		seen += change->low > 0 || change->high < 0;
	}
	/* 20 are expected; 40 are once in 10^4. */
	assert_true(seen < 40);
}

/* A factor that nobody measured, one with too few passes, one where rotation costs
 * nothing, and the same change among more questions. */
static void check_few_factors(void **state)
{
	const struct planted nothing = { .noise = 0.005 };
	const struct planted planted = { .translation = 0.5, .noise = 0.005 };
	const struct varied pages = { NP_FACTOR_PAGES, 1, 0.02 };
	const struct varied still = { NP_FACTOR_REGISTRATIONS, 1, 0 };
	const struct varied both[] = { pages, { NP_FACTOR_ALIGNMENT, 1, 0.5 } };
	struct np_causes causes = vary_all(&planted, &pages, 1, PASSES);
	const double alone = causes.varied[NP_FACTOR_PAGES].adjusted_p;

	(void)state;
	assert_int_equal(causes.compared, 1);
	assert_int_equal(causes.varied[NP_FACTOR_WAIT].verdict, NP_REMOVAL_NOT_COMPARED);
	assert_true(near(alone, causes.varied[NP_FACTOR_PAGES].change.p));
	causes = vary_all(&planted, both, 2, PASSES);
	assert_true(near(causes.varied[NP_FACTOR_PAGES].adjusted_p, 2 * alone));
	causes = vary_all(&planted, &pages, 1, NP_CAUSES_UNITS - 1);
	assert_int_equal(causes.varied[NP_FACTOR_PAGES].verdict, NP_REMOVAL_UNDECIDED);
	assert_true(isnan(causes.varied[NP_FACTOR_PAGES].adjusted_p));
	causes = vary_all(&nothing, &still, 1, PASSES);
	assert_int_equal(causes.varied[NP_FACTOR_REGISTRATIONS].verdict, NP_REMOVAL_NONE);
}

static void check_too_little(void **state)
{
	const struct planted planted = { .cache = 0.5, .noise = 0.01 };
	struct np_results results;
	struct np_causes causes = found_in(&planted, NP_CAUSES_UNITS - 1);

	(void)state;
	assert_int_equal(causes.verdict, NP_CAUSE_UNDECIDED);
	assert_true(isnan(causes.whole.low) && isnan(causes.whole.p));
	/* A run of another kind has no causes, nor has a pass that was cut short. */
	np_results_init(&results);
	assert_int_equal(np_causes_derive(&results, 0, &causes), -ENOENT);
	add(&results, 64, NP_MODE_REUSE, 0, 1000);
	add(&results, 64, NP_MODE_ROTATE, 0, 2000);
	assert_int_equal(np_causes_derive(&results, 0, &causes), -ENOENT);
	add(&results, 64, NP_MODE_EVICTED, 0, 2000);
	add(&results, 64, NP_MODE_TOUCHED, 1, 2000);
	assert_int_equal(np_causes_derive(&results, 0, &causes), -ENOENT);
	np_results_free(&results);
}

/* Each variant for itself; what was measured again, or beside, does not count. */
/* Visits of a pass need not lie together, and a mode with several has their median. */
static void check_order(void **state)
{
	enum { COUNT = 400 };
	static const double shares[NP_MODES] = {
		[NP_MODE_EVICTED] = 0.25, [NP_MODE_TOUCHED] = 0.5, [NP_MODE_ROTATE] = 0.75
	};
	static const double spread[3] = { -0.2, 0.1, 0 };
	struct np_results results;
	struct np_causes causes;

	(void)state;
	np_results_init(&results);
	for (size_t again = 0; again < 3; again++) {
		for (unsigned pass = COUNT; pass-- > 0;) {
			const double base = BASE_NS * (1 + 0.001 * (pass % 7));

			for (enum np_mode mode = 0; mode < NP_MODES; mode++) {
				if (mode == NP_MODE_CONTROL || mode == NP_MODE_FRESH)
					continue;
				/* Of a pass in ten, rotation was not measured. */
				if (mode == NP_MODE_ROTATE && pass % 10 == 0)
					continue;
				add(&results, 64, mode, pass,
				    (uint64_t)(base * (1 + shares[mode]) *
					       (1 + spread[again])));
			}
		}
	}
	assert_int_equal(np_causes_derive(&results, 0, &causes), 0);
	np_results_free(&results);
	assert_int_equal(causes.units, COUNT - COUNT / 10);
	assert_close(causes.whole.share, 0.75, 1e-4);
	assert_close(causes.lines.share, 0.25, 1e-4);
	assert_close(causes.cpu.share, 0.25, 1e-4);
	assert_close(causes.translation.share, 0.5, 1e-4);
	assert_close(causes.reuse_s, 1.003 * BASE_NS / 1e9, 1e-8);
}

static void check_variants(void **state)
{
	const struct planted one = { .cache = 0.5, .noise = 0.01 };
	const struct planted other = { .translation = 0.5, .noise = 0.01 };
	struct np_results results;
	struct np_causes causes;

	(void)state;
	np_results_init(&results);
	results.variant_count = 2;
	plant(&results, &one, PASSES, 0);
	plant(&results, &other, PASSES, 1);
	add(&results, 64, NP_MODE_ROTATE, 0, 90 * BASE_NS)->superseded = true;
	add(&results, 64, NP_MODE_ROTATE, 0, 90 * BASE_NS)->sentinel = true;
	assert_int_equal(np_causes_derive(&results, 0, &causes), 0);
	assert_int_equal(causes.verdict, NP_CAUSE_CPU);
	assert_int_equal(np_causes_derive(&results, 1, &causes), 0);
	assert_int_equal(causes.verdict, NP_CAUSE_TRANSLATION);
	np_results_free(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_verdicts),   cmocka_unit_test(check_effects),
		cmocka_unit_test(check_factors),    cmocka_unit_test(check_few_factors),
		cmocka_unit_test(check_too_little), cmocka_unit_test(check_variants),
		cmocka_unit_test(check_order),	    cmocka_unit_test(check_no_factors),
	};

	return cmocka_run_group_tests_name("causes", tests, NULL, NULL);
}
