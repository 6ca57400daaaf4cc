/*
 * ibv_requests.h - options of NPibv, and what becomes of a request with them, for
 * tests.
 */
#pragma once

#include <errno.h>

#include "modules/ibv/ibv_private.h"

static inline struct np_ibv_options default_options(void)
{
	struct np_ibv_options options = { .transport = 0 };
	const struct np_option_set set = { .table = np_ibv_options_table,
					   .values = &options };
	struct np_error error = { 0 };

	assert_int_equal(np_options_default(&set, 1, &error), 0);
	return options;
}

static inline struct np_request request_of(enum np_operation operation)
{
	return (struct np_request){ .operation = operation,
				    .operation_name = "as asked",
				    .smallest = 1,
				    .largest = 4096 };
}

static inline int check(const struct np_ibv_options *options, struct np_request *request,
			struct np_error *error)
{
	*error = (struct np_error){ 0 };
	return np_ibv_check(options, request, error);
}

static inline void assert_taken(const struct np_ibv_options *options,
				struct np_request *request)
{
	struct np_error error;

	if (check(options, request, &error) != 0)
		fail_msg("refused: %s", error.text);
}

static inline void assert_refused(const struct np_ibv_options *options,
				  struct np_request request, const char *text)
{
	struct np_error error;

	assert_int_equal(check(options, &request, &error), -EINVAL);
	assert_int_equal(error.kind, NP_ERROR_USAGE);
	assert_string_equal(error.text, text);
}
