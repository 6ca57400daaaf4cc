/*
 * command_check.h - whether a command of the peer is valid in the state of this process.
 */
#pragma once

#include "endpoint/command.h"

/*
 * Checks a received command before anything of it is executed: its kind, its order
 * (nothing is armed before it is mapped), and every number in it against what this
 * process has and what the plan says.  Returns 0, or -EPROTO with a text that names the
 * command.
 */
int np_command_check(const struct np_process *process, const struct np_command *command,
		     struct np_error *error);
