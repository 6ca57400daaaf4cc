/*
 * option_help.h - --help and --help-all: options from their tables.
 */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "option/option.h"

/*
 * Prints the options of the program in 80 columns, under the titles of their groups:
 * letter, long name, argument, sentence, choices, default.  brief: options with .brief
 * only, one line each, without choices that do not fit.
 */
void np_options_help(FILE *stream, const struct np_option_set *sets, size_t count,
		     bool brief);

/* Number of the options that --help-all lists. */
size_t np_options_count(const struct np_option_set *sets, size_t count);

/* Options of every program that set no value: --help, --version.  Ends with a zero
 * entry. */
extern const struct np_option np_option_asides[];
