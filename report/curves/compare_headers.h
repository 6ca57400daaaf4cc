/*
 * compare_headers.h - differences between the headers of two files.
 */
#pragma once

#include "report/curves/run.h"

/* Calls the hook for each difference that may affect times: "kernel", "6.1", "6.2"; either
 * value may be NULL. Options of duration and destination are ignored. */
typedef void np_difference_hook(void *context, const char *what, const char *before,
				const char *after);
void np_compare_headers(const struct np_run *before, const struct np_run *after,
			np_difference_hook *hook, void *context);

/* Calls the hook for differences between hosts only. */
void np_compare_machines(const struct np_run *before, const struct np_run *after,
			 np_difference_hook *hook, void *context);

/* True if both runs are of one program with the same options; options of duration and
 * destination are ignored.  Files without a header match if their formats are equal. */
bool np_same_settings(const struct np_run *one, const struct np_run *other);
