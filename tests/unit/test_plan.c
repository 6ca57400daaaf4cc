/*
 * test_plan.c - the arithmetic of a run: sizes, modes, a budget that is kept, and
 * refusals that say why.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "plan/budget.h"
#include "planned.h"

static void check_sizes(void **state)
{
	struct np_options options = default_options();
	const struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	options.quick = true;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.size_count, 46);
	np_plan_free(&plan);
	options.sizes = "4K,64";
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.size_count, 2);
	assert_int_equal(plan.sizes[0], 64);
	assert_int_equal(plan.sizes[1], 4096);
	np_plan_free(&plan);
	options.sizes = "64,x";
	assert_refused(&options, &resources, -EINVAL,
		       "size 'x': not a size; give sizes such as 64,4K,4KiB,1M+1");
}

static void check_modes(void **state)
{
	struct np_options options = default_options();
	const struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.mode_count, 1);
	assert_int_equal(plan.modes[0], NP_MODE_REUSE);
	np_plan_free(&plan);
	options.invalidate = true;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.mode_count, 3);
	assert_int_equal(plan.modes[0], NP_MODE_REUSE);
	assert_int_equal(plan.modes[1], NP_MODE_ROTATE);
	assert_int_equal(plan.modes[2], NP_MODE_CONTROL);
	np_plan_free(&plan);
	/* What is checked once need not be checked again. */
	options.integrity = true;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.mode_count, 2);
	np_plan_free(&plan);
	options.integrity = false;
	options.buffers = NP_BUFFERS_ROTATE;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.mode_count, 1);
	assert_int_equal(plan.modes[0], NP_MODE_ROTATE);
	np_plan_free(&plan);
}

static void check_operation(void **state)
{
	struct np_options options = default_options();

	(void)state;
	assert_int_equal(np_plan_operation(&options), NP_PINGPONG);
	options.bidirectional = true;
	assert_int_equal(np_plan_operation(&options), NP_BIDIRECTIONAL);
	options.bidirectional = false;
	options.stream = true;
	assert_int_equal(np_plan_operation(&options), NP_STREAM);
	options.window = 1;
	assert_int_equal(np_plan_operation(&options), NP_STREAM_ACKED);
}

/* Seconds: each pass maps the pool, at 500 MB/s in both processes. */
static double mapping_time(const struct np_options *options, const struct np_plan *plan)
{
	return options->invalidate ? plan->passes * (double)plan->pool_bytes / 5e8 : 0;
}

static void assert_budget(const struct np_options *options, double seconds)
{
	const struct np_resources resources = roomy();
	struct np_plan plan;

	make_plan(options, &resources, &plan);
	if (options->time_budget == 0)
		seconds += mapping_time(options, &plan);
	assert_true(fabs((double)plan.budget_ns * 1e-9 - seconds) < 1e-6);
	np_plan_free(&plan);
}

/* The peer may say that it has 64 PiB, to map in seven conditions and six passes: in
 * nanoseconds the time for that has to fit. */
static void check_budget_of_all_memory(void **state)
{
	struct np_options options = default_options();
	struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	resources.memory_bytes = (size_t)1 << 56;
	resources.cache_bytes = (size_t)1 << 53;
	resources.transparent = true;
	options.why = 64;
	make_plan(&options, &resources, &plan);
	assert_in_range(plan.budget_ns, 1, UINT64_C(1000000000000000000));
	np_plan_free(&plan);
}

/* --time-budget that the memory of the largest size alone exceeds. */
static void check_budget_too_small(void **state)
{
	const struct np_request request = { .operation_name = "pingpong" };
	struct np_options options = default_options();
	struct np_resources resources = roomy();
	struct np_plan plan;
	struct np_error error = { .code = 0 };

	(void)state;
	resources.memory_bytes = (size_t)1 << 40;
	options.sizes = "5G";
	options.time_budget = 2;
	assert_int_equal(np_plan_make(&options, &request, &resources, &plan, &error),
			 -EINVAL);
	assert_non_null(strstr(error.text, "--time-budget 2: "));
	np_plan_free(&plan);
	options.time_budget = 200;
	assert_int_equal(np_plan_make(&options, &request, &resources, &plan, &error), 0);
	np_plan_free(&plan);
}

static void check_budget(void **state)
{
	struct np_options options = default_options();

	(void)state;
	assert_budget(&options, 40);
	options.quick = true;
	assert_budget(&options, 7);
	options.invalidate = true;
	assert_budget(&options, 14);
	options.quick = false;
	assert_budget(&options, 80);
	options.buffers = NP_BUFFERS_ROTATE;
	assert_budget(&options, 40);
	options.time_budget = 90;
	assert_budget(&options, 90);
	options.buffers = 0;
	assert_budget(&options, 90);
	/* The time is for all runs together. */
	options.runs = 8;
	assert_budget(&options, 90.0 / 8);
	options.time_budget = 0;
	assert_budget(&options, 10);
}

/* The passes that have to be made leave half of the budget over. */
static void check_visits_fit(void **state)
{
	struct np_options options = default_options();
	const struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	for (unsigned i = 0; i < 4 * 4 * 4 * 4; i++) {
		options.invalidate = i % 2 != 0;
		options.quick = i / 2 % 2 != 0;
		options.passes = i / 4 % 4 * 10;
		options.runs = 1 + i / 16 % 4;
		const unsigned quarter = i / 64;

		options.time_budget = quarter * 3.5;
		make_plan(&options, &resources, &plan);
		const double visits =
			(double)plan.size_count * (double)plan.mode_count * plan.passes;

		assert_true(plan.visit_ns > 0);
		assert_true(plan.visit_ns <= 20000000);
		assert_true(visits * (double)plan.visit_ns <=
			    0.5 * (double)plan.budget_ns + visits);
		/* It is time that is short where a visit is; mapping takes half at most. */
		const double budget = (double)plan.budget_ns;
		const double left = budget - mapping_time(&options, &plan) * 1e9;

		if (plan.visit_ns < 15000000 &&
		    (options.runs != 1 || plan.visit_ns != 5000000))
			assert_true(visits * (double)(plan.visit_ns + 1) >=
				    0.49 * fmax(left, budget / 2));
		np_plan_free(&plan);
	}
}

static double visit_ms(const struct np_options *options)
{
	const struct np_resources resources = roomy();
	struct np_plan plan;

	make_plan(options, &resources, &plan);
	const double ms = (double)plan.visit_ns * 1e-6;
	np_plan_free(&plan);
	return ms;
}

/* What ends by its precision has short visits, 50 samples. */
static void check_short_visits(void **state)
{
	struct np_options options = default_options();

	(void)state;
	assert_true(fabs(visit_ms(&options) - 5) < 1e-6);
	options.sample_time = 40;
	assert_true(fabs(visit_ms(&options) - 2) < 1e-6);
	options.sample_time = 1000;
	assert_true(visit_ms(&options) > 15);
	options.sample_time = 0;
	options.invalidate = true;
	assert_true(fabs(visit_ms(&options) - 5) < 1e-6);
	/* Of few sizes that rotate a pass has 0.2 s, or visits of 20 ms. */
	options.sizes = "1,2,4,8,16";
	assert_true(fabs(visit_ms(&options) - 200.0 / 15) < 1e-6);
	options.sizes = "1";
	assert_true(fabs(visit_ms(&options) - 20) < 1e-6);
	options.buffers = NP_BUFFERS_ROTATE;
	assert_true(fabs(visit_ms(&options) - 20) < 1e-6);
	options.invalidate = false;
	options.buffers = 0;
	assert_true(fabs(visit_ms(&options) - 5) < 1e-6);
	options.buffers = NP_BUFFERS_FRESH;
	assert_true(fabs(visit_ms(&options) - 5) < 1e-6);
	options.buffers = 0;
	options.precision = 0;
	assert_true(visit_ms(&options) > 15);
}

static unsigned passes_of(const struct np_options *options)
{
	const struct np_resources resources = roomy();
	struct np_plan plan;

	make_plan(options, &resources, &plan);
	const unsigned passes = plan.passes;
	np_plan_free(&plan);
	return passes;
}

static void check_passes(void **state)
{
	struct np_options options = default_options();

	(void)state;
	/* Six is the least of which an interval of 95 % can be made. */
	assert_int_equal(passes_of(&options), 6);
	options.runs = 2;
	assert_int_equal(passes_of(&options), 3);
	options.runs = 3;
	assert_int_equal(passes_of(&options), 2);
	options.runs = 8;
	assert_int_equal(passes_of(&options), 2);
	options.passes = 10;
	assert_int_equal(passes_of(&options), 10);
	/* A server without a token refuses many passes by the time of so many. */
	const struct np_request request = { .variant_count = 0 };

	options.passes = 60;
	const double least = np_plan_estimate(&options, &request);
	options.passes = 600;
	assert_true(fabs(np_plan_estimate(&options, &request) - 10 * least) < 1e-6);
	options.passes = 10;
	options.runs = 1;
	assert_int_equal(passes_of(&options), 10);
}

static void check_sample_time(void **state)
{
	struct np_options options = default_options();
	const struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.sample_ns, 100000);
	np_plan_free(&plan);
	options.stream = true;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.sample_ns, 2000000);
	np_plan_free(&plan);
	options.sample_time = 12.5;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.sample_ns, 12500);
	np_plan_free(&plan);
}

/* Samples become so long that a coarse clock is right to 1 %, as far as the budget goes. */
static void check_coarse_clock(void **state)
{
	const struct np_resources resources = roomy();
	struct np_options options = default_options();
	struct np_plan plan;

	(void)state;
	options.time_budget = 40;
	make_plan(&options, &resources, &plan);
	const uint64_t visit_ns = plan.visit_ns;
	/* 25 ns of 100 us. */
	np_budget_lengthen(&options, 25, &plan);
	assert_int_equal(plan.sample_ns, 100000);
	assert_int_equal(plan.visit_ns, visit_ns);
	np_budget_lengthen(&options, 10000, &plan);
	assert_int_equal(plan.sample_ns, 1500000);
	assert_true(plan.visit_ns >= 8 * plan.sample_ns);
	/* 4 ms: six passes have half of the budget. */
	np_budget_lengthen(&options, 4e6, &plan);
	assert_true(plan.sample_ns > 1500000 && plan.sample_ns < 600000000);
	assert_int_equal(plan.visit_ns, plan.sample_ns);
	assert_true(fabs(6 * (double)plan.size_count * (double)plan.visit_ns - 20e9) < 1e6);
	np_plan_free(&plan);
	options.sample_time = 100;
	make_plan(&options, &resources, &plan);
	np_budget_lengthen(&options, 10000, &plan);
	assert_int_equal(plan.sample_ns, 100000);
	np_plan_free(&plan);
}

/* Sizes are left out for their own time, not for the warm-up of the run's connection nor
 * for a disturbance of one. */
static void check_lateness(void **state)
{
	const struct np_options options = default_options();
	const struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	make_plan(&options, &resources, &plan);
	const double budget_ns = (double)plan.budget_ns,
		     visit_ns = budget_ns / (2.0 * plan.passes * (double)plan.size_count);
	const size_t count = plan.size_count, quarter = count / 4;

	/* Visits of half of the budget after a warm-up of a tenth. */
	for (size_t done = 0; done < count; done++)
		assert_true(np_budget_lateness(&plan, budget_ns / 10,
					       budget_ns / 10 + (double)done * visit_ns,
					       done, count) < NP_BUDGET_LATE);
	/* One of the first eight took 20 times as long. */
	assert_true(np_budget_lateness(&plan, 0, 27 * visit_ns, 8, count) < NP_BUDGET_LATE);
	assert_true(np_budget_lateness(&plan, 0, 3 * (double)quarter * visit_ns, quarter,
				       count) > NP_BUDGET_TOO_LATE);
	/* So slow that a quarter of the sizes is too much. */
	assert_true(np_budget_lateness(&plan, 0, budget_ns / 9, 8, count) >
		    NP_BUDGET_TOO_LATE);
	assert_true(np_budget_lateness(&plan, 0, budget_ns, 8, NP_BUDGET_FEWEST - 1) == 0);
	/* Passes that are late shorten visits; one on time lengthens them again, and so
	 * does the end of the planned ones. */
	assert_true(fabs(np_budget_pace(&plan, 2, 1, 3, 8) - 0.6) < 1e-9);
	assert_true(fabs(np_budget_pace(&plan, 3, 0.6, 1, 6) - 1) < 1e-9);
	assert_true(fabs(np_budget_pace(&plan, 6, 0.6, 10, 1) - 1) < 1e-9);
	np_plan_free(&plan);
}

static void check_the_rest(void **state)
{
	struct np_options options = default_options();
	struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	options.seed = 4711;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.seed, 4711);
	assert_true(fabs(plan.precision - 0.03) < 1e-12);
	assert_int_equal(plan.touch_bytes, 0);
	/* The order of the modes turns with each pair; it has to come out even. */
	assert_int_equal(plan.pairs % 2, 0);
	np_plan_free(&plan);
	options.invalidate = true;
	options.buffers = NP_BUFFERS_TOUCHED;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.touch_bytes, mib / 2);
	np_plan_free(&plan);
	resources.inner_cache = 0;
	make_plan(&options, &resources, &plan);
	assert_true(plan.touch_bytes != 0);
	np_plan_free(&plan);
}

static void check_capacity(void **state)
{
	struct np_options options = default_options();

	(void)state;
	assert_int_equal(np_plan_capacity(&options), 1 << 17);
	options.messages = 100000;
	assert_int_equal(np_plan_capacity(&options), 400000);
	options.messages = 0;
	options.messages = 100000;
	assert_int_equal(np_plan_capacity(&options), 400000);
	options.messages = UINT64_C(1) << 32;
	assert_int_equal(np_plan_capacity(&options), 1 << 25);
}

/* What a module that can do `capabilities` answers. */
static int ask(const struct np_options *options, size_t smallest, unsigned capabilities,
	       struct np_error *error)
{
	const struct np_module module = { .name = "toy" };
	const struct np_request request = { .smallest = smallest,
					    .capabilities = capabilities };

	*error = (struct np_error){ 0 };
	return np_plan_refuse(options, &module, &request, error);
}

/* Refused without the capability, carried with that one alone. */
static void assert_needs(const struct np_options *options, size_t smallest,
			 unsigned capability, const char *text)
{
	struct np_error error;

	assert_int_equal(ask(options, smallest, ~capability, &error), -EINVAL);
	assert_int_equal(error.kind, NP_ERROR_USAGE);
	assert_string_equal(error.text, text);
	assert_int_equal(ask(options, smallest, 0, &error), -EINVAL);
	assert_int_equal(ask(options, smallest, capability, &error), 0);
	assert_int_equal(error.code, 0);
}

static void check_refusals(void **state)
{
	const struct np_options plain = default_options();
	struct np_options options = plain;
	struct np_error error;

	(void)state;
	assert_int_equal(ask(&options, 1, 0, &error), 0);
	assert_needs(&options, 0, NP_CAN_ZERO_BYTES,
		     "a size of 0 (-l, --sizes) is not supported: this transport has no "
		     "message without bytes");
	options.stream = true;
	assert_needs(&options, 1, NP_CAN_STREAM,
		     "-s is not supported: this transport cannot stream");
	options = plain;
	options.bidirectional = true;
	assert_needs(&options, 1, NP_CAN_BIDIRECTIONAL,
		     "-2 is not supported: this transport cannot send in both directions "
		     "at once");
	options = plain;
	options.reset = true;
	assert_needs(&options, 1, NP_CAN_RECONNECT,
		     "-r is not supported: this transport cannot connect again within a "
		     "run");
	options = plain;
	options.regions = 2;
	assert_needs(&options, 1, NP_CAN_REGISTER,
		     "--regions is not supported: this transport registers no memory");
	options = plain;
	options.window = 2;
	assert_needs(
		&options, 1, NP_CAN_WINDOW,
		"--window above 1 is not supported: this transport does not let a program "
		"choose how many messages are in flight");
	options = plain;
	options.burst = true;
	assert_needs(&options, 1, NP_CAN_BURST,
		     "-B is not supported: this transport has no receives to post in "
		     "advance");
}

/* What the connection turns out not to carry leaves the plan. */
static void check_longest(void **state)
{
	struct np_options options = default_options();
	const struct np_resources resources = roomy();
	struct np_error error = { 0 };
	struct np_plan plan;

	(void)state;
	options.sizes = "1,1000,1024,1025,8M";
	make_plan(&options, &resources, &plan);
	const size_t pool = plan.pool_bytes;
	assert_int_equal(np_plan_limit(&plan, 0, &error), 0);
	assert_int_equal(plan.size_count, 5);
	assert_int_equal(plan.too_long_for_connection, 0);
	assert_int_equal(np_plan_limit(&plan, 1024, &error), 0);
	assert_int_equal(plan.size_count, 3);
	assert_int_equal(plan.sizes[2], 1024);
	assert_int_equal(plan.too_long_for_connection, 2);
	assert_int_equal(plan.longest, 1024);
	assert_int_equal(plan.pool_bytes, pool);
	np_plan_free(&plan);
	options.sizes = "1025,8M";
	make_plan(&options, &resources, &plan);
	assert_int_equal(np_plan_limit(&plan, 1024, &error), -EINVAL);
	assert_int_equal(error.kind, NP_ERROR_USAGE);
	assert_string_equal(error.text,
			    "no size is left: the connection carries no message longer "
			    "than 1024 bytes, and the smallest has 1025");
	np_plan_free(&plan);
}

/* Sizes that an operation does not have leave the plan, and its buffers hold a part for
 * each process. */
static void check_sizes_of_operation(void **state)
{
	const struct np_options defaults = default_options();
	const struct np_resources resources = roomy();
	struct np_request request = { .operation_name = "allreduce", .multiple_of = 8 };
	struct np_options options = defaults;
	struct np_error error = { 0 };
	struct np_plan plan;

	(void)state;
	options.sizes = "1,8,12,64";
	assert_int_equal(np_plan_make(&options, &request, &resources, &plan, &error), 0);
	assert_int_equal(plan.size_count, 2);
	assert_int_equal(plan.sizes[0], 8);
	assert_int_equal(plan.sizes[1], 64);
	assert_int_equal(plan.of_no_multiple, 2);
	np_plan_free(&plan);
	options.sizes = "1,12";
	assert_int_equal(np_plan_make(&options, &request, &resources, &plan, &error),
			 -EINVAL);
	assert_int_equal(error.kind, NP_ERROR_USAGE);
	np_plan_free(&plan);
	request = (struct np_request){ .operation_name = "barrier", .one_size = true };
	options = defaults;
	assert_int_equal(np_plan_make(&options, &request, &resources, &plan, &error), 0);
	assert_int_equal(plan.size_count, 1);
	assert_int_equal(plan.sizes[0], 0);
	np_plan_free(&plan);
	request = (struct np_request){ .operation_name = "alltoall",
				       .messages_in_buffer = 16 };
	options.sizes = "1M";
	assert_int_equal(np_plan_make(&options, &request, &resources, &plan, &error), 0);
	assert_true(plan.pool_bytes >= (size_t)2 * 16 << 20);
	np_plan_free(&plan);
	request.messages_in_buffer = SIZE_MAX / 4;
	assert_true(np_plan_make(&options, &request, &resources, &plan, &error) != 0);
	np_plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_sizes),
		cmocka_unit_test(check_modes),
		cmocka_unit_test(check_sizes_of_operation),
		cmocka_unit_test(check_operation),
		cmocka_unit_test(check_budget),
		cmocka_unit_test(check_budget_of_all_memory),
		cmocka_unit_test(check_budget_too_small),
		cmocka_unit_test(check_visits_fit),
		cmocka_unit_test(check_short_visits),
		cmocka_unit_test(check_passes),
		cmocka_unit_test(check_sample_time),
		cmocka_unit_test(check_coarse_clock),
		cmocka_unit_test(check_lateness),
		cmocka_unit_test(check_the_rest),
		cmocka_unit_test(check_capacity),
		cmocka_unit_test(check_longest),
		cmocka_unit_test(check_refusals),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
