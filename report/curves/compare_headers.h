/*
 * compare_headers.h - what differs between the headers of two files.
 */
#pragma once

#include "report/curves/run.h"

/*
 * Calls back for each difference that may affect times: "kernel", "6.1", "6.2"; either
 * value may be NULL.  Options of duration and destination are ignored.
 */
typedef void np_difference_hook(void *context, const char *what, const char *before,
				const char *after);
void np_compare_headers(const struct np_run *before, const struct np_run *after,
			np_difference_hook *hook, void *context);

/* The same, of the hosts alone. */
void np_compare_machines(const struct np_run *before, const struct np_run *after,
			 np_difference_hook *hook, void *context);

/* Whether both are of one program with the same options, but for those of duration and
 * destination.  Files without a header are alike if they are of one format. */
bool np_same_settings(const struct np_run *one, const struct np_run *other);
