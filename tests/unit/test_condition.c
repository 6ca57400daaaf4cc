/*
 * test_condition.c - what --why compares, and what it says it cannot.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "planned.h"

static struct np_options asks_why(size_t size)
{
	struct np_options options = default_options();

	options.why = size;
	return options;
}

static struct np_resources with_everything(void)
{
	struct np_resources resources = roomy();

	resources.transparent = true;
	resources.huge_bytes = (size_t)4 << 30;
	return resources;
}

static struct np_condition planned_condition(const struct np_options *options,
					     const struct np_resources *resources,
					     enum np_factor factor)
{
	struct np_plan plan;

	make_plan(options, resources, &plan);
	const struct np_condition condition = plan.conditions[factor];

	/* It differs from the base in its factor alone, and says in what. */
	if (condition.asked) {
		const struct np_memory base = np_memory_of(options);
		const struct np_memory *other = &condition.memory;

		/* Buffers lie at the same places. */
		assert_int_equal(other->parts,
				 plan.conditions[NP_FACTOR_NONE].memory.parts);
		assert_true(factor != NP_FACTOR_REGISTRATIONS || other->regions == 1 ||
			    other->regions == other->parts);
		assert_true((other->pages != base.pages) == (factor == NP_FACTOR_PAGES));
		assert_true((other->regions != base.regions) ==
			    (factor == NP_FACTOR_REGISTRATIONS));
		assert_true((other->align != base.align ||
			     other->offsets[0] != base.offsets[0] ||
			     other->offsets[1] != base.offsets[1]) ==
			    (factor == NP_FACTOR_ALIGNMENT));
		assert_string_not_equal(condition.base, condition.other);
		assert_string_equal(condition.reason, "");
	} else {
		assert_string_not_equal(condition.reason, "");
	}
	np_plan_free(&plan);
	return condition;
}

static void check_registrations(void **state)
{
	struct np_options options = asks_why(64);
	struct np_resources resources = with_everything();
	struct np_condition condition =
		planned_condition(&options, &resources, NP_FACTOR_REGISTRATIONS);

	(void)state;
	assert_int_equal(condition.memory.regions, 1024);
	assert_string_equal(condition.base, "1 registration");
	assert_string_equal(condition.other, "1024 registrations");
	options.regions = 256;
	condition = planned_condition(&options, &resources, NP_FACTOR_REGISTRATIONS);
	assert_int_equal(condition.memory.regions, 1);
	/* As many parts as hold two buffers of a megabyte. */
	options = asks_why(mib);
	options.pool = 64 * mib;
	condition = planned_condition(&options, &resources, NP_FACTOR_REGISTRATIONS);
	assert_int_equal(condition.memory.regions, 32);
	options.pool = 3 * mib;
	condition = planned_condition(&options, &resources, NP_FACTOR_REGISTRATIONS);
	assert_false(condition.asked);
}

static void check_no_registrations(void **state)
{
	const struct np_options options = asks_why(64);
	const struct np_resources resources = with_everything();
	const struct np_request request = { .operation = NP_PINGPONG };
	struct np_error error = { 0 };
	struct np_plan plan;

	(void)state;
	assert_int_equal(np_plan_make(&options, &request, &resources, &plan, &error), 0);
	assert_false(plan.conditions[NP_FACTOR_REGISTRATIONS].asked);
	assert_string_equal(plan.conditions[NP_FACTOR_REGISTRATIONS].reason,
			    "this transport itself registers no memory");
	np_plan_free(&plan);
}

static void check_pages(void **state)
{
	struct np_options options = asks_why(64);
	struct np_resources resources = with_everything();
	struct np_condition condition =
		planned_condition(&options, &resources, NP_FACTOR_PAGES);

	(void)state;
	assert_int_equal(condition.memory.pages, NP_PAGES_2M);
	/* Two ends of one host share what is reserved. */
	options.pool = 64 * mib;
	resources.share_memory = true;
	resources.huge_bytes = 128 * mib;
	condition = planned_condition(&options, &resources, NP_FACTOR_PAGES);
	assert_int_equal(condition.memory.pages, NP_PAGES_2M);
	resources.huge_bytes = 126 * mib;
	condition = planned_condition(&options, &resources, NP_FACTOR_PAGES);
	assert_int_equal(condition.memory.pages, NP_PAGES_THP);
	resources.transparent = false;
	condition = planned_condition(&options, &resources, NP_FACTOR_PAGES);
	assert_string_equal(condition.reason,
			    "of 64 MiB in pages of 2 MiB 63 are reserved and free "
			    "(nr_hugepages), and transparent ones are off");
	/* A model has pages of any size. */
	resources.models = true;
	condition = planned_condition(&options, &resources, NP_FACTOR_PAGES);
	assert_int_equal(condition.memory.pages, NP_PAGES_2M);
	/* Parts are whole pages: of 64 parts of 1 MiB there are none. */
	options.regions = 64;
	condition = planned_condition(&options, &resources, NP_FACTOR_PAGES);
	assert_false(condition.asked);
	options.regions = 1;
	/* Of 3 MiB, large pages would hold more buffers; of 301 hardly any more. */
	options.pool = 3 * mib;
	condition = planned_condition(&options, &resources, NP_FACTOR_PAGES);
	assert_false(condition.asked);
	options.pool = 301 * mib;
	condition = planned_condition(&options, &resources, NP_FACTOR_PAGES);
	assert_true(condition.asked);
	for (int pages = NP_PAGES_2M; pages <= NP_PAGES_THP; pages++) {
		options.pages = pages;
		options.pool = 0;
		condition = planned_condition(&options, &resources, NP_FACTOR_PAGES);
		assert_int_equal(condition.memory.pages, NP_PAGES_4K);
	}
}

/* Lines that rotation goes through are no fewer in the condition, or the dropout would
 * go away because a cache held them. */
static void check_alignment(void **state)
{
	static const struct {
		size_t size, align, offset, other_align, other_offset;
		const char *base;
	} cases[] = {
		{ 64, 64, 0, 64, 32, "buffers at multiples of 64" },
		{ 1, 64, 64, 64, 32, "buffers at multiples of 64" },
		{ 64, 4096, 0, 4096, 32, "buffers at multiples of 4096" },
		{ 64, 64, 1, 64, 0, "buffers 1 B past multiples of 64" },
		{ 64, 8, 0, 64, 0, "buffers at multiples of 8" },
		{ 4096, 64, 0, 4096, 0, "buffers at multiples of 64" },
		{ 5000, 64, 0, 4096, 0, "buffers at multiples of 64" },
		{ 4096, 4096, 0, 64, 0, "buffers at multiples of 4096" },
		{ 4096, 4096, 64, 64, 0, "buffers 64 B past multiples of 4096" },
		{ 1 << 20, 4096, 7, 64, 0, "buffers 7 B past multiples of 4096" },
	};
	const struct np_resources resources = with_everything();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct np_options options = asks_why(cases[i].size);
		struct np_layout layouts[2];
		uint64_t lines[2];

		options.align = cases[i].align;
		options.offsets[0] = options.offsets[1] = cases[i].offset;
		const struct np_condition condition =
			planned_condition(&options, &resources, NP_FACTOR_ALIGNMENT);

		assert_string_equal(condition.base, cases[i].base);
		assert_int_equal(condition.memory.align, cases[i].other_align);
		assert_int_equal(condition.memory.offsets[0], cases[i].other_offset);
		layouts[0] = np_layout_of(&options, 0);
		layouts[1] = np_layout_of_memory(&options, &condition.memory, 0);
		for (size_t k = 0; k < 2; k++) {
			struct np_cut cut;

			assert_int_equal(
				np_layout_cut(&layouts[k], 256 * mib, cases[i].size, &cut),
				0);
			lines[k] = np_layout_lines(&layouts[k], &cut, 64);
		}
		assert_true(2 * lines[1] >= lines[0]);
	}
}

static void check_wait(void **state)
{
	const struct np_options options = asks_why(64);
	const struct np_resources resources = with_everything();
	struct np_request request = { .capabilities = NP_CAN_REGISTER,
				      .waits = { "poll", "event" } };
	struct np_error error = { 0 };
	struct np_plan plan;

	(void)state;
	assert_false(planned_condition(&options, &resources, NP_FACTOR_WAIT).asked);
	assert_int_equal(np_plan_make(&options, &request, &resources, &plan, &error), 0);
	assert_true(plan.conditions[NP_FACTOR_WAIT].asked);
	assert_string_equal(plan.conditions[NP_FACTOR_WAIT].base, "waiting by poll");
	assert_string_equal(plan.conditions[NP_FACTOR_WAIT].other, "waiting by event");
	assert_int_equal(np_conditions_asked(plan.conditions), 4);
	np_plan_free(&plan);
}

/* A run without --why compares nothing, and has no more time for it. */
static void check_other_runs(void **state)
{
	const struct np_resources resources = with_everything();
	struct np_options options = default_options();
	struct np_plan plan;

	(void)state;
	options.invalidate = true;
	make_plan(&options, &resources, &plan);
	assert_int_equal(np_conditions_asked(plan.conditions), 0);
	assert_true(plan.conditions[NP_FACTOR_NONE].asked);
	for (enum np_factor factor = 0; factor < NP_FACTORS; factor++)
		assert_string_equal(plan.conditions[factor].reason, "");
	np_plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_registrations),
		cmocka_unit_test(check_no_registrations),
		cmocka_unit_test(check_pages),
		cmocka_unit_test(check_alignment),
		cmocka_unit_test(check_wait),
		cmocka_unit_test(check_other_runs),
	};

	return cmocka_run_group_tests_name("condition", tests, NULL, NULL);
}
