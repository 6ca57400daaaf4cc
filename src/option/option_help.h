/*
 * option_help.h - --help and --help-all: the options, from their tables.
 */
#pragma once

#include <stdio.h>

#include "option/option.h"

/*
 * Prints the options that the program has, in 80 columns, under the titles of their
 * groups: letter, long name, argument, sentence, choices, default.  brief: only those
 * marked so, each on one line, without the choices where they do not fit.
 */
void np_options_help(FILE *stream, const struct np_option_set *sets, size_t count,
		     bool brief);

/* Number of the options that --help-all lists. */
size_t np_options_count(const struct np_option_set *sets, size_t count);

/* What every program has besides: the options that no value is for. */
extern const struct np_option np_option_asides[];

/* The default as help prints it; NULL for none, and for a flag that is off. */
const char *np_option_default(const struct np_option *option);
