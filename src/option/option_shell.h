/*
 * option_shell.h - --shell-completion: scripts from the tables.
 */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "option/option.h"

/*
 * Prints the script by which `shell`, "bash", "zsh" or "fish", completes options of
 * `program`: names, choices, and files for arguments named FILE.  files: operands are
 * files.  Returns 0, or -EINVAL with NP_ERROR_USAGE for another shell.
 */
int np_options_shell(FILE *stream, const char *shell, const char *program, bool files,
		     const struct np_option_set *sets, size_t count,
		     struct np_error *error);
