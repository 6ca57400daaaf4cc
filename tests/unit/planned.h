/*
 * planned.h - plans made from options and hosts that tests make up.
 *
 * Included after cmocka.h, by the tests of the plan.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"

enum { mib = 1 << 20 };

static inline struct np_options default_options(void)
{
	struct np_options options = { .host = NULL };
	const struct np_option_set set = { .table = np_driver_options, .values = &options };
	struct np_error error = { 0 };

	assert_int_equal(np_options_default(&set, 1, &error), 0);
	options.seed = 1;
	return options;
}

static inline struct np_resources roomy(void)
{
	return (struct np_resources){ .cache_bytes = 32 * mib,
				      .inner_cache = mib,
				      .line_size = 64,
				      .memory_bytes = (size_t)64 << 30 };
}

static inline int try_plan(const struct np_options *options,
			   const struct np_resources *resources, struct np_plan *plan,
			   struct np_error *error)
{
	const struct np_request request = { .operation = np_plan_operation(options),
					    .integrity = options->integrity,
					    .capabilities = NP_CAN_REGISTER };

	*error = (struct np_error){ 0 };
	return np_plan_make(options, &request, resources, plan, error);
}

static inline void make_plan(const struct np_options *options,
			     const struct np_resources *resources, struct np_plan *plan)
{
	struct np_error error;

	assert_int_equal(try_plan(options, resources, plan, &error), 0);
	assert_int_equal(error.code, 0);
}

static inline void assert_refused(const struct np_options *options,
				  const struct np_resources *resources, int code,
				  const char *text)
{
	struct np_plan plan;
	struct np_error error;

	assert_int_equal(try_plan(options, resources, &plan, &error), code);
	assert_int_equal(error.kind, NP_ERROR_USAGE);
	assert_string_equal(error.text, text);
	assert_null(strchr(error.text, '\n'));
	np_plan_free(&plan);
}
