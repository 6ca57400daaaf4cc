/*
 * option_value.h - values of options, as text and back, for option*.c.
 */
#pragma once

#include <stddef.h>

#include "option/option.h"

/* Size of the text of a refusal, bytes. */
enum { NP_OPTION_REASON = 240 };

/*
 * Reads text as the option's type into its place in values.  Returns 0, or -EINVAL with a
 * reason such as "not a size", without the option's name: its spelling, -l or --lower, is
 * the caller's.  An empty text unsets a TEXT (NULL); any other TEXT keeps the pointer.
 */
int np_option_read(const struct np_option *option, void *values, const char *text,
		   char reason[static NP_OPTION_REASON]);

/*
 * np_option_read() for text written by np_option_text(): an option without a default may be
 * zero, "not given", although its range begins above.
 */
int np_option_read_back(const struct np_option *option, void *values, const char *text,
			char reason[static NP_OPTION_REASON]);
