/*
 * option_help.h - --help: the list of options, from their tables.
 */
#pragma once

#include <stdio.h>

#include "option/option.h"

/*
 * Prints every option of the sets, one after the other, in 80 columns: letter,
 * long name, argument, sentence, choices, default.  The columns are the same
 * in every call, so that sections with titles of the caller's own line up.
 */
void np_options_help(FILE *stream, const struct np_option_set *sets, size_t count);
